//! The positions of a recorded match or dialogue, turn by turn, as the seat to move saw them.

use serde_json::Value;

use super::course::Course;
use super::recording::{RecordedAnswer, Recording, ReplayMatch};
use super::script::ScriptCourse;
use crate::erased::{AnyGame, AnyTable, MoveText};
use crate::game::{Seat, Turn, Viewer};
use crate::harness_file::BotDialogue;

/// The most turns that are shown; no match has as many.
const MOST_TURNS: usize = 5_000;

/// A turn of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownTurn {
    /// Moves made before it; in a dialogue that does not say how many, the answers of the bot before it.
    pub ply: u32,
    /// The seat to move.
    pub seat: Seat,
    /// The position as this seat saw it, by the game's schema.
    pub view: Value,
    /// The move that was made, by the player or as a penalty; `None`: the recording ends here, or the match ended by a mistake.
    pub played: Option<MoveText>,
    /// The mistake that was made, in words.
    pub fault: Option<String>,
}

/// The positions of a recording.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownRecording {
    /// The turns, in order.
    pub turns: Vec<ShownTurn>,
    /// The position after a whole match, as a spectator saw it, and the points, if the match is over by its rules.
    pub end: Option<(Value, Vec<i32>)>,
}

/// Goes through a recording, and keeps each position.
///
/// # Errors
/// When the recorded moves cannot be played, or nothing of a dialogue is understood; one sentence.
pub fn positions(game: &dyn AnyGame, recording: &Recording) -> Result<ShownRecording, String> {
    match recording {
        Recording::Match(recorded) => of_match(game, recorded),
        Recording::Dialogue(dialogue) => of_dialogue(game, dialogue),
    }
}

fn of_match(game: &dyn AnyGame, recorded: &ReplayMatch) -> Result<ShownRecording, String> {
    let mut table = game.restore(&recorded.start).map_err(|e| format!("the start is not possible: {e}"))?;
    let mut turns = Vec::new();
    for turn in &recorded.turns {
        check_length(&turns)?;
        let ply = table.ply();
        let view = table.view(Viewer::Seat(turn.seat)).to_json();
        let unplayable = |why| format!("the recorded move at ply {ply} cannot be played: {why}");
        let played = match &turn.played {
            Some(notation) => {
                let played = table.move_text(notation).map_err(unplayable)?;
                table.play(turn.seat, notation).map_err(unplayable)?;
                Some(played)
            }
            None => None,
        };
        let fault = match &turn.answer {
            RecordedAnswer::Fault(what) => Some(what.clone()),
            _ => None,
        };
        turns.push(ShownTurn { ply, seat: turn.seat, view, played, fault });
    }
    Ok(ended(table.as_ref(), turns, recorded.turns.last().is_some_and(|turn| turn.played.is_none())))
}

/// `stopped`: whether the match ended by a mistake instead of a move.
fn ended(table: &dyn AnyTable, mut turns: Vec<ShownTurn>, stopped: bool) -> ShownRecording {
    match table.turn() {
        Turn::Of(seat) if !stopped => {
            let view = table.view(Viewer::Seat(seat)).to_json();
            turns.push(ShownTurn { ply: table.ply(), seat, view, played: None, fault: None });
            ShownRecording { turns, end: None }
        }
        Turn::Of(_) => ShownRecording { turns, end: None },
        Turn::Over => {
            let points = table.outcome().map(|outcome| outcome.points).unwrap_or_default();
            ShownRecording { turns, end: Some((table.view(Viewer::Spectator).to_json(), points)) }
        }
    }
}

fn of_dialogue(game: &dyn AnyGame, dialogue: &BotDialogue) -> Result<ShownRecording, String> {
    let mut course = ScriptCourse::new(game, dialogue);
    let mut turns = Vec::new();
    while let Some(turn) = course.next_turn()? {
        check_length(&turns)?;
        if let Some(position) = course.position()
            && let Turn::Of(seat) = position.turn()
        {
            let (played, fault) = match &turn.recorded {
                RecordedAnswer::Move(text) => match position.check(text) {
                    Ok(played) => (Some(played), None),
                    Err(e) => (None, Some(format!("{text:?}: {}", e.detail))),
                },
                RecordedAnswer::Fault(what) => (None, Some(what.clone())),
                RecordedAnswer::NotAsked | RecordedAnswer::Unknown => (None, None),
            };
            turns.push(ShownTurn { ply: turn.ply, seat, view: position.to_json(), played, fault });
        }
        course.follow()?;
    }
    match turns.is_empty() {
        true => Err("the dialogue leads to no position in which its bot has to move".to_owned()),
        false => Ok(ShownRecording { turns, end: None }),
    }
}

fn check_length(turns: &[ShownTurn]) -> Result<(), String> {
    match turns.len() < MOST_TURNS {
        true => Ok(()),
        false => Err(format!("a match of more than {MOST_TURNS} turns is not shown")),
    }
}
