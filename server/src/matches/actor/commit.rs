//! How a live match changes: a command is decided, its events are appended, then applied, then shown. Nobody sees what
//! is not on disk. While the database is unavailable the match pauses, and nobody's clock runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::game::Viewer;

use crate::domain::Stage;
use crate::domain::time::Millis;
use crate::error::{Code, Error};
use crate::matches::actor::MatchActor;
use crate::matches::event::{Event, LoggedEvent, SeatSetup};
use crate::matches::idempotency::RequestStamp;
use crate::matches::ledger::{Command, LedgerDecision};
use crate::matches::listing;
use crate::matches::refusal::MatchRefusal;
use crate::matches::registry::downtime::Downtime;
use crate::matches::registry::{LogError, to_store, unavailable};
use crate::matches::render;
use crate::matches::render::ClockPause;
use crate::matches::service::RenderedEvent;
use crate::store::{Append, StoreError};

/// How often a command is decided anew because others were quicker.
pub const ATTEMPTS: u32 = 16;

/// How long to wait before the database is tried again: at first, and at most.
const PAUSES: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(3));

/// The database is unavailable.
pub struct Pause {
    since_ms: Millis,
    why: String,
    wait: Duration,
    pub(super) next_try: Instant,
}

/// What came of a command.
pub enum CommandOutcome {
    /// These events; none where time had nothing to do. With the first one's frame for the viewer who was named.
    Done(Vec<Arc<LoggedEvent>>, Option<Arc<RenderedEvent>>),
    /// It has happened before, at this place.
    Before(u32),
    /// The same request was made before, by whatever way; what came of it is kept with it.
    AskedBefore,
    /// Others were quicker, so that it must be decided anew.
    Overtaken,
}

impl MatchActor {
    /// Lets a command happen. `request`: what it is the result of, to be kept with it.
    pub(super) async fn carry_out(
        &mut self,
        command: &Command,
        request: Option<&RequestStamp>,
    ) -> Result<CommandOutcome, Error> {
        for _ in 0..ATTEMPTS {
            match self.attempt(command, request, None).await? {
                CommandOutcome::Overtaken => {}
                outcome => return Ok(outcome),
            }
        }
        Err(overtaken())
    }

