//! The hall: all matches of this server. Makes them, finds them, wakes them when their time has come.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use engines::game::{Seat, Viewer};
use engines::rng::Seed;
use engines::search::Level;
use serde_json::Value;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::catalogue::Catalogue;
use crate::domain::MatchId;
use crate::domain::Stage;
use crate::domain::names::NameKey;
use crate::domain::time::ServerClock;
use crate::domain::token::Token;
use crate::engine_pool::EnginePool;
use crate::error::{Code, Error};
use crate::limits::creations::Creations;
use crate::matches::actor::message::{ActionOutcome, EndedBy, MatchMessage, RefereeStart, ViewerStart};
use crate::matches::clock::ClockSpec;
use crate::matches::event::LoggedEvent;
use crate::matches::ledger::Caller;
use crate::matches::options::HostOptions;
use crate::matches::registry::MatchRegistry;
use crate::matches::registry::names::Names;
use crate::matches::registry::{load, waker};
use crate::metrics::Metrics;
use crate::store::{Store, StoreError};

/// A match to be made, as it was asked for and before it is checked.
#[derive(Clone, Debug, PartialEq)]
pub struct NewMatch {
    /// The game's short name.
    pub game: String,
    /// By the game's schema; `None`: those that fit the number of seats.
    pub options: Option<Value>,
    /// Per seat, who is to sit there.
    pub seats: Vec<NewSeat>,
    /// How time is given; `None`: without limits.
    pub clock: Option<ClockSpec>,
    /// Ends when nothing happens for so long; `None`: the server's usual time.
    pub idle_ms: Option<u64>,
    /// Whether only its seats and who has its key see it.
    pub private: bool,
    /// Whether its seats may ask engines for advice; `None`: if no two of them are people's.
    pub hints: Option<bool>,
    /// What decides the deal; `None`: the system's randomness.
    pub seed: Option<Seed>,
}

/// Who is to sit in a seat.
#[derive(Clone, Debug, PartialEq)]
pub enum NewSeat {
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
pub struct IdempotencyKey {
    /// Their `Idempotency-Key`.
    pub key: String,
    /// Hash of what was asked for: of method, path and body.
    pub asked: crate::domain::token::KeyHash,
}

/// Which seat to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatChoice {
    /// Just this one; `None`: the one kept for the caller, else the first open one.
    pub seat: Option<Seat>,
    /// Whether it is for a foreign bot: then only a seat will do that the official protocol lets one hold.
    pub bot: bool,
}

impl From<Option<Seat>> for SeatChoice {
    fn from(seat: Option<Seat>) -> Self {
        Self { seat, bot: false }
    }
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
    /// The token that shows who made the match, for a maker who is no player and has no seat in it.
    pub maker: Option<Token>,
}

