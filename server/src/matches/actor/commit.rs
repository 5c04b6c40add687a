//! How a live match changes: a command is decided, its events are committed, then applied, then shown. No caller sees
//! an event that is not on disk. While the database is unavailable the match is paused, and no clock runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::erased::ReadMove;
use engines::game::Viewer;

use crate::backoff::Backoff;
use crate::domain::Stage;
use crate::domain::time::Millis;
use crate::error::{Code, Error};
use crate::matches::actor::MatchActor;
use crate::matches::actor::timers::HOLD_RETRY;
use crate::matches::event::{Event, LoggedEvent, SeatSetup};
use crate::matches::idempotency::RequestStamp;
use crate::matches::ledger::{Ahead, Command, LedgerDecision};
use crate::matches::listing;
use crate::matches::refusal::MatchRefusal;
use crate::matches::registry::downtime::Downtime;
use crate::matches::registry::{LogError, to_store};
use crate::matches::render;
use crate::matches::render::{ClockPause, RenderedEvent};
use crate::store::{Append, StoreError};

/// How often a command is decided again after another server was first.
pub(super) const ATTEMPTS: u32 = 16;

/// The delays before the database is tried again.
const STORE_BACKOFF: Backoff = Backoff::doubling(Duration::from_millis(100), Duration::from_secs(3));

/// An answer of the database that takes this long is a standstill.
const STANDSTILL: Duration = Duration::from_millis(250);

/// Less time than this is not taken out of a turn: it would be an event for nothing.
pub(super) const WORTH_RESUMING_MS: Millis = 50;

/// The reason for a pause of the match, and its beginning.
pub(crate) struct Pause {
    since_ms: Millis,
    why: String,
    backoff: Backoff,
    pub(super) next_try: Instant,
}

/// The outcome of a command.
pub(super) enum CommandOutcome {
    /// The events that were committed; none if nothing was due. Also the first event, rendered for the named viewer.
    Done(Vec<Arc<LoggedEvent>>, Option<Arc<RenderedEvent>>),
    /// The same command was performed before; its event has this place.
    Before(u32),
    /// The same request was made before; its result is stored with it.
    AskedBefore,
    /// Another server was first: the command must be decided again.
    Overtaken,
}

impl MatchActor {
    /// Performs a command. `request`: the request to store with its result.
    pub(super) async fn carry_out(
        &mut self,
        command: &Command,
        request: Option<&RequestStamp>,
    ) -> Result<CommandOutcome, Error> {
        for _ in 0..ATTEMPTS {
            match self.attempt(command, None, request, None).await? {
                CommandOutcome::Overtaken => {}
                outcome => return Ok(outcome),
            }
        }
        Err(overtaken())
    }

    /// Performs a command, unless another server is first. `read`: its move, if it was read already; `viewer`: the
    /// viewer for whom the first event is rendered.
    pub(super) async fn attempt(
        &mut self,
        command: &Command,
        read: Option<&ReadMove>,
        request: Option<&RequestStamp>,
        viewer: Option<Viewer>,
    ) -> Result<CommandOutcome, Error> {
        if let Some(pause) = &self.paused
            && !matches!(command, Command::Resume { .. })
        {
            return Err(Error::store_unavailable(&pause.why));
        }
        let now = self.now();
        let (events, ahead) = match self.fenced(|ledger| ledger.look_ahead(command, read, now))? {
            Ok((LedgerDecision::New(events), _)) if events.is_empty() => {
                return Ok(CommandOutcome::Done(Vec::new(), None));
            }
            Ok((LedgerDecision::New(events), ahead)) => (events, ahead),
            Ok((LedgerDecision::Already(seq), _)) => return Ok(CommandOutcome::Before(seq)),
            Err(late @ MatchRefusal::TimeUp(_)) => {
                // The time-out comes first: the refusal shows the match after it.
                Box::pin(self.carry_out(&Command::Tick, None)).await?;
                return match self.fenced(|ledger| ledger.decide(command, self.now()))? {
                    Err(refused) => Err(refused.into()),
                    Ok(_) => Err(late.into()),
                };
            }
            Err(refused) => return Err(refused.into()),
        };
        match self.append(events, now, request).await {
            Ok((stamped, commit_us)) => {
                self.hold_retry = Instant::now() + HOLD_RETRY;
                let frame = self.take(&stamped, ahead, viewer)?;
                self.show_turn(commit_us);
                Ok(CommandOutcome::Done(stamped, frame))
            }
            Err(StoreError::Conflict) => match self.catch_up().await {
                Ok(false) if request.is_some() => Ok(CommandOutcome::AskedBefore),
                Ok(_) => Ok(CommandOutcome::Overtaken),
                Err(LogError::Unavailable(why)) => Err(self.pause(why, now)),
                Err(broken) => Err(broken.into()),
            },
            Err(StoreError::RatedLimit) => Err(self.registry.rated_limit()),
            Err(StoreError::Unavailable(why)) => Err(self.pause(why, now)),
        }
    }

