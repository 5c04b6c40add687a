//! The engine: alpha-beta to the end of the match. Weaker levels look less far ahead and slip.

use super::TakeAway;
use crate::search::{EngineSpec, Level};
use crate::search_kit::alpha_beta::{AlphaBeta, Strength};

/// The engine's entry in the game's list.
pub(super) const SPEC: EngineSpec<TakeAway> = EngineSpec {
    name: "takeaway",
    version: 1,
    instant: false,
    summary: "Alpha-beta search to the end of the match.",
    // Every unfinished state counts as even: a search to the end needs no better estimate.
    make: || Box::new(AlphaBeta { estimate: |_| 0, strength }),
};

/// The handicap of each level.
fn strength(level: Level) -> Strength {
    match level {
        Level::Easy => Strength { depth: 1, slips: 0.5 },
        Level::Medium => Strength { depth: 3, slips: 0.25 },
        Level::Hard => Strength { depth: 6, slips: 0.1 },
        Level::Max => Strength { depth: u32::MAX, slips: 0.0 },
    }
}
