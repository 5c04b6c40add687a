//! The memory of a seat's play so far: its tendencies in answering and going on, and the cards that it recently seemed not
//! to hold. All of it is public.

use super::super::View;
use super::super::rules::{COMPUTER, HAND, Rank};
use super::position::{NONE, OpenPosition, is_point};

/// Number of habits that are counted.
pub const HABITS: usize = 11;
/// The largest count.
pub const MANY: u8 = 3;
/// After this many cards of a seat, nothing of its earlier hand is left.
pub const FORGOTTEN: u8 = 4;

/// The memory of one seat's play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatMemory {
    /// Cards it has played.
    played: u8,
    /// `played` when it last did not cut although this rank would have cut: without points in the trick, and with points.
    refused: [[u8; 8]; 2],
    /// `played` when it last led this rank.
    led: [u8; 8],
    /// The counts of its habits.
    pub habits: [u8; HABITS],
}

impl SeatMemory {
    /// No memory.
    pub const BLANK: Self = Self { played: 100, refused: [[0; 8]; 2], led: [0; 8], habits: [0; HABITS] };

    /// The memory of both seats if `view` has the past tricks; else none.
    pub fn of(view: &View) -> [Self; 2] {
        let open = &view.open;
        let mut memory = [Self::BLANK; 2];
        let past_is_missing = open.past.is_empty() && open.taken.iter().any(|cards| !cards.is_empty());
        let mut leader = COMPUTER.0;
        for trick in open.past.iter().chain([&open.trick]).filter(|_| !past_is_missing) {
            let over = !std::ptr::eq(trick, &open.trick);
            leader = Self::note_trick(&mut memory, leader, trick, over);
        }
        memory
    }

    /// Notes the cards of a trick, and the stop that may have ended it. Returns the seat that took it.
    fn note_trick(memory: &mut [Self; 2], leader: u8, trick: &[Rank], over: bool) -> u8 {
        let mut p = OpenPosition { leader, ..OpenPosition::EMPTY };
        for card in trick {
            let rank = card.index() as u8;
            memory[p.mover()].note(&p, rank);
            p.led = if p.led == NONE { rank } else { p.led };
            p.stake += u8::from(is_point(rank));
            p.answering = !p.answering;
        }
        let cut = trick.last().is_some_and(|card| card.cuts(trick[0]));
        if p.answering || !cut {
            return leader;
        }
        // A leader without cards cannot stop. Hands are full until the deck is empty.
        if over && trick.len() < 2 * HAND {
            memory[usize::from(leader)].note(&p, NONE);
        }
        leader ^ 1
    }

    /// Notes that this seat, the mover of `p`, plays `rank`.
    #[inline]
    pub fn note(&mut self, p: &OpenPosition, rank: u8) {
        let rich = usize::from(p.stake > 0);
        let cut = rank == 0 || rank == p.led;
        let habit = if p.led == NONE {
            self.led[usize::from(rank)] = self.played;
            10
        } else if p.answering {
            match (cut, rank) {
                (true, 0) => rich,
                (true, _) => 2 + rich,
                (false, _) if is_point(rank) => 9,
                (false, _) => 4 + rich,
            }
        } else if rank == NONE {
            6
        } else {
            7 + rich
        };
        if p.led != NONE && !cut {
            self.refused[rich][0] = self.played;
            self.refused[rich][usize::from(p.led)] = self.played;
        }
        if habit < 10 || is_point(rank) {
            let count = &mut self.habits[habit];
            *count = (*count + 1).min(MANY);
        }
        self.played += u8::from(rank != NONE);
    }

    /// The number of its cards since it did not cut although this rank would have, up to [`FORGOTTEN`].
    #[inline]
    pub fn since_refused(&self, rich: usize, rank: u8) -> u8 {
        (self.played - self.refused[rich][usize::from(rank)]).min(FORGOTTEN)
    }

    /// The number of its cards since it led this rank, up to [`FORGOTTEN`].
    #[inline]
    pub fn since_led(&self, rank: u8) -> u8 {
        (self.played - self.led[usize::from(rank)]).min(FORGOTTEN)
    }
}