/// What a caller wants of a match.
#[derive(Clone, Debug, PartialEq)]
pub enum SeatAction {
    /// Make a move.
    Move {
        /// Moves made before it, as the mover believes.
        ply: u32,
        /// The move, either as JSON or as notation.
        mv: MoveInput,
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
pub enum MoveInput {
    /// By the game's schema.
    Json(Value),
    /// As the official protocol writes it.
    Notation(String),
}

/// Something to show to one kind of viewer: rendered once for all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct RenderedEvent {
    /// The event it shows; `None` for the page of the match.
    pub seq: Option<u32>,
    /// The event's type, or `match` for the page.
    pub kind: &'static str,
    /// A JSON object, without line breaks.
    pub json: Bytes,
}

/// A match as it goes on, for one caller.
pub struct ViewerStream {
    /// The page of the match as it is now.
    pub page: Arc<RenderedEvent>,
    /// What happened since the place that was asked for, up to now.
    pub backlog: Vec<Arc<RenderedEvent>>,
    /// What happens from now on: without gaps after the backlog and the page. `Lagged`: the reader is too slow and
    /// must be told to come back. Closed: the match is over (the last frame is `ended`), the server is stopping, or the
    /// match failed here and must be asked for again. `None`: the match is over already.
    pub live: Option<broadcast::Receiver<Arc<RenderedEvent>>>,
}

/// A match as its referee for a foreign bot needs it: the truth. Must not leave the server.
pub struct RefereeStream {
    /// The whole log up to now.
    pub log: Vec<Arc<LoggedEvent>>,
    /// As in [`ViewerStream`].
    pub live: Option<broadcast::Receiver<Arc<LoggedEvent>>>,
    /// The seat.
    pub seat: Seat,
}

/// All matches of this server.
pub struct Matches {
    registry: Arc<MatchRegistry>,
}

/// What a hall needs of the rest of its server.
pub struct MatchesDeps {
    /// The games on offer.
    pub games: &'static Catalogue,
    /// Who runs the engines.
    pub thinking: &'static dyn EnginePool,
    /// What is counted.
    pub metrics: &'static Metrics,
    /// The longest thinking time of an engine.
    pub max_think: Duration,
    /// How often matches may be created.
    pub creations: &'static Creations,
    /// What time it is.
    pub now: ServerClock,
    /// Cancelled when the server begins to stop.
    pub stopping: CancellationToken,
}

impl Matches {
    /// Opens the matches with what lies in the store.
    pub fn open(store: Arc<dyn Store>, options: HostOptions, deps: MatchesDeps) -> Self {
        Self { registry: Arc::new(MatchRegistry::new(store, options, deps)) }
    }

    /// Begins to play: the server is ready, and clocks run from here on. Must be called on the runtime.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn begin(&self) -> Result<(), StoreError> {
        let registry = &self.registry;
        registry.store.serve(registry.now.ms()).await?;
        registry.tasks.spawn(waker::wake(Arc::clone(registry)));
        registry.tasks.spawn(waker::listen(Arc::clone(registry)));
        registry.tasks.spawn(waker::watch_store(Arc::clone(registry)));
        Ok(())
    }

    /// The server begins to stop: clocks stand from here on, until a server is ready again.
    pub fn begin_stop(&self) {
        self.registry.store.stop(self.registry.now.ms());
    }

    /// Waits until all matches have finished what they were about to write, and closes the store. The server must
    /// have begun to stop.
    pub async fn close(&self) {
        self.registry.tasks.close();
        self.registry.tasks.wait().await;
        self.registry.store.close().await;
    }

    /// Where matches are kept.
    pub fn store(&self) -> &dyn Store {
        self.registry.store.as_ref()
    }

    /// What tunes its matches.
    pub fn options(&self) -> &HostOptions {
        &self.registry.options
    }

    /// What time it is in all matches of this server.
    pub fn now(&self) -> ServerClock {
        self.registry.now
    }

    /// Makes a match.
    ///
    /// # Errors
    /// What is wrong with the order: `unknown_game`, `bad_seats`, `bad_options`, `bad_field`, `unknown_engine`,
    /// `think_too_long`, `no_such_player`; `too_many`, `idempotency_key_reused`, `store_unavailable`, `stopping`.
    pub async fn create(
        &self,
        order: NewMatch,
        caller: &Caller,
        retry: Option<IdempotencyKey>,
    ) -> Result<Admission, Error> {
        self.registry.create(order, caller, retry).await
    }

    /// The rematch of a match, made by the first of its seats who asks.
    ///
    /// # Errors
    /// `no_such_match`, `token_needed`, `not_your_seat`, `match_not_over`, `too_many`, `store_unavailable`.
    pub async fn rematch(&self, id: &MatchId, caller: &Caller) -> Result<MatchId, Error> {
        self.registry.rematch(id, caller).await
    }

    /// Takes a seat.
    ///
    /// # Errors
    /// `no_such_match`, `seat_taken`, `no_open_seat`, `no_bot_seat`, `already_seated`, `match_over`, `bad_field`,
    /// `idempotency_key_reused`, `too_many`, `store_unavailable`.
    pub async fn join(
        &self,
        id: &MatchId,
        wanted: impl Into<SeatChoice>,
        name: Option<String>,
        caller: &Caller,
        retry: Option<IdempotencyKey>,
    ) -> Result<Admission, Error> {
        self.registry.join(id, wanted.into(), name, caller, retry).await
    }

