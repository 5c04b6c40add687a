//! The upper bound for every engine: a player that sees all cards, even the order of the deck, and searches perfectly. It
//! gets the state, not a view, so it is no engine; it only serves measurements.

use super::super::rules::{Draws, Move, State};
use super::memory::SeatMemory;
use super::net::{Knows, NET};
use super::position::{DECK, NONE, OpenPosition, hand_of, to_move};
use super::solve::TrickSolver;
use super::worth;
use crate::game::{Seat, Viewer};
use crate::search::{Limits, Patient, Search};

/// A player that sees all cards.
pub struct Omniscient(TrickSolver);

impl Default for Omniscient {
    fn default() -> Self {
        Self(TrickSolver::new(1 << 21))
    }
}

impl Omniscient {
    /// The best move of `seat`, which is to move, against a seat that sees all cards too. Of equal moves it takes the one
    /// that the network finds best against a seat that does not see them.
    pub fn choose(&mut self, state: &State, seat: Seat) -> Move {
        let view = crate::game::State::view(state, Viewer::Seat(seat));
        let p = OpenPosition::new(&view, hand_of(&state.hands[seat.other().index()]));
        let mut deck = [0; DECK];
        deck.iter_mut().zip(&state.deck).for_each(|(to, card)| *to = card.index() as u8);
        let mut search = Search::new(Limits::default(), &Patient);
        let draw = match state.options.draws {
            Draws::Split => 1,
            Draws::Player => 2 * seat.0,
        };
        let memory = SeatMemory::of(&view);
        let knows = Knows::new(&p, &memory, draw);
        let common = NET.common(&knows);
        self.0.begin(&deck);
        let mut best = (NONE, -1.0);
        let (cards, may_stop) = p.moves();
        for rank in cards.chain(may_stop.then_some(NONE)) {
            let mut next = p;
            next.play(rank, &deck);
            // It only matters whether seat 0 gets less than half of the points, half, or more.
            let half = 4 - next.won[0] as i8;
            let rest = self.0.points(&next, half - 1, half + 1, &mut search).unwrap_or(0);
            let first = (next.won[0] as i8 + rest) as u8;
            let points = if seat == Seat(0) { first } else { 8 - first };
            let merit = 2.0 * worth(points, draw) + f64::from(NET.value(&knows, &common, rank));
            if merit > best.1 {
                best = (rank, merit);
            }
        }
        to_move(best.0)
    }
}
