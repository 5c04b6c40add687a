//! The side of the contest's computer, for a foreign bot in seat 1. In the mirror dialogue the bot has the computer's seat and
//! reads the same: it is always "the player" in what it reads, and its opponent "the computer". Chooses no moves.

use std::time::Duration;

use super::super::Septica;
use super::super::rules::{Move, PLAYER, Rank, State};
use crate::dialogue::{MIRROR, knows_mirror};
use crate::game::{BadOptions, Seat, State as _, Turn};
use crate::protocol::{Lines, ProtocolError, Referee, Settings};

/// Whether the computer waits for the player's `0` when the player led the last trick of the match and both hands are
/// empty. The statement leaves it open. Not waiting is safe with every bot: the bot reads the score whether or not it
/// sends the `0`, and nothing follows.
const AWAITS_LAST_ZERO: bool = false;

/// The computer's side of the dialogue.
pub(crate) struct RefereeDialogue {
    /// The bot's seat.
    own: Seat,
    awaits_last_zero: bool,
    /// Zeros that the player must still send without a decision, because a leader ends every trick.
    owed: u32,
    /// Whether one more zero may come before the player's next card: a hand was empty at the end of the trick, and the
    /// statement does not say whether the player ends such a trick.
    optional: bool,
    /// The score, held back until the last owed zero has come.
    held_back: Option<String>,
}

impl RefereeDialogue {
    /// The default computer; see `AWAITS_LAST_ZERO`.
    ///
    /// # Errors
    /// When a bot in the computer's seat does not know the mirror dialogue, or a setting is unknown.
    pub(crate) fn new(own: Seat, settings: &Settings) -> Result<Self, BadOptions> {
        settings.only(&[MIRROR.name])?;
        settings.choice(MIRROR.name, &["no", "yes"])?;
        match own == PLAYER || knows_mirror(settings) {
            true => Ok(Self { own, ..Self::awaiting_last_zero(AWAITS_LAST_ZERO) }),
            false => {
                Err(BadOptions("the contest's bot has seat 1; for seat 0 it needs mirror=yes".to_owned()))
            }
        }
    }

    /// A computer that waits for the last zero, or does not. If it waits, it sends the score at the next `prompt` after
    /// that zero.
    pub(crate) fn awaiting_last_zero(awaits_last_zero: bool) -> Self {
        Self { own: PLAYER, awaits_last_zero, owed: 0, optional: false, held_back: None }
    }

    /// The line after a finished trick: the score, or the leader and the cards that the bot drew.
    fn end_of_trick(&self, before: &State, by: Seat, mv: &Move, after: &State) -> String {
        if after.turn() == Turn::Over {
            let points = after.open().points();
            return format!("4 {} {}", points[self.own.other().index()], points[self.own.index()]);
        }
        let mut drawn = after.hands[self.own.index()].clone();
        let mut kept = before.hands[self.own.index()].clone();
        if let Move::Card(card) = mv
            && by == self.own
        {
            remove(&mut kept, *card);
        }
        kept.into_iter().for_each(|card| remove(&mut drawn, card));
        let command = if after.leader == self.own { 3 } else { 2 };
        let cards: String = drawn.iter().map(|c| format!(" {c}")).collect();
        format!("{command} {}{cards}", drawn.len())
    }
}

fn remove(cards: &mut Vec<Rank>, card: Rank) {
    if let Some(at) = cards.iter().position(|c| *c == card) {
        cards.remove(at);
    }
}

impl Referee<Septica> for RefereeDialogue {
    fn open(&mut self, state: &State, out: &mut Lines) {
        let hand: Vec<String> = state.hands[self.own.index()].iter().map(ToString::to_string).collect();
        out.push(hand.join(" "));
        if state.leader == self.own {
            out.push("3 0".to_owned());
        }
    }

    fn prompt(&mut self, _: &State, _: Option<Duration>, out: &mut Lines) {
        if self.owed == 0 {
            out.extend(self.held_back.take());
        }
    }

    /// Reads tokens, not lines: owed zeros may precede the move in the same line.
    fn line(&mut self, state: &State, line: &str) -> Result<Option<Move>, ProtocolError> {
        let mut decided = None;
        for token in line.split_whitespace() {
            let mv: Move = token.parse().map_err(|e| ProtocolError(format!("{token:?}: {e}")))?;
            match mv {
                Move::Stop if self.owed > 0 => self.owed -= 1,
                Move::Stop if state.turn() == Turn::Over => {}
                Move::Stop if self.optional && decided.is_none() => self.optional = false,
                _ if self.owed > 0 => {
                    return Err(ProtocolError(format!("{mv} came when a 0 had to end the trick")));
                }
                _ if decided.is_some() => {
                    return Err(ProtocolError(format!("{line:?} has more than one move")));
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
        let theirs = by != self.own;
        if let (true, Move::Card(card)) = (theirs, mv) {
            out.push(card.to_string());
        }
        if !after.trick.is_empty() {
            return;
        }
        let line = self.end_of_trick(before, by, mv, after);
        let over = after.turn() == Turn::Over;
        let answered = theirs && before.leader == self.own;
        let hand_empty =
            before.hands[self.own.index()].is_empty() || before.hands[self.own.other().index()].len() == 1;
        self.optional = answered && !over && hand_empty;
        if answered && if over { self.awaits_last_zero } else { !hand_empty } {
            self.owed += 1;
        }
        if over && self.owed > 0 {
            self.held_back = Some(line);
        } else {
            out.push(line);
        }
    }
}
