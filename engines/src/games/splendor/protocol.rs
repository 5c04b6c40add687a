//! Splendor's official dialogue: the bot reads a whole position and prints one action. Knows the rules and the
//! views, and no way to choose an action.

use std::time::Duration;

use super::header::odds_of_zero;
use super::recover::Recovery;
use super::rules::{
    Board, CARDS, CHIPS, Chips, HAND_LIMIT, Hand, LEVELS, Move, NOBLES, RESERVE_LIMIT, SEATS, SLOTS, State,
    integer,
};
use super::{Splendor, View};
use crate::game::{BadOptions, Seat, Turn, View as _, Viewer};
use crate::protocol::{
    Awaits, Lines, Player, PlayerAwaits, PlayerDecision, ProtocolError, Referee, Settings,
};

/// What [`Judge`] counts players and rounds from: 1, as the referee with which the contest was played does. Its
/// first published text counts from 0; [`Bot`] plays under both.
pub const HEADER_BASE: u8 = 1;

/// The name of the setting that forces what players and rounds are counted from.
const BASE: &str = "base";

/// The name of the setting that tells what an earlier process of the match found them to be counted from.
const BASE_BEFORE: &str = "base_before";

/// Odds nearer to 1 than this (natural logarithm) leave it open what the header counts from.
const OPEN: f64 = 1.0;

/// Odds from which on a reading is kept for later positions (natural logarithm).
const SETTLED: f64 = 3.0;

/// The input as it stands, before it is known what the header counts from.
#[derive(Clone, Debug)]
pub(super) struct Input {
    /// `your_id`.
    pub id: i32,
    /// `round_number`.
    pub round: i32,
    /// The rest; its round and seat to move are not set yet.
    pub board: Board,
}

/// Reads numbers one by one; ends early where the input does.
pub(super) struct Tokens<'a> {
    pub tokens: &'a [i32],
    pub used: usize,
    /// Whether a number out of its range is read as the nearest within it; how many were.
    pub guessed: Option<u32>,
}

/// Why no input came out of the tokens.
pub(super) enum Unread {
    /// More tokens are needed.
    Short,
    /// No further token can make it an input.
    Wrong(String),
}

impl Tokens<'_> {
    fn any(&mut self) -> Result<i32, Unread> {
        let token = self.tokens.get(self.used).copied().ok_or(Unread::Short)?;
        self.used += 1;
        Ok(token)
    }

    /// A number in this range; `what` names it.
    fn within(&mut self, min: i32, max: usize, what: &str) -> Result<i32, Unread> {
        let n = self.any()?;
        if let Some(guessed) = &mut self.guessed {
            let near = n.clamp(min, i32::try_from(max).unwrap_or(i32::MAX));
            *guessed += u32::from(near != n);
            return Ok(near);
        }
        if n < min || usize::try_from(n).is_ok_and(|n| n > max) {
            return Err(Unread::Wrong(format!("number {}: {what} is {min} to {max}, not {n}", self.used)));
        }
        Ok(n)
    }

    fn byte(&mut self, max: usize, what: &str) -> Result<u8, Unread> {
        let n = self.within(0, max, what)?;
        Ok(u8::try_from(n).expect("every count here is below 256"))
    }

    /// A count, then as many numbers.
    fn list<T>(
        &mut self,
        max: usize,
        what: &str,
        mut one: impl FnMut(&mut Self) -> Result<T, Unread>,
    ) -> Result<Vec<T>, Unread> {
        let count = self.byte(max, &format!("the number of {what}"))?;
        (0..count).map(|_| one(self)).collect()
    }

    fn chips(&mut self) -> Result<Chips, Unread> {
        let mut chips = [0; CHIPS];
        for n in &mut chips {
            *n = self.byte(usize::from(HAND_LIMIT), "a count of chips")?;
        }
        Ok(chips)
    }

    fn nobles(&mut self) -> Result<Vec<u8>, Unread> {
        self.list(SEATS + 1, "nobles", |t| t.byte(NOBLES, "a noble"))
    }

    fn hand(&mut self) -> Result<Hand, Unread> {
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

    pub(super) fn input(&mut self) -> Result<Input, Unread> {
        let players = self.within(1, SEATS, "the number of players")?;
        let id = self.within(0, SEATS, "your_id")?;
        let round = self.within(0, usize::from(super::rules::ROUNDS), "round_number")?;
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
        Ok(Input { id, round, board })
    }
}

