//! The table of Buraco and the referee's reading of commands.

use super::rules::{Card, Rules, arrange, cards, points};
use super::{Mistake, RefereeFaultKind, SplitMix};

/// For having gone out.
const OUT: i32 = 100;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RefereeTable {
    /// In the referee's order: drawn cards are appended.
    pub hands: [Vec<Card>; 2],
    /// The next card is the last.
    pub stock: Vec<Card>,
    /// "Lixo"; the top is the last.
    pub pile: Vec<Card>,
    /// In order of creation, each in the order of its sequence.
    pub melds: [Vec<Vec<Card>>; 2],
    /// The mover has drawn.
    pub drawn: bool,
    /// Cards that came twice to a meld out of one in the hand.
    pub doubled: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CommandEffect {
    /// For the mover.
    pub answer: Option<String>,
    /// The turn passes.
    pub passes: bool,
    /// The reason why the match is over.
    pub over: Option<&'static str>,
    /// Moves that the real referee accepts against the written rules.
    pub lenient: Vec<String>,
}

fn illegal<T>(why: impl Into<String>) -> Result<T, Mistake> {
    Err((RefereeFaultKind::Illegal, why.into()))
}

fn malformed<T>(why: impl Into<String>) -> Result<T, Mistake> {
    Err((RefereeFaultKind::Malformed, why.into()))
}

/// `[ 5♠ 6♠ ]`; without any card `[  ]`.
pub(super) fn brackets(cards: &[Card]) -> String {
    format!("[ {} ]", list(cards))
}

pub(super) fn list(cards: &[Card]) -> String {
    cards.iter().map(Card::to_string).collect::<Vec<_>>().join(" ")
}

impl RefereeTable {
    pub(crate) fn deal(rng: &mut SplitMix) -> RefereeTable {
        let mut stock = cards();
        rng.shuffle(&mut stock);
        let hands = [stock.split_off(93), stock.split_off(82)];
        let pile = stock.split_off(81);
        RefereeTable { hands, stock, pile, ..RefereeTable::default() }
    }

    /// Obeys a command of the mover; after a mistake the match is over.
    pub(crate) fn obey(
        &mut self,
        seat: usize,
        line: &str,
        top_in_answer: bool,
    ) -> Result<CommandEffect, Mistake> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut done = CommandEffect::default();
        let Some((&command, rest)) = words.split_first() else { return malformed("an empty line") };
        match command {
            "GET_STOCK" | "GET_DISCARD" if self.drawn => return illegal(format!("a second draw: {line}")),
            "DISCARD" | "MELD_NEW" | "MELD_JOIN" if !self.drawn => {
                return illegal(format!("before the draw: {line}"));
            }
            "GET_STOCK" => {
                if !rest.is_empty() {
                    return malformed(line);
                }
                let Some(card) = self.stock.pop() else {
                    done.over = Some("the stock is empty");
                    return Ok(done);
                };
                self.hands[seat].push(card);
                self.drawn = true;
                done.answer = Some(card.to_string());
            }
            "GET_DISCARD" => {
                let cards = read_brackets(rest)?;
                let Some(top) = self.pile.last().copied() else { return illegal("the pile is empty") };
                if cards.len() < 2 {
                    return illegal(format!("fewer than two cards of the hand: {line}"));
                }
                let meld = self.meld(&[&cards[..], &[top]].concat(), &mut done)?;
                self.leave_hand(seat, &cards, &mut done)?;
                self.melds[seat].push(meld);
                let pile = std::mem::take(&mut self.pile);
                let rest = &pile[..pile.len() - 1];
                self.hands[seat].extend(rest);
                self.drawn = true;
                done.answer = Some(brackets(if top_in_answer { &pile } else { rest }));
            }
            "MELD_NEW" => {
                let cards = read_brackets(rest)?;
                let meld = self.meld(&cards, &mut done)?;
                self.leave_hand(seat, &cards, &mut done)?;
                self.melds[seat].push(meld);
            }
            "MELD_JOIN" => {
                let Some((&index, rest)) = rest.split_first() else { return malformed(line) };
                if index.parse::<f64>().is_err() {
                    return Err((
                        RefereeFaultKind::RefereeCrash,
                        format!("an index that is no number: {line}"),
                    ));
                }
                let index = index.parse::<usize>().ok().filter(|&index| index < self.melds[seat].len());
                let Some(index) = index else { return illegal(format!("no such meld: {line}")) };
                let cards = read_brackets(rest)?;
                if cards.is_empty() {
                    done.lenient.push("an empty join".to_owned());
                } else {
                    let joined = [&self.melds[seat][index][..], &cards].concat();
                    let meld = self.meld(&joined, &mut done)?;
                    self.leave_hand(seat, &cards, &mut done)?;
                    self.melds[seat][index] = meld;
                }
            }
            "DISCARD" => {
                let [card] = rest else { return malformed(line) };
                let Some(card) = Card::read(card) else { return malformed(format!("no card: {line}")) };
                self.leave_hand(seat, &[card], &mut done)?;
                self.pile.push(card);
                self.drawn = false;
                done.passes = true;
            }
            _ => return malformed(format!("no such command: {line:?}")),
        }
        if self.hands[seat].is_empty() {
            done.over = Some("an empty hand");
        }
        Ok(done)
    }

    /// The cards as a meld in order, by the written rules or by the referee's leniency.
    fn meld(&self, cards: &[Card], done: &mut CommandEffect) -> Result<Vec<Card>, Mistake> {
        if !cards.is_empty() && cards.iter().all(|card| card.rank == 2) {
            return Err((RefereeFaultKind::RefereeCrash, format!("a meld of 2s only: {}", list(cards))));
        }
        if let Some(meld) = arrange(cards, Rules::Written) {
            return Ok(meld);
        }
        let Some(meld) = arrange(cards, Rules::Lenient) else {
            return illegal(format!("no meld: {}", list(cards)));
        };
        done.lenient.push(format!("no meld by the written rules: {}", list(cards)));
        Ok(meld)
    }

    /// Each card must be in the hand; that one is listed twice is not noticed.
    fn leave_hand(&mut self, seat: usize, cards: &[Card], done: &mut CommandEffect) -> Result<(), Mistake> {
        let hand = &mut self.hands[seat];
        if let Some(card) = cards.iter().find(|card| !hand.contains(card)) {
            return illegal(format!("{card} is not in the hand {}", list(hand)));
        }
        for card in cards {
            match hand.iter().position(|held| held == card) {
                Some(index) => drop(hand.remove(index)),
                None => {
                    self.doubled += 1;
                    done.lenient.push(format!("{card} is listed twice, but held once"));
                }
            }
        }
        Ok(())
    }

    /// The points of the seats at the end: melds and going out, less the hand.
    pub(crate) fn points(&self) -> [i32; 2] {
        [0, 1].map(|seat| {
            let melds: i32 = self.melds[seat].iter().map(|meld| points(meld)).sum();
            let out = if self.hands[seat].is_empty() { OUT } else { 0 };
            melds + out - points(&self.hands[seat])
        })
    }

    /// All cards that are somewhere, those that came twice not counted.
    pub(crate) fn count(&self) -> usize {
        let melds: usize = self.melds.iter().flatten().map(Vec::len).sum();
        let hands: usize = self.hands.iter().map(Vec::len).sum();
        melds + hands + self.stock.len() + self.pile.len() - self.doubled
    }
}

fn read_brackets(words: &[&str]) -> Result<Vec<Card>, Mistake> {
    let ["[", cards @ .., "]"] = words else {
        return malformed(format!("brackets are tokens of their own: {}", words.join(" ")));
    };
    let read = |word: &&str| {
        Card::read(word).ok_or_else(|| (RefereeFaultKind::Malformed, format!("{word:?} is no card")))
    };
    cards.iter().map(read).collect()
}
