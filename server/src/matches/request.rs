//! The requests that callers make of hosted matches, and what they are given for a seat.

use std::time::Instant;

use engines::erased::StartPosition;
use engines::game::Seat;
use engines::rng::Seed;
use engines::search::Level;
use serde_json::Value;

use crate::admission::{Payers, Permit};
use crate::domain::token::Token;
use crate::domain::{MatchId, PlayerRef, TournamentRef};
use crate::matches::clock::ClockSpec;
use crate::matches::event::{LadderMatch, PositionSource};

/// A request to create a match, not yet validated.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMatch {
    /// The game's short name.
    pub game: String,
    /// The options of the deal, by the game's schema; `None`: those that fit the number of seats.
    pub options: Option<Value>,
    /// The seats, in order.
    pub seats: Vec<NewSeat>,
    /// The time control; `None`: no limits.
    pub clock: Option<ClockSpec>,
    /// The match ends after this long without an event, in milliseconds; `None`: the default of the server.
    pub idle_ms: Option<u64>,
    /// Whether only its players and holders of its key can see it.
    pub private: bool,
    /// Whether the players may ask engines for hints; `None`: yes unless two seats are for people.
    pub hints: Option<bool>,
    /// The seed of the deal; `None`: a random one.
    pub seed: Option<Seed>,
    /// Whether the result changes the ratings of the players.
    pub rated: bool,
    /// The game of a tournament that it is played for.
    pub tournament: Option<TournamentRef>,
    /// The kind of match of the permanent ladder that it is.
    pub ladder: Option<LadderMatch>,
    /// The position with which it begins; `None`: it is dealt.
    pub position: Option<StartFrom>,
}

/// The position with which a match begins.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`position` says all")]
pub struct StartFrom {
    pub position: StartPosition,
    /// Where it is from, if all may know.
    pub of: Option<PositionSource>,
}

/// How a match is paid for.
pub enum Payment {
    /// These pay when it is made. A request that was answered before costs nothing.
    Due(Payers),
    /// It was admitted before it was ordered.
    Made(Permit),
}

/// The kind of holder that a seat of a new match is for.
#[derive(Clone, Debug, PartialEq)]
pub enum NewSeat {
    /// A built-in engine.
    Engine {
        /// Its name; `None`: the game's best.
        engine: Option<String>,
        /// Its level of play.
        level: Level,
        /// How long it thinks about a move; `None`: as is usual for the game.
        think_ms: Option<u64>,
        /// Most nodes of one search.
        nodes: Option<u64>,
    },
    /// Anyone who joins.
    Open,
    /// The caller. A guest may give a name.
    Me {
        /// The name of a guest.
        name: Option<String>,
    },
    /// A named player, who still has to join. A bot is asked whether it plays this.
    Player {
        /// The registered name.
        name: String,
    },
    /// A player who has agreed to play and still has to join.
    Reserved {
        /// The only one who can take the seat.
        player: PlayerRef,
    },
}

/// The seat to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatChoice {
    /// This seat; `None`: the one reserved for the caller, else the first open one.
    pub seat: Option<Seat>,
    /// Whether a foreign bot will play: then only seats that the official protocol gives to a bot count.
    pub bot: bool,
    /// Whether that bot knows the mirror dialogue, so that it can have the other seats, too.
    pub mirror: bool,
}

impl From<Option<Seat>> for SeatChoice {
    fn from(seat: Option<Seat>) -> Self {
        Self { seat, bot: false, mirror: false }
    }
}

/// The result of creating or joining a match. A retry of the same request gets the same result.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchTokens {
    /// The match.
    pub id: MatchId,
    /// The seats of the caller, each with its token; `None` where the caller's player token or an earlier token holds
    /// the seat.
    pub seats: Vec<(Seat, Option<Token>)>,
    /// The key of a private match, for its creator.
    pub key: Option<Token>,
    /// The token of the creator, if the creator is neither a named player nor in a seat.
    pub creator: Option<Token>,
}

/// An action of the holder of a seat.
#[derive(Clone, Debug, PartialEq)]
pub enum SeatAction {
    /// Make a move.
    Move {
        /// The number of moves made before it, as far as the mover knows.
        ply: u32,
        /// The move, either as JSON or as notation.
        mv: SubmittedMove,
        /// The time at which the request arrived.
        arrived: Instant,
    },
    /// Give the seat up, before the start.
    Leave,
    /// Give the match up: the seat plays no more.
    Resign,
    /// Take back the seat's last move and all moves after it, in a match against engines.
    TakeBack {
        /// The number of moves made, as far as the player knows.
        ply: u32,
    },
    /// Abort the match, before the first move.
    Abort,
}

/// A move as a caller gives it.
#[derive(Clone, Debug, PartialEq)]
pub enum SubmittedMove {
    /// By the game's schema.
    Json(Value),
    /// As the official protocol writes it.
    Notation(String),
}
