//! A position in which all cards are known, small and fast: hands are counts, four bits for each rank. The caller supplies
//! the cards that a view hides.

use super::super::View;
use super::super::rules::{HAND, Move, Rank};

/// Used instead of a rank: no card was led, or the move is the stop.
pub const NONE: u8 = 8;
/// Most cards a deck holds.
pub const DECK: usize = 24;
/// One in the count of each rank.
const ONES: u32 = 0x1111_1111;

/// A hand: the number of cards of each rank, four bits each, the 7s lowest.
pub type HandCounts = u32;

/// The hand of these cards.
pub fn hand_of(cards: &[Rank]) -> HandCounts {
    cards.iter().map(|card| 1 << (4 * card.index())).sum()
}

/// The number of cards of this rank.
pub fn count(hand: HandCounts, rank: u8) -> u32 {
    hand >> (4 * rank) & 15
}

/// The lowest bit of each rank held.
fn held_ranks(hand: HandCounts) -> u32 {
    (hand | hand >> 1 | hand >> 2) & ONES
}

/// Whether this rank is worth a point.
pub fn is_point(rank: u8) -> bool {
    rank == 3 || rank == 7
}

/// The ranks of a set, ascending.
#[derive(Clone, Copy)]
pub struct Ranks(u32);

impl Iterator for Ranks {
    type Item = u8;

    fn next(&mut self) -> Option<u8> {
        if self.0 == 0 {
            return None;
        }
        let rank = self.0.trailing_zeros() / 4;
        self.0 &= self.0 - 1;
        Some(rank as u8)
    }
}

/// The ranks in a hand, ascending.
pub fn ranks(hand: HandCounts) -> Ranks {
    Ranks(held_ranks(hand))
}

/// A position. All positions of one deal share a deck, which is kept outside: the next card is `deck[left - 1]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenPosition {
    /// By seat.
    pub hands: [HandCounts; 2],
    /// Number of cards in each hand.
    pub held: [u8; 2],
    /// Number of cards in the deck.
    pub left: u8,
    /// The seat that led the trick, or is to lead it.
    pub leader: u8,
    /// The rank led, or [`NONE`].
    pub led: u8,
    /// Whether the follower is to answer, and not the leader to lead or to go on.
    pub answering: bool,
    /// Points in the trick.
    pub stake: u8,
    /// Points taken.
    pub won: [u8; 2],
    /// The cards that both seats have seen: those of the trick and those taken.
    pub gone: HandCounts,
}

impl OpenPosition {
    /// No card anywhere.
    pub const EMPTY: Self = Self {
        hands: [0; 2],
        held: [0; 2],
        left: 0,
        leader: 0,
        led: NONE,
        answering: false,
        stake: 0,
        won: [0; 2],
        gone: 0,
    };

    /// The position in `view`, with this hand in the other seat.
    pub fn new(view: &View, other: HandCounts) -> Self {
        let open = &view.open;
        let mut hands = [other; 2];
        hands[view.seat().index()] = hand_of(&view.hand);
        Self {
            hands,
            held: open.hands,
            left: open.deck,
            leader: open.leader.0,
            led: open.trick.first().map_or(NONE, |card| card.index() as u8),
            answering: !open.trick.len().is_multiple_of(2),
            stake: super::super::rules::points(&open.trick),
            won: open.points(),
            gone: open.taken.iter().chain([&open.trick]).map(|cards| hand_of(cards)).sum(),
        }
    }

    /// The seat to move.
    #[inline]
    pub fn mover(&self) -> usize {
        usize::from(self.leader ^ u8::from(self.answering))
    }

    /// Whether the match is over: between tricks, and a seat has no card.
    #[inline]
    pub fn over(&self) -> bool {
        self.led == NONE && (self.held[0] == 0 || self.held[1] == 0)
    }

    /// Points not taken yet.
    pub fn open_points(&self) -> u8 {
        8 - self.won[0] - self.won[1]
    }

    /// Points of both seats when the match is over: the seat with cards left takes the rest.
    pub fn final_points(&self) -> [u8; 2] {
        let mut points = self.won;
        points[usize::from(self.held[0] == 0)] += self.open_points();
        points
    }

    /// The cards that may be played, and whether the leader may stop instead.
    #[inline]
    pub fn moves(&self) -> (Ranks, bool) {
        let all = held_ranks(self.hands[self.mover()]);
        if self.led == NONE || self.answering {
            (Ranks(all), false)
        } else {
            (Ranks(all & (1 | 1 << (4 * self.led))), true)
        }
    }

    /// Plays a rank, or [`NONE`] to stop.
    #[inline]
    pub fn play(&mut self, rank: u8, deck: &[u8; DECK]) {
        if rank == NONE {
            return self.take(self.leader ^ 1, deck);
        }
        let mover = self.mover();
        self.hands[mover] -= 1 << (4 * rank);
        self.held[mover] -= 1;
        self.gone += 1 << (4 * rank);
        self.stake += u8::from(is_point(rank));
        if self.led == NONE {
            self.led = rank;
        }
        let cut = rank == 0 || rank == self.led;
        if self.held[mover ^ 1] == 0 || (self.answering && !cut) {
            let taker = if self.answering && cut { mover as u8 } else { self.leader };
            return self.take(taker, deck);
        }
        self.answering = !self.answering;
    }

    /// Gives the trick to `taker`, which leads next. Fills the hands one card each in turn, beginning with `taker`.
    fn take(&mut self, taker: u8, deck: &[u8; DECK]) {
        self.won[usize::from(taker)] += self.stake;
        self.stake = 0;
        self.led = NONE;
        self.answering = false;
        self.leader = taker;
        for _ in 0..HAND {
            for seat in [usize::from(taker), usize::from(taker ^ 1)] {
                if self.left > 0 && usize::from(self.held[seat]) < HAND {
                    self.left -= 1;
                    self.hands[seat] += 1 << (4 * deck[usize::from(self.left)]);
                    self.held[seat] += 1;
                }
            }
        }
    }
}

/// The move of a rank, or of [`NONE`].
pub fn to_move(rank: u8) -> Move {
    if rank == NONE { Move::Stop } else { Move::Card(Rank::from_index(usize::from(rank))) }
}

/// The rank of a move, or [`NONE`] for the stop.
pub fn from_move(mv: Move) -> u8 {
    match mv {
        Move::Card(rank) => rank.index() as u8,
        Move::Stop => NONE,
    }
}
