//! The games behind object-safe traits: all that the server, the shim and the arena know of a game. The types are
//! erased in `adapter` and nowhere else.

pub mod adapter;

use std::any::Any;
use std::borrow::Cow;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::dialogue::{CountedTime, DialogueInfo};
use crate::game::{Illegal, Info, Outcome, Seat, Turn, Viewer};
use crate::protocol::{Entry, Lines, ProtocolError, Settings};
use crate::rng::{Rng, Seed};
use crate::search::{Host, Limits};

/// Why something asked of a game cannot be done.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{detail}")]
pub struct Refusal {
    /// A stable name, in snake_case: `bad_position`, `illegal_move`, ...
    pub code: &'static str,
    /// What is wrong and where, in a sentence.
    pub detail: String,
}

impl Refusal {
    /// A refusal of this kind, with this sentence.
    pub fn new(code: &'static str, detail: impl Into<String>) -> Self {
        Self { code, detail: detail.into() }
    }
}

impl From<Illegal> for Refusal {
    fn from(e: Illegal) -> Self {
        let code = match e {
            Illegal::Over => "match_over",
            Illegal::NotYourTurn(_) => "not_your_turn",
            Illegal::Rules(_) => "illegal_move",
        };
        Self::new(code, e.to_string())
    }
}

impl From<ProtocolError> for Refusal {
    fn from(e: ProtocolError) -> Self {
        Self::new("bad_dialogue", e.0)
    }
}

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

/// A form of the game's own in which finished matches can be had, as listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FormatInfo {
    /// Short name, by which it is asked for.
    pub name: String,
    /// Its media type.
    pub media_type: String,
    /// One sentence: what it is and who reads it.
    pub summary: String,
}

/// A match that is over, as what happened in it.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedMatch {
    /// The dealt state, as [`AnyTable::state_json`] gave it.
    pub dealt: Value,
    /// What was played, in order.
    pub moves: Vec<FinishedMove>,
    /// What the seats are called, one name each.
    pub names: Vec<String>,
}

/// A move of a finished match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedMove {
    /// Whose.
    pub seat: Seat,
    /// The move, as the official protocol writes it.
    pub notation: String,
    /// Where it was played instead of the seat's own, by way of a penalty: what the mistake was.
    pub mistake: Option<String>,
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

/// Declares types that stand for the schema of a value of any game: use them in `#[schemars(with = "...")]`. Which
/// games there are is known only where all of them are listed; there these schemas are replaced.
macro_rules! of_any_game {
    ($($(#[doc = $doc:literal])+ $name:ident = $schema:literal;)+) => {$(
        $(#[doc = $doc])+
        pub struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                $schema.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "description": concat!($($doc),+).trim() })
            }
        }
    )+};
}

of_any_game! {
    /// A move, by the game's own schema.
    AnyMove = "Move";
    /// A position, by the game's own schema.
    AnyPosition = "Position";
    /// Options of a deal, by the game's own schema.
    AnyOptions = "Options";
}

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

/// A move that was read, so that nobody has to read it again. It need not be legal.
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

/// What an engine decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EngineDecision {
    /// The move, in both its forms.
    #[serde(flatten)]
    pub mv: MoveText,
    /// Expected score of the seat to move, 0 to 1: a win is 1, a draw 1/2.
    pub value: f64,
    /// The best moves, ranked; as many as were asked for, if there are so many.
    pub candidates: Vec<RankedMove>,
    /// What the engine expects to be played from here on, the move itself first: the principal variation. Empty where an
    /// engine expects nothing.
    pub line: Vec<MoveText>,
    /// Nodes searched, in the engine's own measure.
    pub nodes: u64,
    /// Plies looked ahead, in the engine's own measure.
    pub depth: u32,
    /// Name and version of the engine.
    pub engine: String,
}

/// A game.
pub trait AnyGame: Send + Sync {
    /// The fixed facts.
    fn info(&self) -> &'static Info;
    /// The fixed facts of its official dialogue.
    fn dialogue(&self) -> &'static DialogueInfo {
        const { &DialogueInfo::PLAIN }
    }
    /// The schemas of its types.
    fn schemas(&self) -> Schemas;
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
    /// Options of a deal for this many seats; `None`: the game is not for so many.
    fn options_for(&self, seats: u8) -> Option<Value>;
    /// The position that this JSON is, checked.
    ///
    /// # Errors
    /// `bad_position`, with the path of the field that is wrong.
    fn position(&self, json: &Value) -> Result<Box<dyn Position>, Refusal>;
    /// A bot's side of the official dialogue.
    ///
    /// # Errors
    /// `bad_options`.
    fn session(&self, settings: &Settings) -> Result<Box<dyn AnySession>, Refusal>;
    /// The forms of its own in which finished matches can be had.
    fn formats(&self) -> Vec<FormatInfo>;
    /// A finished match in one of these forms.
    ///
    /// # Errors
    /// `unknown_format`; `bad_state`, `bad_names`; and as [`AnyTable::play`] where the moves are not the match's.
    fn export(&self, format: &str, told: &FinishedMatch) -> Result<String, Refusal>;
    /// Plays random matches from this seed and checks everything that every game must satisfy.
    ///
    /// # Errors
    /// What does not hold, and where.
    fn check_conformance(&self, seed: u64) -> Result<(), String>;
}

