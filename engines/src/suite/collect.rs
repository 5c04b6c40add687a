//! Makes positions of a suite from the costly decisions of an analysed match.

use std::collections::BTreeMap;

use crate::erased::{AnyGame, FinishedMatch, Refusal};
use crate::game::{Process, Viewer};
use crate::judge::{JudgedDecision, MatchAnalysis};
use crate::suite::entry::{SuiteHistory, SuitePosition};

/// The decisions of a match that `wanted` chooses among those that lost something, as positions of a suite, in the order of the
/// match. Penalties are none. `name`: of the match; the names of the positions begin with it.
///
/// # Errors
/// When the match contradicts the game, or the analysis is of another one.
pub fn costly_positions(
    game: &dyn AnyGame,
    finished: &FinishedMatch,
    analysis: &MatchAnalysis,
    name: &str,
    mut wanted: impl FnMut(&JudgedDecision) -> bool,
) -> Result<Vec<SuitePosition>, Refusal> {
    let slug = game.info().slug;
    let mut table = game.restore(&finished.dealt)?;
    let mut positions = Vec::new();
    for (ply, played) in finished.moves.iter().enumerate() {
        let decision = analysis.decisions.get(ply).filter(|one| !one.penalty);
        if let Some(decision) = decision
            && let Some(value) = decision.value.as_ref().filter(|value| value.loss > 0.0)
            && wanted(decision)
        {
            let before = || finished.moves[..ply].iter().map(|one| one.notation.clone()).collect();
            let history = (game.info().process == Process::PerMatch)
                .then(|| SuiteHistory { start: finished.dealt.clone(), moves: before() });
            let holder = finished.names.get(decision.seat.index()).map_or("", String::as_str);
            let losses = [(value.best.notation.clone(), 0.0), (decision.played.notation.clone(), value.loss)];
            positions.push(SuitePosition {
                game: slug.to_owned(),
                name: format!("{name} ply {ply}"),
                source: format!("seat {} ({holder}) played {}", decision.seat, decision.played.notation),
                phase: decision.phase.clone(),
                kind: decision.kind.clone(),
                position: table.view(Viewer::Seat(decision.seat)).to_json(),
                history,
                value: Some(value.before),
                losses: BTreeMap::from(losses),
                good: Vec::new(),
                bad: Vec::new(),
                judged_by: Some(format!(
                    "{}, {} nodes, judge {}",
                    analysis.engine, analysis.nodes, analysis.judge
                )),
            });
        }
        table.play(played.seat, &played.notation)?;
    }
    Ok(positions)
}