    /// The match as the caller may see it: the JSON of a page.
    ///
    /// # Errors
    /// `no_such_match`, `bad_token`, `store_unavailable`.
    pub async fn page(&self, id: &MatchId, caller: &Caller) -> Result<Arc<RenderedEvent>, Error> {
        self.registry.ask(id, |reply| MatchMessage::Page { caller: caller.clone(), reply }).await
    }

    /// Does what the caller wants; the event it became, as the caller's seat sees it. The same act again, the same
    /// answer again. A move for another ply: `stale_ply`, with the page as it is now (see [`Error::with_match`]).
    ///
    /// # Errors
    /// `no_such_match`, `token_needed`, `not_your_seat`, what the rules and the match refuse, `store_unavailable`.
    pub async fn act(
        &self,
        id: &MatchId,
        caller: &Caller,
        act: SeatAction,
    ) -> Result<Arc<RenderedEvent>, Error> {
        let ask = |reply| MatchMessage::Act { caller: caller.clone(), act: act.clone(), reply };
        let told = self.registry.ask(id, ask).await?;
        self.told(id, told).await
    }

    /// Ends a match without a result, for its maker: before it began, or with engines alone in its seats.
    ///
    /// # Errors
    /// `no_such_match`, `token_needed`, `not_your_match`, `started`, `match_over`, `store_unavailable`.
    pub async fn cancel(&self, id: &MatchId, caller: &Caller) -> Result<Arc<RenderedEvent>, Error> {
        let told = self
            .registry
            .ask(id, |reply| MatchMessage::End { by: EndedBy::Maker(caller.clone()), reply })
            .await?;
        self.told(id, told).await
    }

    /// Ends a match without a result, for the operator.
    ///
    /// # Errors
    /// `no_such_match`, `match_over`, `store_unavailable`.
    pub async fn terminate(&self, id: &MatchId) -> Result<Arc<RenderedEvent>, Error> {
        let told = self.registry.ask(id, |reply| MatchMessage::End { by: EndedBy::Operator, reply }).await?;
        self.told(id, told).await
    }

    /// Takes a seat away from its holder before the start, for the match's maker.
    ///
    /// # Errors
    /// `no_such_match`, `token_needed`, `not_your_match`, `not_your_seat` where nobody holds the seat, `bad_seats`,
    /// `started`, `match_over`, `store_unavailable`.
    pub async fn remove(
        &self,
        id: &MatchId,
        caller: &Caller,
        seat: Seat,
    ) -> Result<Arc<RenderedEvent>, Error> {
        let told = self
            .registry
            .ask(id, |reply| MatchMessage::Remove { caller: caller.clone(), seat, reply })
            .await?;
        self.told(id, told).await
    }

    /// The names that players have now, where they are not those in the log.
    pub fn names(&self) -> &Names {
        &self.registry.names
    }

    /// The names of built-in engines.
    pub fn engine_names(&self) -> &[NameKey] {
        &self.registry.engine_names
    }

    /// Live matches look at the log and at the names again.
    pub fn tell_news(&self, ids: &[MatchId]) {
        self.registry.tell_news(ids);
    }

    /// The frame of what was done now or before.
    async fn told(&self, id: &MatchId, told: ActionOutcome) -> Result<Arc<RenderedEvent>, Error> {
        match told {
            ActionOutcome::Now(frame) => Ok(frame),
            ActionOutcome::Before { seq, viewer, offer } => {
                let before = seq.saturating_sub(1);
                let frames = load::frames(&self.registry, id, offer, viewer, before, seq + 1).await?;
                let lost = || Error::new(Code::Internal, "what happened before is not in the log");
                frames.into_iter().next().ok_or_else(lost)
            }
        }
    }