    async fn append(
        &mut self,
        events: Vec<Event>,
        now: Millis,
        request: Option<&RequestStamp>,
    ) -> Result<(Vec<Arc<LoggedEvent>>, u64), StoreError> {
        let row = listing::next_row(&self.ledger, &events, now);
        let request = request.map(|stamp| stamp.of_join(&self.id, &events));
        let rated = listing::rated_result(&self.ledger, &events);
        let setups = self.ledger.seats().iter().map(|seat| &seat.chair);
        let most = self.registry.options.max_rated_per_pair;
        let begins = listing::rated_begin(self.ledger.created(), setups, &events, false, most);
        let stamped = self.ledger.stamped(events, now);
        let (id, seq) = (self.id.clone(), self.ledger.next_seq());
        let events = to_store(&stamped);
        let commit_us =
            self.registry.store.append(Append { id, seq, events, row, request, rated, begins }).await?;
        self.count(&stamped);
        Ok((stamped.into_iter().map(Arc::new).collect(), commit_us))
    }

    fn count(&self, stamped: &[LoggedEvent]) {
        let (game, metrics) = (self.offer.info.slug, self.registry.metrics);
        for event in stamped {
            match &event.event {
                Event::Moved(moved) => {
                    let engine =
                        matches!(self.ledger.seats()[moved.seat.index()].chair, SeatSetup::Engine(_));
                    metrics.moved(game, if engine { "engine" } else { "other" });
                }
                Event::Fouled(_) => metrics.moved(game, "penalty"),
                Event::Ended(ended) => metrics.ended(game, ended.how.name()),
                _ => {}
            }
        }
    }

    /// Applies committed events and shows them to the seats. Spectators and the end of all channels follow in
    /// [`MatchActor::release`].
    fn take(
        &mut self,
        stamped: &[Arc<LoggedEvent>],
        mut ahead: Option<Ahead>,
        viewer: Option<Viewer>,
    ) -> Result<Option<Arc<RenderedEvent>>, Error> {
        let mut first = None;
        for (i, event) in stamped.iter().enumerate() {
            let ahead = ahead.take();
            let mv = ahead.as_ref().map(|ahead| ahead.move_text().clone());
            if let Err(bad) = self.ledger.apply_ahead(event, ahead) {
                self.broken = Some(bad.to_string());
                return Err(Error::new(Code::Internal, bad.to_string()));
            }
            // Its search is for a position that is gone.
            if matches!(event.event, Event::TakenBack { .. }) {
                self.pondering = None;
            }
            self.registry.holdings.follow(&self.id, &event.event);
            let frame = self.audience.show(&self.ledger, event, mv, viewer.filter(|_| i == 0));
            first = first.or(frame);
        }
        self.recount();
        Ok(first)
    }

