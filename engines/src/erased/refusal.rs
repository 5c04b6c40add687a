//! The refusal of a request to a game: a code for programs and a sentence for people.

use crate::game::Illegal;
use crate::protocol::ProtocolError;

/// The kinds of refusals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalCode {
    /// The options of a deal or the settings of a session are wrong.
    BadOptions,
    /// The JSON is no state of the game.
    BadState,
    /// The JSON is no position of the game.
    BadPosition,
    /// The game has no record format of this name.
    UnknownFormat,
    /// There are more or fewer names than seats.
    BadNames,
    /// The text or JSON is no move of the game.
    BadMove,
    /// A move or a question after the end of the match.
    MatchOver,
    /// It is another seat's turn.
    NotYourTurn,
    /// The rules forbid the move here.
    IllegalMove,
    /// The dialogue contradicts the protocol, the rules or itself.
    BadDialogue,
    /// The match is over in the position, so there is nothing to decide.
    PositionFinished,
    /// The viewer of the position is not the seat to move.
    NotToMove,
    /// The game has no engine of this name.
    UnknownEngine,
    /// The engine chose a move that the rules forbid.
    EngineFailed,
    /// The official dialogue cannot tell a bot how the match begins.
    NoBotSeat,
    /// The game has no numeric form, or none for this move.
    NoEncoding,
}

impl RefusalCode {
    /// The stable name, in snake_case.
    pub const fn name(self) -> &'static str {
        match self {
            Self::BadOptions => "bad_options",
            Self::BadState => "bad_state",
            Self::BadPosition => "bad_position",
            Self::UnknownFormat => "unknown_format",
            Self::BadNames => "bad_names",
            Self::BadMove => "bad_move",
            Self::MatchOver => "match_over",
            Self::NotYourTurn => "not_your_turn",
            Self::IllegalMove => "illegal_move",
            Self::BadDialogue => "bad_dialogue",
            Self::PositionFinished => "position_finished",
            Self::NotToMove => "not_to_move",
            Self::UnknownEngine => "unknown_engine",
            Self::EngineFailed => "engine_failed",
            Self::NoBotSeat => "no_bot_seat",
            Self::NoEncoding => "no_encoding",
        }
    }
}

impl std::fmt::Display for RefusalCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The refusal of a request to a game, with its reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Refusal {
    /// The kind.
    pub code: RefusalCode,
    /// The error and its place, in a sentence.
    pub detail: String,
}

impl Refusal {
    /// A refusal of this kind, with this sentence.
    pub fn new(code: RefusalCode, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into() }
    }

    /// The refusal of a game without a numeric form.
    pub fn no_encoding() -> Self {
        Self::new(RefusalCode::NoEncoding, "this game has no observations and actions as numbers")
    }
}

impl From<Illegal> for Refusal {
    fn from(e: Illegal) -> Self {
        let code = match e {
            Illegal::Over => RefusalCode::MatchOver,
            Illegal::NotYourTurn(_) => RefusalCode::NotYourTurn,
            Illegal::Rules { .. } => RefusalCode::IllegalMove,
        };
        Self::new(code, e.to_string())
    }
}

impl From<ProtocolError> for Refusal {
    fn from(e: ProtocolError) -> Self {
        Self::new(RefusalCode::BadDialogue, e.0)
    }
}
