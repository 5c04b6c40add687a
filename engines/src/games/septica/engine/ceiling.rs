//! The ceiling: a player that sees all cards, the deck's order too, and searches perfectly. No engine can be that: it
//! is given the state, not a view, and serves measurements alone.

use super::super::rules::{Draws, Move, State};
use super::memory::Memory;
use super::net::{Knows, NET};
use super::position::{DECK, NONE, Position, hand_of, to_move};
use super::solve::Solver;
use super::worth;
use crate::game::{Seat, Viewer};
use crate::search::{Limits, Patient, Search};

/// Sees everything.
pub struct Omniscient(Solver);

impl Default for Omniscient {
    fn default() -> Self {
        Self(Solver::new(1 << 21))
    }
}

impl Omniscient {
    /// The best move of `seat`, who is to move, against a seat that sees all cards too; of several the one that the
    /// network finds best against a seat that does not.
    pub fn choose(&mut self, state: &State, seat: Seat) -> Move {
        let view = crate::game::State::view(state, Viewer::Seat(seat));
        let p = Position::new(&view, hand_of(&state.hands[seat.other().index()]));
        let mut deck = [0; DECK];
        deck.iter_mut().zip(&state.deck).for_each(|(to, card)| *to = card.index() as u8);
        let mut search = Search::new(Limits::default(), &Patient);
        let draw = match state.options.draws {
            Draws::Split => 1,
            Draws::Player => 2 * seat.0,
        };
        let memory = Memory::of(&view);
        let knows = Knows::new(&p, &memory, draw);
        let common = NET.common(&knows);
        self.0.begin(&deck);
        let mut best = (NONE, -1.0);
        let (cards, may_stop) = p.moves();
        for rank in cards.chain(may_stop.then_some(NONE)) {
            let mut next = p;
            next.play(rank, &deck);
            // More or less than half of the points, or just half: no more is asked.
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
