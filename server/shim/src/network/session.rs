//! An open WebSocket: sends the new part of the transcript, receives messages, and detects a server that no longer
//! responds. It must not reconnect.

use crate::dialogue::answer::PollTarget;
use crate::dialogue::transcript::Transcript;
use crate::network::stream::ServerStream;
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};
use tungstenite::{Error, Message, WebSocket};

/// The interval between pings.
const PING_INTERVAL: Duration = Duration::from_secs(1);

/// How long a server may send nothing at all, pongs included.
const SILENCE_LIMIT: Duration = Duration::from_secs(3);

/// The shortest time that a server has for a pong. After a pause of this process a shorter silence proves nothing.
const PONG_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a session without answers must last before the server counts as reachable again.
const STEADY_AFTER: Duration = Duration::from_secs(1);

/// Sent if the transcript is empty, so that a server can wait for the first message before it sends anything:
/// only that message shows whether a dialogue begins or continues.
const GREETING: &str = concat!("# kibitz-shim ", env!("CARGO_PKG_VERSION"));

/// An event on a session.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum SocketEvent {
    /// A message.
    Text(String),
    /// The server closed the session with this code and reason.
    Closed(u16, String),
    /// The connection is broken; the reason.
    Lost(String),
}

/// A WebSocket session on one connection.
pub(crate) struct SocketSession {
    socket: WebSocket<ServerStream>,
    /// Bytes of the transcript that this server knows; `None` before the first message.
    sent: Option<usize>,
    /// Whether a message waits for room in the socket.
    blocked: bool,
    opened: Instant,
    pings: PingTimer,
}

impl SocketSession {
    /// Begins on a connection without messages so far.
    pub(crate) fn new(socket: WebSocket<ServerStream>, now: Instant) -> Self {
        Self { socket, sent: None, blocked: false, opened: now, pings: PingTimer::new(now) }
    }

    /// Receives everything that has arrived. The last event may end the session.
    pub(crate) fn receive(&mut self, now: Instant, events: &mut Vec<SocketEvent>) {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    self.pings.received(now);
                    events.push(SocketEvent::Text(text.as_str().to_owned()));
                }
                Ok(Message::Close(frame)) => {
                    // Sends the closing reply; the server may have disconnected already.
                    let _ = self.socket.flush();
                    let (code, reason) = frame
                        .map_or((1005, String::new()), |frame| (frame.code.into(), frame.reason.to_string()));
                    return events.push(SocketEvent::Closed(code, reason));
                }
                Ok(_) => self.pings.received(now),
                Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return events.push(SocketEvent::Lost(brief(error))),
            }
        }
        if self.pings.expired(now) {
            events.push(SocketEvent::Lost("no sign of life".into()));
        }
    }

    /// Whether the session has lasted for a while. A server that opens sessions and closes them at once is not back.
    pub(crate) fn steady(&self, now: Instant) -> bool {
        self.pings.any_received && now >= self.opened + STEADY_AFTER
    }

    /// Sends the part of the transcript that the server does not know yet, as one message, and a ping if it is due.
    ///
    /// # Errors
    /// The reason why the connection is broken.
    pub(crate) fn send_unsent(&mut self, now: Instant, transcript: &Transcript) -> Result<(), String> {
        if self.blocked {
            self.flush(Ok(()))?;
        }
        if !self.blocked && self.sent != Some(transcript.len()) {
            let text = match self.sent {
                None if transcript.len() == 0 => GREETING.to_owned(),
                None => transcript.whole().into_owned(),
                Some(sent) => transcript.unsent_since(sent),
            };
            self.sent = Some(transcript.len());
            if !text.is_empty() {
                self.send(Message::text(text))?;
            }
        }
        if self.pings.ping_due(now) && !self.blocked {
            self.send(Message::Ping(Default::default()))?;
        } else if !self.blocked {
            // Sends pongs for the server's own pings.
            self.flush(Ok(()))?;
        }
        Ok(())
    }

    fn send(&mut self, message: Message) -> Result<(), String> {
        let written = self.socket.write(message);
        self.flush(written)
    }

    /// Flushes after a write, and notes whether the socket is full.
    fn flush(&mut self, written: Result<(), Error>) -> Result<(), String> {
        match written.and_then(|()| self.socket.flush()) {
            Ok(()) => self.blocked = false,
            Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => self.blocked = true,
            Err(error) => return Err(brief(error)),
        }
        Ok(())
    }

    /// The file descriptor to poll for.
    pub(crate) fn poll_target(&self) -> PollTarget<'_> {
        let stream = self.socket.get_ref();
        PollTarget { fd: stream.as_fd(), write: stream.wants_write(self.blocked) }
    }

    /// The latest time of the next turn.
    pub(crate) fn wake_at(&self) -> Instant {
        self.pings.wake_at()
    }
}

fn brief(error: Error) -> String {
    match error {
        Error::Io(error) => crate::network::connect::brief(&error),
        Error::ConnectionClosed | Error::AlreadyClosed => "closed".into(),
        error => error.to_string(),
    }
}

/// Decides when to send pings and when a silent server counts as lost. Pure.
#[derive(Debug)]
struct PingTimer {
    last_received: Instant,
    any_received: bool,
    ping_at: Instant,
    /// The time of the first ping since the last received frame.
    unanswered: Option<Instant>,
}

impl PingTimer {
    fn new(now: Instant) -> Self {
        Self { last_received: now, any_received: false, ping_at: now + PING_INTERVAL, unanswered: None }
    }

    /// Records that a frame has arrived.
    fn received(&mut self, now: Instant) {
        self.last_received = now;
        self.any_received = true;
        self.unanswered = None;
    }

    fn ping_due(&mut self, now: Instant) -> bool {
        let due = now >= self.ping_at;
        if due {
            self.ping_at = now + PING_INTERVAL;
            self.unanswered.get_or_insert(now);
        }
        due
    }

    /// The time at which the server counts as lost unless a frame arrives before.
    fn expires_at(&self) -> Option<Instant> {
        self.unanswered.map(|ping| (self.last_received + SILENCE_LIMIT).max(ping + PONG_TIMEOUT))
    }

    fn expired(&self, now: Instant) -> bool {
        self.expires_at().is_some_and(|expires_at| now >= expires_at)
    }

    fn wake_at(&self) -> Instant {
        self.expires_at().map_or(self.ping_at, |expires_at| expires_at.min(self.ping_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_is_lost_after_three_silent_seconds() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut pings = PingTimer::new(start);
        assert!(!pings.ping_due(at(999)));
        assert!(pings.ping_due(at(1000)));
        assert!(!pings.ping_due(at(1001)), "once a second");
        assert!(pings.ping_due(at(2000)));
        assert!(!pings.expired(at(2999)));
        assert!(pings.expired(at(3000)));
        assert_eq!(pings.wake_at(), at(3000));
        pings.received(at(2999));
        assert!(!pings.expired(at(5998)));
    }

    #[test]
    fn pause_of_this_process_does_not_count_as_silence() {
        let start = Instant::now();
        let mut pings = PingTimer::new(start);
        let later = start + Duration::from_secs(60);
        assert!(!pings.expired(later));
        assert!(pings.ping_due(later));
        assert!(!pings.expired(later + Duration::from_millis(1999)));
        assert!(pings.expired(later + Duration::from_secs(2)));
    }
}
