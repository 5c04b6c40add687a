//! The service that creates, finds and follows the hosted matches of this node.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use engines::game::{Seat, Viewer};
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::admission::Admission;
use crate::catalogue::Catalogue;
use crate::domain::names::NameKey;
use crate::domain::request_id::carry;
use crate::domain::time::ServerClock;
use crate::domain::{IdempotencyKey, MatchId, Stage, token};
use crate::error::{Code, Error};
use crate::matches::actor::message::{ActionOutcome, EndedBy, MatchMessage, RefereeStart, ViewerStart};
use crate::matches::actor::requests::sealed;
use crate::matches::bots::hosted::HostedPrograms;
use crate::matches::deps::MatchesDeps;
use crate::matches::event::LoggedEvent;
use crate::matches::ledger::Caller;
use crate::matches::listing;
use crate::matches::options::HostOptions;
use crate::matches::registry::MatchRegistry;
use crate::matches::registry::names::Names;
use crate::matches::registry::vacations::KnownVacations;
use crate::matches::registry::{load, waker};
use crate::matches::render::RenderedEvent;
use crate::matches::request::{MatchTokens, NewMatch, Payment, SeatAction, SeatChoice};
use crate::metrics::Metrics;
use crate::recovery::own_task::in_own_task;
use crate::store::{OpenedMatch, Store, StoreChange, StoreError};

pub use crate::matches::registry::presence::SeatConnection;
pub use crate::matches::registry::spectators::SpectatorConnection;

/// What counts a viewer of a match as long as it exists.
pub enum ViewerConnection {
    /// The holder of a seat, who counts as connected.
    Seat(SeatConnection),
    /// A viewer who holds no seat.
    Spectator(SpectatorConnection),
}

/// A match and its further events, for one caller.
pub struct ViewerStream {
    /// The page of the match as it is now.
    pub page: Arc<RenderedEvent>,
    /// The events after the one that the caller named, up to now.
    pub backlog: Vec<Arc<RenderedEvent>>,
    /// Further events, without a gap after the backlog and the page. `Lagged`: the reader is too slow and must
    /// reconnect. Closed: the match is over (the last event is `ended`), the server is stopping, or the actor failed and
    /// the caller must reconnect. `None`: the match is over already.
    pub live: Option<broadcast::Receiver<Arc<RenderedEvent>>>,
    /// As long as it exists, the viewer counts as connected. `None`: the match is over.
    pub connection: Option<ViewerConnection>,
}

/// A match with all its secrets, for the referee of a foreign bot. It must not leave the server.
pub struct RefereeStream {
    /// The whole log up to now.
    pub log: Vec<Arc<LoggedEvent>>,
    /// As in [`ViewerStream`].
    pub live: Option<broadcast::Receiver<Arc<LoggedEvent>>>,
    /// As long as it exists, the holder of the seat counts as connected. `None`: the match is over.
    pub connection: Option<SeatConnection>,
    /// The seat of the bot.
    pub seat: Seat,
}

/// The hosted matches of this node.
pub struct Matches {
    pub(super) registry: Arc<MatchRegistry>,
}

impl Matches {
    /// Opens the service on a store.
    pub fn open(store: Arc<dyn Store>, options: HostOptions, deps: MatchesDeps) -> Self {
        Self { registry: Arc::new(MatchRegistry::new(store, options, deps)) }
    }

    /// Starts the background tasks and all clocks: the server is ready. Must be called on the runtime.
    ///
    /// # Errors
    /// When the database cannot be written.
    pub async fn begin(&self) -> Result<(), StoreError> {
        let registry = &self.registry;
        registry.store.serve(registry.now.ms()).await?;
        let engines = registry.games.engine_players();
        registry.store.change(StoreChange::AddEngines { engines, at_ms: registry.now.ms() }).await?;
        registry.tasks.spawn(waker::wake(Arc::clone(registry)));
        registry.tasks.spawn(waker::listen(Arc::clone(registry)));
        registry.tasks.spawn(waker::watch_store(Arc::clone(registry)));
        waker::watch_freezes(Arc::downgrade(registry));
        Ok(())
    }

    /// Pauses all clocks, since the server begins to stop; they go on when a server is ready.
    pub fn begin_stop(&self) {
        self.registry.store.stop(self.registry.now.ms());
    }

    /// Waits until the actors have written what they were about to write, and closes the store. Call [`Self::begin_stop`]
    /// first.
    pub async fn close(&self) {
        self.registry.tasks.close();
        self.registry.tasks.wait().await;
        self.registry.store.close().await;
    }

