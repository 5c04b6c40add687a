//! The times at which the actor of a match wakes up without a message, its actions then, and the condition for its end. Only
//! the node that holds the match moves its engines and handles its time-outs.

use std::pin::Pin;
use std::time::{Duration, Instant};

use tokio::time::{Sleep, sleep};

use crate::domain::Stage;
use crate::domain::time::Millis;
use crate::error::Code;
use crate::matches::actor::{LONGEST, MatchActor};
use crate::matches::ledger::{Command, Due};
use crate::matches::registry::{ActorInbox, waker};
use crate::store::Holding;

/// How long after the limit a time-out is handled: moves that arrived just in time are still on their way through this
/// program.
const IN_FLIGHT: Duration = Duration::from_millis(5);

/// The same where nodes share a database: such moves may be on their way from another node through the database.
const IN_FLIGHT_ELSEWHERE: Duration = Duration::from_millis(250);

/// How often a node that does not hold a match tries to hold it, while something is due in it.
const HOLD_RETRY: Duration = Duration::from_millis(500);

/// When the actor wakes up without a message, and how long it stays in memory.
pub(super) struct ActorTimer {
    sleep: Pin<Box<Sleep>>,
    /// Until this time, another node that holds the match has time to do what is due.
    hold_retry: Instant,
    /// The time of the actor's last use.
    used: Instant,
    /// How long it stays in memory without use.
    linger: Duration,
}

impl ActorTimer {
    /// The timer of a new actor that stays in memory for this long without use.
    pub(super) fn new(linger: Duration) -> Self {
        let now = Instant::now();
        Self { sleep: Box::pin(sleep(LONGEST)), hold_retry: now, used: now, linger }
    }

    /// Sets the timer unless an earlier one is pending. Each message postpones the time, and a timer that fires for nothing
    /// costs less than one that is set for each message.
    pub(super) fn wake_at(&mut self, due: Instant) {
        if due < self.sleep.deadline().into_std() || self.sleep.is_elapsed() {
            self.sleep.as_mut().reset(due.into());
        }
    }

    /// Waits until the timer fires.
    pub(super) async fn woken(&mut self) {
        self.sleep.as_mut().await;
    }

    /// Notes a use, after which the actor stays in memory for this long.
    pub(super) fn note_use(&mut self, linger: Duration) {
        (self.used, self.linger) = (Instant::now(), linger);
    }

    /// Lets the actor leave memory as soon as nothing is due.
    pub(super) fn leave_soon(&mut self) {
        self.linger = Duration::ZERO;
    }

    /// Gives the node that holds the match time to do what is due.
    pub(super) fn give_holder_time(&mut self) {
        self.hold_retry = Instant::now() + HOLD_RETRY;
    }
}

impl MatchActor {
    /// Whether this node does what is due in the match.
    pub(super) fn is_held(&self) -> bool {
        self.registry.store.holding(&self.id) == Holding::Here
    }

    /// The time to wake up without a message.
    pub(super) fn timer(&self) -> Instant {
        let now = Instant::now();
        if let Some(pause) = &self.paused {
            return pause.next_try;
        }
        let is_held = self.is_held();
        let due = match self.due() {
            // Its engine must move as soon as this node holds the match.
            _ if !is_held && self.ledger.engine_to_move().is_some() => now,
            Due::Now => now,
            Due::At(at_ms) => now + self.registry.now.until(at_ms).min(LONGEST) + self.in_flight(),
            Due::Never => now + LONGEST,
        };
        let due = match self.expires_ms() {
            Some(at_ms) => due.min(now + self.registry.now.until(at_ms).min(LONGEST)),
            None => due,
        };
        let due = match self.guests_due_ms() {
            Some(at_ms) => due.min(now + self.registry.now.until(at_ms).min(LONGEST)),
            None => due,
        };
        let due = if is_held { due } else { due.max(self.timer.hold_retry) };
        // Whether the actor may leave also depends on viewers, who do not announce that they leave.
        due.min((self.timer.used + self.timer.linger).max(now + self.registry.options.unload_after()))
    }

