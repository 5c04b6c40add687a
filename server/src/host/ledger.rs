//! A match as the fold of its events: what has happened, what may happen, and what must. Pure: no clock, no I/O; `now`
//! is handed in. `decide` turns a command into events and changes nothing; `apply` takes an event as it was stored.

use engines::any::{AnyGame, AnyTable, Position};
use engines::game::{Seat, Viewer};

use super::clock::Clocks;
use super::event::{Chair, Created, Ended, EngineSeat, FoulKind, Holder, Millis, Stamped};
use super::refused::Refused;
use super::token::KeyHash;

/// Time-outs in a row after which a seat counts as gone.
pub const PATIENCE: u32 = 3;

/// Who asks: what was shown to prove it. The default is nobody in particular.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// The hash of the seat token that was shown.
    pub seat_key: Option<KeyHash>,
    /// The player whose token was shown.
    pub player: Option<super::event::PlayerRef>,
    /// The hash of the private match's key that was shown.
    pub match_key: Option<KeyHash>,
}

/// Where a match is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    /// Seats are free.
    Open,
    /// It is being played.
    Running,
    /// It is over.
    Over,
}

/// What somebody, or time, wants to happen. Seats are those of [`Ledger::seat_of`] the caller.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Take a seat: the one kept for this caller, else the first open one; or just this one.
    Join {
        /// Which seat; `None`: any.
        seat: Option<Seat>,
        /// Who asks.
        caller: Caller,
        /// What will hold the seat; ignored where a seat is kept for the caller's own token.
        holder: Holder,
    },
    /// Give the seat up, before the start.
    Leave { seat: Seat },
    /// Make a move.
    Move {
        seat: Seat,
        /// Moves made before it, as the mover believes.
        ply: u32,
        notation: String,
        /// When it came in. It counts as in time if it came in in time.
        arrived_ms: Millis,
        /// How long it waited here.
        queue_us: u64,
        /// An engine's own time, which was measured. `None`: from the moment the turn was out to `arrived_ms`.
        think_us: Option<u64>,
    },
    /// A foreign bot's mistake at its turn.
    Foul { seat: Seat, ply: u32, kind: FoulKind, detail: String, arrived_ms: Millis },
    /// Give the match up.
    Resign { seat: Seat },
    /// Take the match back, before the first move.
    Abort { seat: Seat },
    /// The host was away until now.
    Resume { away_ms: u64 },
    /// Time has passed: let happen what is due (see [`Ledger::due`]).
    Tick,
}

/// What a command comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Decided {
    /// These events, to be stored together. Never empty, except for [`Command::Tick`] when nothing is due.
    New(Vec<super::event::Event>),
    /// The very same thing has happened before, at this place in the log.
    Already(u32),
}

/// When something is due without anybody asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Due {
    /// Now.
    Now,
    /// At this time.
    At(Millis),
    /// Not at all.
    Never,
}

/// A seat as it is now.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatNow {
    /// Who sits there or may.
    pub chair: Chair,
    /// Whether it takes no part any more.
    pub out: bool,
    /// Time-outs in a row.
    pub missed: u32,
}

/// A match.
pub struct Ledger {
    created: Created,
    table: Box<dyn AnyTable>,
    seats: Vec<SeatNow>,
    clocks: Clocks,
    stage: Stage,
    /// The seq of the next event.
    next: u32,
    /// When the last event was.
    last_ms: Millis,
    /// When the running turn was out, and how long its event took to be on disk.
    turn_out: Option<(Millis, u64)>,
    /// Per ply, the seq of the event that made it.
    plies: Vec<u32>,
    ended: Option<Ended>,
}

/// A log that contradicts itself or its game: where and how.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {seq}: {what}")]
pub struct BadLog {
    /// The place in the log.
    pub seq: u32,
    /// What is wrong.
    pub what: String,
}

impl Ledger {
    /// The fold of a whole log.
    ///
    /// # Errors
    /// When the log contradicts itself or the game.
    pub fn load(game: &'static dyn AnyGame, log: &[Stamped]) -> Result<Self, BadLog> {
        todo!()
    }

    /// What a command comes to. Changes nothing.
    ///
    /// # Errors
    /// Why it cannot be.
    pub fn decide(&self, command: &Command, now: Millis) -> Result<Decided, Refused> {
        todo!()
    }

    /// Takes an event as it was stored.
    ///
    /// # Errors
    /// When it contradicts what was before.
    pub fn apply(&mut self, stamped: &Stamped) -> Result<(), BadLog> {
        todo!()
    }

    /// The running turn was out only then, after its event was on disk, which took so long. The log alone knows only
    /// when the event was decided.
    pub fn turn_is_out(&mut self, at_ms: Millis, commit_us: u64) {
        todo!()
    }

    /// When something is due without anybody asking: a time-out, a foul of a seat that is out, the end for idleness.
    /// Time does not run out for engines: their time is measured where they think.
    pub fn due(&self) -> Due {
        todo!()
    }

    /// The engine that is to move now.
    pub fn engine_to_move(&self) -> Option<(Seat, &EngineSeat)> {
        todo!()
    }

    /// The seat that the caller holds.
    pub fn seat_of(&self, caller: &Caller) -> Option<Seat> {
        todo!()
    }

    /// Whether the caller may know of the match: it is public, or they hold a seat, or one is kept for them, or they
    /// have its key.
    pub fn may_see(&self, caller: &Caller) -> bool {
        todo!()
    }

    /// The match as one viewer may know it.
    pub fn view(&self, viewer: Viewer) -> Box<dyn Position> {
        todo!()
    }

    /// How it began.
    pub fn created(&self) -> &Created {
        todo!()
    }

    /// Where it is in its life.
    pub fn stage(&self) -> Stage {
        todo!()
    }

    /// Whose move is awaited; nobody's before the start and after the end.
    pub fn turn(&self) -> Option<Seat> {
        todo!()
    }

    /// Moves made so far, those of penalties included.
    pub fn ply(&self) -> u32 {
        todo!()
    }

    /// The seats.
    pub fn seats(&self) -> &[SeatNow] {
        todo!()
    }

    /// The clocks, the running turn not charged yet.
    pub fn clocks(&self) -> &Clocks {
        todo!()
    }

    /// When the running turn was out.
    pub fn turn_out_ms(&self) -> Option<Millis> {
        todo!()
    }

    /// The place of the next event.
    pub fn next_seq(&self) -> u32 {
        todo!()
    }

    /// When the last event was decided.
    pub fn last_ms(&self) -> Millis {
        todo!()
    }

    /// How it ended.
    pub fn ended(&self) -> Option<&Ended> {
        todo!()
    }
}
