//! Tournaments: who plays whom on which deals, and what comes of it. Pure: no clock, no I/O; randomness and results are
//! arguments. It must not know how matches are played or stored.

pub mod event;
pub mod ledger;
mod pairing;
mod round_robin;
mod standings;
mod swiss;
#[cfg(test)]
mod tests;

pub use pairing::{Game, Pairing, games_of};
pub use round_robin::round_robin;
pub use standings::{Direct, PlayedGame, Standing, Standings, TieBreak, seat_scores};
pub use swiss::{Entrant, Round, SwissError, swiss_round};
