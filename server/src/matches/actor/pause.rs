//! Time that counts for no player: a match is paused while the database is unavailable, and downtimes and vacations are taken out
//! of the running turn.

use std::time::{Duration, Instant};

use crate::domain::Stage;
use crate::domain::time::Millis;
use crate::error::Error;
use crate::matches::actor::MatchActor;
use crate::matches::actor::retry::{Attempt, Attempts};
use crate::matches::ledger::Command;
use crate::matches::registry::LogError;
use crate::matches::registry::downtime::Downtime;
use crate::matches::render;
use crate::matches::render::ClockPause;
use crate::recovery::backoff::Backoff;

/// The delays before the database is tried again.
const STORE_BACKOFF: Backoff = Backoff::doubling(Duration::from_millis(100), Duration::from_secs(3));

/// An answer of the database that takes this long is a standstill.
const STANDSTILL: Duration = Duration::from_millis(250);

/// Less time than this is not taken out of a turn: it would be an event for nothing.
pub(super) const WORTH_RESUMING_MS: Millis = 50;

/// The reason for a pause of the match, and its beginning.
pub(crate) struct Pause {
    since_ms: Millis,
    pub(super) why: String,
    backoff: Backoff,
    pub(super) next_try: Instant,
}

impl MatchActor {
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

    /// Takes downtime, the time since the pause began, and vacations that are over out of the running turn.
    async fn resume(&mut self, paused_since: Option<Millis>, own: bool) -> Result<(), Error> {
        let mut attempts = Attempts::new();
        loop {
            let vacations = self.unsettled_vacations().await?;
            let paused = paused_since.filter(|_| own);
            let Some(resume) = self.resumption(paused, own, &vacations) else { return Ok(()) };
            // Another node may have done it already; then less is left to do.
            match self.attempt(&resume, None, None, None).await? {
                Attempt::Done(_) => return Ok(()),
                Attempt::Overtaken => attempts.overtaken()?,
            }
        }
    }

    /// The command that takes downtime, the time since the pause began, and vacations that are over out of the running turn; `None`:
    /// that is not worth an event.
    fn resumption(
        &self,
        paused_since: Option<Millis>,
        own: bool,
        vacations: &[(Millis, Millis)],
    ) -> Option<Command> {
        let (from, now) = (self.ledger.settled_until(), self.now());
        let standing = |vacations: &[(Millis, Millis)]| {
            self.registry.standing(self.grace_ms(), own, paused_since, vacations, (from, now))
        };
        let on_vacation =
            |vacations: &[(Millis, Millis)]| Downtime::of(&[], vacations, 0, from, now).away_ms > 0;
        let over: Vec<_> = vacations.iter().copied().filter(|(_, until_ms)| *until_ms <= now).collect();
        let is_little = standing(&over).away_ms < WORTH_RESUMING_MS.unsigned_abs();
        if is_little && !on_vacation(&over) && paused_since.is_none() {
            return None;
        }
        // A vacation that goes on is taken out up to now: what lies before the event is settled.
        let Downtime { away_ms, grace_ms } = standing(vacations);
        Some(Command::Resume { away_ms, grace_ms, vacation: on_vacation(vacations) })
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
    pub(super) fn publish_turn(&mut self, commit_us: u64) {
        let now = self.now();
        let grace_ms = self.registry.standing(self.grace_ms(), true, None, &[], (now, now)).grace_ms;
        let until = now.saturating_add_unsigned(grace_ms);
        if !self.ledger.publish_turn(until, commit_us) {
            return;
        }
        self.registry.note_shown(&self.id, &self.ledger, now, commit_us);
        if until > now {
            self.show_clock();
        }
    }

    /// The pause of the running clock, if it is paused.
    pub(super) fn clock_pause(&self) -> Option<ClockPause> {
        self.ledger.turn()?;
        if let Some(pause) = &self.paused {
            return Some(ClockPause { used_ms: self.ledger.turn_took_ms(pause.since_ms), until_ms: None });
        }
        if let Some(vacation) = self.vacation() {
            let used_ms = self.ledger.turn_took_ms(self.standing_since(vacation));
            return Some(ClockPause { used_ms, until_ms: Some(vacation.until_ms) });
        }
        let now = self.now();
        let until_ms = Some(self.ledger.paused_until(now)?);
        Some(ClockPause { used_ms: self.ledger.turn_took_ms(now), until_ms })
    }

    /// Tells the viewers that the clocks are paused or run again, for which there is no event.
    pub(super) fn show_clock(&mut self) {
        if let Some(frame) = render::clocks(&self.ledger, self.clock_pause(), self.now()) {
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
