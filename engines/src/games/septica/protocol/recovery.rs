//! Continues the player's side after an invalid token. The dialogue strictly alternates, so an invalid number in the
//! place of a card counts as an unreadable card; a word is ignored.

use super::super::Septica;
use super::super::rules::{CARDS, HAND, Rank};
use super::player::{ExpectedToken, PlayerDialogue};
use crate::protocol::{Awaits, Lines, PlayerAwaits};

impl PlayerDialogue {
    /// Continues after [`crate::protocol::Player::line`] refused this line. The numbers before its first word are already
    /// queued.
    pub(super) fn read_leniently(&mut self, line: &str, out: &mut Lines) -> PlayerAwaits<Septica> {
        let numbers: Vec<Option<i64>> = line.split_whitespace().map(|token| token.parse().ok()).collect();
        if let Some(first) = numbers.iter().position(Option::is_none) {
            self.tokens.extend(numbers[first..].iter().flatten());
        }
        while !matches!(self.step(), Awaits::Decision(_) | Awaits::Nothing) {
            let Some(number) = self.tokens.pop_front() else { break };
            if self.token(number, out).is_err() {
                self.accept_unreadable(number, out);
            }
        }
        self.step()
    }

    /// Handles an impossible number as an unreadable token of the expected kind.
    fn accept_unreadable(&mut self, number: i64, out: &mut Lines) {
        match self.expected {
            ExpectedToken::Hand => {
                if self.hand.is_empty() && self.unreadable == 0 {
                    self.new_match();
                }
                self.unreadable += 1;
                self.begin_if_dealt();
            }
            ExpectedToken::Next => {
                self.forget_surplus();
                let card = Rank::new(number).unwrap_or_else(|| self.substitute_rank());
                self.trick.push(card);
                self.theirs = self.theirs.saturating_sub(1);
                self.react(out);
            }
            // Count the cards that follow.
            ExpectedToken::Count { leader } => {
                let room = HAND.saturating_sub(self.hand.len() + self.unreadable);
                let cards = self.tokens.iter().take_while(|number| Rank::new(**number).is_some());
                let left = cards.take(room).count();
                self.draw(leader, 0, left, out);
            }
            ExpectedToken::Drawn { leader, read, left } => {
                self.unreadable += 1;
                self.draw(leader, read + 1, left - 1, out);
            }
            ExpectedToken::Score { .. } | ExpectedToken::End => {}
        }
    }

    /// Forgets the past of a match with more than 32 cards, except the part that decides whose turn it is.
    fn forget_surplus(&mut self) {
        let taken: usize = self.taken.iter().map(Vec::len).sum();
        if self.trick.len() + taken > CARDS {
            self.taken.iter_mut().for_each(Vec::clear);
            self.past.clear();
            let pairs = self.trick.len().saturating_sub(1) / 2;
            self.trick.truncate(self.trick.len() - 2 * pairs);
        }
    }

    /// A rank for an unreadable card: neither 7 nor the led rank, so that it does not cut, and among these the rank seen
    /// least often.
    fn substitute_rank(&self) -> Rank {
        let seen = |rank: Rank| {
            let cards = self.hand.iter().chain(&self.trick).chain(self.taken.iter().flatten());
            cards.filter(|card| **card == rank).count()
        };
        let ranks = Rank::all().filter(|rank| *rank != Rank::SEVEN && self.trick.first() != Some(rank));
        ranks.min_by_key(|rank| seen(*rank)).unwrap_or(Rank::SEVEN)
    }
}
