//! The events of a match, as they are stored. A record of today must be readable in ten years, so variants and fields
//! are only ever added, with defaults. This module must not decide anything.

mod seats;

use std::collections::BTreeMap;

use engines::erased::StartPosition;
use engines::game::Seat;
use engines::rng::Seed;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::time::Millis;
use crate::domain::{PlayerRef, TournamentRef, schema};

use crate::domain::token::KeyHash;
use crate::matches::clock::ClockSpec;

pub use seats::{EngineSeat, Holder, ProgramRef, SeatSetup};

/// An event of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[expect(missing_docs, reason = "a field `seat` says all")]
pub enum Event {
    /// The match was created: always the first event, and only the first.
    Created(Box<Created>),
    /// A seat was taken.
    Joined {
        seat: Seat,
        /// Its new holder.
        holder: Holder,
    },
    /// The holder of a seat gave it up before the start: the seat is open again.
    Left {
        seat: Seat,
        /// Whether the creator of the match removed the holder.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        removed: bool,
    },
    /// All seats are taken, and the first turn begins.
    Started,
    /// The seat to move made a move.
    Moved(Moved),
    /// The seat to move got the official penalty.
    Fouled(Fouled),
    /// A seat dropped out: from now on each of its turns is a foul at once.
    WentOut {
        seat: Seat,
        /// The reason.
        why: OutReason,
    },
    /// The server was down and is back, or the player to move was on vacation: the clock did not run meanwhile.
    Resumed {
        /// How long the clock of the seat to move was paused, in milliseconds.
        away_ms: u64,
        /// How long the clock of the seat to move stays paused from now on, in milliseconds, so that its player can
        /// reconnect.
        #[serde(default, skip_serializing_if = "is_zero")]
        grace_ms: u64,
        /// Whether a vacation of the player to move is in the time of the pause.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        vacation: bool,
    },
    /// A player took moves back, in a match against engines: the match is as it was before one of the player's moves.
    TakenBack {
        /// The seat that took back.
        seat: Seat,
        /// The number of moves that stay.
        ply: u32,
    },
    /// The program of a bot that holds a seat has chosen settings of the referee's side of its dialogue: what it reads from
    /// now on is written by them. Before this event a seat has the defaults of the game.
    RefereeSet {
        seat: Seat,
        /// All settings that differ from the default, by name.
        settings: BTreeMap<String, String>,
    },
    /// The match is over: always the last event.
    Ended(Ended),
}

/// Whether a number has its default value, which is not stored, so that old logs stay as they are.
pub fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Event {
    /// Replaces the names of players. `name`: the new name for a player's id, if there is one.
    pub fn rename_players(&mut self, name: impl Fn(&str) -> Option<String>) {
        match self {
            Self::Created(created) => created.seats.iter_mut().for_each(|chair| chair.rename_player(&name)),
            Self::Joined { holder, .. } => holder.rename_player(&name),
            _ => {}
        }
    }

    /// The players who hold seats by it, or for whom it reserves them.
    pub fn players_mut(&mut self) -> Vec<&mut PlayerRef> {
        let holders = match self {
            Self::Created(created) => created.seats.iter_mut().filter_map(SeatSetup::holder_mut).collect(),
            Self::Joined { holder, .. } => vec![holder],
            _ => Vec::new(),
        };
        holders.into_iter().filter_map(|holder| holder.player.as_mut()).collect()
    }
}

/// An event with its place in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedEvent {
    /// 0 for the first event of a match, without gaps.
    pub seq: u32,
    /// The time at which it was decided, by the clock of the server.
    pub at_ms: Millis,
    /// The decision.
    #[serde(flatten)]
    pub event: Event,
}