    /// Applies the events that other servers have appended. Returns whether there were any.
    pub(super) async fn catch_up(&mut self) -> Result<bool, LogError> {
        let read = self.registry.read_log(&self.id, self.ledger.next_seq()).await;
        let news = match read {
            Ok(news) => news.into_iter().map(Arc::new).collect::<Vec<_>>(),
            Err(unread) => {
                if let LogError::Broken(why) = &unread {
                    self.broken = Some(why.clone());
                }
                return Err(unread);
            }
        };
        self.take(&news, None, None).map_err(|e| LogError::Broken(e.to_string()))?;
        Ok(!news.is_empty())
    }

    /// Whether a refusal came from an outdated state: another server has appended events, which are applied now.
    ///
    /// # Errors
    /// `store_unavailable` if the log cannot be read: then the refusal may be wrong.
    pub(super) async fn was_old<T>(&mut self, answer: &Result<T, Error>) -> Result<bool, Error> {
        match answer {
            Err(error) if !matches!(error.code(), Code::StoreUnavailable | Code::Internal) => {
                Ok(self.catch_up().await?)
            }
            _ => Ok(false),
        }
    }

    /// Whether the database has answered at once after a time was up. A move that arrived in time would be known then. If it
    /// has not, the match pauses for as long as the database stood still.
    pub(super) async fn database_answers(&mut self) -> bool {
        let (asked, asked_ms) = (Instant::now(), self.now());
        match self.catch_up().await {
            Ok(_) if asked.elapsed() < STANDSTILL => true,
            Ok(_) => {
                drop(self.pause("the database stood still".to_owned(), asked_ms));
                false
            }
            Err(LogError::Unavailable(why)) => {
                drop(self.pause(why, asked_ms));
                false
            }
            Err(LogError::Broken(_)) => false,
        }
    }

    /// Pauses the match, if it is not paused yet. Returns the error for callers.
    pub(super) fn pause(&mut self, why: String, since_ms: Millis) -> Error {
        let error = Error::store_unavailable(&why);
        if self.paused.is_none() {
            // The store logs failed writes, once for all matches.
            if self.registry.store.health().is_ok() {
                tracing::error!(id = self.id.as_str(), why, "the database is unavailable and a match pauses");
            }
            self.registry.metrics.pauses.inc();
            let mut backoff = STORE_BACKOFF;
            let next_try = Instant::now() + backoff.pause();
            self.paused = Some(Pause { since_ms, why, backoff, next_try });
            self.show_clock();
        }
        error
    }

    /// Resumes after a pause if possible. First reads the log, since a failed append may be on disk after all.
    pub(super) async fn try_again(&mut self) {
        let Some(since_ms) = self.paused.as_ref().map(|pause| pause.since_ms) else { return };
        let done = match self.catch_up().await {
            Ok(_) if self.ledger.stage() == Stage::Over => Ok(()),
            Ok(_) => self.resume(Some(since_ms), self.serves_turn()).await,
            Err(unread) => Err(unread.into()),
        };
        match done {
            Ok(()) => {
                tracing::info!(id = self.id.as_str(), "the match goes on");
                self.paused = None;
            }
            Err(e) => {
                let Some(pause) = &mut self.paused else { return };
                pause.next_try = Instant::now() + pause.backoff.pause();
                tracing::debug!(id = self.id.as_str(), error = %e, "still no database");
            }
        }
    }

    /// Takes downtime since the beginning of the turn out of its time. `own`: also that of this node alone.
    pub(super) async fn forgive_downtime(&mut self, own: bool) {
        if let Err(e) = self.resume(None, own).await {
            tracing::warn!(id = self.id.as_str(), error = %e, "a match could not be resumed yet");
        }
    }

    /// Takes the time in which no living node held the match out of the running turn.
    pub(super) async fn forgive_takeover(&mut self) {
        let Some(since_ms) = self.registry.store.take_unheld_since(&self.id) else { return };
        let unsettled = self.now().saturating_sub(self.ledger.settled_until().max(since_ms));
        if self.paused.is_none()
            && self.ledger.turn().is_some()
            && unsettled >= WORTH_RESUMING_MS
            && let Err(e) = self.resume(Some(since_ms), true).await
        {
            tracing::warn!(id = self.id.as_str(), error = %e, "a match could not be resumed yet");
        }
    }

