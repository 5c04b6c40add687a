//! Time of a turn that is not its player's: the commit of its event took long, this node was frozen, or the turn could not be shown
//! to the player, who was connected to another node that was cut off. The player's time runs without it.

use engines::game::Seat;

use crate::domain::time::Millis;
use crate::error::Error;
use crate::matches::actor::MatchActor;
use crate::matches::actor::pause::WORTH_RESUMING_MS;
use crate::matches::actor::retry::{Attempt, Attempts};
use crate::matches::ledger::{Caller, Command};
use crate::matches::registry::SLOW_COMMIT_MS;
use crate::store::refused_by_store;

/// A player who asks this node this long after another one was cut off, in milliseconds, uses this one now: the other one ends
/// its connections after two seconds.
const MOVED_OVER_MS: Millis = 3_000;

/// The longest time in which a node that was not cut off hears of an event, after its commit and in it, in milliseconds.
const HEARD_WITHIN_MS: Millis = 2_000;

/// How long after a turn was decided the store may learn when it was shown, in milliseconds.
const RECORDED_WITHIN_MS: Millis = 10_000;

impl MatchActor {
    /// Takes the time in which this process was frozen out of the running turn, before anything else is decided.
    pub(super) async fn forgive_freezes(&mut self) {
        self.registry.look_for_freeze();
        let count = self.registry.freezes.count();
        if self.freezes != count {
            self.freezes = count;
            self.forgive_downtime(self.serves_turn()).await;
        }
    }

    /// Begins the running turn, which this node has read from the log, when it was shown: the log says when it was decided; if the
    /// commit took long, the store knows the other time, or will know it soon.
    pub(super) async fn recall_turn(&mut self) {
        let is_known = self.recall_shown().await;
        let is_recent = |decided_ms: Millis| self.now().saturating_sub(decided_ms) < RECORDED_WITHIN_MS;
        self.turn_is_recent = !is_known && self.ledger.turn_decided_ms().is_some_and(is_recent);
    }

    /// Asks the store once more when the running turn was shown, if it may have learnt it since this node read the log.
    pub(super) async fn recall_recent_turn(&mut self) {
        if std::mem::take(&mut self.turn_is_recent) {
            self.recall_shown().await;
        }
    }

    /// Begins the running turn, which another node has given, when it was shown. If this node hears of it long after its decision, its
    /// commit took so long: it was shown just now. But after a time in which this node heard nothing, it may have been shown long ago;
    /// then the store knows.
    pub(super) async fn hear_turn(&mut self) {
        let Some(decided_ms) = self.ledger.turn_decided_ms() else { return };
        let now = self.now();
        let delay_ms = now.saturating_sub(decided_ms);
        if delay_ms < SLOW_COMMIT_MS {
            return;
        }
        if delay_ms <= HEARD_WITHIN_MS && self.registry.store.downtimes(decided_ms).is_empty() {
            self.ledger.publish_turn(now, 0);
        } else {
            self.recall_shown().await;
        }
    }

    /// Asks the store when the running turn was shown. Returns whether it knows.
    async fn recall_shown(&mut self) -> bool {
        let shown = self.registry.store.shown_at(self.id.clone()).await;
        let Ok(Some((seq, at_ms))) = shown else { return false };
        let is_of_turn = seq + 1 == self.ledger.next_seq();
        if is_of_turn {
            self.ledger.publish_turn(at_ms, 0);
        }
        is_of_turn
    }

    /// The caller, whose turn it may be, hears from this node: the first time in a turn, the time in which the turn could not
    /// be shown is taken out: here, because this node failed, or where the player was before.
    pub(super) async fn forgive_unshown(&mut self, caller: &Caller) {
        let Some(seat) = self.ledger.seat_of(caller) else { return };
        if self.ledger.turn() == Some(seat) && !self.knows_turn(seat) && self.registry.store.is_shared() {
            self.forgive_downtime(true).await;
            self.forgive_cut_off(seat).await;
        }
        self.connections.note_answer(seat, self.now());
    }

    /// Whether this node has answered the player of this seat, whose turn it is, since the turn was shown.
    fn knows_turn(&self, seat: Seat) -> bool {
        let published_ms = self.ledger.turn_published_ms();
        published_ms.is_some_and(|published_ms| self.connections.is_answered_since(seat, published_ms))
    }

    /// Takes the time in which this turn could not be shown out of it, if its player has not heard of it from this node.
    /// Returns whether there was such a time.
    pub(super) async fn forgive_cut_off(&mut self, seat: Seat) -> bool {
        let is_known = self.knows_turn(seat)
            || self.registry.presence.is_here(&self.id, seat, true)
            || self.ledger.clocks().spec().is_none();
        if is_known || self.paused.is_some() || !self.registry.store.is_shared() {
            return false;
        }
        let mut attempts = Attempts::new();
        loop {
            match self.take_out_cut_off(seat).await {
                Ok(Attempt::Done(found)) => return found,
                Ok(Attempt::Overtaken) if attempts.overtaken().is_ok() => {}
                Ok(Attempt::Overtaken) | Err(_) => return false,
            }
        }
    }

    /// Takes the time in which a node that is cut off could not show this turn out of it. Returns whether there was such a time.
    async fn take_out_cut_off(&mut self, seat: Seat) -> Result<Attempt<bool>, Error> {
        // Another node may have ended the turn since the last attempt.
        if self.ledger.turn() != Some(seat) {
            return Ok(Attempt::Done(false));
        }
        let cut_off = self.registry.store.cut_off(self.id.clone(), seat).await;
        // Without a database, no move is accepted and no time is up.
        let Some((from, to)) = cut_off.map_err(|e| refused_by_store(&e))? else {
            return Ok(Attempt::Done(false));
        };
        // By then the other node has ended the player's connections, and the player is here.
        if self.connections.is_answered_since(seat, from.saturating_add(MOVED_OVER_MS)) {
            return Ok(Attempt::Done(false));
        }
        let (since, now) = (self.ledger.settled_until().max(from), self.now());
        let away = now.min(to).saturating_sub(since);
        let Some(away_ms) = u64::try_from(away).ok().filter(|_| away >= WORTH_RESUMING_MS) else {
            return Ok(Attempt::Done(false));
        };
        // What lies before the event is settled.
        if self.settle_vacation().await? {
            return Ok(Attempt::Done(true));
        }
        let resume = Command::Resume { away_ms, grace_ms: 0, vacation: false };
        Ok(self.attempt(&resume, None, None, None).await?.map(|_| true))
    }

    /// Whether a failure of this node alone matters to the running turn: it does what is due in the match, or it shows the
    /// turn to its player.
    pub(super) fn serves_turn(&self) -> bool {
        let shows = |seat| self.registry.presence.is_here(&self.id, seat, false);
        !self.registry.store.is_shared() || self.is_held() || self.ledger.turn().is_some_and(shows)
    }
}
