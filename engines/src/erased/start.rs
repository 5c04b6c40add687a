//! The beginning of a match from a position: what is given, and what the seed draws. Reads positions from texts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AnyGame, AnyPosition, AnyState, AnyTable, Awaits, FinishedMatch, Refusal, RefusalCode};
use crate::game::{Seat, Turn, Viewer};
use crate::harness_file::HarnessFile;
use crate::protocol::{Entry, Settings};

/// The stream of a match's seed that draws the unknown parts of its position, far above those that deals use.
pub(super) const STREAM: u64 = 1 << 59;

/// A position from which a match begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum StartPosition {
    /// What one seat knows. The seed draws all that it does not know.
    View {
        /// The view, by the game's schema.
        #[schemars(with = "AnyPosition")]
        view: Value,
    },
    /// What all seats together know. The seed draws what no seat knows, such as the order of the deck.
    Table {
        /// The whole state, as a record has it. What the seed draws is replaced.
        #[schemars(with = "AnyState")]
        state: Value,
    },
}

/// A match that begins with a position.
pub struct MatchStart {
    /// The match before its first move.
    pub table: Box<dyn AnyTable>,
    /// The options of the match, by the game's schema.
    pub options: Value,
    /// The position as the game itself writes it.
    pub position: StartPosition,
}

impl StartPosition {
    /// The position of a seat to move, or of the whole table if `all`.
    ///
    /// # Errors
    /// `position_finished`.
    pub fn of(table: &dyn AnyTable, all: bool) -> Result<Self, Refusal> {
        match table.turn() {
            Turn::Over => Err(finished()),
            Turn::Of(_) if all => Ok(Self::Table { state: table.state_json() }),
            Turn::Of(seat) => Ok(Self::View { view: table.view(Viewer::Seat(seat)).to_json() }),
        }
    }
}

/// The refusal of a position in which the match is over.
pub(super) fn finished() -> Refusal {
    Refusal::new(
        RefusalCode::PositionFinished,
        "the match is over in this position: no match can begin with it",
    )
}

/// The seat of a view with which a match can begin.
pub(super) fn seat_of(viewer: Viewer) -> Result<Seat, Refusal> {
    match viewer {
        Viewer::Seat(seat) => Ok(seat),
        Viewer::Spectator => Err(Refusal::new(
            RefusalCode::BadPosition,
            "viewer: a match begins with what a seat sees, not with what spectators see",
        )),
    }
}

/// Reads a position: a file of the contest's harness, a transcript, or an official input. A file with a whole match gives
/// the table after its last move; a dialogue gives what its bot knows when it has to decide.
///
/// # Errors
/// `bad_position`, with line and column; `bad_dialogue`; `position_finished`; `bad_state`.
pub fn read_start(game: &dyn AnyGame, text: &str) -> Result<StartPosition, Refusal> {
    match game.read_file(text) {
        Some(Ok(HarnessFile::Match(whole))) => last_of(game, &whole),
        Some(Ok(HarnessFile::Dialogues(dialogues))) => decision_of(
            game,
            dialogues.into_iter().next().map(|dialogue| dialogue.entries).unwrap_or_default(),
        ),
        Some(Err(e)) => Err(Refusal::new(RefusalCode::BadPosition, e.to_string())),
        None => decision_of(game, Entry::parse_all(text)?),
    }
}

/// The table after the last move of a match.
fn last_of(game: &dyn AnyGame, whole: &FinishedMatch) -> Result<StartPosition, Refusal> {
    let mut table = game.restore(&whole.dealt)?;
    for played in &whole.moves {
        table.play(played.seat, &played.notation)?;
    }
    StartPosition::of(&*table, true)
}

/// The view of the first decision that a dialogue leaves open. One that contradicts the rules is no position.
fn decision_of(game: &dyn AnyGame, entries: Vec<Entry>) -> Result<StartPosition, Refusal> {
    let mut session = game.session(&Settings::default())?;
    session.push(entries);
    let awaits = session.advance()?;
    let bad = |what: &str| Err(Refusal::new(RefusalCode::BadDialogue, what));
    if let Some(remark) = session.take_remarks().first() {
        return bad(remark);
    }
    match awaits {
        Awaits::Decision(decision) => Ok(StartPosition::View { view: decision.position.to_json() }),
        Awaits::Entry | Awaits::EntryWithin(_) | Awaits::Nothing => {
            bad("the text does not lead to a decision of the bot; it may end too early")
        }
    }
}
