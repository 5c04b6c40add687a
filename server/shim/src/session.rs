//! An open WebSocket: sends what is new in the transcript, hears what the server says, and notices when it has
//! fallen silent. It must not reconnect.

use crate::answer::Watch;
use crate::stream::Stream;
use crate::transcript::Transcript;
use std::io::ErrorKind;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};
use tungstenite::{Error, Message, WebSocket};

/// How often a server is asked for a sign of life.
const PING_EVERY: Duration = Duration::from_secs(1);

/// How long a server may give no sign at all.
const SILENCE: Duration = Duration::from_secs(3);

/// How long it has at least to answer a ping: less silence than this, after a pause of our own, proves nothing.
const PING_ANSWER: Duration = Duration::from_secs(2);

/// How long a session must last to prove, without an answer, that the server is well.
const STEADY: Duration = Duration::from_secs(1);

/// Sent where there is no transcript yet, so that a server may wait for the first message before it speaks
/// itself: only that message tells it whether a dialogue begins or goes on.
const GREETING: &str = concat!("# kibitz-shim ", env!("CARGO_PKG_VERSION"));

/// What comes out of a session.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// A message.
    Text(String),
    /// The server closed it with this code and reason.
    Closed(u16, String),
    /// The connection is of no use any more.
    Lost(String),
}

/// A session on one connection.
pub struct Session {
    socket: WebSocket<Stream>,
    /// How much of the transcript this server knows; `None` while it has not been told anything.
    sent: Option<usize>,
    /// Whether a message is stuck for want of room.
    stuck: bool,
    opened: Instant,
    pulse: Pulse,
}

impl Session {
    /// Begins on a connection on which nothing was said yet.
    pub fn new(socket: WebSocket<Stream>, now: Instant) -> Self {
        Self { socket, sent: None, stuck: false, opened: now, pulse: Pulse::new(now) }
    }

    /// Hears everything that is there. The last entry may end the session.
    pub fn hear(&mut self, now: Instant, heard: &mut Vec<Heard>) {
        loop {
            match self.socket.read() {
                Ok(Message::Text(text)) => {
                    self.pulse.felt(now);
                    heard.push(Heard::Text(text.as_str().to_owned()));
                }
                Ok(Message::Close(frame)) => {
                    // The reply is a courtesy; the server may be gone before it.
                    let _ = self.socket.flush();
                    let (code, reason) = frame
                        .map_or((1005, String::new()), |frame| (frame.code.into(), frame.reason.to_string()));
                    return heard.push(Heard::Closed(code, reason));
                }
                Ok(_) => self.pulse.felt(now),
                Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => return heard.push(Heard::Lost(brief(error))),
            }
        }
        if self.pulse.stopped(now) {
            heard.push(Heard::Lost("no sign of life".into()));
        }
    }

    /// Whether the server has stayed for a while: one that opens every session only to close it is still away.
    pub fn steady(&self, now: Instant) -> bool {
        self.pulse.ever && now >= self.opened + STEADY
    }

    /// Sends what the server does not know yet, as one message, and a ping when it is time.
    pub fn speak(&mut self, now: Instant, transcript: &Transcript) -> Result<(), String> {
        if self.stuck {
            self.settle(Ok(()))?;
        }
        if !self.stuck && self.sent != Some(transcript.len()) {
            let text = match self.sent {
                None if transcript.len() == 0 => GREETING.to_owned(),
                None => transcript.whole().to_owned(),
                Some(sent) => transcript.news_since(sent),
            };
            self.sent = Some(transcript.len());
            if !text.is_empty() {
                self.send(Message::text(text))?;
            }
        }
        if self.pulse.ping_due(now) && !self.stuck {
            self.send(Message::Ping(Default::default()))?;
        } else if !self.stuck {
            // Answers to the server's own pings may be waiting.
            self.settle(Ok(()))?;
        }
        Ok(())
    }

    fn send(&mut self, message: Message) -> Result<(), String> {
        let written = self.socket.write(message);
        self.settle(written)
    }

    fn settle(&mut self, written: Result<(), Error>) -> Result<(), String> {
        match written.and_then(|()| self.socket.flush()) {
            Ok(()) => self.stuck = false,
            Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => self.stuck = true,
            Err(error) => return Err(brief(error)),
        }
        Ok(())
    }

    /// What wakes it.
    pub fn watch(&self) -> Watch<'_> {
        let stream = self.socket.get_ref();
        Watch { fd: stream.as_fd(), write: stream.wants_write(self.stuck) }
    }

    /// When it wants a turn at the latest.
    pub fn wake_at(&self) -> Instant {
        self.pulse.wake_at()
    }
}

fn brief(error: Error) -> String {
    match error {
        Error::Io(error) => crate::dial::brief(&error),
        Error::ConnectionClosed | Error::AlreadyClosed => "closed".into(),
        error => error.to_string(),
    }
}

/// The server's signs of life. Pure.
#[derive(Debug)]
struct Pulse {
    last: Instant,
    ever: bool,
    ping_at: Instant,
    /// When the first ping went out that nothing has come back for.
    asked: Option<Instant>,
}

impl Pulse {
    fn new(now: Instant) -> Self {
        Self { last: now, ever: false, ping_at: now + PING_EVERY, asked: None }
    }

    fn felt(&mut self, now: Instant) {
        self.last = now;
        self.ever = true;
        self.asked = None;
    }

    fn ping_due(&mut self, now: Instant) -> bool {
        let due = now >= self.ping_at;
        if due {
            self.ping_at = now + PING_EVERY;
            self.asked.get_or_insert(now);
        }
        due
    }

    /// When the silence will have lasted too long.
    fn stops_at(&self) -> Option<Instant> {
        self.asked.map(|asked| (self.last + SILENCE).max(asked + PING_ANSWER))
    }

    fn stopped(&self, now: Instant) -> bool {
        self.stops_at().is_some_and(|stops_at| now >= stops_at)
    }

    fn wake_at(&self) -> Instant {
        self.stops_at().map_or(self.ping_at, |stops_at| stops_at.min(self.ping_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_seconds_without_a_sign_are_too_long() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut pulse = Pulse::new(start);
        assert!(!pulse.ping_due(at(999)));
        assert!(pulse.ping_due(at(1000)));
        assert!(!pulse.ping_due(at(1001)), "once a second");
        assert!(pulse.ping_due(at(2000)));
        assert!(!pulse.stopped(at(2999)));
        assert!(pulse.stopped(at(3000)));
        assert_eq!(pulse.wake_at(), at(3000));
        pulse.felt(at(2999));
        assert!(!pulse.stopped(at(5998)));
    }

    #[test]
    fn our_own_sleep_is_not_the_servers_silence() {
        let start = Instant::now();
        let mut pulse = Pulse::new(start);
        let later = start + Duration::from_secs(60);
        assert!(!pulse.stopped(later));
        assert!(pulse.ping_due(later));
        assert!(!pulse.stopped(later + Duration::from_millis(1999)));
        assert!(pulse.stopped(later + Duration::from_secs(2)));
    }
}
