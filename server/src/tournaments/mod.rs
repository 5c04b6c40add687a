//! Tournaments: the pairings, the deals and the results. `ledger` and the modules that it uses are pure: no clock, no
//! I/O; randomness and results are arguments. `service` stores tournaments, and `runner` has their games played as
//! matches.

mod command;
mod comparison;
pub mod deal;
mod deletion;
pub mod event;
mod gauntlet;
mod ladder;
pub mod ledger;
mod pairing;
mod play;
mod round_robin;
pub mod runner;
mod sampled;
mod scores;
pub mod service;
pub mod setup;
mod standings;
mod swiss;
#[cfg(test)]
pub(crate) mod tests;
mod window;

pub use comparison::compare;
use gauntlet::gauntlet;
pub use pairing::{Game, GameSchedule, Pairing};
pub use round_robin::round_robin;
pub use sampled::sampled_round_robin;
pub use scores::{GamePoints, GameScores};
use setup::games_within;
pub use standings::{
    Direct, PlayedGame, Points, Ranking, Rounds, Standings, StandingsLine, common_denominator, numerator,
    rounded,
};
pub use swiss::{Entrant, Round, SwissError, swiss_round};