impl Input {
    /// What the seat to move sees if the header counts from `base`.
    fn view(&self, base: i32) -> Result<View, String> {
        let from = |n: i32, name: &str| {
            u8::try_from(n - base)
                .map_err(|_| format!("{name}: {n} is less than {base}, from where it is counted"))
        };
        let (seat, round) = (Seat(from(self.id, "your_id")?), from(self.round, "round_number")?);
        let board = Board { round, to_move: seat, ..self.board.clone() };
        let view = View::checked(board, Viewer::Seat(seat))?;
        if view.turn() == Turn::Over {
            return Err("the match is over in this position".to_owned());
        }
        Ok(view)
    }

    /// What the header says by itself, whatever the table: 0 only ever occurs when it counts from 0, and the
    /// number of players only as the last player's id counted from 1.
    pub(super) fn certain_base(&self) -> Option<i32> {
        if self.id == 0 || self.round == 0 {
            Some(0)
        } else if usize::try_from(self.id) == Ok(self.board.hands.len()) {
            Some(1)
        } else {
            None
        }
    }

    /// The odds that the header counts from 0, from what the players have; see [`odds_of_zero`].
    fn odds_of_zero(&self) -> f64 {
        let number = |n: i32| usize::try_from(n).expect("ids and rounds were read as 0 or more");
        odds_of_zero(&self.board.hands, number(self.id), number(self.round))
    }

    /// Whether this looks like the first turn of a match counted from 1: counted from 0 the seat to move would have
    /// had a turn in the round before, and yet it has nothing.
    fn looks_like_a_start(&self) -> bool {
        let own = usize::try_from(self.id).ok().and_then(|id| self.board.hands.get(id));
        self.round == 1 && own.is_some_and(Hand::is_empty)
    }
}

/// The bot's side.
pub struct Bot {
    /// What the header counts from, where the asker says so.
    pub(super) forced: Option<i32>,
    /// What the header of the last position of this dialogue was taken to count from.
    pub(super) base: Option<i32>,
    /// What an earlier process took it to count from, of this match or of one that is over.
    pub(super) before: Option<i32>,
    /// Numbers of a position that is not complete.
    pub(super) tokens: Vec<i32>,
    /// Whether a decision is due.
    pub(super) thinking: bool,
    /// How it goes on where the position cannot be.
    pub(super) recovery: Recovery,
}

impl Bot {
    pub(super) fn new(settings: &Settings) -> Result<Self, BadOptions> {
        settings.only(&[BASE, BASE_BEFORE])?;
        let base = |name: &str| {
            Ok(match settings.choice(name, &["auto", "0", "1"])? {
                "0" => Some(0),
                "1" => Some(1),
                _ => None,
            })
        };
        let (forced, before) = (base(BASE)?, base(BASE_BEFORE)?);
        Ok(Self {
            forced,
            base: None,
            before,
            tokens: Vec::new(),
            thinking: false,
            recovery: Recovery::default(),
        })
    }