    /// Reads the events that other servers may have appended a moment ago. A caller thus sees at least the events that
    /// those servers acknowledged to it.
    pub(super) async fn refresh(&mut self) -> Result<(), Error> {
        if self.registry.store.is_shared() && self.ledger.stage() != Stage::Over {
            self.catch_up().await?;
        }
        Ok(())
    }

    /// Takes downtime, and the time since the pause began, out of the running turn.
    async fn resume(&mut self, paused_since: Option<Millis>, own: bool) -> Result<(), Error> {
        for _ in 0..ATTEMPTS {
            let (from, now) = (self.ledger.settled_until(), self.now());
            let paused = paused_since.filter(|_| own);
            let standing = self.registry.standing(self.grace_ms(), own, paused, from, now);
            let is_little = i64::try_from(standing.away_ms).unwrap_or(Millis::MAX) < WORTH_RESUMING_MS;
            if is_little && paused.is_none() {
                return Ok(());
            }
            let Downtime { away_ms, grace_ms } = standing;
            // Another server may have done it already; then less is left to do.
            match self.attempt(&Command::Resume { away_ms, grace_ms }, None, None, None).await? {
                CommandOutcome::Overtaken => {}
                _ => return Ok(()),
            }
        }
        Err(overtaken())
    }

    /// How long the clock of the running turn stays paused after a downtime, in milliseconds. 0 if the match has no
    /// clock, or if an engine is to move, which need not reconnect.
    fn grace_ms(&self) -> u64 {
        let person = self.ledger.turn().is_some() && self.ledger.engine_to_move().is_none();
        if person && self.ledger.clocks().spec().is_some() {
            self.registry.options.reconnect_grace_ms
        } else {
            0
        }
    }

    /// Starts the clock of the running turn, whose event is committed and shown: now, or at the end of a running grace.
    fn show_turn(&mut self, commit_us: u64) {
        let now = self.now();
        let grace_ms = self.registry.standing(self.grace_ms(), true, None, now, now).grace_ms;
        let until = now.saturating_add_unsigned(grace_ms);
        if !self.ledger.turn_is_out(until, commit_us) {
            return;
        }
        self.registry.note_shown(&self.id, &self.ledger, now, commit_us);
        if until > now {
            self.show_clock();
        }
    }

    /// The pause of the running clock, if it is paused.
    pub(super) fn stand(&self) -> Option<ClockPause> {
        self.ledger.turn()?;
        if let Some(pause) = &self.paused {
            return Some(ClockPause { used_ms: self.ledger.turn_took_ms(pause.since_ms), until_ms: None });
        }
        let now = self.now();
        let until_ms = Some(self.ledger.paused_until(now)?);
        Some(ClockPause { used_ms: self.ledger.turn_took_ms(now), until_ms })
    }

    /// Tells the viewers that the clocks are paused or run again, for which there is no event.
    fn show_clock(&mut self) {
        if let Some(frame) = render::clocks(&self.ledger, self.stand(), self.now()) {
            self.audience.tell(&frame);
        }
    }

    /// Pauses the match when the store fails, and resumes it when the store works.
    pub(super) async fn look_after_store(&mut self) {
        match (self.registry.store.health(), &mut self.paused) {
            (Err(why), None) if self.ledger.turn().is_some() => drop(self.pause(why, self.now())),
            (Ok(()), Some(pause)) => pause.next_try = Instant::now(),
            (Ok(()), None) if self.ledger.stage() != Stage::Over => {
                self.forgive_downtime(self.serves_turn()).await
            }
            _ => {}
        }
    }
}

/// The error when other servers were first at every attempt.
pub(super) fn overtaken() -> Error {
    Error::new(Code::Internal, "other servers were first at every attempt")
}
