//! The games behind object-safe traits: the only view of a game that the server, the shim and the arena have. `adapter`
//! erases the types, and nothing else does.

pub mod adapter;
mod decision;
mod encoded;
mod fingerprint;
mod refusal;
mod start;

use std::any::Any;
use std::time::Duration;

pub use decision::{DecisionRequest, decision_seed, usable};
pub use encoded::EncodedPosition;
pub use fingerprint::fingerprint;
pub use refusal::{Refusal, RefusalCode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
pub use start::{MatchStart, StartPosition, read_start};

use crate::dialogue::DialogueInfo;
use crate::encoding::Encoding;
use crate::game::{Info, Outcome, Seat, Turn, Viewer};
use crate::harness_file::{HarnessFile, HarnessFileError};
use crate::label::DecisionLabel;
use crate::protocol::{self, Entry, KeptSetting, Lines, Settings};
use crate::rng::{Rng, Seed};
use crate::search::{Host, Limits};

/// An engine of a game, as listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EngineInfo {
    /// One word, e.g. `azul`.
    pub name: String,
    /// Changes whenever the moves it chooses may.
    pub version: u32,
    /// One sentence on how it plays.
    pub summary: String,
    /// Whether it always answers within some microseconds.
    pub instant: bool,
}

/// A record format of a game's own for finished matches, as listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FormatInfo {
    /// Short name, used in requests.
    pub name: String,
    /// Its media type, such as `application/json`.
    pub media_type: String,
    /// One sentence: what it is and which programs read it.
    pub summary: String,
}

/// The events of a finished match.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedMatch {
    /// The dealt state, as [`AnyTable::state_json`] gave it.
    pub dealt: Value,
    /// The moves, in order.
    pub moves: Vec<FinishedMove>,
    /// The names of the seats, one each.
    pub names: Vec<String>,
}

/// A move of a finished match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedMove {
    /// The seat that moved.
    pub seat: Seat,
    /// The move, as the official protocol writes it.
    pub notation: String,
    /// The mistake, if the move is a penalty that replaced the seat's own.
    pub mistake: Option<String>,
    /// What the bot in the seat wrote for the public during this turn, a text for each line.
    pub remarks: Vec<String>,
}

/// JSON Schemas (draft 2020-12) of a game's types.
#[derive(Clone, Debug, Serialize)]
pub struct Schemas {
    /// Of the options of a deal.
    pub options: Value,
    /// Of a view: the `position` of the API.
    pub view: Value,
    /// Of a move.
    #[serde(rename = "move")]
    pub mv: Value,
}

// The types below represent the schema of a value of any game: use them in `#[schemars(with = "...")]`. The code that knows all
// games replaces these schemas.

/// A move, by the game's own schema.
#[derive(JsonSchema)]
#[schemars(rename = "Move")]
pub struct AnyMove(pub Value);

/// A position, by the game's own schema.
#[derive(JsonSchema)]
#[schemars(rename = "Position")]
pub struct AnyPosition(pub Value);

/// Options of a deal, by the game's own schema.
#[derive(JsonSchema)]
#[schemars(rename = "Options")]
pub struct AnyOptions(pub Value);

/// The whole state of a match, in the game's own form.
#[derive(JsonSchema)]
#[schemars(rename = "State")]
pub struct AnyState(pub serde_json::Map<String, Value>);

/// A move in both its forms.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MoveText {
    /// The move as JSON, by the game's schema.
    #[serde(rename = "move")]
    #[schemars(with = "AnyMove")]
    pub mv: Value,
    /// The move as the official protocol writes it.
    pub notation: String,
}

/// A move as a caller gives it.
#[derive(Clone, Copy, Debug)]
pub enum MoveInput<'a> {
    /// JSON, by the game's schema.
    Json(&'a Value),
    /// As the official protocol writes it.
    Notation(&'a str),
}

/// A parsed move with its texts, so that it is parsed only once. It need not be legal.
pub struct ReadMove {
    /// The move in both its forms, the notation spelled as the official protocol spells it.
    pub text: MoveText,
    /// The move itself; its type is known to its game alone.
    typed: Box<dyn Any + Send + Sync>,
}

/// A move an engine considered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankedMove {
    /// The move, in both its forms.
    #[serde(flatten)]
    pub mv: MoveText,
    /// Expected score of the seat to move after it, 0 to 1.
    pub value: f64,
    /// How often the search tried it, in its own measure.
    pub visits: u64,
}

