//! The text of a position: reading it number by number, and writing it. Must not know the course of the dialogue.

use super::super::View;
use super::super::rules::{
    Board, CARDS, CHIPS, Chips, HAND_LIMIT, Hand, LEVELS, NOBLES, RESERVE_LIMIT, ROUNDS, SEATS, SLOTS,
};
use super::header::odds_of_zero;
use crate::game::{Seat, Turn, View as _, Viewer};
use crate::protocol::Lines;

/// An upper limit for the numbers of a position: header, bank, levels, nobles, and for each player chips, all cards, three
/// reserved cards and all nobles, with their counts.
pub(super) const LONGEST: usize = 3
    + CHIPS
    + LEVELS * (1 + SLOTS)
    + SEATS
    + 2
    + SEATS * (CHIPS + 1 + CARDS + 1 + RESERVE_LIMIT + SEATS + 2);

/// A position as it was read, before its header is interpreted.
#[derive(Clone, Debug)]
pub(super) struct PositionInput {
    /// `your_id`.
    pub id: i32,
    /// `round_number`.
    pub round: i32,
    /// The table; its round and seat to move are not set yet.
    pub board: Board,
}

/// Takes numbers one by one.
pub(super) struct TokenReader<'a> {
    pub tokens: &'a [i32],
    pub used: usize,
    /// `Some`: read a number out of range as the nearest one in range, and count these numbers. `None`: refuse it.
    pub guessed: Option<u32>,
}

/// The reason why the numbers are not a position.
pub(super) enum PositionError {
    /// More numbers must come.
    Incomplete,
    /// No further number can make this a position.
    Invalid(String),
}

impl TokenReader<'_> {
    fn any(&mut self) -> Result<i32, PositionError> {
        let token = self.tokens.get(self.used).copied().ok_or(PositionError::Incomplete)?;
        self.used += 1;
        Ok(token)
    }

    /// A number in this range. `what` names it in the error.
    fn within(&mut self, min: i32, max: usize, what: &str) -> Result<i32, PositionError> {
        let n = self.any()?;
        if let Some(guessed) = &mut self.guessed {
            let near = n.clamp(min, i32::try_from(max).unwrap_or(i32::MAX));
            *guessed += u32::from(near != n);
            return Ok(near);
        }
        if n < min || usize::try_from(n).is_ok_and(|n| n > max) {
            return Err(PositionError::Invalid(format!(
                "number {}: {what} is {min} to {max}, not {n}",
                self.used
            )));
        }
        Ok(n)
    }

    fn byte(&mut self, max: usize, what: &str) -> Result<u8, PositionError> {
        let n = self.within(0, max, what)?;
        Ok(u8::try_from(n).expect("every count here is below 256"))
    }

    /// A count, then this many items.
    fn list<T>(
        &mut self,
        max: usize,
        what: &str,
        mut one: impl FnMut(&mut Self) -> Result<T, PositionError>,
    ) -> Result<Vec<T>, PositionError> {
        let count = self.byte(max, &format!("the number of {what}"))?;
        (0..count).map(|_| one(self)).collect()
    }

    fn chips(&mut self) -> Result<Chips, PositionError> {
        let mut chips = [0; CHIPS];
        for n in &mut chips {
            *n = self.byte(usize::from(HAND_LIMIT), "a count of chips")?;
        }
        Ok(chips)
    }

    fn nobles(&mut self) -> Result<Vec<u8>, PositionError> {
        self.list(SEATS + 1, "nobles", |t| t.byte(NOBLES, "a noble"))
    }

    fn hand(&mut self) -> Result<Hand, PositionError> {
        Ok(Hand {
            chips: self.chips()?,
            cards: self.list(CARDS, "cards", |t| t.byte(CARDS, "a card"))?,
            reserved: self.list(RESERVE_LIMIT, "reserved cards", |t| {
                let id = t.within(-(LEVELS as i32), CARDS, "a reserved card")?;
                Ok(i8::try_from(id).expect("ids are at most 90"))
            })?,
            nobles: self.nobles()?,
        })
    }

    pub(super) fn input(&mut self) -> Result<PositionInput, PositionError> {
        let players = self.within(1, SEATS, "the number of players")?;
        let id = self.within(0, SEATS, "your_id")?;
        let round = self.within(0, usize::from(ROUNDS), "round_number")?;
        let bank = self.chips()?;
        let (mut decks, mut face_up) = ([0; LEVELS], [[0; SLOTS]; LEVELS]);
        for level in 0..LEVELS {
            decks[level] = self.byte(CARDS, "a count of cards")?;
            for slot in &mut face_up[level] {
                *slot = self.byte(CARDS, "a card")?;
            }
        }
        let nobles = self.nobles()?;
        let hands = (0..players).map(|_| self.hand()).collect::<Result<_, _>>()?;
        let board = Board { bank, decks, face_up, nobles, hands, round: 0, to_move: Seat(0) };
        Ok(PositionInput { id, round, board })
    }
}

