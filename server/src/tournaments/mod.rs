//! Tournaments: the pairings, the deals and the results. `ledger` and the modules that it uses are pure: no clock, no
//! I/O; randomness and results are arguments. `service` stores tournaments, and `runner` has their games played as
//! matches.

mod command;
mod comparison;
pub mod deal;
mod deletion;
pub mod event;
mod formats;
pub mod ledger;
mod play;
pub mod runner;
mod scores;
pub mod service;
pub mod setup;
mod standings;
#[cfg(test)]
pub(crate) mod tests;
mod window;

pub use comparison::compare;
use formats::gauntlet::gauntlet;
pub use formats::pairing::{Game, GameSchedule, Pairing};
pub use formats::round_robin::round_robin;
pub use formats::sampled::sampled_round_robin;
pub use formats::swiss::{Entrant, Round, SwissError, swiss_round};
pub use scores::{GamePoints, GameScores};
use setup::games_within;
pub use standings::{
    Direct, PlayedGame, Points, Ranking, Rounds, Standings, StandingsLine, common_denominator, numerator,
    rounded,
};