    /// Follows a match, from the event after `since` on.
    ///
    /// # Errors
    /// `no_such_match`, `bad_token`, `bad_query` when `since` has not happened yet, `store_unavailable`.
    pub async fn watch(
        &self,
        id: &MatchId,
        caller: &Caller,
        since: Option<u32>,
    ) -> Result<ViewerStream, Error> {
        let ask = |reply| MatchMessage::Watch { caller: caller.clone(), since, reply };
        let ViewerStart { page, viewer, offer, upto, live, .. } = self.registry.ask(id, ask).await?;
        // What the page knows of is on disk, and what comes after it waits in the channel: nothing is lost, and
        // nothing comes twice.
        let backlog = match since {
            Some(since) => load::frames(&self.registry, id, offer, viewer, since, upto).await?,
            None => Vec::new(),
        };
        Ok(ViewerStream { page, backlog, live })
    }

    /// A match that is over, its events as this seat saw them: for looking back.
    ///
    /// # Errors
    /// As [`Self::watch`]; `match_not_over`; `bad_query` where there is no such seat.
    pub async fn look_back(
        &self,
        id: &MatchId,
        caller: &Caller,
        since: Option<u32>,
        seat: Seat,
    ) -> Result<ViewerStream, Error> {
        let ask = |reply| MatchMessage::Watch { caller: caller.clone(), since, reply };
        let ViewerStart { page, seats, offer, upto, live, .. } = self.registry.ask(id, ask).await?;
        if live.is_some() {
            let detail = "seat: what a seat saw is shown when the match is over";
            return Err(Error::new(Code::MatchNotOver, detail));
        }
        if seat.index() >= seats {
            let detail = format!("seat: {} is none of the seats 0 to {}", seat.0, seats.saturating_sub(1));
            return Err(Error::new(Code::BadQuery, detail));
        }
        let backlog = match since {
            Some(since) => load::frames(&self.registry, id, offer, Viewer::Seat(seat), since, upto).await?,
            None => Vec::new(),
        };
        Ok(ViewerStream { page, backlog, live })
    }

    /// Follows a match with all its secrets, for the referee of the caller's seat.
    ///
    /// # Errors
    /// As [`Self::page`]; `token_needed`, `not_your_seat`.
    pub async fn follow(&self, id: &MatchId, caller: &Caller, seat: Seat) -> Result<RefereeStream, Error> {
        let ask = |reply| MatchMessage::Follow { caller: caller.clone(), seat, reply };
        let RefereeStart { upto, live } = self.registry.ask(id, ask).await?;
        let mut log = self.registry.read_log(id, 0).await?;
        log.truncate(upto as usize);
        Ok(RefereeStream { log: log.into_iter().map(Arc::new).collect(), live, seat })
    }

    /// A foreign bot's mistake, at its turn, at this ply.
    ///
    /// # Errors
    /// As [`Self::act`].
    pub async fn foul(
        &self,
        id: &MatchId,
        caller: &Caller,
        ply: u32,
        kind: crate::matches::event::FoulKind,
        detail: String,
        arrived: std::time::Instant,
    ) -> Result<(), Error> {
        let ask = |reply| {
            let (caller, detail) = (caller.clone(), detail.clone());
            MatchMessage::Foul { caller, ply, kind, detail, arrived, reply }
        };
        self.registry.ask(id, ask).await
    }

    /// The whole log of a match that is over.
    ///
    /// # Errors
    /// `no_such_match`, `bad_token`, `match_not_over`, `store_unavailable`.
    pub async fn log(&self, id: &MatchId, caller: &Caller) -> Result<Vec<LoggedEvent>, Error> {
        let look = self
            .registry
            .ask(id, |reply| MatchMessage::Snapshot { caller: caller.clone(), reply })
            .await?;
        if look.stage != Stage::Over {
            let detail = "the match is not over: what happened in it is told in full only afterwards";
            return Err(Error::new(Code::MatchNotOver, detail));
        }
        Ok(self.registry.read_log(id, 0).await?)
    }
}