impl PositionInput {
    /// The view of the seat to move if the header counts from `base`.
    pub(super) fn view(&self, base: i32) -> Result<View, String> {
        let from = |n: i32, name: &str| {
            u8::try_from(n - base).map_err(|_| format!("{name}: {n} is less than {base}, the first number"))
        };
        let (seat, round) = (Seat(from(self.id, "your_id")?), from(self.round, "round_number")?);
        let board = Board { round, to_move: seat, ..self.board.clone() };
        let view = View::checked(board, Viewer::Seat(seat))?;
        if view.turn() == Turn::Over {
            return Err("the match is over in this position".to_owned());
        }
        Ok(view)
    }

    /// The seat of `your_id`, if the header counts from `base` and there is such a seat.
    pub(super) fn seat(&self, base: i32) -> Option<usize> {
        usize::try_from(self.id - base).ok().filter(|seat| *seat < self.board.hands.len())
    }

    /// The base if the header alone determines it: 0 occurs only in counts from 0, and an id equal to the number of
    /// players only in counts from 1.
    pub(super) fn certain_base(&self) -> Option<i32> {
        if self.id == 0 || self.round == 0 {
            Some(0)
        } else if usize::try_from(self.id) == Ok(self.board.hands.len()) {
            Some(1)
        } else {
            None
        }
    }

    /// The odds that the header counts from 0, by the cards and chips of the players; see [`odds_of_zero`].
    pub(super) fn odds_of_zero(&self) -> f64 {
        let number = |n: i32| usize::try_from(n).expect("ids and rounds were read as 0 or more");
        odds_of_zero(&self.board.hands, number(self.id), number(self.round))
    }

    /// Whether this looks like the first turn of a match counted from 1. Counted from 0, the seat to move would have had
    /// a turn before, but it has nothing.
    pub(super) fn looks_like_a_start(&self) -> bool {
        let own = usize::try_from(self.id).ok().and_then(|id| self.board.hands.get(id));
        self.round == 1 && own.is_some_and(Hand::is_empty)
    }
}

fn words<T: ToString>(numbers: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = numbers.into_iter().map(|n| n.to_string()).collect();
    words.join(" ")
}

/// A list after its length.
fn counted<T: ToString + Copy>(list: &[T]) -> String {
    words([list.len().to_string()].into_iter().chain(list.iter().map(T::to_string)))
}

/// Writes the position of a view, with a header counted from `base`.
pub(crate) fn write_input(view: &View, base: u8, out: &mut Lines) {
    let board = view.board();
    out.push(words([board.hands.len() as u8, board.to_move.0 + base]));
    out.push((board.round + base).to_string());
    out.push(words(board.bank));
    for (deck, slots) in board.decks.iter().zip(&board.face_up) {
        out.push(words([deck].into_iter().chain(slots)));
    }
    out.push(counted(&board.nobles));
    for hand in &board.hands {
        out.push(words(hand.chips));
        out.push(counted(&hand.cards));
        out.push(counted(&hand.reserved));
        out.push(counted(&hand.nobles));
    }
}
