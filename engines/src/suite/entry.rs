//! The lines of a suite, read and checked.

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::arena::{AskedPosition, RecordedAnswer, RecordedTurn, ReplayMatch};
use crate::erased::{AnyGame, AnyPosition, AnyState, Position, Refusal};
use crate::game::{Turn, Viewer};
use crate::games;
use crate::harness_file::{HarnessFileError, json_message};
use crate::rng::Seed;

/// A position of a suite: one line of its file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SuitePosition {
    /// The game's short name.
    pub game: String,
    /// The name of the position, which no other one of the suite has.
    pub name: String,
    /// Where it comes from, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub source: String,
    /// The phase of the match, as the game names it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub phase: String,
    /// The kind of the move that was made there, as the game names it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub kind: String,
    /// What the seat to move sees, as in move requests.
    #[schemars(with = "AnyPosition")]
    pub position: Value,
    /// The match that led to the position, for bots whose dialogue cannot tell a position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub history: Option<SuiteHistory>,
    /// The expected score with the best move, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// What each of these moves loses of the expected score, 0 to 1; the best move loses 0.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub losses: BTreeMap<String, f64>,
    /// Moves that lose nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub good: Vec<String>,
    /// Moves that do not solve the position, whatever they lose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bad: Vec<String>,
    /// What valued the moves, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_by: Option<String>,
}

/// The match that led to a position.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SuiteHistory {
    /// The whole dealt state, as a record has it.
    #[schemars(with = "AnyState")]
    pub start: Value,
    /// The moves of all seats up to the position.
    pub moves: Vec<String>,
}

/// A position of a suite that was checked.
pub struct SuiteCase {
    /// The line, its moves spelled as in the official protocol.
    pub entry: SuitePosition,
    /// The game that the line names.
    pub game: &'static dyn AnyGame,
    /// The match of the history.
    history: Option<ReplayMatch>,
}

impl SuiteCase {
    /// Checks a line.
    ///
    /// # Errors
    /// What is wrong with it, in one sentence.
    pub fn new(mut entry: SuitePosition) -> Result<Self, String> {
        let game =
            games::find(&entry.game).ok_or_else(|| format!("game: there is no game {:?}", entry.game))?;
        let view = game.position(&entry.position).map_err(|e| format!("position: {}", e.detail))?;
        view.askable().map_err(|e| format!("position: {}", e.detail))?;
        let spelled = |notation: &str| {
            view.check(notation).map(|mv| mv.notation).map_err(|e: Refusal| format!("a move: {}", e.detail))
        };
        for list in [&mut entry.good, &mut entry.bad] {
            *list = list.iter().map(|mv| spelled(mv)).collect::<Result<_, _>>()?;
        }
        let losses = std::mem::take(&mut entry.losses).into_iter();
        entry.losses = losses.map(|(mv, loss)| Ok((spelled(&mv)?, loss))).collect::<Result<_, String>>()?;
        if let Some((mv, loss)) = entry.losses.iter().find(|(_, loss)| !(0.0..=1.0).contains(*loss)) {
            return Err(format!("losses: a loss is 0 to 1, and that of {mv} is {loss}"));
        }
        if entry.losses.is_empty() && entry.good.is_empty() && entry.bad.is_empty() {
            return Err("there are no moves: fill losses, good or bad".to_owned());
        }
        let history = entry.history.as_ref();
        let history = history.map(|history| replayed(game, history, &*view)).transpose()?;
        Ok(Self { entry, game, history })
    }

    /// The view of the seat to move.
    pub fn view(&self) -> Box<dyn Position> {
        self.game.position(&self.entry.position).expect("the position was checked")
    }

    /// The position as players are asked. `seed`: of engines, and of what the position leaves unknown.
    pub fn asked<'c>(&'c self, view: &'c dyn Position, seed: Seed) -> AskedPosition<'c> {
        AskedPosition { game: self.game, view, history: self.history.as_ref(), seed }
    }

    /// A move that loses nothing, if the line names one.
    pub fn best(&self) -> Option<&str> {
        let least = self.entry.losses.iter().min_by(|a, b| a.1.total_cmp(b.1)).map(|(mv, _)| mv);
        least.or(self.entry.good.first()).map(String::as_str)
    }
}

/// The match of a history, with a last turn in the position itself.
fn replayed(game: &dyn AnyGame, history: &SuiteHistory, view: &dyn Position) -> Result<ReplayMatch, String> {
    let mut table = game.restore(&history.start).map_err(|e| format!("history: start: {}", e.detail))?;
    let mut turns = Vec::with_capacity(history.moves.len() + 1);
    let turn = |seat, answer, played| RecordedTurn { seat, answer, played, taken: None, left: None };
    for (ply, notation) in history.moves.iter().enumerate() {
        let Turn::Of(seat) = table.turn() else {
            return Err(format!("history: the match is over after {ply} moves"));
        };
        let played = table
            .move_text(notation)
            .and_then(|mv| table.play(seat, &mv.notation).map(|()| mv.notation))
            .map_err(|e| format!("history: move {}: {}", ply + 1, e.detail))?;
        turns.push(turn(seat, RecordedAnswer::Move(played.clone()), Some(played)));
    }
    match table.turn() {
        Turn::Of(seat) if table.view(Viewer::Seat(seat)).to_json() == view.to_json() => {
            turns.push(turn(seat, RecordedAnswer::Unknown, None));
            Ok(ReplayMatch { start: history.start.clone(), turns, seats: Vec::new() })
        }
        _ => Err("history: this match does not lead to the position".to_owned()),
    }
}

/// Reads a suite: JSON lines, all of one game.
///
/// # Errors
/// At the first line that is wrong.
pub fn read_suite(text: &str) -> Result<Vec<SuiteCase>, HarnessFileError> {
    let mut cases: Vec<SuiteCase> = Vec::new();
    let mut names: HashMap<String, usize> = HashMap::new();
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let wrong = |what: String| HarnessFileError::new(at + 1, 1, what);
        let entry: SuitePosition = serde_json::from_str(line)
            .map_err(|e| HarnessFileError::new(at + 1, e.column().max(1), json_message(&e)))?;
        if let Some(other) = names.insert(entry.name.clone(), at + 1) {
            return Err(wrong(format!("name: {:?} is the name of line {other}, too", entry.name)));
        }
        let case = SuiteCase::new(entry).map_err(wrong)?;
        if let Some(first) = cases.first()
            && first.entry.game != case.entry.game
        {
            let what = format!("game: a suite is of one game, and this one of {}", first.entry.game);
            return Err(wrong(what));
        }
        cases.push(case);
    }
    match cases.is_empty() {
        true => Err(HarnessFileError::new(1, 1, "the suite has no position")),
        false => Ok(cases),
    }
}
