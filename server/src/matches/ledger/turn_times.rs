//! The times of a running turn, in milliseconds since 1970 by the clock that all nodes share.
//!
//! A turn is *decided* together with the event that gives it. It is *published* when that event is on disk and shown, which the
//! log cannot tell: the server that committed the event reports it. The time of its player runs from there. After a downtime
//! both times move, and the clock may be *paused* until the player has had time to reconnect.

use crate::domain::time::Millis;

/// The times of a running turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TurnTimes {
    /// When it was decided, without the downtime since: the log alone tells it, so it is the same on every server.
    pub(super) decided_ms: Millis,
    /// When it was published, without the downtime since. As long as no server has reported it, the time of the decision.
    pub(super) published_ms: Millis,
    /// How long the commit of its event took, in microseconds; 0: not reported.
    pub(super) commit_us: u64,
    /// The end of the pause of its clock after a downtime.
    pub(super) paused_until_ms: Option<Millis>,
    /// Whether a server may still report when it was published.
    unreported: bool,
}

impl TurnTimes {
    /// A turn that was decided at this time.
    pub(super) fn decided(at_ms: Millis) -> Self {
        Self { decided_ms: at_ms, published_ms: at_ms, commit_us: 0, paused_until_ms: None, unreported: true }
    }

    /// Reports when it was published. Returns whether that was new.
    pub(super) fn publish(&mut self, at_ms: Millis, commit_us: u64) -> bool {
        if !std::mem::take(&mut self.unreported) {
            return false;
        }
        (self.published_ms, self.commit_us) = (at_ms.max(self.published_ms), commit_us);
        true
    }

    /// An event of this time follows. Events stored together were decided at one time; a later one ends the time in which the
    /// turn can be reported.
    pub(super) fn follow(&mut self, event_ms: Millis) {
        self.unreported &= self.published_ms == event_ms;
    }

    /// Takes a downtime out of the turn. `shift`: moves a time by the downtime; `grace_ms`: how long the clock stays paused
    /// after it.
    pub(super) fn resume(&mut self, shift: impl Fn(Millis) -> Millis, grace_ms: i64, now: Millis) {
        self.decided_ms = shift(self.decided_ms).saturating_add(grace_ms);
        // The time away includes the delay until the turn was published, which only the server knew: see `Ledger::decide`.
        self.published_ms = self.decided_ms;
        self.paused_until_ms = (grace_ms > 0).then(|| now.saturating_add(grace_ms));
        self.unreported = false;
    }

    /// How long it took from the decision until the turn was published, in milliseconds.
    pub(super) fn delay_ms(&self) -> u64 {
        u64::try_from(self.published_ms - self.decided_ms).unwrap_or(0)
    }

    /// The time from which its player's time runs, if that is after `now`.
    pub(super) fn paused_until(&self, now: Millis) -> Option<Millis> {
        let until = self.published_ms.max(self.paused_until_ms.unwrap_or(self.published_ms));
        Some(until).filter(|until| *until > now)
    }

    /// How much of it is its player's own time at `now`, in milliseconds. Time used before a downtime counts.
    pub(super) fn used_ms(&self, now: Millis) -> u64 {
        let upto = now.max(self.paused_until_ms.unwrap_or(now));
        u64::try_from(upto.saturating_sub(self.published_ms)).unwrap_or(0)
    }
}
