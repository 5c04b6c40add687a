//! Continues the bot's side after an impossible position: with the nearest possible one, or with the safest action.
//! Chooses no actions by value.

use std::time::Duration;

use super::super::Splendor;
use super::super::rules::{Board, Color, Colors, HAND_LIMIT, Move, ROUNDS, integer};
use super::input::{LONGEST, PositionError, PositionInput, TokenReader};
use super::player::PlayerDialogue;
use super::repair::nearest_view;
use crate::game::Seat;
use crate::protocol::{Awaits, Lines, Player as _, PlayerAwaits, PlayerDecision};

/// How long the bot waits for the rest of a position after an impossible number in it.
const REST_OF_POSITION_TIMEOUT: Duration = Duration::from_millis(200);

/// The remarks on how the dialogue goes on.
const REPAIRED: &str = "the position was repaired: the decision is for the nearest possible one";
const SAFEST: &str =
    "no possible position is near: the bot takes chips that every referee gives, without a decision";
const PASSED: &str = "the position cannot be read: the bot passes, without a decision";

/// Maximum number of chips that an action takes.
const MOST_TAKEN: u8 = 3;

/// The state from which the bot's side continues after a refused line.
#[derive(Default)]
pub(super) struct RecoveryState {
    /// The numbers of the position before the last line.
    pub before: Vec<i32>,
    /// Whether the current position contains an impossible number.
    pub lenient: bool,
    /// Whether the bot has answered such a position, so that the rest of it is not a new one.
    pub answered: bool,
    /// Remarks on how the dialogue went on that the caller has not taken yet.
    pub remarks: Lines,
}

impl PlayerDialogue {
    /// Continues an impossible position with this line; `None`: the rest of it does not come.
    pub(super) fn recover(&mut self, line: Option<&str>, out: &mut Lines) -> PlayerAwaits<Splendor> {
        if self.thinking {
            return Awaits::Entry;
        }
        let waiting = line.is_none() && !self.recovery.lenient;
        let numbers = if waiting { &mut self.tokens } else { &mut self.recovery.before };
        let mut numbers = std::mem::take(numbers);
        if let Some(line) = line {
            // A word counts as a number out of every range.
            numbers.extend(line.split_whitespace().map(|token| integer(token).unwrap_or(i32::MIN)));
        }
        self.tokens.clear();
        self.recovery.lenient = false;
        if numbers.iter().all(|n| *n == i32::MIN) {
            return Awaits::Entry;
        }
        let mut tokens = TokenReader { tokens: &numbers, used: 0, guessed: Some(0) };
        match (tokens.input(), tokens.guessed) {
            (Ok(input), Some(0)) => self.interpret_leniently(&input, out),
            (Err(PositionError::Incomplete), _) if line.is_some() && numbers.len() <= LONGEST => {
                self.recovery.before.clone_from(&numbers);
                self.tokens = numbers;
                self.recovery.lenient = true;
                Awaits::EntryWithin(REST_OF_POSITION_TIMEOUT)
            }
            // The owners of the chips are uncertain here. A pass is always legal.
            _ => self.answer(&Move::PASS, PASSED, out),
        }
    }

    fn interpret_leniently(&mut self, input: &PositionInput, out: &mut Lines) -> PlayerAwaits<Splendor> {
        let likely = self.likely_base(input);
        let base = if input.seat(likely).is_some() { likely } else { 1 - likely };
        let Some(seat) = input.seat(base) else { return self.answer(&Move::PASS, PASSED, out) };
        self.base = Some(base);
        self.position = Some((input.clone(), self.base));
        let round = u8::try_from(input.round - base).unwrap_or(0).min(ROUNDS - 1);
        let board = Board { to_move: Seat(seat as u8), round, ..input.board.clone() };
        match nearest_view(&board) {
            Some(view) => {
                self.recovery.remarks.push(REPAIRED.to_owned());
                self.thinking = true;
                self.recovery.answered = true;
                Awaits::Decision(PlayerDecision { view: Box::new(view), clock: None })
            }
            None => self.answer(&safest_action(&board), SAFEST, out),
        }
    }

    /// The likely base by the header and earlier positions, regardless of the table.
    fn likely_base(&self, input: &PositionInput) -> i32 {
        self.forced.or(input.certain_base()).or_else(|| self.known_base(input)).unwrap_or(1)
    }

    /// Prints an action without a decision, at most once per position. `why`: the remark on it.
    fn answer(&mut self, mv: &Move, why: &str, out: &mut Lines) -> PlayerAwaits<Splendor> {
        if std::mem::replace(&mut self.recovery.answered, true) {
            return Awaits::Entry;
        }
        self.recovery.remarks.push(why.to_owned());
        self.played(mv, out)
    }
}

/// Takes chips that every referee gives: one each of up to three colours, without exceeding the hand limit.
fn safest_action(board: &Board) -> Move {
    let held: u32 = board.mover().chips.iter().map(|n| u32::from(*n)).sum();
    let room = u32::from(HAND_LIMIT).saturating_sub(held).min(u32::from(MOST_TAKEN));
    let mut amounts = [0; Color::ALL.len()];
    let available = Color::ALL.into_iter().filter(|color| board.bank[color.index()] > 0);
    available.take(room as usize).for_each(|color| amounts[color.index()] = 1);
    Move::Take { colors: Colors::new(amounts), returns: Colors::default() }
}