/// The beginning of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Created {
    /// The game's short name.
    pub game: String,
    /// The options of the deal, by the game's schema.
    pub options: Value,
    /// The seats, in order.
    pub seats: Vec<SeatSetup>,
    /// The time control; `None`: no limits.
    pub clock: Option<ClockSpec>,
    /// The match ends after this long without an event, in milliseconds (before the start, and after it without a clock).
    pub idle_ms: u64,
    /// The hash of the key of a private match.
    pub key: Option<KeyHash>,
    /// The party that chose the seed.
    pub seed_from: SeedFrom,
    /// The seed of the deal. Secret until the end.
    pub seed: Seed,
    /// 32 random bytes, hexadecimal. Secret until the end.
    pub salt: String,
    /// The commitment to the seed: SHA-256 of the salt's bytes followed by the seed's, hexadecimal.
    pub commitment: String,
    /// The whole dealt state. Secret until the end.
    pub state: Value,
    /// The match of which this one is the rematch.
    pub rematch_of: Option<String>,
    /// Whether the players may ask engines for hints; `None` in logs older than this field.
    #[serde(default)]
    pub hints: Option<bool>,
    /// A keyed hash of the address that created it; without the secret of the server it does not reveal the address.
    /// Secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_from: Option<String>,
    /// The id of the player whose account the time of its engines is charged to; `None`: the guests of that address, or the
    /// service. Secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payer: Option<String>,
    /// The creator of the match: a player, or the holder of a key; `None` in logs older than this field.
    #[serde(default, rename = "maker", skip_serializing_if = "Option::is_none")]
    pub creator: Option<Holder>,
    /// Whether its result changes the ratings of its players.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rated: bool,
    /// The game of a tournament that it is played for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament: Option<TournamentRef>,
    /// The kind of match of the permanent ladder that it is; `None`: another match, or a log older than this field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ladder: Option<LadderMatch>,
    /// The position with which it began, from which `state` follows with the seed; `None`: it was dealt. Secret until the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<StartPosition>,
    /// Where the position is from; `None`: its creator gave it, or there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position_of: Option<PositionSource>,
}

/// The place of a position in a match that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PositionSource {
    /// The match.
    #[serde(rename = "match")]
    #[schemars(with = "schema::MatchId")]
    pub id: String,
    /// The number of moves made before the position.
    pub ply: u32,
}

/// A kind of match of the permanent ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LadderMatch {
    /// A rated match.
    Rated,
    /// An unrated match that shows whether a bot speaks the protocol of its game, before its first rated match.
    Check,
}

impl Created {
    /// Whether the permanent ladder has begun it. In logs older than the field `ladder` it is rated, and neither an address nor
    /// a player pays for it.
    pub fn is_of_ladder(&self) -> bool {
        let is_unpaid = self.tournament.is_none() && self.made_from.is_none() && self.payer.is_none();
        self.ladder.is_some() || (self.rated && is_unpaid)
    }

    /// Whether it is a check match of a bot.
    pub fn is_check(&self) -> bool {
        self.ladder == Some(LadderMatch::Check)
    }

    /// Whether other games of its tournament have the same deal.
    pub fn shares_deal(&self) -> bool {
        self.tournament.as_ref().is_some_and(|tournament| tournament.shares_deal)
    }

    /// Whether the players may ask engines for hints.
    pub fn hints(&self) -> bool {
        self.hints.unwrap_or_else(|| usual_hints(&self.seats))
    }
}

/// The default for hints: allowed unless two seats are for people.
pub fn usual_hints(seats: &[SeatSetup]) -> bool {
    seats.iter().filter(|chair| !matches!(chair, SeatSetup::Engine(_))).count() <= 1
}

/// The party that chose the seed of a deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeedFrom {
    /// The server, at random.
    Host,
    /// The creator of the match, who may therefore know the deal.
    Caller,
}

/// A move that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// The seat that made it.
    pub seat: Seat,
    /// The number of moves made before it.
    pub ply: u32,
    /// The move, as the official protocol writes it.
    pub notation: String,
    /// How the time of the turn was spent.
    pub times: MoveTimes,
    /// The time left on the seat's clock after it, in milliseconds, where there is such a clock.
    #[serde(default)]
    pub left_ms: Option<u64>,
}

