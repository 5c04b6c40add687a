//! The connection to a server: connects, resumes with the transcript, and waits between attempts. It must not know what
//! the messages mean, nor whether they end the dialogue.

use crate::dialogue::answer::{Failure, PollTarget};
use crate::dialogue::transcript::Transcript;
use crate::network::address::ServerAddress;
use crate::network::backoff::Backoff;
use crate::network::connect::{AttemptProgress, ConnectAttempt, ConnectError, Lookup, brief, literal};
use crate::network::http::{HttpExchange, HttpMethod, HttpRequest, HttpResponse};
use crate::network::session::{SocketEvent, SocketSession};
use crate::network::stream::Transport;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

/// First and longest pause between two rounds of attempts.
const SHORTEST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Longest pause that a server may ask for: the match goes on in the meantime.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(1);

/// How long each step of an attempt may take. Doubled after a timeout, up to two times.
const STEP_TIMEOUT: Duration = Duration::from_secs(1);
const MOST_DOUBLINGS: u32 = 2;

/// The same where a file is sent.
const UPLOAD_TIMEOUT: Duration = Duration::from_secs(300);

pub(crate) enum LinkEvent {
    /// A session begins.
    Opened,
    /// A message.
    Text(String),
    /// The server ended the session with this code and reason. The link then waits for [`Link::retry`].
    Closed(u16, String),
    /// The server opened no session. The link then waits for [`Link::retry`] or [`Link::request`].
    Response(HttpResponse),
    /// A note for people.
    Note(String),
    /// No attempt can succeed.
    Failed(Failure),
}

/// A server and the state of the connection to it.
pub(crate) struct Link {
    server: ServerAddress,
    request: HttpRequest,
    transport: Transport,
    state: LinkState,
    /// Addresses not tried yet in this round.
    untried: VecDeque<SocketAddr>,
    backoff: Backoff,
    doublings: u32,
    /// Whether a note said that the server is unreachable.
    away: bool,
}

enum LinkState {
    Waiting(Instant),
    LookingUp(Lookup),
    Connecting(ConnectAttempt),
    Open(Box<SocketSession>),
    Ended,
}

impl Link {
    /// Prepares to connect to a server.
    pub(crate) fn new(
        server: &ServerAddress,
        ca: Option<&Path>,
        request: HttpRequest,
        now: Instant,
    ) -> Result<Self, Failure> {
        Ok(Self {
            transport: Transport::new(server, ca)?,
            server: server.clone(),
            request,
            state: LinkState::Waiting(now),
            untried: VecDeque::new(),
            backoff: Backoff::new(SHORTEST_PAUSE, LONGEST_PAUSE),
            doublings: 0,
            away: false,
        })
    }

    /// Drops the connection and resumes on a new one.
    pub(crate) fn reconnect(&mut self, now: Instant) {
        if let LinkState::Open(_) = self.state {
            self.state = LinkState::Waiting(now);
        }
    }

    /// Replaces the request, and sends it on a new connection.
    pub(crate) fn request(&mut self, request: HttpRequest, now: Instant) {
        self.request = request;
        self.state = LinkState::Waiting(now);
    }

    /// Does everything that is possible without waiting.
    pub(crate) fn turn(&mut self, now: Instant, transcript: &Transcript, events: &mut Vec<LinkEvent>) {
        while let Some(state) = self.step(now, transcript, events) {
            self.state = state;
        }
    }

    fn step_timeout(&self) -> Duration {
        if let HttpMethod::Put(_) = self.request.method {
            return UPLOAD_TIMEOUT;
        }
        STEP_TIMEOUT * 2_u32.pow(self.doublings)
    }

    /// One step of a state; `None` if nothing more is possible without waiting.
    fn step(
        &mut self,
        now: Instant,
        transcript: &Transcript,
        events: &mut Vec<LinkEvent>,
    ) -> Option<LinkState> {
        match std::mem::replace(&mut self.state, LinkState::Ended) {
            LinkState::Waiting(until) if now < until => self.stay(LinkState::Waiting(until)),
            LinkState::Waiting(_) => Some(self.begin_round(now, events)),
            LinkState::LookingUp(lookup) => match lookup.poll() {
                None => self.stay(LinkState::LookingUp(lookup)),
                Some(Ok(addresses)) => {
                    self.untried = addresses.into();
                    Some(self.try_next_address(now, events))
                }
                Some(Err(error)) => Some(self.fail(ConnectError::temporary(error.to_string()), now, events)),
            },
            LinkState::Connecting(attempt) => self.connect(attempt, now, events),
            LinkState::Open(session) => self.exchange(session, now, transcript, events),
            LinkState::Ended => None,
        }
    }

    fn stay(&mut self, state: LinkState) -> Option<LinkState> {
        self.state = state;
        None
    }

    /// Begins a round of attempts with the addresses of the server.
    fn begin_round(&mut self, now: Instant, events: &mut Vec<LinkEvent>) -> LinkState {
        if let Some(address) = literal(&self.server) {
            self.untried = [address].into();
            return self.try_next_address(now, events);
        }
        match Lookup::start(&self.server) {
            Ok(lookup) => LinkState::LookingUp(lookup),
            Err(error) => self.fail(ConnectError::temporary(brief(&error)), now, events),
        }
    }

