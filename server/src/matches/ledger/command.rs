//! The callers of a match, and their commands.

use std::collections::BTreeMap;
use std::net::IpAddr;

use engines::game::Seat;

use crate::domain::PlayerRef;
use crate::domain::scope::ShownToken;
use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::matches::event::{EndKind, FoulKind, Holder};

/// The caller, by the tokens of the request. The default is an anonymous caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    /// The hash of the seat token.
    pub seat_key: Option<KeyHash>,
    /// The player whose token the request carries.
    pub player: Option<PlayerRef>,
    /// The token that showed who the player is, and its scope.
    pub token: Option<ShownToken>,
    /// The hash of the key of a private match.
    pub match_key: Option<KeyHash>,
    /// The network address that limits count for; `None`: no limits, as for the server itself.
    pub network: Option<IpAddr>,
}

/// The time of a turn by the player's own clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredTime {
    /// In microseconds.
    pub think_us: u64,
    /// The fuel of a hosted program, from which the time follows; `None`: an engine.
    pub fuel: Option<u64>,
}

/// A command to a match. The seat comes from [`seat_of`](crate::matches::ledger::Ledger::seat_of); look it up again
/// whenever the log has grown, since before the start a seat may change hands.
#[expect(missing_docs, reason = "`seat`, `caller` and `Resign` say all")]
#[expect(
    clippy::large_enum_variant,
    reason = "a command exists once, for a moment, and is passed by reference"
)]
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Take a seat: the one reserved for the caller, else the first open one, or a given one.
    Join {
        /// The seat; `None`: any.
        seat: Option<Seat>,
        caller: Caller,
        /// The future holder. For a reserved seat, the stored holder completes it.
        holder: Holder,
    },
    /// Give up a seat, before the start.
    Leave {
        seat: Seat,
    },
    /// Make a move.
    Move {
        seat: Seat,
        /// The number of moves made before it, as far as the mover knows.
        ply: u32,
        /// The move in the notation of the official protocol, in any spelling.
        notation: String,
        /// The time of its arrival, which decides whether it was in time.
        arrived_ms: Millis,
        /// How long it waited in the server.
        queue_us: u64,
        /// The measured time of an engine or a hosted program. `None`: from the beginning of the turn to `arrived_ms`.
        measured: Option<MeasuredTime>,
    },
    /// A foul of a bot at its turn.
    Foul {
        seat: Seat,
        /// The number of moves made before it.
        ply: u32,
        /// A bad line or a crash; the other kinds come from [`Command::Tick`], but for a hosted program.
        kind: FoulKind,
        /// A description of the foul, in one sentence.
        detail: String,
        /// The time of its arrival.
        arrived_ms: Millis,
        /// The measured time of a hosted program, which can also let its time run out. `None`: as for moves.
        measured: Option<MeasuredTime>,
    },
    Resign {
        seat: Seat,
    },
    /// Take back the seat's last move and all moves after it, in a match against engines.
    TakeBack {
        seat: Seat,
        /// The number of moves made, as far as the player knows.
        ply: u32,
    },
    /// Set the referee's side of the seat's dialogue with a bot.
    SetReferee {
        seat: Seat,
        /// All settings that differ from the default, by name.
        settings: BTreeMap<String, String>,
    },
    /// Abort the match, before the first move.
    Abort {
        seat: Seat,
    },
    /// Remove the holder of a seat, before the start. Only the creator may ask for it.
    Remove {
        seat: Seat,
    },
    /// End the match without a result, by its creator or by the operator.
    End {
        /// [`EndKind::Cancelled`] or [`EndKind::Terminated`].
        how: EndKind,
    },
    /// The server was down until now, or the player to move was on vacation.
    Resume {
        /// How long the clock was paused, in milliseconds.
        away_ms: u64,
        /// How long the clock of the seat to move stays paused, in milliseconds; at most
        /// [`MAX_GRACE_MS`](crate::matches::ledger::MAX_GRACE_MS).
        grace_ms: u64,
        /// Whether a vacation of the player to move is in that time.
        vacation: bool,
    },
    /// Time has passed: do what is due (see [`due`](crate::matches::ledger::Ledger::due)).
    Tick,
    /// The match exceeds the longest duration on this server: it ends without a result.
    Expire,
    /// All guests have left a match in which only guests sit.
    GuestsLeft,
}
