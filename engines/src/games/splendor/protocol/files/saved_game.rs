//! Reads the official referee's saved game. Versions of the referee write cards and nobles as numbers, or as objects with
//! an `id`; both are read.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::super::super::Splendor;
use super::super::super::rules::{
    Board, CHIPS, COLORS, GOLD, Hand, LEVELS, Move, SEATS, SLOTS, State, chips_of_a_color,
};
use crate::game::{Foul, Game, RecordedMatch, RecordedMove, Seat, State as _, Table, Turn};
use crate::harness_file::{HarnessFile, HarnessFileError, HarnessFormat, json_message};

/// The saved game.
pub(in super::super::super) const SAVED_GAME: HarnessFormat<Splendor> =
    HarnessFormat { name: "a saved game of Splendor's referee", detect, read };

fn detect(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains("\"decks\"") && text.contains("\"nobles\"")
}

/// The parts of the file, not read yet, so that an error has its place.
#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow)]
    players: &'a RawValue,
    #[serde(borrow)]
    decks: &'a RawValue,
    #[serde(borrow)]
    nobles: &'a RawValue,
    #[serde(borrow)]
    rounds: Vec<Vec<&'a RawValue>>,
}

/// A card or a noble.
#[derive(Deserialize)]
#[serde(untagged)]
enum SavedId {
    Number(u8),
    Object { id: u8 },
}

impl SavedId {
    fn number(&self) -> u8 {
        match self {
            Self::Number(id) | Self::Object { id } => *id,
        }
    }
}

/// The turn of one player.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ReadTurn {
    tokens: Vec<i32>,
    #[serde(default)]
    returns: Vec<i32>,
    #[serde(default)]
    kibitzes: Vec<String>,
    #[serde(default)]
    arbiter_msg: String,
}

fn read(text: &str) -> Result<HarnessFile<RecordedMatch<Splendor>>, HarnessFileError> {
    let parts: Parts = serde_json::from_str(text).map_err(|e| HarnessFileError::json(&e))?;
    let at = |part: &RawValue, what: String| HarnessFileError::at_part(text, part.get(), what);
    let names: Vec<String> = part(text, parts.players)?;
    if !(1..=SEATS).contains(&names.len()) {
        return Err(at(parts.players, format!("there are 1 to {SEATS} players, not {}", names.len())));
    }
    let dealt = start(text, &parts, names.len())?;
    let mut table = Table::<Splendor>::new(dealt.clone());
    let mut moves = Vec::new();
    for (round, turns) in parts.rounds.iter().enumerate() {
        for (player, raw) in turns.iter().enumerate() {
            let seat = Seat(u8::try_from(player).unwrap_or(u8::MAX));
            let place = format!("round {}, player {}", round + 1, player + 1);
            let wrong = |what: String| at(raw, format!("{place}: {what}"));
            if table.turn() != Turn::Of(seat) {
                return Err(wrong("it is not this player's turn".to_owned()));
            }
            let mut saved: ReadTurn = part(text, raw)?;
            let remarks = std::mem::take(&mut saved.kibitzes);
            let (mv, mistake) = action(table.state(), seat, saved).map_err(&wrong)?;
            table.play(seat, &mv).map_err(|e| wrong(e.to_string()))?;
            moves.push(RecordedMove { seat, mv, mistake, remarks });
        }
    }
    Ok(HarnessFile::Match(RecordedMatch { dealt, moves, names }))
}

/// Reads a part of the text.
fn part<T: DeserializeOwned>(text: &str, raw: &RawValue) -> Result<T, HarnessFileError> {
    serde_json::from_str(raw.get()).map_err(|e| HarnessFileError::at_part(text, raw.get(), json_message(&e)))
}

/// The state before the first turn.
fn start(text: &str, parts: &Parts, players: usize) -> Result<State, HarnessFileError> {
    let wrong = |raw: &RawValue, what: String| HarnessFileError::at_part(text, raw.get(), what);
    let saved: Vec<Vec<SavedId>> = part(text, parts.decks)?;
    let nobles: Vec<SavedId> = part(text, parts.nobles)?;
    let short = saved.len() != LEVELS || saved.iter().any(|deck| deck.len() < SLOTS);
    if short {
        return Err(wrong(parts.decks, format!("there are {LEVELS} decks of at least {SLOTS} cards")));
    }
    let order: [Vec<u8>; LEVELS] =
        std::array::from_fn(|level| saved[level].iter().map(SavedId::number).collect());
    let face_up = order.each_ref().map(|deck| std::array::from_fn(|slot| deck[slot]));
    let decks = order.each_ref().map(|deck| deck[SLOTS..].iter().rev().copied().collect::<Vec<u8>>());
    let mut bank = [chips_of_a_color(players); CHIPS];
    bank[GOLD] = 5;
    let board = Board {
        bank,
        decks: decks.each_ref().map(|deck| deck.len() as u8),
        face_up,
        nobles: nobles.iter().map(SavedId::number).collect(),
        hands: vec![Hand::default(); players],
        round: 0,
        to_move: Seat(0),
    };
    let dealt = State { board, decks, blind: Vec::new() };
    dealt.audit().map_err(|e| {
        let part = if e.starts_with("nobles") { parts.nobles } else { parts.decks };
        wrong(part, e)
    })?;
    Ok(dealt)
}

/// The action of a saved turn, and the referee's words if it is the pass of a mistake.
fn action(state: &State, seat: Seat, saved: ReadTurn) -> Result<(Move, Option<String>), String> {
    let ReadTurn { tokens, returns, arbiter_msg, .. } = saved;
    let is_pass = tokens.first() == Some(&1) && tokens[1..].iter().all(|n| *n == 0);
    if is_pass && !arbiter_msg.is_empty() {
        return match Splendor::foul(state, seat, &arbiter_msg) {
            Foul::Play(mv) => Ok((mv, Some(arbiter_msg))),
            Foul::End(_) => Err("a mistake does not end a match".to_owned()),
        };
    }
    let words = notation(&tokens)?.into_iter().chain(returns).map(|n| n.to_string());
    let mv: Move = words.collect::<Vec<_>>().join(" ").parse()?;
    Ok((mv, None))
}

/// The numbers of the official action without the colours returned.
fn notation(tokens: &[i32]) -> Result<Vec<i32>, String> {
    let counts =
        || tokens.get(1..=COLORS).ok_or_else(|| format!("{tokens:?} lacks the counts of {COLORS} colours"));
    let colors = |counts: &[i32]| {
        (0..).zip(counts).filter(|(_, n)| **n > 0).map(|(color, _)| color).collect::<Vec<i32>>()
    };
    match tokens {
        [1, ..] => {
            let taken = colors(counts()?);
            Ok([1, taken.len() as i32].into_iter().chain(taken).collect())
        }
        [2, ..] => Ok([2].into_iter().chain(colors(counts()?)).collect()),
        [3, id, ..] => Ok(vec![3, *id]),
        [4, id, ..] => Ok(vec![4, *id]),
        _ => Err(format!("{tokens:?} is no action")),
    }
}