    /// Lets a command happen, unless others are quicker. `viewer`: for whom the first event is to be rendered.
    pub(super) async fn attempt(
        &mut self,
        command: &Command,
        request: Option<&RequestStamp>,
        viewer: Option<Viewer>,
    ) -> Result<CommandOutcome, Error> {
        if let Some(pause) = &self.paused
            && !matches!(command, Command::Resume { .. })
        {
            return Err(unavailable(&pause.why));
        }
        let now = self.now();
        let events = match self.fenced(|ledger| ledger.decide(command, now))? {
            Ok(LedgerDecision::New(events)) if events.is_empty() => {
                return Ok(CommandOutcome::Done(Vec::new(), None));
            }
            Ok(LedgerDecision::New(events)) => events,
            Ok(LedgerDecision::Already(seq)) => return Ok(CommandOutcome::Before(seq)),
            Err(late @ MatchRefusal::TimeUp(_)) => {
                // Then the match goes on without it, and says so itself when it is asked again.
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
                let frame = self.take(&stamped, viewer)?;
                self.show_turn(commit_us);
                Ok(CommandOutcome::Done(stamped, frame))
            }
            Err(StoreError::Conflict) => match self.catch_up().await {
                Ok(false) if request.is_some() => Ok(CommandOutcome::AskedBefore),
                Ok(_) => Ok(CommandOutcome::Overtaken),
                Err(LogError::Unavailable(why)) => Err(self.pause(why, now)),
                Err(broken) => Err(broken.into()),
            },
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
        let stamped = self.ledger.stamped(events, now);
        let (id, seq) = (self.id.clone(), self.ledger.next_seq());
        let events = to_store(&stamped);
        let commit_us = self.registry.store.append(Append { id, seq, events, row, request }).await?;
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

    /// Applies what is on disk, and shows it.
    fn take(
        &mut self,
        stamped: &[Arc<LoggedEvent>],
        viewer: Option<Viewer>,
    ) -> Result<Option<Arc<RenderedEvent>>, Error> {
        let mut first = None;
        for (i, event) in stamped.iter().enumerate() {
            if let Err(bad) = self.ledger.apply(event) {
                self.broken = Some(bad.to_string());
                return Err(Error::new(Code::Internal, bad.to_string()));
            }
            self.registry.holdings.follow(&self.id, &event.event);
            let frame = self.audience.show(&self.ledger, event, viewer.filter(|_| i == 0));
            first = first.or(frame);
        }
        self.recount();
        if self.ledger.stage() == Stage::Over {
            self.audience.close();
        }
        Ok(first)
    }

    /// Takes what others have appended; whether there was something.
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
        self.take(&news, None).map_err(|e| LogError::Broken(e.to_string()))?;
        Ok(!news.is_empty())
    }

    /// Whether this was refused because another server knew more of the match. Now this one does, too.
    pub(super) async fn was_old<T>(&mut self, answer: &Result<T, Error>) -> bool {
        let Err(error) = answer else { return false };
        !matches!(error.code(), Code::StoreUnavailable | Code::Internal)
            && self.paused.is_none()
            && matches!(self.catch_up().await, Ok(true))
    }

    /// The match pauses since then, for this reason, if it does not already; what callers are told.
    pub(super) fn pause(&mut self, why: String, since_ms: Millis) -> Error {
        let error = unavailable(&why);
        if self.paused.is_none() {
            // Failed writes are in the log already, once for all matches.
            if self.registry.store.health().is_ok() {
                tracing::error!(id = self.id.as_str(), why, "the database is unavailable and a match pauses");
            }
            self.registry.metrics.pauses.inc();
            let wait = PAUSES.0;
            self.paused = Some(Pause { since_ms, why, wait, next_try: Instant::now() + wait });
            self.show_clock();
        }
        error
    }

    /// Goes on after a pause if it can be: first with what is on disk after all, since an append that failed may be.
    pub(super) async fn try_again(&mut self) {
        let Some(since_ms) = self.paused.as_ref().map(|pause| pause.since_ms) else { return };
        let done = match self.catch_up().await {
            Ok(_) if self.ledger.stage() == Stage::Over => Ok(()),
            Ok(_) => self.resume(Some(since_ms)).await,
            Err(unread) => Err(unread.into()),
        };
        match done {
            Ok(()) => {
                tracing::info!(id = self.id.as_str(), "the match goes on");
                self.paused = None;
            }
            Err(e) => {
                let Some(pause) = &mut self.paused else { return };
                pause.wait = (pause.wait * 2).min(PAUSES.1);
                pause.next_try = Instant::now() + pause.wait;
                tracing::debug!(id = self.id.as_str(), error = %e, "still no database");
            }
        }
    }

    /// Takes downtime out of the running turn, where there was some since it began.
    pub(super) async fn forgive_downtime(&mut self) {
        if let Err(e) = self.resume(None).await {
            tracing::warn!(id = self.id.as_str(), error = %e, "a match could not be resumed yet");
        }
    }

    /// Takes downtime, and the time since this match paused, out of the running turn.
    async fn resume(&mut self, paused_since: Option<Millis>) -> Result<(), Error> {
        for _ in 0..ATTEMPTS {
            let (from, now) = (self.ledger.settled_until(), self.now());
            let standing = self.registry.standing(self.grace_ms(), paused_since, from, now);
            if standing.away_ms == 0 && paused_since.is_none() {
                return Ok(());
            }
            let Downtime { away_ms, grace_ms } = standing;
            // Another server may have done it: then less is left to do.
            match self.attempt(&Command::Resume { away_ms, grace_ms }, None, None).await? {
                CommandOutcome::Overtaken => {}
                _ => return Ok(()),
            }
        }
        Err(overtaken())
    }

    /// How long the clock of the running turn stands after a downtime, in milliseconds: not at all where there is none,
    /// or where an engine is to move, which need not reconnect.
    fn grace_ms(&self) -> u64 {
        let person = self.ledger.turn().is_some() && self.ledger.engine_to_move().is_none();
        if person && self.ledger.clocks().spec().is_some() {
            self.registry.options.reconnect_grace_ms
        } else {
            0
        }
    }

    /// The running turn is on disk and shown. Its clock runs from here on, or from the end of a grace that lasts: its
    /// player may have to reconnect, too.
    fn show_turn(&mut self, commit_us: u64) {
        let now = self.now();
        let grace_ms = self.registry.standing(self.grace_ms(), None, now, now).grace_ms;
        let until = now.saturating_add_unsigned(grace_ms);
        if !self.ledger.turn_is_out(until, commit_us) {
            return;
        }
        self.registry.note_shown(&self.id, &self.ledger, now, commit_us);
        if until > now {
            self.show_clock();
        }
    }

    /// The clock of the running turn stands, if it does.
    pub(super) fn stand(&self) -> Option<ClockPause> {
        self.ledger.turn()?;
        if let Some(pause) = &self.paused {
            return Some(ClockPause { used_ms: self.ledger.turn_took_ms(pause.since_ms), until_ms: None });
        }
        let now = self.now();
        let until_ms = Some(self.ledger.stands_until(now)?);
        Some(ClockPause { used_ms: self.ledger.turn_took_ms(now), until_ms })
    }

    /// Tells those who follow how the clocks are: they stand, or run again, and no event says so.
    fn show_clock(&mut self) {
        if let Some(frame) = render::clock_frame(&self.ledger, self.stand(), self.now()) {
            self.audience.tell(&frame);
        }
    }

    /// Pauses when nothing can be written, and goes on when it can.
    pub(super) async fn look_after_store(&mut self) {
        match (self.registry.store.health(), &mut self.paused) {
            (Err(why), None) if self.ledger.turn().is_some() => drop(self.pause(why, self.now())),
            (Ok(()), Some(pause)) => pause.next_try = Instant::now(),
            (Ok(()), None) if self.ledger.stage() != Stage::Over => self.forgive_downtime().await,
            _ => {}
        }
    }
}

/// Others were quicker again and again.
pub fn overtaken() -> Error {
    Error::new(Code::Internal, "others were quicker again and again")
}
