//! The public table: the seat to move, legal moves, and checks that a table is possible. Must not know hidden cards.

use super::cards::{Rank, points};
use super::moves::Move;
use super::{CARDS, COMPUTER, HAND};
use crate::game::{Seat, Turn};

/// The public table: all that both seats and every spectator see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PublicTable {
    /// The seat that leads the trick.
    pub leader: Seat,
    /// The cards of the trick in order of play, the leader's first.
    pub trick: Vec<Rank>,
    /// The cards that each seat has taken, ascending.
    pub taken: [Vec<Rank>; 2],
    /// The finished tricks in order, each in order of play. Also empty if a position was given without its past.
    pub past: Vec<Vec<Rank>>,
    /// Number of cards in each hand.
    pub hands: [u8; 2],
    /// Number of cards in the deck.
    pub deck: u8,
}

impl PublicTable {
    /// The seat to move. The match is over between two tricks once the hands are empty.
    pub(crate) fn turn(&self) -> Turn {
        if self.trick.is_empty() && self.hands == [0, 0] { Turn::Over } else { Turn::Of(self.mover()) }
    }

    /// Points taken so far, per seat.
    pub(crate) fn points(&self) -> [u8; 2] {
        [0, 1].map(|seat| points(&self.taken[seat]))
    }

    /// Appends the distinct moves of the seat to move, whose hand is `hand`: cards ascending, then the stop.
    pub(crate) fn moves(&self, hand: &[Rank], out: &mut Vec<Move>) {
        let go_on = self.trick.len().is_multiple_of(2);
        match self.trick.first() {
            Some(led) if go_on => {
                out.extend(Rank::all().filter(|r| r.cuts(*led) && hand.contains(r)).map(Move::Card));
                out.push(Move::Stop);
            }
            _ => out.extend(Rank::all().filter(|r| hand.contains(r)).map(Move::Card)),
        }
    }

    /// Checks that the table is possible.
    ///
    /// # Errors
    /// Names the field and says what is allowed.
    pub(crate) fn check(&self) -> Result<(), String> {
        let Self { leader, trick, taken, past: _, hands, deck } = self;
        if leader.0 > 1 {
            return Err("leader: there are seats 0 and 1".to_owned());
        }
        if trick.len() > 2 * HAND || taken.iter().any(|t| t.len() > CARDS) {
            return Err(format!("trick, taken: a trick has at most {} cards, the game {CARDS}", 2 * HAND));
        }
        let in_hands: usize = hands.iter().map(|n| usize::from(*n)).sum();
        let all = in_hands + usize::from(*deck) + trick.len() + taken[0].len() + taken[1].len();
        if all != CARDS {
            return Err(format!("hands, deck, trick, taken: there are {CARDS} cards in the game, not {all}"));
        }
        self.check_past().map_err(|e| format!("past: {e}"))?;
        if self.turn() == Turn::Over {
            return if *deck == 0 {
                Ok(())
            } else {
                Err("deck: it must be empty when the hands are".to_owned())
            };
        }
        let follower = leader.other();
        // If the number of cards is odd, the leader has played one more.
        let played = |seat: Seat| (trick.len() + usize::from(seat == *leader)) / 2;
        let dealt = |seat: Seat| usize::from(hands[seat.index()]) + played(seat);
        let wrong = |n: usize| n > HAND || (*deck > 0 && n != HAND);
        if wrong(dealt(*leader)) || wrong(dealt(follower)) {
            return Err(format!(
                "hands: a seat begins a trick with {HAND} cards, or with fewer once the deck is empty"
            ));
        }
        if deck % 2 > 0 || taken.iter().any(|t| t.len() % 2 > 0) {
            return Err("deck, taken: cards are drawn and taken in pairs until the match ends".to_owned());
        }
        if taken[leader.index()].is_empty() && (*leader != COMPUTER || !taken[1].is_empty()) {
            return Err("leader: seat 0 leads first, later the seat that took the last trick".to_owned());
        }
        if trick.iter().skip(1).any(|card| !card.cuts(trick[0])) {
            return Err("trick: after its first card a trick that goes on has only cuts".to_owned());
        }
        let stuck = if trick.is_empty() { hands.contains(&0) } else { hands[self.mover().index()] == 0 };
        if stuck {
            return Err("hands: the seat to play has no card, so the trick or the match is over".to_owned());
        }
        Ok(())
    }

    fn mover(&self) -> Seat {
        mover(self.leader, &self.trick)
    }

    /// Checks that the finished tricks lead to the taken cards and to the leader. In a finished match a seat may also have
    /// taken the rest of its hand.
    fn check_past(&self) -> Result<(), String> {
        if self.past.is_empty() {
            return Ok(());
        }
        let mut left = self.taken.clone();
        let mut leader = COMPUTER;
        for trick in &self.past {
            let Some(led) = trick.first() else { return Err("a trick has a card".to_owned()) };
            let mut between = trick.iter().skip(1).take(trick.len().saturating_sub(2));
            if between.any(|card| !card.cuts(*led)) {
                return Err("after its first card a trick that goes on has only cuts".to_owned());
            }
            leader = taker(leader, trick);
            let left = &mut left[leader.index()];
            for card in trick {
                let at = left.iter().position(|c| c == card);
                left.swap_remove(at.ok_or_else(|| format!("seat {leader} has not taken {card}"))?);
            }
        }
        let over = self.turn() == Turn::Over;
        if leader != self.leader || (!over && left.iter().any(|cards| !cards.is_empty())) {
            return Err("these tricks lead to other taken cards or to another leader".to_owned());
        }
        Ok(())
    }
}

/// The seat that takes a finished trick: the follower if the last card is its cut, otherwise the leader.
pub(crate) fn taker(leader: Seat, trick: &[Rank]) -> Seat {
    let answered = trick.len().is_multiple_of(2);
    match (trick.first(), trick.last()) {
        (Some(led), Some(last)) if answered && last.cuts(*led) => leader.other(),
        _ => leader,
    }
}

/// The seat that plays the next card of this trick or stops it.
pub(super) fn mover(leader: Seat, trick: &[Rank]) -> Seat {
    if trick.len().is_multiple_of(2) { leader } else { leader.other() }
}