    fn try_next_address(&mut self, now: Instant, events: &mut Vec<LinkEvent>) -> LinkState {
        let mut error = ConnectError::temporary("its name has no address");
        while let Some(address) = self.untried.pop_front() {
            let exchange = HttpExchange::new(&self.server.authority(), &self.request);
            match ConnectAttempt::start(address, exchange, now, self.step_timeout()) {
                Ok(attempt) => return LinkState::Connecting(attempt),
                Err(failed) => error = failed,
            }
        }
        self.fail(error, now, events)
    }

    fn connect(
        &mut self,
        attempt: ConnectAttempt,
        now: Instant,
        events: &mut Vec<LinkEvent>,
    ) -> Option<LinkState> {
        match attempt.advance(now, self.step_timeout(), &self.transport) {
            AttemptProgress::Pending(attempt) => self.stay(LinkState::Connecting(attempt)),
            AttemptProgress::Open(socket) => {
                events.push(LinkEvent::Opened);
                Some(LinkState::Open(Box::new(SocketSession::new(socket, now))))
            }
            AttemptProgress::Response(response) => {
                events.push(LinkEvent::Response(response));
                None
            }
            AttemptProgress::Failed(error @ ConnectError::Temporary { .. }) if self.untried.is_empty() => {
                Some(self.fail(error, now, events))
            }
            AttemptProgress::Failed(ConnectError::Temporary { .. }) => {
                Some(self.try_next_address(now, events))
            }
            AttemptProgress::Failed(error) => Some(self.fail(error, now, events)),
        }
    }

    /// Receives, then sends.
    fn exchange(
        &mut self,
        mut session: Box<SocketSession>,
        now: Instant,
        transcript: &Transcript,
        events: &mut Vec<LinkEvent>,
    ) -> Option<LinkState> {
        let mut end = receive(&mut session, now, events);
        if end.is_none() {
            if session.steady(now) {
                events.extend(self.recover().map(LinkEvent::Note));
            }
            let Err(reason) = session.send_unsent(now, transcript) else {
                return self.stay(LinkState::Open(session));
            };
            // The server's last messages, perhaps its close frame, may still be in the buffer.
            end = Some(receive(&mut session, now, events).unwrap_or(SocketEvent::Lost(reason)));
        }
        match end {
            Some(SocketEvent::Closed(code, reason)) => {
                events.push(LinkEvent::Closed(code, reason));
                None
            }
            Some(SocketEvent::Lost(reason)) => Some(self.fail(ConnectError::temporary(reason), now, events)),
            Some(SocketEvent::Text(_)) | None => None,
        }
    }

    /// Resets the backoff: the server is reachable and useful again. Returns the note for people.
    pub(crate) fn recover(&mut self) -> Option<String> {
        self.backoff.reset();
        self.doublings = 0;
        std::mem::take(&mut self.away).then(|| format!("{} is back", self.server))
    }

    /// Schedules another attempt after one failed or a connection ended. Returns the note for people.
    pub(crate) fn retry(&mut self, reason: &str, wait: Option<Duration>, now: Instant) -> Option<String> {
        let wait = wait.unwrap_or_default().min(LONGEST_RETRY_AFTER).max(self.backoff.next());
        self.state = LinkState::Waiting(now + wait);
        let noted = std::mem::replace(&mut self.away, true);
        (!noted).then(|| format!("{} is away ({reason}), trying again", self.server))
    }

    fn fail(&mut self, error: ConnectError, now: Instant, events: &mut Vec<LinkEvent>) -> LinkState {
        match error {
            ConnectError::Permanent(failure) => events.push(LinkEvent::Failed(failure)),
            ConnectError::Temporary { reason, wait, timeout } => {
                if timeout {
                    self.doublings = (self.doublings + 1).min(MOST_DOUBLINGS);
                }
                events.extend(self.retry(&reason, wait, now).map(LinkEvent::Note));
            }
        }
        std::mem::replace(&mut self.state, LinkState::Ended)
    }

    /// The file descriptor to poll for, if any.
    pub(crate) fn poll_target(&self) -> Option<PollTarget<'_>> {
        match &self.state {
            LinkState::LookingUp(lookup) => Some(lookup.poll_target()),
            LinkState::Connecting(attempt) => Some(attempt.poll_target()),
            LinkState::Open(session) => Some(session.poll_target()),
            LinkState::Waiting(_) | LinkState::Ended => None,
        }
    }

    /// The latest time of the next turn.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        match &self.state {
            LinkState::Waiting(until) => Some(*until),
            LinkState::Connecting(attempt) => Some(attempt.deadline()),
            LinkState::Open(session) => Some(session.wake_at()),
            LinkState::LookingUp(_) | LinkState::Ended => None,
        }
    }

    /// Whether a session is open.
    pub(crate) fn is_open(&self) -> bool {
        matches!(self.state, LinkState::Open(_))
    }
}

/// Passes on the messages that have arrived; returns the event that ended the session, if any.
fn receive(session: &mut SocketSession, now: Instant, events: &mut Vec<LinkEvent>) -> Option<SocketEvent> {
    let mut received = Vec::new();
    session.receive(now, &mut received);
    for event in received {
        match event {
            SocketEvent::Text(text) => events.push(LinkEvent::Text(text)),
            end => return Some(end),
        }
    }
    None
}