/// A position as one viewer sees it.
pub trait Position: Send + Sync {
    /// The view as JSON, by the game's schema.
    fn to_json(&self) -> Value;
    /// Whose decision is awaited.
    fn turn(&self) -> Turn;
    /// The viewer's legal moves.
    fn legal_moves(&self) -> Vec<MoveText>;
    /// The same as [`Self::to_json`], as text.
    fn to_raw(&self) -> Box<RawValue> {
        raw(&self.to_json())
    }
    /// The same as [`Self::legal_moves`], as text: a JSON array.
    fn legal_moves_raw(&self) -> Box<RawValue> {
        raw(&self.legal_moves())
    }
    /// The move that this notation means, if the viewer may play it now: also one that [`Self::legal_moves`] leaves
    /// out of a list that would explode.
    ///
    /// # Errors
    /// `bad_move`; `match_over`, `not_your_turn`, `illegal_move`.
    fn check(&self, notation: &str) -> Result<MoveText, Refusal>;
    /// Whether an engine can be asked.
    ///
    /// # Errors
    /// `position_finished`, or `not_to_move` when it is not the viewer who is to move.
    fn askable(&self) -> Result<(), Refusal>;
    /// How much of `clock`, the time left for the whole match, the decision here deserves.
    fn allot(&self, clock: Duration) -> Duration;
    /// Lets an engine decide; `engine`: its name, `None` for the game's best.
    ///
    /// # Errors
    /// As [`Self::askable`]; `unknown_engine`; `engine_failed` when it chose what the rules forbid.
    fn think(
        &self,
        engine: Option<&str>,
        limits: Limits,
        host: &dyn Host,
    ) -> Result<EngineDecision, Refusal> {
        self.analyse(engine, limits, host, &mut |_| {})
    }
    /// The same, and `found` gets what was found so far whenever the host is curious and the engine can say.
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

/// A match in progress: the truth, and the referee's side for the seats that foreign bots hold.
pub trait AnyTable: Send {
    /// Number of seats.
    fn seats(&self) -> u8;
    /// The whole truth as JSON: never for anybody who plays or watches.
    fn state_json(&self) -> Value;
    /// A copy in which nobody's referee is listening: for looking ahead.
    fn fork(&self) -> Box<dyn AnyTable>;
    /// Number of moves made so far.
    fn ply(&self) -> u32;
    /// Whose decision is awaited.
    fn turn(&self) -> Turn;
    /// The result, when the match is over.
    fn outcome(&self) -> Option<Outcome>;
    /// The match as one viewer may know it.
    fn view(&self, viewer: Viewer) -> Box<dyn Position>;
    /// Plays a move given as notation.
    ///
    /// # Errors
    /// `bad_move`, `illegal_move`, `not_your_turn`, `match_over`; the match is untouched.
    fn play(&mut self, seat: Seat, notation: &str) -> Result<(), Refusal>;
    /// Reads a move. It need not be legal.
    ///
    /// # Errors
    /// `bad_move`.
    fn read(&self, mv: MoveInput<'_>) -> Result<ReadMove, Refusal> {
        let text = match mv {
            MoveInput::Json(json) => self.move_text(&self.notation(json)?)?,
            MoveInput::Notation(notation) => self.move_text(notation)?,
        };
        Ok(ReadMove { text, typed: Box::new(()) })
    }
    /// A copy in which `seat` has played this move, and in which no referee is listening: for looking ahead, and to go
    /// on from.
    ///
    /// # Errors
    /// `illegal_move`, `not_your_turn`, `match_over`.
    fn after(&self, seat: Seat, mv: &ReadMove) -> Result<Box<dyn AnyTable>, Refusal> {
        let mut after = self.fork();
        after.play(seat, &mv.text.notation)?;
        Ok(after)
    }
    /// The notation of a move given as JSON.
    ///
    /// # Errors
    /// `bad_move`.
    fn notation(&self, mv: &Value) -> Result<String, Refusal>;
    /// A move given as notation, in both its forms, the notation spelled as the official protocol spells it: two
    /// texts of the same move become one. It need not be legal.
    ///
    /// # Errors
    /// `bad_move`.
    fn move_text(&self, notation: &str) -> Result<MoveText, Refusal>;
    /// Applies the official penalty to `seat`, who is to move: the notation of the move played instead, if the
    /// match goes on.
    ///
    /// # Errors
    /// `not_your_turn`, `match_over`.
    fn foul(&mut self, seat: Seat, reason: &str) -> Result<Option<String>, Refusal>;
    /// Gives `seat` to a foreign bot. Before the first move only.
    fn seat_bot(&mut self, seat: Seat);
    /// Tells the bot of `seat` that it is to decide, once per decision.
    fn prompt(&mut self, seat: Seat, clock: Option<Duration>);
    /// What the bot of `seat` is to read now, each line once.
    fn take_lines(&mut self, seat: Seat) -> Lines;
    /// The bot of `seat` wrote a line: the notation of the move it means, if it means one; not yet played.
    ///
    /// # Errors
    /// `bad_dialogue`: a foul.
    fn hear(&mut self, seat: Seat, line: &str) -> Result<Option<String>, Refusal>;
}

/// What a session waits for.
pub enum Awaits {
    /// The next entry.
    Entry,
    /// The next entry, or to be told of silence when none came for this long.
    EntryWithin(Duration),
    /// A decision.
    Decision(DecisionRequest),
    /// Nothing: the dialogue is over.
    Nothing,
}

/// A decision that a dialogue asks for.
pub struct DecisionRequest {
    /// What the seat to move sees.
    pub position: Box<dyn Position>,
    /// Time left for all further decisions of the match, where the dialogue tells it.
    pub clock: Option<Duration>,
    /// The official limit for one decision, where there is one.
    pub limit: Option<Duration>,
    /// What the official limits count.
    pub counts: CountedTime,
    /// Thinking time when nobody asks for another.
    pub usual: Duration,
}

impl DecisionRequest {
    /// The most that the answer may take: the official limits, less a margin for the way to the referee and a machine
    /// that is busy elsewhere. `None`: there is no limit.
    pub fn longest(&self) -> Option<Duration> {
        [self.limit, self.clock].into_iter().flatten().map(usable).min()
    }