/// The move that an engine chose, its value and the moves that it ranked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EngineDecision {
    /// The move, in both its forms.
    #[serde(flatten)]
    pub mv: MoveText,
    /// Expected score of the seat to move, 0 to 1: a win is 1, a draw 1/2.
    pub value: f64,
    /// The best moves, ranked, up to the number that was asked for.
    pub candidates: Vec<RankedMove>,
    /// The principal variation: the moves that the engine expects from here on, its own move first. Empty if an engine has
    /// no expectation.
    pub line: Vec<MoveText>,
    /// Nodes searched, in the engine's own measure.
    pub nodes: u64,
    /// Plies looked ahead, in the engine's own measure.
    pub depth: u32,
    /// Name and version of the engine.
    pub engine: String,
}

/// A registered game, without its types: all that the server knows of it.
pub trait AnyGame: Send + Sync {
    /// The fixed facts.
    fn info(&self) -> &'static Info;
    /// The fixed facts of its official dialogue.
    fn dialogue(&self) -> &'static DialogueInfo {
        const { &DialogueInfo::PLAIN }
    }
    /// The schemas of its types.
    fn schemas(&self) -> Schemas;
    /// The layout of its numeric form for learning programs; `None`: it has none. See [`EncodedPosition`].
    fn encoding(&self) -> Option<&'static Encoding> {
        None
    }
    /// Its engines, the default first.
    fn engines(&self) -> Vec<EngineInfo>;
    /// A fresh match. `options`: by the schema; `{}` for the default.
    ///
    /// # Errors
    /// `bad_options`.
    fn deal(&self, options: &Value, seed: &Seed) -> Result<Box<dyn AnyTable>, Refusal>;
    /// The match that begins with this dealt state, as [`AnyTable::state_json`] gave it.
    ///
    /// # Errors
    /// `bad_state`.
    fn restore(&self, state: &Value) -> Result<Box<dyn AnyTable>, Refusal>;
    /// A match that begins with a position. `options`: by the schema; `None`: the usual ones that fit the position. The same
    /// position, options and seed give the same match.
    ///
    /// # Errors
    /// `bad_position`, `bad_state`, `position_finished`, `bad_options`.
    fn start(
        &self,
        position: &StartPosition,
        options: Option<&Value>,
        seed: &Seed,
    ) -> Result<MatchStart, Refusal>;
    /// Options of a deal for this many seats; `None` if the game cannot be played by that many.
    fn options_for(&self, seats: u8) -> Option<Value>;
    /// The options of a match that people begin without choosing any; see [`Game::for_people`](crate::game::Game::for_people).
    /// `None` if the game cannot be played by that many.
    fn options_for_people(&self, seats: u8) -> Option<Value> {
        self.options_for(seats)
    }
    /// Reads and checks a position.
    ///
    /// # Errors
    /// `bad_position`, with the path of the field that is wrong.
    fn position(&self, json: &Value) -> Result<Box<dyn Position>, Refusal>;
    /// Reads a move. It need not be legal.
    ///
    /// # Errors
    /// `bad_move`.
    fn read_move(&self, mv: MoveInput<'_>) -> Result<ReadMove, Refusal>;
    /// A bot's side of the official dialogue.
    ///
    /// # Errors
    /// `bad_options`.
    fn session(&self, settings: &Settings) -> Result<Box<dyn AnySession>, Refusal>;
    /// Checks settings of the referee's side; see [`AnyTable::seat_bot`].
    ///
    /// # Errors
    /// `bad_options`.
    fn check_referee(&self, settings: &Settings) -> Result<(), Refusal>;
    /// Its own record formats for finished matches.
    fn formats(&self) -> Vec<FormatInfo>;
    /// A finished match in one of these formats.
    ///
    /// # Errors
    /// `unknown_format`, `bad_state` or `bad_names`; the errors of [`AnyTable::play`] if a move cannot be played.
    fn export(&self, format: &str, record: &FinishedMatch) -> Result<String, Refusal>;
    /// The names of the formats that [`Self::read_file`] knows.
    fn harness_formats(&self) -> Vec<&'static str> {
        Vec::new()
    }
    /// Reads a file of the contest's harness; the content tells its format. `None`: it has none of this game's formats.
    ///
    /// # Errors
    /// At the first error in the file.
    fn read_file(&self, text: &str) -> Option<Result<HarnessFile<FinishedMatch>, HarnessFileError>> {
        let _ = text;
        None
    }
    /// Plays random matches from this seed and checks the conformance rules that every game must satisfy.
    ///
    /// # Errors
    /// The broken rule and its place.
    fn check_conformance(&self, seed: u64) -> Result<(), String>;
}

