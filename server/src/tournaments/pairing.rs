//! A pairing and its games: duplicate deals, each played once from every seat.

use serde::{Deserialize, Serialize};

/// Entrants who play each other, by their numbers in the tournament; as many as the game has seats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pairing {
    /// The round, from 1.
    pub round: u32,
    /// The entrants, in the seat order of the first game.
    pub entrants: Vec<usize>,
}

/// A game of a pairing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// The deal, from 0. All games of a pairing with the same deal have the same seed.
    pub deal: u32,
    /// The entrants by seat.
    pub seats: Vec<usize>,
}

/// The games of a pairing: each deal is played once from every seat, so that neither the deal nor the first move favours
/// an entrant. Of `n` seats there are `n` rotations; with two seats they are exchanged.
pub fn games_of(pairing: &Pairing, deals: u32) -> Vec<Game> {
    let seats = pairing.entrants.len();
    let game = |deal, turn: usize| {
        let seats = (0..seats).map(|seat| pairing.entrants[(seat + turn) % seats]).collect();
        Game { deal, seats }
    };
    (0..deals).flat_map(|deal| (0..seats).map(move |turn| game(deal, turn))).collect()
}
