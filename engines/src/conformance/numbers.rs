//! The rules for the numeric form of views and moves.

use super::{CheckResult, ensure};
use crate::game::Game;
use crate::rng::Rng;

/// Checks the numbers of one view, whose legal moves are `legal`: the observation is within its bounds, and the mask allows
/// exactly the listed moves, each by its own index, which leads back to it.
pub(super) fn numbers<G: Game>(view: &G::View, legal: &[G::Move], rng: &mut Rng) -> CheckResult {
    let Some(encoder) = G::encoder() else { return Ok(()) };
    let layout = encoder.encoding();
    let mut observation = vec![i16::MIN; layout.observation_len()];
    encoder.observe(view, &mut observation);
    layout.check(&observation)?;
    let mut mask = vec![true; layout.action_count()];
    encoder.mask(view, &mut mask);
    let allowed = mask.iter().filter(|allowed| **allowed).count();
    ensure(allowed == legal.len(), || format!("{allowed} actions are legal, but {} moves", legal.len()))?;
    for mv in legal {
        let index = encoder.index_of(view, mv);
        let is_allowed = index.and_then(|index| mask.get(index)).is_some_and(|allowed| *allowed);
        ensure(is_allowed, || format!("{mv} has the index {index:?}, which the mask does not allow"))?;
    }
    // Building a full list for each action is slow in some games, so only some actions are checked.
    for mv in legal.iter().step_by(1 + legal.len() / 8) {
        let back = encoder.index_of(view, mv).and_then(|index| encoder.action_of(view, index));
        ensure(back.as_ref() == Some(mv), || format!("{mv} becomes {back:?} by its index"))?;
    }
    for index in (0..4).map(|_| rng.below(mask.len())).filter(|index| !mask[*index]) {
        let mv = encoder.action_of(view, index);
        ensure(mv.is_none(), || format!("action {index} is masked, but is {mv:?}"))?;
    }
    Ok(())
}