    pub(super) fn may_leave(&mut self) -> bool {
        if self.ledger.stage() == Stage::Over {
            return true;
        }
        let soon = self.registry.options.unload_after().max(waker::AHEAD);
        let nothing_due = match self.due() {
            _ if self.registry.store.holding(&self.id) == Holding::Elsewhere => true,
            Due::Now => false,
            Due::At(at_ms) => self.registry.now.until(at_ms) > soon,
            Due::Never => true,
        };
        let guests_stay = self.guests_due_ms().is_none_or(|at_ms| self.registry.now.until(at_ms) > soon);
        self.paused.is_none()
            && guests_stay
            && self.engine_seats.searched().is_none()
            && nothing_due
            && self.timer.used.elapsed() >= self.timer.linger
            && self.audience.is_empty()
    }

    pub(super) fn leave(&mut self, inside: &mut ActorInbox, may_go_on: bool) -> bool {
        let wake = match self.due() {
            _ if self.ledger.stage() == Stage::Over => None,
            _ if self.ledger.engine_to_move().is_some() => Some(Some(self.now())),
            Due::Now => Some(Some(self.now())),
            Due::At(at_ms) => Some(Some(at_ms)),
            Due::Never => Some(None),
        };
        // A vacation may be made shorter while the release is on its way to the database.
        let soon = self.now().saturating_add(Millis::try_from(LONGEST.as_millis()).unwrap_or(Millis::MAX));
        let wake = match wake {
            Some(Some(at_ms)) if self.vacation().is_some() => Some(Some(at_ms.min(soon))),
            wake => wake,
        };
        let wake = match (wake, self.guests_check_ms()) {
            (Some(due), Some(at_ms)) => Some(Some(due.map_or(at_ms, |due| due.min(at_ms)))),
            (wake, _) => wake,
        };
        let left = self.registry.leave(&self.id, inside, may_go_on, wake);
        if left {
            self.audience.close();
        }
        left
    }

    /// The time at which the match ends because only engines play in it.
    pub(super) fn expires_ms(&self) -> Option<Millis> {
        let longest = Millis::try_from(self.registry.options.engine_match_ms).unwrap_or(Millis::MAX);
        self.ledger.among_engines_since().map(|since| since.saturating_add(longest))
    }

    fn in_flight(&self) -> Duration {
        if self.registry.store.is_shared() { IN_FLIGHT_ELSEWHERE } else { IN_FLIGHT }
    }

    pub(super) async fn on_time(&mut self) {
        self.forgive_freezes().await;
        if self.paused.is_some() {
            self.try_again().await;
            return;
        }
        if !self.is_held() {
            self.timer.give_holder_time();
            self.registry.store.hold(self.id.clone());
            return;
        }
        // The time of the turn does not run out meanwhile.
        if self.vacation().is_some() {
            return;
        }
        self.settle_ended_vacation().await;
        let expired = self.expires_ms().is_some_and(|at_ms| self.now() >= at_ms);
        let guests_left = self.guests_due_ms().is_some_and(|at_ms| self.now() >= at_ms);
        let command = match (expired, guests_left) {
            (true, _) => Command::Expire,
            (false, true) => Command::GuestsLeft,
            (false, false) => Command::Tick,
        };
        self.recall_recent_turn().await;
        // Only the time of a person or a bot can be up while another node has their move.
        let may_be_late = self.registry.store.is_shared() && self.ledger.engine_to_move().is_none();
        if may_be_late && !self.database_answers().await {
            return;
        }
        if may_be_late
            && let Some(seat) = self.ledger.turn()
            && self.forgive_cut_off(seat).await
        {
            return;
        }
        if let Err(e) = self.carry_out(&command).await
            && e.code() != Code::StoreUnavailable
        {
            // A tick was refused: a fault in the game or in the ledger.
            self.broken = Some(e.to_string());
        }
    }
}
