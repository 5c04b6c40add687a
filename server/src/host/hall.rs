//! The hall: all matches of this server. Makes them, finds them, wakes them when their time has come.

use std::sync::Arc;

use axum::body::Bytes;
use engines::game::Seat;
use engines::rng::Seed;
use engines::search::Level;
use serde_json::Value;
use tokio::sync::broadcast;

use super::clock::ClockSpec;
use super::event::Stamped;
use super::ledger::Caller;
use super::token::Token;
use crate::error::Error;
use crate::store::{MatchId, Store};

/// A match to be made, as it was asked for and before it is checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    /// The game's short name.
    pub game: String,
    /// By the game's schema; `None`: those that fit the number of seats.
    pub options: Option<Value>,
    /// Per seat, who is to sit there.
    pub seats: Vec<SeatOrder>,
    /// How time is given; `None`: without limits.
    pub clock: Option<ClockSpec>,
    /// Ends when nothing happens for so long; `None`: the server's usual time.
    pub idle_ms: Option<u64>,
    /// Whether only its seats and who has its key see it.
    pub private: bool,
    /// What decides the deal; `None`: the system's randomness.
    pub seed: Option<Seed>,
}

/// Who is to sit in a seat.
#[derive(Clone, Debug, PartialEq)]
pub enum SeatOrder {
    /// An engine.
    Engine {
        /// Its name; `None`: the game's best.
        engine: Option<String>,
        /// How well it plays.
        level: Level,
        /// How long it thinks about a move; `None`: as is usual for the game.
        think_ms: Option<u64>,
        /// Most nodes of one search.
        nodes: Option<u64>,
    },
    /// Whoever joins.
    Open,
    /// The caller. A guest, who has no name of their own, may say one.
    Me {
        /// What a guest wants to be called.
        name: Option<String>,
    },
    /// This player, who still has to join.
    Player {
        /// Their name.
        name: String,
    },
}

/// What the caller gave so that a request sent again does nothing twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Retry {
    /// Their `Idempotency-Key`.
    pub key: String,
    /// Hash of what was asked for: of method, path and body.
    pub asked: super::token::KeyHash,
}

/// What making a match, or joining one, gives its caller. The same request sent again gives the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Admission {
    /// The match.
    pub id: MatchId,
    /// The seats the caller got, with the token that holds each; `None` for a seat held by the caller's player token
    /// or by the token they have already.
    pub seats: Vec<(Seat, Option<Token>)>,
    /// The key of a private match, for the one who made it.
    pub key: Option<Token>,
}

/// What a caller wants of a match.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Make a move.
    Move {
        /// Moves made before it, as the mover believes.
        ply: u32,
        /// The move, either as JSON or as notation.
        mv: MoveOrder,
        /// When it came in.
        arrived: std::time::Instant,
    },
    /// Give the seat up, before the start.
    Leave,
    /// Give the match up.
    Resign,
    /// Take the match back, before the first move.
    Abort,
}

/// A move as a caller gives it.
#[derive(Clone, Debug, PartialEq)]
pub enum MoveOrder {
    /// By the game's schema.
    Json(Value),
    /// As the official protocol writes it.
    Notation(String),
}

/// Something to show to one kind of viewer: rendered once for all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The event it shows; `None` for the page of the match.
    pub seq: Option<u32>,
    /// The event's type, or `match` for the page.
    pub kind: &'static str,
    /// A JSON object, without line breaks.
    pub json: Bytes,
}

/// A match as it goes on, for one caller.
pub struct Watch {
    /// The page of the match as it is now.
    pub page: Arc<Frame>,
    /// What happened since the place that was asked for, up to now.
    pub backlog: Vec<Arc<Frame>>,
    /// What happens from now on: without gaps after the backlog and the page. `Lagged`: the reader is too slow and
    /// must be told to come back. Closed: the match is over (the last frame is `ended`) or the server is stopping.
    /// `None`: the match is over already.
    pub live: Option<broadcast::Receiver<Arc<Frame>>>,
}

/// A match as its referee for a foreign bot needs it: the truth. Must not leave the server.
pub struct Follow {
    /// The whole log up to now.
    pub log: Vec<Arc<Stamped>>,
    /// As in [`Watch`].
    pub live: Option<broadcast::Receiver<Arc<Stamped>>>,
    /// The seat.
    pub seat: Seat,
}

/// All matches of this server.
pub struct Hall {
    store: Arc<dyn Store>,
}

impl Hall {
    /// Where matches are kept.
    pub fn store(&self) -> &dyn Store {
        self.store.as_ref()
    }

    /// Makes a match.
    pub async fn create(
        &self,
        order: Order,
        caller: &Caller,
        retry: Option<Retry>,
    ) -> Result<Admission, Error> {
        todo!()
    }

    /// The rematch of a match, made by the first of its seats who asks.
    pub async fn rematch(&self, id: &MatchId, caller: &Caller) -> Result<MatchId, Error> {
        todo!()
    }

    /// Takes a seat: the one kept for the caller, else the first open one, or just this one.
    pub async fn join(
        &self,
        id: &MatchId,
        seat: Option<Seat>,
        name: Option<String>,
        caller: &Caller,
        retry: Option<Retry>,
    ) -> Result<Admission, Error> {
        todo!()
    }

    /// The match as the caller may see it: the JSON of a page.
    pub async fn page(&self, id: &MatchId, caller: &Caller) -> Result<Arc<Frame>, Error> {
        todo!()
    }

    /// Does what the caller wants; the event it became, as the caller's seat sees it. The same act again, the same
    /// answer again. A move for another ply: `stale_ply`, with the page as it is now (see [`Error::with_match`]).
    pub async fn act(&self, id: &MatchId, caller: &Caller, act: Act) -> Result<Arc<Frame>, Error> {
        todo!()
    }

    /// Follows a match, from the event after `since` on.
    pub async fn watch(&self, id: &MatchId, caller: &Caller, since: Option<u32>) -> Result<Watch, Error> {
        todo!()
    }

    /// Follows a match with all its secrets, for the referee of the caller's seat.
    pub async fn follow(&self, id: &MatchId, caller: &Caller, seat: Seat) -> Result<Follow, Error> {
        todo!()
    }

    /// A foreign bot's mistake, at its turn, at this ply.
    pub async fn foul(
        &self,
        id: &MatchId,
        caller: &Caller,
        ply: u32,
        kind: super::event::FoulKind,
        detail: String,
        arrived: std::time::Instant,
    ) -> Result<(), Error> {
        todo!()
    }

    /// The whole log of a match that is over.
    pub async fn log(&self, id: &MatchId, caller: &Caller) -> Result<Vec<Stamped>, Error> {
        todo!()
    }
}