/// A position as one viewer sees it.
pub trait Position: EncodedPosition + Send + Sync {
    /// The view as JSON, by the game's schema.
    fn to_json(&self) -> Value;
    /// The seat whose decision is awaited.
    fn turn(&self) -> Turn;
    /// The viewer's legal moves.
    fn legal_moves(&self) -> Vec<MoveText>;
    /// The moves that the viewer may choose in advance, while another seat is to move; see
    /// [`View::premoves`](crate::game::View::premoves).
    fn premoves(&self) -> Vec<MoveText> {
        Vec::new()
    }
    /// The table as an SVG picture, 1200 by 630, without text elements; `None`: the game draws none.
    fn picture(&self) -> Option<String>;
    /// The viewer's legal moves as the official protocol writes them, in the order of [`Self::legal_moves`].
    fn legal_notations(&self) -> Vec<String> {
        self.legal_moves().into_iter().map(|one| one.notation).collect()
    }
    /// The viewer of this view.
    fn viewer(&self) -> Viewer;
    /// The same as [`Self::to_json`], as text.
    fn to_raw(&self) -> Box<RawValue> {
        raw(&self.to_json())
    }
    /// The same as [`Self::legal_moves`], as text: a JSON array.
    fn legal_moves_raw(&self) -> Box<RawValue> {
        raw(&self.legal_moves())
    }
    /// The move of this notation, if the viewer may play it now. It may be a move that [`Self::legal_moves`] omits because
    /// a full list would be too long.
    ///
    /// # Errors
    /// `bad_move`; `match_over`, `not_your_turn`, `illegal_move`.
    fn check(&self, notation: &str) -> Result<MoveText, Refusal>;
    /// The phase and the kind of the decision to play this move, which must be legal.
    ///
    /// # Errors
    /// As [`Self::check`].
    fn label(&self, notation: &str) -> Result<DecisionLabel, Refusal>;
    /// A match that could be in this position. Draws the parts that the viewer cannot see, such as the deck or another
    /// hand, at random. The same seed draws the same.
    ///
    /// # Errors
    /// As [`Self::askable`].
    fn guess(&self, seed: &Seed) -> Result<Box<dyn AnyTable>, Refusal>;
    /// Whether an engine can be asked.
    ///
    /// # Errors
    /// `position_finished`, or `not_to_move` when the viewer is not the seat to move.
    fn askable(&self) -> Result<(), Refusal>;
    /// The share of `clock`, the time left for the whole match, to spend on this decision.
    fn allot(&self, clock: Duration) -> Duration;
    /// Lets an engine decide; `engine`: its name, `None` for the game's best.
    ///
    /// # Errors
    /// As [`Self::askable`]; `unknown_engine`; `engine_failed` when the engine chose an illegal move.
    fn think(
        &self,
        engine: Option<&str>,
        limits: Limits,
        host: &dyn Host,
    ) -> Result<EngineDecision, Refusal> {
        self.analyse(engine, limits, host, &mut |_| {})
    }
    /// Decides like [`Self::think`], and gives `found` intermediate results when the host asks and the engine has some.
    ///
    /// # Errors
    /// As [`Self::think`].
    fn analyse(
        &self,
        engine: Option<&str>,
        limits: Limits,
        host: &dyn Host,
        found: &mut dyn FnMut(EngineDecision),
    ) -> Result<EngineDecision, Refusal>;
}