    /// The position that the input tells. Where the header leaves its base open, an earlier position decides unless
    /// the table contradicts it; else what is likelier by all that the players have. Where that says little, only
    /// actions that are legal in both readings remain.
    fn settle(&mut self, input: &Input) -> Result<View, String> {
        if let Some(base) = self.forced {
            return input.view(base);
        }
        if let Some(base) = input.certain_base() {
            self.base = Some(base);
            return input.view(base);
        }
        let known = self.base.or(self.before.filter(|_| !input.looks_like_a_start()));
        match (input.view(0), input.view(1), known) {
            (zero, one, Some(base)) if zero.is_ok() == one.is_ok() => {
                self.base = Some(base);
                if base == 0 { zero } else { one }
            }
            (Ok(zero), Ok(one), _) => {
                let odds = input.odds_of_zero();
                if odds.abs() >= SETTLED {
                    self.base = Some(i32::from(odds < 0.0));
                }
                let (likelier, other) = if odds > 0.0 { (zero, one) } else { (one, zero) };
                Ok(if odds.abs() < OPEN { likelier.or_else(other) } else { likelier })
            }
            (Ok(zero), Err(_), _) => {
                self.base = Some(0);
                Ok(zero)
            }
            (Err(_), one, _) => {
                self.base = Some(1);
                one
            }
        }
    }
}

impl Player<Splendor> for Bot {
    fn start(&mut self, _: &mut Lines) -> PlayerAwaits<Splendor> {
        Awaits::Entry
    }

    fn line(&mut self, line: &str, out: &mut Lines) -> Result<PlayerAwaits<Splendor>, ProtocolError> {
        if self.recovery.reading {
            return Ok(self.recover(Some(line), out));
        }
        self.recovery.before.clone_from(&self.tokens);
        let before = self.tokens.len();
        for token in line.split_whitespace() {
            if self.thinking {
                return Err(ProtocolError(format!("{token:?} came though an action is due")));
            }
            let n = integer(token).ok_or_else(|| {
                ProtocolError(format!(
                    "{:?} is not a whole number",
                    token.chars().take(40).collect::<String>()
                ))
            })?;
            self.tokens.push(n);
            // A position that is wrong is refused below at its first wrong number, so that no more than the
            // longest possible position is ever kept.
            if self.tokens.len() > LONGEST {
                return Err(ProtocolError::new("no position is as long as this"));
            }
        }
        if self.tokens.len() == before {
            return Ok(Awaits::Entry);
        }
        let mut tokens = Tokens { tokens: &self.tokens, used: 0, guessed: None };
        let input = match tokens.input() {
            Ok(input) => input,
            Err(Unread::Short) => return Ok(Awaits::Entry),
            Err(Unread::Wrong(e)) => return Err(ProtocolError(e)),
        };
        if tokens.used < self.tokens.len() {
            let rest = self.tokens.len() - tokens.used;
            return Err(ProtocolError(format!("{rest} numbers came behind the end of the position")));
        }
        self.tokens.clear();
        let view = self.settle(&input).map_err(ProtocolError)?;
        self.thinking = true;
        self.recovery.answered = false;
        Ok(Awaits::Decision(PlayerDecision { view: Box::new(view), clock: None }))
    }

    fn cope(&mut self, line: Option<&str>, out: &mut Lines) -> PlayerAwaits<Splendor> {
        self.recover(line, out)
    }

    fn silence(&mut self, out: &mut Lines) -> PlayerAwaits<Splendor> {
        self.recover(None, out)
    }

    fn eof(&mut self) -> Result<PlayerAwaits<Splendor>, ProtocolError> {
        if self.tokens.is_empty() {
            Ok(Awaits::Nothing)
        } else {
            Err(ProtocolError::new("the input ended in the middle of a position"))
        }
    }

    /// The referee starts a process for every move, and only the first input of a match always tells the base.
    fn keep(&self) -> Vec<(&'static str, String)> {
        self.base.map(|base| (BASE_BEFORE, base.to_string())).into_iter().collect()
    }

    fn played(&mut self, mv: &Move, out: &mut Lines) -> PlayerAwaits<Splendor> {
        out.push(mv.to_string());
        self.thinking = false;
        Awaits::Entry
    }
}

