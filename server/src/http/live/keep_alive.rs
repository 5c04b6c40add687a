//! When a peer that sends nothing is pinged, and when it counts as gone. Pure: it reads no clock and sends nothing.

use std::time::Instant;

use crate::http::ConnectionTimeouts;

/// The keep-alive of one connection: a ping after `ping_after` of silence, the end after `gone_after`.
#[derive(Debug)]
pub(crate) struct KeepAlive {
    timeouts: ConnectionTimeouts,
    /// When the peer last sent something.
    heard_at: Instant,
    /// Whether the peer was pinged since then.
    pinged: bool,
}

/// What is due when a connection has been silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeepAliveAction {
    /// Ping the peer.
    Ping,
    /// The peer is gone.
    Gone,
}

impl KeepAlive {
    /// The keep-alive of a connection that was opened now.
    pub(crate) fn new(timeouts: ConnectionTimeouts, now: Instant) -> Self {
        Self { timeouts, heard_at: now, pinged: false }
    }

    /// The peer sent something.
    pub(crate) fn heard(&mut self, now: Instant) {
        self.heard_at = now;
        self.pinged = false;
    }

    /// When [`Self::beat`] is due unless the peer sends something before.
    pub(crate) fn due(&self) -> Instant {
        self.heard_at + if self.pinged { self.timeouts.gone_after } else { self.timeouts.ping_after }
    }

    /// What to do at [`Self::due`].
    pub(crate) fn beat(&mut self, now: Instant) -> KeepAliveAction {
        if now.duration_since(self.heard_at) >= self.timeouts.gone_after {
            return KeepAliveAction::Gone;
        }
        self.pinged = true;
        KeepAliveAction::Ping
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silent_peer_is_pinged_once_and_then_gone() {
        let (timeouts, start) = (ConnectionTimeouts::default(), Instant::now());
        let mut keep_alive = KeepAlive::new(timeouts, start);
        assert_eq!(keep_alive.due(), start + timeouts.ping_after);
        assert_eq!(keep_alive.beat(start + timeouts.ping_after), KeepAliveAction::Ping);
        assert_eq!(keep_alive.due(), start + timeouts.gone_after);
        assert_eq!(keep_alive.beat(start + timeouts.gone_after), KeepAliveAction::Gone);
        let later = start + timeouts.gone_after;
        keep_alive.heard(later);
        assert_eq!(keep_alive.due(), later + timeouts.ping_after, "a peer that answers starts anew");
    }
}