/// A match in progress: the full state, and the referee's side for the seats of foreign bots.
pub trait AnyTable: Send {
    /// Number of seats.
    fn seats(&self) -> u8;
    /// The full state as JSON: never for players or spectators.
    fn state_json(&self) -> Value;
    /// A copy without foreign bots, to look ahead.
    fn fork(&self) -> Box<dyn AnyTable>;
    /// Number of moves made so far.
    fn ply(&self) -> u32;
    /// The seat whose decision is awaited.
    fn turn(&self) -> Turn;
    /// The result, when the match is over.
    fn outcome(&self) -> Option<Outcome>;
    /// The match as one viewer may see it.
    fn view(&self, viewer: Viewer) -> Box<dyn Position>;
    /// Plays a move given as notation.
    ///
    /// # Errors
    /// `bad_move`, `illegal_move`, `not_your_turn`, `match_over`; the match is untouched.
    fn play(&mut self, seat: Seat, notation: &str) -> Result<(), Refusal>;
    /// Plays one of the listed legal moves of the seat to move, each equally likely. `false`: the match is over.
    fn play_random(&mut self, rng: &mut Rng) -> bool {
        let Turn::Of(seat) = self.turn() else { return false };
        let moves = self.view(Viewer::Seat(seat)).legal_notations();
        let chosen = rng.pick(&moves).expect("the seat to move has a legal move");
        self.play(seat, chosen).expect("a listed move is legal");
        true
    }
    /// Plays the action with this index of the game's encoding.
    ///
    /// # Errors
    /// `no_encoding`; `bad_move` if there is no such action; `illegal_move`, `not_your_turn`, `match_over`.
    fn play_action(&mut self, seat: Seat, index: u32) -> Result<(), Refusal> {
        let _ = (seat, index);
        Err(Refusal::no_encoding())
    }
    /// Reads a move. It need not be legal.
    ///
    /// # Errors
    /// `bad_move`.
    fn read(&self, mv: MoveInput<'_>) -> Result<ReadMove, Refusal>;
    /// A copy of the match after this move of `seat`, without foreign bots: to look ahead, or to continue from.
    ///
    /// # Errors
    /// `illegal_move`, `not_your_turn`, `match_over`.
    fn after(&self, seat: Seat, mv: &ReadMove) -> Result<Box<dyn AnyTable>, Refusal>;
    /// Reads a notation as a move in both its forms. The notation is spelled as in the official protocol, so different
    /// texts of one move become the same. The move need not be legal.
    ///
    /// # Errors
    /// `bad_move`.
    fn move_text(&self, notation: &str) -> Result<MoveText, Refusal> {
        Ok(self.read(MoveInput::Notation(notation))?.text)
    }
    /// Applies the official penalty to `seat`, which is to move. Returns the notation of the move played instead, if the
    /// match goes on.
    ///
    /// # Errors
    /// `not_your_turn`, `match_over`.
    fn foul(&mut self, seat: Seat, reason: &str) -> Result<Option<String>, Refusal>;
    /// Gives `seat` to a foreign bot. Before the first move only. `settings`: of the referee's side.
    ///
    /// # Errors
    /// `bad_options`; `no_bot_seat` if the dialogue cannot tell how the match begins.
    fn seat_bot(&mut self, seat: Seat, settings: &Settings) -> Result<(), Refusal>;
    /// Whether the official dialogue can tell a bot in this seat that a match begins as it is now: see
    /// [`Game::can_tell`](crate::game::Game::can_tell).
    ///
    /// # Errors
    /// `no_bot_seat`.
    fn can_tell(&self, seat: Seat) -> Result<(), Refusal>;
    /// See [`protocol::Referee::suits`].
    fn suits(&self, seat: Seat, text: &str, other: &Settings) -> bool;
    /// Asks the bot of `seat` to decide, once per decision.
    fn prompt(&mut self, seat: Seat, clock: Option<Duration>);
    /// The lines that the bot of `seat` is to read now, each once.
    fn take_lines(&mut self, seat: Seat) -> Lines;
    /// Reads a line from the bot of `seat`. Returns the notation of its move, if it is one, without playing it.
    ///
    /// # Errors
    /// `bad_dialogue`: a foul.
    fn hear(&mut self, seat: Seat, line: &str) -> Result<Option<String>, Refusal>;
}

/// The event that a session waits for.
pub type Awaits = protocol::Awaits<DecisionRequest>;

/// A bot's side of a dialogue; see [`crate::session::Session`].
pub trait AnySession: Send {
    /// Adds entries. A known answer must be added together with the line that asked for it.
    fn push(&mut self, entries: Vec<Entry>);
    /// Number of entries that wait behind a decision.
    fn waiting(&self) -> usize;
    /// Settings that a later session of the same match should be given; see [`crate::protocol::Player::keep`].
    fn keep(&self) -> Vec<KeptSetting>;
    /// Whether there are lines to take.
    fn has_lines(&self) -> bool;
    /// Uses the entries, up to the first that needs a decision.
    ///
    /// # Errors
    /// `bad_dialogue`: a printed line of the transcript cannot have been printed there. Lines that were read cause none.
    fn advance(&mut self) -> Result<Awaits, Refusal>;
    /// Goes on after no entry came for the time of `Awaits::EntryWithin`.
    fn silence(&mut self) -> Awaits;
    /// Takes the decision that was asked for, as notation.
    ///
    /// # Errors
    /// `bad_dialogue`.
    fn decide(&mut self, notation: &str) -> Result<Awaits, Refusal>;
    /// The lines to print now, each once.
    fn take_lines(&mut self) -> Lines;
    /// The contradictions of our rules since the last call, one sentence each; see [`crate::session::Session`].
    fn take_remarks(&mut self) -> Lines;
    /// Whether at least one line that was read made sense.
    fn has_understood(&self) -> bool;
}

/// A value of a game as JSON text.
fn raw<T: Serialize>(value: &T) -> Box<RawValue> {
    to_raw_value(value).expect("the games' types are plain values with text keys")
}