/// More numbers than any position has: header, bank, levels, nobles, and for each player chips, all cards, three
/// reserved ones and all nobles, with their counts.
pub(super) const LONGEST: usize = 3
    + CHIPS
    + LEVELS * (1 + SLOTS)
    + SEATS
    + 2
    + SEATS * (CHIPS + 1 + CARDS + 1 + RESERVE_LIMIT + SEATS + 2);

/// The referee's side.
pub struct Judge {
    seat: Seat,
    /// Numbers of an action that is not complete: line breaks are white space like any other.
    tokens: Vec<i32>,
}

impl Judge {
    pub(super) fn new(seat: Seat) -> Self {
        Self { seat, tokens: Vec::new() }
    }

    /// How many numbers an action has that begins like this, `None` while that is open.
    ///
    /// # Errors
    /// When no action begins like this.
    fn length(board: &Board, tokens: &[i32]) -> Result<Option<usize>, String> {
        let returns = |taken: Option<u8>| usize::from(board.returns_due(taken));
        match tokens {
            [] | [1] => Ok(None),
            [1, k @ 0..=3, ..] => {
                let k = k.unsigned_abs() as u8;
                Ok(Some(2 + usize::from(k) + returns(Some(k))))
            }
            [2, ..] => Ok(Some(2 + returns(Some(2)))),
            [3, ..] => Ok(Some(2 + returns(None))),
            [4, ..] => Ok(Some(2)),
            [0, ..] => Ok(Some(1)),
            [1, k, ..] => Err(format!("'1 k ..' takes 0 to 3 chips, not {k}")),
            [kind, ..] => Err(format!("an action begins with 1, 2, 3 or 4, not {kind}")),
        }
    }

    fn read(&mut self, board: &Board, line: &str) -> Result<Option<Move>, String> {
        for token in line.split_whitespace() {
            let n = integer(token).ok_or_else(|| {
                format!("{:?} is not a whole number", token.chars().take(40).collect::<String>())
            })?;
            self.tokens.push(n);
            if let Some(length) = Self::length(board, &self.tokens)?
                && self.tokens.len() > length
            {
                return Err(format!("this action has {length} numbers, and there are more"));
            }
        }
        match Self::length(board, &self.tokens)? {
            Some(length) if self.tokens.len() == length => {
                let text: Vec<String> = self.tokens.iter().map(i32::to_string).collect();
                text.join(" ").parse().map(Some)
            }
            _ => Ok(None),
        }
    }
}

fn words<T: ToString>(numbers: impl IntoIterator<Item = T>) -> String {
    let words: Vec<String> = numbers.into_iter().map(|n| n.to_string()).collect();
    words.join(" ")
}

/// A list with its length before it.
fn counted<T: ToString + Copy>(list: &[T]) -> String {
    words([list.len().to_string()].into_iter().chain(list.iter().map(T::to_string)))
}

/// The input that tells a seat what it sees, its header counted from `base`.
pub(super) fn write_input(view: &View, base: u8, out: &mut Lines) {
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

impl Referee<Splendor> for Judge {
    fn open(&mut self, _: &State, _: &mut Lines) {}

    fn prompt(&mut self, state: &State, _: Option<Duration>, out: &mut Lines) {
        self.tokens.clear();
        let view = crate::game::State::view(state, Viewer::Seat(self.seat));
        write_input(&view, HEADER_BASE, out);
    }

    /// `None` while the numbers so far only begin an action; a blank line says nothing.
    fn line(&mut self, state: &State, line: &str) -> Result<Option<Move>, ProtocolError> {
        let read = self.read(&state.board, line);
        if !matches!(read, Ok(None)) {
            self.tokens.clear();
        }
        read.map_err(ProtocolError)
    }

    fn moved(&mut self, _: &State, by: Seat, _: &Move, _: &State, _: &mut Lines) {
        if by == self.seat {
            self.tokens.clear();
        }
    }
}