/// How the time of a move was spent, in microseconds. Only `think_us` is charged to the player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MoveTimes {
    /// The wait for a free engine, or for the actor of the match.
    pub queue_us: u64,
    /// The player's own time: from the moment when the turn became visible until the move arrived. For an engine: its
    /// search.
    pub think_us: u64,
    /// How long it took to commit the event that began the turn. The turn became visible only after that.
    pub commit_us: u64,
    /// The instructions that a hosted program has executed for it, from which `think_us` follows; absent for all other players.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
}

/// A penalty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fouled {
    /// The seat that made it.
    pub seat: Seat,
    /// The number of moves made before it.
    pub ply: u32,
    /// The kind of mistake.
    pub kind: FoulKind,
    /// A description of the foul, in one sentence.
    pub detail: String,
    /// The move played instead, where the game goes on.
    pub instead: Option<String>,
    /// How the time of the turn was spent.
    pub times: MoveTimes,
    /// The time left on the seat's clock after it, in milliseconds, where there is such a clock.
    #[serde(default)]
    pub left_ms: Option<u64>,
}

/// The mistake of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FoulKind {
    /// Its time was up.
    Time,
    /// A bot made a move that the rules forbid. (Illegal moves of people are refused and cost nothing.) Logs of earlier
    /// versions have `bad_line` for it.
    IllegalMove,
    /// A bot wrote a line that its protocol does not allow.
    BadLine,
    /// The program of a bot ended before its move.
    Crash,
    /// The seat had dropped out: it resigned, or its time ran out at several turns in a row.
    Out,
}

impl FoulKind {
    /// All kinds.
    const ALL: [Self; 5] = [Self::Time, Self::IllegalMove, Self::BadLine, Self::Crash, Self::Out];

    /// As events write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Time => "time",
            Self::IllegalMove => "illegal_move",
            Self::BadLine => "bad_line",
            Self::Crash => "crash",
            Self::Out => "out",
        }
    }

    /// The kind of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// A description of all fouls of this kind.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Time => "its time was up",
            Self::IllegalMove => "it made a move that the rules forbid",
            // Earlier versions counted illegal moves among these.
            Self::BadLine => "it wrote what its protocol or the rules do not allow",
            Self::Crash => "its program ended",
            Self::Out => "it takes no part any more",
        }
    }
}

/// The reason why a seat dropped out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutReason {
    /// Its player gave up.
    Resigned,
    /// Its time ran out at several turns in a row.
    Vanished,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    /// The kind of end.
    pub how: EndKind,
    /// The result, where there is one.
    pub result: Option<Result>,
    /// The seed of the deal.
    pub seed: Seed,
    /// The salt of the commitment.
    pub salt: String,
}

/// How a match can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EndKind {
    /// By the rules of the game, penalties included.
    Played,
    /// At most one seat was left.
    Walkover,
    /// Aborted by a player before the first move. No result.
    Aborted,
    /// Nothing happened for too long. No result.
    Abandoned,
    /// Only guests sat in it, and all of them have left. No result.
    GuestsLeft,
    /// Ended by its creator: before it began, or with engines alone in its seats. No result.
    Cancelled,
    /// Ended by the operator of the server. No result.
    Terminated,
}

impl EndKind {
    /// As events and metrics write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Played => "played",
            Self::Walkover => "walkover",
            Self::Aborted => "aborted",
            Self::Abandoned => "abandoned",
            Self::GuestsLeft => "guests_left",
            Self::Cancelled => "cancelled",
            Self::Terminated => "terminated",
        }
    }
}

/// The result of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Result {
    /// Place per seat, 1 = winner; equal places are shared. No seat has place 1 when there is no winner. Seats that
    /// went out rank behind all others.
    pub ranks: Vec<u8>,
    /// The game's own points per seat, where the game was played to its end.
    pub points: Option<Vec<i32>>,
    /// The reason for the end, in a few words.
    pub reason: String,
}