    /// How long to think: as long as `asked`, else as the clock allots, else as is usual for the game; never so long
    /// that an official limit could be missed.
    pub fn thinking_time(&self, asked: Option<Duration>) -> Duration {
        let wanted = match (asked, self.clock) {
            (Some(asked), _) => asked,
            (None, Some(clock)) => self.position.allot(clock),
            (None, None) => self.usual,
        };
        self.longest().map_or(wanted, |longest| wanted.min(longest))
    }

    /// The seed of this decision in a dialogue with that seed: another one at each, and the same one again when the
    /// dialogue is continued from its transcript, here or elsewhere.
    pub fn seed(&self, dialogue: &Seed) -> Seed {
        // FNV-1a, 64 bits (Fowler, Noll, Vo): the same on every machine.
        let text = self.position.to_json().to_string();
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Rng::stream(dialogue, hash).seed()
    }
}

/// What may be spent of an official limit: all but a margin for the way to the referee and a busy machine.
pub fn usable(limit: Duration) -> Duration {
    limit - margin(limit)
}

/// What stays unspent of an official limit.
fn margin(limit: Duration) -> Duration {
    (limit / 10).clamp(Duration::from_millis(20), Duration::from_millis(500)).min(limit / 2)
}

/// A bot's side of a dialogue; see [`crate::session::Session`].
pub trait AnySession: Send {
    /// Adds what came. A known answer must be added together with the line that asked for it.
    fn push(&mut self, entries: Vec<Entry>);
    /// Number of entries that wait behind a decision.
    fn waiting(&self) -> usize;
    /// Settings that a later session of the same match should be given; see [`crate::protocol::Player::keep`].
    fn keep(&self) -> Vec<(&'static str, String)>;
    /// Whether there are lines to take.
    fn has_lines(&self) -> bool;
    /// Uses what was added, as far as it goes.
    ///
    /// # Errors
    /// `bad_dialogue`: what the transcript says was printed cannot have been. Never for what was read.
    fn advance(&mut self) -> Result<Awaits, Refusal>;
    /// Nothing came for the time that [`Awaits::EntryWithin`] named.
    fn silence(&mut self) -> Awaits;
    /// The decision that was asked for, as notation.
    ///
    /// # Errors
    /// `bad_dialogue`.
    fn decide(&mut self, notation: &str) -> Result<Awaits, Refusal>;
    /// The lines to print now, each once.
    fn take_lines(&mut self) -> Lines;
    /// What contradicted our rules since the last call, one sentence each; see [`crate::session::Session`].
    fn take_remarks(&mut self) -> Lines;
    /// Whether at least one line that was read made sense.
    fn has_understood(&self) -> bool;
}

/// A value of a game as JSON text.
fn raw<T: Serialize>(value: &T) -> Box<RawValue> {
    to_raw_value(value).expect("the games' types are plain values with text keys")
}
