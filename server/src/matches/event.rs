//! What can happen in a match, as it is stored for ever: a record of today must be read in ten years, so variants and
//! fields are only ever added, with defaults. It must not decide anything.

use engines::game::Seat;
use engines::rng::Seed;
use engines::search::Level;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::PlayerRef;
use crate::domain::time::Millis;

use crate::domain::token::KeyHash;
use crate::matches::clock::ClockSpec;

/// Something that happened in a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The match was made: always the first event, and only that.
    Created(Box<Created>),
    /// Somebody took a seat.
    Joined {
        /// Which.
        seat: Seat,
        /// Who.
        holder: Holder,
    },
    /// The holder of a seat gave it up before the start: the seat is open again.
    Left {
        /// Which.
        seat: Seat,
        /// Whether the match's maker took the seat away from its holder.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        removed: bool,
    },
    /// All seats are taken: the first turn is out.
    Started,
    /// A move of the seat to move.
    Moved(Moved),
    /// The official penalty for the seat to move.
    Fouled(Fouled),
    /// A seat takes no part any more: from now on it commits a foul at each of its turns at once.
    WentOut {
        /// Which.
        seat: Seat,
        /// Why.
        why: OutReason,
    },
    /// The host was away and is back; nobody's clock ran meanwhile.
    Resumed {
        /// How long nobody's clock ran, in milliseconds.
        away_ms: u64,
        /// How long the clock of the seat to move stands from now on, in milliseconds: its player has to reconnect.
        #[serde(default, skip_serializing_if = "is_zero")]
        grace_ms: u64,
    },
    /// The match is over: always the last event.
    Ended(Ended),
}

/// Whether a number is its default, which is not stored: logs without the field stay as they are.
pub fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Event {
    /// Gives players in it other names, where `name` has one for their id.
    pub fn rename_players(&mut self, name: impl Fn(&str) -> Option<String>) {
        match self {
            Self::Created(created) => created.seats.iter_mut().for_each(|chair| chair.rename_player(&name)),
            Self::Joined { holder, .. } => holder.rename_player(&name),
            _ => {}
        }
    }
}

/// An event with its place in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedEvent {
    /// 0 for the first event of a match, without gaps.
    pub seq: u32,
    /// When it was decided, by the host's clock.
    pub at_ms: Millis,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

/// How a match began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Created {
    /// The game's short name.
    pub game: String,
    /// The options of the deal, by the game's schema.
    pub options: Value,
    /// Per seat, who sits there or may.
    pub seats: Vec<SeatSetup>,
    /// How time is given; `None`: without limits.
    pub clock: Option<ClockSpec>,
    /// Ends when nothing happens for so long, in milliseconds (before the start; and after it, without a clock).
    pub idle_ms: u64,
    /// Of a private match: the hash of its link's key.
    pub key: Option<KeyHash>,
    /// Who chose the seed.
    pub seed_from: SeedFrom,
    /// What the deal was made from. Secret until the end.
    pub seed: Seed,
    /// 32 random bytes, hexadecimal. Secret until the end.
    pub salt: String,
    /// The commitment to the seed: SHA-256 of the salt's bytes followed by the seed's, hexadecimal.
    pub commitment: String,
    /// The whole dealt state. Secret until the end.
    pub state: Value,
    /// The match that this one is the rematch of.
    pub rematch_of: Option<String>,
    /// Whether its seats may ask engines for advice; `None` in logs from before that was agreed on.
    #[serde(default)]
    pub hints: Option<bool>,
    /// A key of the address that made it, from which the address cannot be found without the server's own secret. Secret.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_from: Option<String>,
    /// Who made the match: the player, or the holder of this key; `None` in logs from before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maker: Option<Holder>,
}

impl Created {
    /// Whether its seats may ask engines for advice: all who sit there have agreed to it.
    pub fn hints(&self) -> bool {
        self.hints.unwrap_or_else(|| usual_hints(&self.seats))
    }
}

/// Whether seats may ask engines for advice where nobody says: if no two of them are people's.
pub fn usual_hints(seats: &[SeatSetup]) -> bool {
    seats.iter().filter(|chair| !matches!(chair, SeatSetup::Engine(_))).count() <= 1
}

/// Who chose the seed of a deal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeedFrom {
    /// The host, from the system's randomness.
    Host,
    /// Whoever made the match: they may know the deal.
    Caller,
}

/// A seat when the match is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SeatSetup {
    /// An engine plays here.
    Engine(EngineSeat),
    /// Anybody may join here.
    Open,
    /// Only the one it is kept for may join here.
    Reserved {
        /// Who that is. Its `key`: the token that takes the seat and then holds it.
        holder: Holder,
    },
    /// Somebody sits here from the start.
    Held {
        /// Who.
        holder: Holder,
    },
}

