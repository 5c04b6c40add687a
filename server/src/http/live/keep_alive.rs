//! The keep-alive of all WebSockets: when a peer that sends nothing is pinged, and when it counts as gone. It must not
//! know what messages mean.

use std::pin::Pin;
use std::time::{Duration, Instant};

use axum::extract::ws::{Message, WebSocket};
use tokio::time::{Sleep, sleep_until};

/// A WebSocket that pings a silent peer while it waits for the next message.
pub(crate) struct PingedSocket {
    /// The WebSocket.
    pub socket: WebSocket,
    keep_alive: KeepAlive,
    /// Rings when the keep-alive is due, or earlier.
    alarm: Pin<Box<Sleep>>,
}

impl PingedSocket {
    /// A socket that was opened now.
    pub(crate) fn new(socket: WebSocket, keep_alive: KeepAlive) -> Self {
        let alarm = Box::pin(sleep_until(keep_alive.due().into()));
        Self { socket, keep_alive, alarm }
    }

    /// The next message; `None` when the peer is gone. Cancel-safe.
    pub(crate) async fn recv(&mut self) -> Option<Result<Message, axum::Error>> {
        loop {
            tokio::select! {
                biased;
                message = self.socket.recv() => {
                    self.keep_alive.heard(Instant::now());
                    return message;
                }
                () = self.alarm.as_mut() => {}
            }
            // A message postpones the next action but does not set the alarm, because messages are more frequent than
            // alarms.
            let action = self.keep_alive.beat(Instant::now());
            self.alarm.as_mut().reset(self.keep_alive.due().into());
            match action {
                None => {}
                Some(KeepAliveAction::Ping) => {
                    self.socket.send(Message::Ping(Default::default())).await.ok()?;
                }
                Some(KeepAliveAction::Gone) => return None,
            }
        }
    }
}

/// The keep-alive of one connection: a ping after `ping_after` of silence, the end after `gone_after`. Pure: it reads no
/// clock and sends nothing.
#[derive(Debug)]
pub(crate) struct KeepAlive {
    ping_after: Duration,
    gone_after: Duration,
    /// The time at which the peer last sent something.
    heard_at: Instant,
    /// Whether the peer was pinged since then.
    pinged: bool,
}

/// The action that is due when a connection has been silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeepAliveAction {
    /// Ping the peer.
    Ping,
    /// The peer is gone.
    Gone,
}

impl KeepAlive {
    /// The keep-alive of a connection that was opened now.
    pub(crate) fn new(ping_after: Duration, gone_after: Duration, now: Instant) -> Self {
        Self { ping_after, gone_after, heard_at: now, pinged: false }
    }

    /// Records that the peer sent something.
    fn heard(&mut self, now: Instant) {
        self.heard_at = now;
        self.pinged = false;
    }

    /// The time of the next action, unless the peer sends something before.
    fn due(&self) -> Instant {
        self.heard_at + if self.pinged { self.gone_after } else { self.ping_after }
    }

    /// The action that is due at this time; `None`: nothing is due.
    fn beat(&mut self, now: Instant) -> Option<KeepAliveAction> {
        if now < self.due() {
            return None;
        }
        if now.duration_since(self.heard_at) >= self.gone_after {
            return Some(KeepAliveAction::Gone);
        }
        self.pinged = true;
        Some(KeepAliveAction::Ping)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silent_peer_is_pinged_once_and_then_gone() {
        let (ping_after, gone_after, start) =
            (Duration::from_secs(15), Duration::from_secs(60), Instant::now());
        let mut keep_alive = KeepAlive::new(ping_after, gone_after, start);
        assert_eq!(keep_alive.due(), start + ping_after);
        assert_eq!(keep_alive.beat(start), None);
        assert_eq!(keep_alive.beat(start + ping_after), Some(KeepAliveAction::Ping));
        assert_eq!(keep_alive.due(), start + gone_after);
        assert_eq!(keep_alive.beat(start + 2 * ping_after), None, "one ping is enough");
        assert_eq!(keep_alive.beat(start + gone_after), Some(KeepAliveAction::Gone));
        let later = start + gone_after;
        keep_alive.heard(later);
        assert_eq!(keep_alive.due(), later + ping_after, "a peer that answers starts anew");
    }
}
