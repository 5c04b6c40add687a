//! The rules that a rated match keeps: its result must tell how strong its players are. Decides only.

use crate::domain::PlayerRef;
use crate::matches::event::{Holder, SeatSetup, SeedFrom};
use crate::matches::ledger::Beginning;
use crate::matches::refusal::{MatchRefusal, RatedRule};

/// Checks a rated match before it is created. Seats that are open are checked when they are taken.
pub(super) fn check_beginning(beginning: &Beginning) -> Result<(), MatchRefusal> {
    let broken = if beginning.position.is_some() {
        Some(RatedRule::Deal)
    } else if beginning.key.is_some() {
        Some(RatedRule::Public)
    } else if beginning.clock.is_none() {
        Some(RatedRule::Clock)
    } else if beginning.seed_from != SeedFrom::Host {
        Some(RatedRule::Seed)
    } else if beginning.hints == Some(true) {
        Some(RatedRule::NoHints)
    } else if beginning.seats.len() < 2 || has_engine_twice(&beginning.seats) {
        Some(RatedRule::Seats)
    } else {
        None
    };
    if let Some(rule) = broken {
        return Err(MatchRefusal::NotRated(rule));
    }
    for (seat, setup) in beginning.seats.iter().enumerate() {
        if let Some(holder) = setup.holder() {
            check_holder(holder, beginning.seats[..seat].iter())?;
        }
    }
    Ok(())
}

/// Checks the holder of a seat of a rated match. `others`: the other seats.
pub(super) fn check_holder<'a>(
    new: &Holder,
    others: impl Iterator<Item = &'a SeatSetup>,
) -> Result<(), MatchRefusal> {
    let Some(player) = &new.player else { return Err(MatchRefusal::NotRated(RatedRule::Players)) };
    let is_owner = |other: &PlayerRef| other.owner_id() == player.owner_id();
    if others.filter_map(|setup| setup.holder()?.player.as_ref()).any(is_owner) {
        return Err(MatchRefusal::NotRated(RatedRule::Owners));
    }
    Ok(())
}

/// Whether two seats are for the same engine in the same version at the same level: one player, who cannot play itself.
fn has_engine_twice(seats: &[SeatSetup]) -> bool {
    let engine = |setup: &SeatSetup| match setup {
        SeatSetup::Engine(engine) => Some((engine.engine.clone(), engine.version, engine.level)),
        _ => None,
    };
    let engines: Vec<_> = seats.iter().filter_map(engine).collect();
    (1..engines.len()).any(|i| engines[..i].contains(&engines[i]))
}
