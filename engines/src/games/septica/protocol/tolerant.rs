//! How the player's side goes on after a token that is no card and no command. The dialogue strictly alternates, so a
//! number where a card was due is taken for a card that could not be read; a word is passed over.

use super::super::Septica;
use super::super::rules::{CARDS, HAND, Rank};
use super::bot::{Bot, Reading};
use crate::protocol::{Awaits, Lines, PlayerAwaits};

impl Bot {
    /// Goes on after [`crate::protocol::Player::line`] refused something in this line: its numbers up to the first
    /// word that is none wait already.
    pub(super) fn go_on_leniently(&mut self, line: &str, out: &mut Lines) -> PlayerAwaits<Septica> {
        let numbers: Vec<Option<i64>> = line.split_whitespace().map(|token| token.parse().ok()).collect();
        if let Some(first) = numbers.iter().position(Option::is_none) {
            self.tokens.extend(numbers[first..].iter().flatten());
        }
        while !matches!(self.step(), Awaits::Decision(_) | Awaits::Nothing) {
            let Some(number) = self.tokens.pop_front() else { break };
            if self.token(number, out).is_err() {
                self.unreadable(number, out);
            }
        }
        self.step()
    }

    /// Takes a number that cannot be where it came for what is due there.
    fn unreadable(&mut self, number: i64, out: &mut Lines) {
        match self.reading {
            Reading::Hand => {
                if self.hand.is_empty() && self.unread == 0 {
                    self.new_match();
                }
                self.unread += 1;
                self.hand_read();
            }
            Reading::Next => {
                self.forget_surplus();
                let card = Rank::new(number).unwrap_or_else(|| self.stand_in());
                self.trick.push(card);
                self.theirs = self.theirs.saturating_sub(1);
                self.answered(out);
            }
            // The cards themselves tell how many they are.
            Reading::Count { leader } => {
                let room = HAND.saturating_sub(self.hand.len() + self.unread);
                let cards = self.tokens.iter().take_while(|number| Rank::new(**number).is_some());
                let left = cards.take(room).count();
                self.draw(leader, 0, left, out);
            }
            Reading::Drawn { leader, read, left } => {
                self.unread += 1;
                self.draw(leader, read + 1, left - 1, out);
            }
            Reading::Score { .. } | Reading::End => {}
        }
    }

    /// Forgets what a match with more cards than there are has shown, but for what decides whose turn it is.
    fn forget_surplus(&mut self) {
        let taken: usize = self.taken.iter().map(Vec::len).sum();
        if self.trick.len() + taken > CARDS {
            self.taken.iter_mut().for_each(Vec::clear);
            self.past.clear();
            let pairs = self.trick.len().saturating_sub(1) / 2;
            self.trick.truncate(self.trick.len() - 2 * pairs);
        }
    }

    /// A rank for a card that could not be read: no 7 and none of the trick's, so that it does not cut, and as few of
    /// it seen as of any.
    fn stand_in(&self) -> Rank {
        let seen = |rank: Rank| {
            let cards = self.hand.iter().chain(&self.trick).chain(self.taken.iter().flatten());
            cards.filter(|card| **card == rank).count()
        };
        let ranks = Rank::all().filter(|rank| *rank != Rank::SEVEN && self.trick.first() != Some(rank));
        ranks.min_by_key(|rank| seen(*rank)).unwrap_or(Rank::SEVEN)
    }
}
