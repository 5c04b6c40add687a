//! Positions from which a run begins its matches: reads them from a file, and checks that the players can begin there. Knows
//! games through [`crate::erased`] alone.

use serde_json::Value;

use crate::erased::{AnyGame, MatchStart, Refusal, StartPosition, read_start};
use crate::game::Seat;
use crate::harness_file::{HarnessFileError, json_message};
use crate::rng::Seed;

/// Reads the text of a file of positions. Either each line is JSON: a position as move requests have it, an object that has one
/// in its field `position`, or a string with an official text. Or the whole file is one official text, or a file of the
/// contest's harness.
///
/// # Errors
/// At the first position that is wrong.
pub fn read_positions(game: &dyn AnyGame, text: &str) -> Result<Vec<StartPosition>, HarnessFileError> {
    let is_json = text.trim_start().starts_with(['{', '"']);
    if game.read_file(text).is_some() || !is_json {
        let first = text.lines().take_while(|line| line.trim().is_empty()).count() + 1;
        let position = read_start(game, text).and_then(|position| checked(game, position));
        return position
            .map(|position| vec![position])
            .map_err(|e| HarnessFileError::new(first, 1, e.detail));
    }
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(at, line)| json_line(game, at + 1, line)).collect()
}

fn json_line(game: &dyn AnyGame, number: usize, line: &str) -> Result<StartPosition, HarnessFileError> {
    let json: Value = serde_json::from_str(line)
        .map_err(|e| HarnessFileError::new(number, e.column().max(1), json_message(&e)))?;
    let position = match json {
        Value::String(text) => read_start(game, &text),
        Value::Object(mut fields) => {
            let view = fields.remove("position").unwrap_or(Value::Object(fields));
            Ok(StartPosition::View { view })
        }
        other => {
            let what = format!("a position is an object or a text, not {other}");
            return Err(HarnessFileError::new(number, 1, what));
        }
    };
    let position = position.and_then(|position| checked(game, position));
    position.map_err(|e| HarnessFileError::new(number, 1, e.detail))
}

/// The position as the game writes it, if a match can begin with it.
fn checked(game: &dyn AnyGame, position: StartPosition) -> Result<StartPosition, Refusal> {
    Ok(game.start(&position, None, &Seed::default())?.position)
}

/// The match that begins with a position. `options`: of the run; an empty object leaves them to the position.
pub(super) fn begin(
    game: &dyn AnyGame,
    position: &StartPosition,
    options: &Value,
    seed: &Seed,
) -> Result<MatchStart, String> {
    let given = options.as_object().is_none_or(|fields| !fields.is_empty());
    game.start(position, given.then_some(options), seed).map_err(|e| e.detail)
}

/// The number of seats, which is the same in all positions. `programs`: the seats that programs hold.
///
/// # Errors
/// If a match cannot begin with one of them, their numbers of seats differ, or a program cannot be told of one; names its
/// place in the list, from 1.
pub(super) fn check(
    game: &dyn AnyGame,
    positions: &[StartPosition],
    options: &Value,
    programs: &[Seat],
) -> Result<usize, String> {
    let mut seats = None;
    for (number, position) in (1..).zip(positions) {
        let wrong = |why: String| format!("position {number}: {why}");
        let start = begin(game, position, options, &Seed::default()).map_err(wrong)?;
        let has = usize::from(start.table.seats());
        if *seats.get_or_insert(has) != has {
            return Err(wrong(format!("it has {has} seats, and the positions before have another number")));
        }
        for seat in programs {
            start.table.can_tell(*seat).map_err(|e| wrong(e.detail))?;
        }
    }
    seats.ok_or_else(|| "there is no position".to_owned())
}