impl SeatSetup {
    /// Gives a player here another name, where `name` has one for their id.
    pub fn rename_player(&mut self, name: impl Fn(&str) -> Option<String>) {
        if let Self::Reserved { holder } | Self::Held { holder } = self {
            holder.rename_player(name);
        }
    }
}

/// An engine in a seat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineSeat {
    /// Its name.
    pub engine: String,
    /// Its version when the match was made.
    pub version: u32,
    /// How well it plays.
    pub level: Level,
    /// How long it thinks about a move, in milliseconds.
    pub think_ms: u64,
    /// Most nodes of one search.
    #[serde(default)]
    pub nodes: Option<u64>,
}

/// Who holds a seat: whoever shows the token with this hash, or is this player.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Holder {
    /// The hash of the seat's token.
    #[serde(default)]
    pub key: Option<KeyHash>,
    /// The player.
    #[serde(default)]
    pub player: Option<PlayerRef>,
    /// What a guest wants to be called.
    #[serde(default)]
    pub name: Option<String>,
}

impl Holder {
    /// Gives the player another name, where `name` has one for their id.
    pub fn rename_player(&mut self, name: impl Fn(&str) -> Option<String>) {
        if let Some(player) = &mut self.player
            && let Some(name) = name(&player.id)
        {
            player.name = name;
        }
    }
}

/// A move that was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Moved {
    /// Who.
    pub seat: Seat,
    /// Moves made before it.
    pub ply: u32,
    /// The move, as the official protocol writes it.
    pub notation: String,
    /// Where the time went.
    pub times: Times,
    /// What is left on the seat's clock after it, in milliseconds, where there is such a clock.
    #[serde(default)]
    pub left_ms: Option<u64>,
}

/// Where the time of a move went, in microseconds. Only `think_us` is charged to the player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Times {
    /// Waiting here: for a free engine, or for the match to take the move.
    pub queue_us: u64,
    /// The player's own time: from the moment its turn was out until its move was in; of an engine, its search.
    pub think_us: u64,
    /// How long the event that gave it the turn took to be on disk. The turn was out only after that.
    pub commit_us: u64,
}

/// A penalty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fouled {
    /// Who.
    pub seat: Seat,
    /// Moves made before it.
    pub ply: u32,
    /// What kind of mistake it was.
    pub kind: FoulKind,
    /// What happened, in a sentence.
    pub detail: String,
    /// The move played instead, where the game goes on.
    pub instead: Option<String>,
    /// Where the time went.
    pub times: Times,
    /// What is left on the seat's clock after it, in milliseconds, where there is such a clock.
    #[serde(default)]
    pub left_ms: Option<u64>,
}

/// What a seat did wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FoulKind {
    /// Its time was up.
    Time,
    /// A bot wrote what its protocol or the rules do not allow. People's illegal moves are refused and cost nothing.
    BadLine,
    /// The program of a bot ended before its move.
    Crash,
    /// It takes no part any more: it resigned, or let its time run out at several turns in a row.
    Out,
}

impl FoulKind {
    /// What all fouls of the kind have in common.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Time => "its time was up",
            Self::BadLine => "it wrote what its protocol or the rules do not allow",
            Self::Crash => "its program ended",
            Self::Out => "it takes no part any more",
        }
    }
}

/// Why a seat takes no part any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutReason {
    /// It resigned.
    Resigned,
    /// It let its time run out at several turns in a row.
    Vanished,
}

/// How a match ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ended {
    /// How.
    pub how: EndKind,
    /// The result, where there is one.
    pub result: Option<Result>,
    /// What the deal was made from.
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
    /// Only one seat, or none, still took part.
    Walkover,
    /// Taken back before the first move. No result.
    Aborted,
    /// Nothing happened for too long. No result.
    Abandoned,
    /// Ended by its maker: before it began, or with engines alone in its seats. No result.
    Cancelled,
    /// Ended by the operator of the server. No result.
    Terminated,
}

impl EndKind {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Played => "played",
            Self::Walkover => "walkover",
            Self::Aborted => "aborted",
            Self::Abandoned => "abandoned",
            Self::Cancelled => "cancelled",
            Self::Terminated => "terminated",
        }
    }
}

/// The result of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Result {
    /// Place per seat, 1 = winner; equal places are shared. No seat has place 1 when nobody won. Seats that went out
    /// stand behind all others.
    pub ranks: Vec<u8>,
    /// The game's own points per seat, where the game was played to its end.
    pub points: Option<Vec<i32>>,
    /// Why it ended, in a few words.
    pub reason: String,
}