    /// Whether a program plays in a game for the bot with this id.
    pub fn is_hosted(&self, bot: &str, game: &str) -> bool {
        self.registry.programs.active(bot, game).is_some()
    }

    /// The programs of hosted bots, and what runs them.
    pub fn hosted(&self) -> &'static dyn HostedPrograms {
        self.registry.programs
    }

    /// The database of this server.
    pub fn store(&self) -> &dyn Store {
        self.registry.store.as_ref()
    }

    /// The short id of this node, which its responses and metrics name: the random end of the id in the database.
    pub fn node(&self) -> &str {
        let id = self.registry.store.node();
        id.get(id.len().saturating_sub(8)..).unwrap_or(id)
    }

    /// The games on offer.
    pub fn games(&self) -> &'static Catalogue {
        self.registry.games
    }

    /// The options of hosted matches.
    pub fn options(&self) -> &HostOptions {
        &self.registry.options
    }

    /// The longest thinking time of an engine that a caller may ask for, in milliseconds.
    pub fn max_think_ms(&self) -> u64 {
        u64::try_from(self.registry.max_think.as_millis()).unwrap_or(u64::MAX)
    }

    /// The clock of all matches of this node.
    pub fn now(&self) -> ServerClock {
        self.registry.now
    }

    /// Creates a match. `payment`: see [`Payers`](crate::admission::Payers).
    ///
    /// # Errors
    /// The error of the request: `unknown_game`, `bad_seats`, `bad_options`, `bad_field`, `unknown_engine`,
    /// `think_too_long`, `no_such_player`; `too_many`, `idempotency_key_reused`, `store_unavailable`, `stopping`.
    pub async fn create(
        &self,
        order: NewMatch,
        caller: &Caller,
        retry: Option<IdempotencyKey>,
        payment: Payment,
    ) -> Result<MatchTokens, Error> {
        self.registry.create(order, caller, retry, payment).await
    }

    /// The limits on making matches.
    pub fn admission(&self) -> &Admission {
        self.registry.admission
    }

    /// The rematch of a match. The first seat that asks creates it.
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
    ) -> Result<MatchTokens, Error> {
        self.registry.join(id, wanted.into(), name, caller, retry).await
    }

    /// The page of the match, as the caller may see it.
    ///
    /// # Errors
    /// `no_such_match`, `bad_token`, `store_unavailable`.
    pub async fn page(&self, id: &MatchId, caller: &Caller) -> Result<Arc<RenderedEvent>, Error> {
        self.registry.ask(id, |reply| MatchMessage::Page { caller: caller.clone(), reply }).await
    }

    /// Performs the action and returns its event, as the caller's seat sees it. A repeated action gets the same answer.
    /// A move for another ply: `stale_ply`; one that came too late: `time_up`; both with the current page (see
    /// [`Error::with_match`]).
    ///
    /// # Errors
    /// `no_such_match`, `token_needed`, `not_your_seat`, the refusals of the rules and the match, `store_unavailable`.
    pub async fn act(
        &self,
        id: &MatchId,
        caller: &Caller,
        act: SeatAction,
    ) -> Result<Arc<RenderedEvent>, Error> {
        let ask = |reply| MatchMessage::Act { caller: caller.clone(), act: act.clone(), reply };
        let outcome = self.registry.ask(id, ask).await?;
        self.event_of(id, outcome).await
    }

    /// Ends a match without a result, for its creator: before it began, or with engines alone in its seats.
    ///
    /// # Errors
    /// `no_such_match`, `token_needed`, `not_your_match`, `started`, `match_over`, `store_unavailable`.
    pub async fn cancel(&self, id: &MatchId, caller: &Caller) -> Result<Arc<RenderedEvent>, Error> {
        let outcome = self
            .registry
            .ask(id, |reply| MatchMessage::End { by: EndedBy::Maker(Box::new(caller.clone())), reply })
            .await?;
        self.event_of(id, outcome).await
    }

    /// Ends a match without a result, for the operator.
    ///
    /// # Errors
    /// `no_such_match`, `match_over`, `store_unavailable`.
    pub async fn terminate(&self, id: &MatchId) -> Result<Arc<RenderedEvent>, Error> {
        let outcome =
            self.registry.ask(id, |reply| MatchMessage::End { by: EndedBy::Operator, reply }).await?;
        self.event_of(id, outcome).await
    }

    /// Takes a seat away from its holder before the start, for the match's creator.
    ///
    /// # Errors
    /// `no_such_match`, `token_needed`, `not_your_match`, `not_your_seat` where the seat has no holder, `bad_seats`,
    /// `started`, `match_over`, `store_unavailable`.
    pub async fn remove(
        &self,
        id: &MatchId,
        caller: &Caller,
        seat: Seat,
    ) -> Result<Arc<RenderedEvent>, Error> {
        let outcome = self
            .registry
            .ask(id, |reply| MatchMessage::Remove { caller: caller.clone(), seat, reply })
            .await?;
        self.event_of(id, outcome).await
    }

    /// Who a caller is for limits and for what the caller owns: a person, also with their bots, or the address of a guest, which
    /// cannot be read from its key.
    pub fn caller_key(&self, caller: &Caller) -> String {
        match (&caller.player, caller.network) {
            (Some(player), _) => player.owner_id().to_owned(),
            (None, network) => {
                let network = network.unwrap_or(IpAddr::from([0, 0, 0, 0]));
                format!("address {}", token::address_key(self.store().pepper(), network))
            }
        }
    }

    /// The number of spectators of a match, on all nodes. What other nodes have told is a second or two old.
    pub fn spectators(&self, id: &MatchId) -> u32 {
        self.registry.spectators.of(id)
    }

    /// Whether spectators have a chat: the operator can switch it off.
    pub fn spectators_talk(&self) -> bool {
        !self.registry.options.no_spectator_chat
    }

    /// Tells the other nodes of the spectators on this one, and learns of theirs, until the server stops.
    pub async fn share_spectators(&self, stopping: CancellationToken) {
        self.registry.spectators.share(self.store(), stopping).await;
    }

    /// The current names of players who were renamed or deleted.
    pub fn names(&self) -> &Names {
        &self.registry.names
    }

    /// The players who are on vacation.
    pub fn vacations(&self) -> &KnownVacations {
        &self.registry.vacations
    }

    /// The metrics of this server.
    pub fn metrics(&self) -> &'static Metrics {
        self.registry.metrics
    }

    /// The number of searches that compute at a time.
    pub fn engine_slots(&self) -> usize {
        self.registry.engine_pool.slots()
    }

    /// The names of built-in engines.
    pub fn engine_names(&self) -> &[NameKey] {
        &self.registry.engine_names
    }

    /// The event of an action that was performed now or before.
    async fn event_of(&self, id: &MatchId, outcome: ActionOutcome) -> Result<Arc<RenderedEvent>, Error> {
        match outcome {
            ActionOutcome::Now(frame) => Ok(frame),
            ActionOutcome::Before { seq, viewer, offer } => {
                let (registry, id, before) = (Arc::clone(&self.registry), id.clone(), seq.saturating_sub(1));
                // A socket lets its action rest while it sends, and reads itself.
                let read = async move { load::frames(&registry, &id, offer, viewer, before, seq + 1).await };
                let frames = in_own_task(carry(read)).await?;
                let lost = || Error::new(Code::Internal, "the event of the earlier action is not in the log");
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
        let ViewerStart { page, viewer, offer, upto, live, connection, .. } =
            self.registry.ask(id, ask).await?;
        // Events up to the page are on disk, later ones wait in the channel: none is lost and none comes twice.
        let backlog = match since {
            Some(since) => load::frames(&self.registry, id, offer, viewer, since, upto).await?,
            None => Vec::new(),
        };
        let spectates = viewer == Viewer::Spectator && live.is_some();
        let spectator = || spectates.then(|| ViewerConnection::Spectator(self.registry.spectators.open(id)));
        let connection = connection.map(ViewerConnection::Seat).or_else(spectator);
        Ok(ViewerStream { page, backlog, live, connection })
    }

    /// A match that is over, with the events as this seat saw them.
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
        let ViewerStart { page, seats, offer, upto, live, sealed: is_sealed, .. } =
            self.registry.ask(id, ask).await?;
        if live.is_some() {
            let detail = "seat: the view of a seat is public only after the end of the match";
            return Err(Error::new(Code::MatchNotOver, detail));
        }
        if is_sealed {
            let of = self.registry.ask(id, |reply| MatchMessage::Snapshot { caller: caller.clone(), reply });
            return Err(sealed(&of.await?.created));
        }
        if seat.index() >= seats {
            let detail = format!("seat: {} is none of the seats 0 to {}", seat.0, seats.saturating_sub(1));
            return Err(Error::new(Code::BadQuery, detail));
        }
        let backlog = match since {
            Some(since) => load::frames(&self.registry, id, offer, Viewer::Seat(seat), since, upto).await?,
            None => Vec::new(),
        };
        Ok(ViewerStream { page, backlog, live, connection: None })
    }

    /// Follows a match with all its secrets, for the referee of the caller's seat.
    ///
    /// # Errors
    /// As [`Self::page`]; `token_needed`, `not_your_seat`.
    pub async fn follow(&self, id: &MatchId, caller: &Caller, seat: Seat) -> Result<RefereeStream, Error> {
        let ask = |reply| MatchMessage::Follow { caller: caller.clone(), seat, reply };
        let RefereeStart { upto, live, connection } = self.registry.ask(id, ask).await?;
        let mut log = self.registry.read_log(id, 0).await?;
        log.truncate(upto as usize);
        Ok(RefereeStream { log: log.into_iter().map(Arc::new).collect(), live, connection, seat })
    }

    /// Reports a foul of a foreign bot at its turn, at this ply.
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
        arrived: Instant,
    ) -> Result<(), Error> {
        let ask = |reply| {
            let (caller, detail) = (caller.clone(), detail.clone());
            MatchMessage::Foul { caller, ply, kind, detail, arrived, reply }
        };
        self.registry.ask(id, ask).await
    }

    /// Sets the referee's side of the dialogue with the bot that holds this seat. `settings`: all that differ from the
    /// default. In a match that is over this changes nothing.
    ///
    /// # Errors
    /// As [`Self::follow`]; `bad_options` if the game has no such setting or value; `bad_field` if they were changed too
    /// often.
    pub async fn set_referee(
        &self,
        id: &MatchId,
        caller: &Caller,
        seat: Seat,
        settings: BTreeMap<String, String>,
    ) -> Result<(), Error> {
        let ask = |reply| {
            let (caller, settings) = (caller.clone(), settings.clone());
            MatchMessage::SetReferee { caller, seat, settings, reply }
        };
        self.registry.ask(id, ask).await
    }

    /// The whole log of a match that is over.
    ///
    /// # Errors
    /// `no_such_match`, `bad_token`, `match_not_over`, `store_unavailable`.
    pub async fn log(&self, id: &MatchId, caller: &Caller) -> Result<Vec<LoggedEvent>, Error> {
        self.check_public_log(id, caller).await?;
        Ok(self.registry.read_log(id, 0).await?)
    }

    /// Checks that the caller may read the whole log: that of a match that is over and not sealed.
    ///
    /// # Errors
    /// As [`Self::log`]; `sealed`.
    pub async fn check_public_log(&self, id: &MatchId, caller: &Caller) -> Result<(), Error> {
        let look =
            self.registry.ask(id, |reply| MatchMessage::Snapshot { caller: caller.clone(), reply }).await?;
        if look.stage != Stage::Over {
            let detail = "the match is not over: its full log is public only afterwards";
            return Err(Error::new(Code::MatchNotOver, detail));
        }
        if look.sealed {
            return Err(sealed(&look.created));
        }
        Ok(())
    }

    /// The log of a match, for the server itself, also where callers may not see it. `None`: it was deleted.
    ///
    /// # Errors
    /// `store_unavailable`, `internal` if the log is damaged.
    pub async fn own_log(&self, id: &MatchId) -> Result<Option<Vec<LoggedEvent>>, Error> {
        let log = self.registry.read_log(id, 0).await?;
        Ok((!log.is_empty()).then_some(log))
    }

    /// The changes that open a sealed match. `None`: it was deleted.
    ///
    /// # Errors
    /// `match_not_over`, `store_unavailable`, `internal` if the log is damaged.
    pub async fn opening(&self, id: &MatchId) -> Result<Option<OpenedMatch>, Error> {
        let ledger = match load::load(&self.registry, id).await {
            Ok(ledger) => ledger,
            Err(e) if e.code() == Code::NoSuchMatch => return Ok(None),
            Err(e) => return Err(e),
        };
        let not_over = || Error::new(Code::MatchNotOver, format!("match {id} is opened before its end"));
        let (row, rated) = listing::opened(&ledger).ok_or_else(not_over)?;
        Ok(Some(OpenedMatch { id: id.clone(), row, rated }))
    }
}
