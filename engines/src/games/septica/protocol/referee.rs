//! The side of the contest's computer, for a foreign bot in seat 1.

use std::time::Duration;

use super::super::Septica;
use super::super::rules::{COMPUTER, Move, PLAYER, Rank, State};
use crate::game::{Seat, State as _, Turn};
use crate::protocol::{Lines, ProtocolError, Referee};

/// Whether the computer awaits the player's `0` when the player led the last trick of the match and both hands are
/// empty. The statement leaves it open. Not to wait is safe with every bot: one that sends the `0` and one that does
/// not both read the score, and nothing comes after it.
const AWAITS_LAST_ZERO: bool = false;

/// The computer's side of the dialogue.
pub struct Judge {
    awaits_last_zero: bool,
    /// Zeros that the player is to send though it has nothing to decide: as leader it ends every trick.
    owed: u32,
    /// One more zero may come before the player's next card: a hand was empty when the trick ended, and the statement
    /// does not say whether the player ends such a trick.
    optional: bool,
    /// The score, while the last of these zeros is awaited.
    held_back: Option<String>,
}

impl Judge {
    /// The computer as `AWAITS_LAST_ZERO` has it.
    pub fn new() -> Self {
        Self::awaiting_last_zero(AWAITS_LAST_ZERO)
    }

    /// A computer that awaits the last zero, or does not. One that does tells the score when it is asked for its
    /// lines (`prompt`) after that zero.
    pub fn awaiting_last_zero(awaits_last_zero: bool) -> Self {
        Self { awaits_last_zero, owed: 0, optional: false, held_back: None }
    }

    /// The trick is over: the score, or who leads and what the player drew.
    fn ended(before: &State, by: Seat, mv: &Move, after: &State) -> String {
        if after.turn() == Turn::Over {
            let [computer, player] = after.open().points();
            return format!("4 {computer} {player}");
        }
        let mut drawn = after.hands[PLAYER.index()].clone();
        let mut kept = before.hands[PLAYER.index()].clone();
        if let (PLAYER, Move::Card(card)) = (by, mv) {
            remove(&mut kept, *card);
        }
        kept.into_iter().for_each(|card| remove(&mut drawn, card));
        let command = if after.leader == COMPUTER { 2 } else { 3 };
        let cards: String = drawn.iter().map(|c| format!(" {c}")).collect();
        format!("{command} {}{cards}", drawn.len())
    }
}

fn remove(cards: &mut Vec<Rank>, card: Rank) {
    if let Some(at) = cards.iter().position(|c| *c == card) {
        cards.remove(at);
    }
}

impl Referee<Septica> for Judge {
    fn open(&mut self, state: &State, out: &mut Lines) {
        let hand: Vec<String> = state.hands[PLAYER.index()].iter().map(ToString::to_string).collect();
        out.push(hand.join(" "));
    }

    fn prompt(&mut self, _: &State, _: Option<Duration>, out: &mut Lines) {
        if self.owed == 0 {
            out.extend(self.held_back.take());
        }
    }

    /// Tokens count, not lines: the owed zeros may stand before the move in the same line.
    fn line(&mut self, state: &State, line: &str) -> Result<Option<Move>, ProtocolError> {
        let mut decided = None;
        for token in line.split_whitespace() {
            let mv: Move = token.parse().map_err(|e| ProtocolError(format!("{token:?}: {e}")))?;
            match mv {
                Move::Stop if self.owed > 0 => self.owed -= 1,
                Move::Stop if state.turn() == Turn::Over => {}
                Move::Stop if self.optional && decided.is_none() => self.optional = false,
                _ if self.owed > 0 => {
                    return Err(ProtocolError(format!("{mv} came where a 0 was to end the trick")));
                }
                _ if decided.is_some() => {
                    return Err(ProtocolError(format!("{line:?} holds more than one move")));
                }
                _ => {
                    self.optional = false;
                    decided = Some(mv);
                }
            }
        }
        Ok(decided)
    }

    fn moved(&mut self, before: &State, by: Seat, mv: &Move, after: &State, out: &mut Lines) {
        if let (COMPUTER, Move::Card(card)) = (by, mv) {
            out.push(card.to_string());
        }
        if !after.trick.is_empty() {
            return;
        }
        let told = Self::ended(before, by, mv, after);
        let over = after.turn() == Turn::Over;
        let answered = by == COMPUTER && before.leader == PLAYER;
        let hand_empty = before.hands[PLAYER.index()].is_empty() || before.hands[COMPUTER.index()].len() == 1;
        self.optional = answered && !over && hand_empty;
        if answered && if over { self.awaits_last_zero } else { !hand_empty } {
            self.owed += 1;
        }
        if over && self.owed > 0 {
            self.held_back = Some(told);
        } else {
            out.push(told);
        }
    }
}
