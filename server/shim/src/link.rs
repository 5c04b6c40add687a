//! The way to a server: connects, resumes with the transcript, waits between attempts. It must not know what is said
//! on it, nor whether that ends the session.

use crate::answer::{Failure, Watch};
use crate::dial::{Attempt, Lookup, Progress, Setback, brief, literal};
use crate::server::Server;
use crate::session::{Heard, Session};
use crate::stream::Wrap;
use crate::transcript::Transcript;
use crate::upgrade::{Answer, Call, Upgrade};
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

/// First and longest wait between two rounds of attempts.
const SHORTEST_WAIT: Duration = Duration::from_millis(5);
const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// Longest wait that a server may ask for: a match goes on meanwhile.
const LONGEST_WISH: Duration = Duration::from_secs(1);

/// How long each step of an attempt may take; doubled where nothing at all came back, up to two times.
const STEP_LIMIT: Duration = Duration::from_secs(1);
const MOST_DOUBLINGS: u32 = 2;

/// What comes along.
pub enum Word {
    /// A session begins.
    Opened,
    /// A message.
    Text(String),
    /// The server ended the session, with this code and reason. Nothing more happens before [`Link::set_back`].
    Closed(u16, String),
    /// The server opens no session. Nothing more happens before [`Link::set_back`] or [`Link::call`].
    Answered(Answer),
    /// A note for people.
    Note(String),
    /// There is no way to go on.
    Failed(Failure),
}

/// A server somewhere, and how things stand with it.
pub struct Link {
    server: Server,
    call: Call,
    wrap: Wrap,
    state: State,
    /// Addresses not tried yet in this round.
    untried: VecDeque<SocketAddr>,
    wait: Duration,
    doublings: u32,
    /// Whether the user was told that the server is away.
    away: bool,
}

enum State {
    Waiting(Instant),
    LookingUp(Lookup),
    Dialing(Attempt),
    Open(Box<Session>),
    Ended,
}

impl Link {
    /// Prepares to reach a server.
    pub fn new(server: &Server, ca: Option<&Path>, call: Call, now: Instant) -> Result<Self, Failure> {
        Ok(Self {
            wrap: Wrap::new(server, ca)?,
            server: server.clone(),
            call,
            state: State::Waiting(now),
            untried: VecDeque::new(),
            wait: SHORTEST_WAIT,
            doublings: 0,
            away: false,
        })
    }

    /// Leaves the connection and resumes on a new one.
    #[cfg(feature = "embedded")]
    pub fn begin_again(&mut self, now: Instant) {
        if let State::Open(_) = self.state {
            self.state = State::Waiting(now);
        }
    }

    /// Asks for something else from now on.
    pub fn call(&mut self, call: Call, now: Instant) {
        self.call = call;
        self.state = State::Waiting(now);
    }

    /// Does all there is to do without waiting.
    pub fn turn(&mut self, now: Instant, transcript: &Transcript, words: &mut Vec<Word>) {
        while let Some(state) = self.step(now, transcript, words) {
            self.state = state;
        }
    }

    fn limit(&self) -> Duration {
        STEP_LIMIT * 2_u32.pow(self.doublings)
    }

    /// One step of a state; `None` when there is nothing more to do without waiting.
    fn step(&mut self, now: Instant, transcript: &Transcript, words: &mut Vec<Word>) -> Option<State> {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Waiting(until) if now < until => self.rest(State::Waiting(until)),
            State::Waiting(_) => match literal(&self.server) {
                Some(address) => {
                    self.untried = [address].into();
                    Some(self.dial(now, words))
                }
                None => match Lookup::start(&self.server) {
                    Ok(lookup) => Some(State::LookingUp(lookup)),
                    Err(error) => Some(self.retreat(Setback::later(brief(&error)), now, words)),
                },
            },
            State::LookingUp(lookup) => match lookup.poll() {
                None => self.rest(State::LookingUp(lookup)),
                Some(Ok(addresses)) => {
                    self.untried = addresses.into();
                    Some(self.dial(now, words))
                }
                Some(Err(error)) => Some(self.retreat(Setback::later(error.to_string()), now, words)),
            },
            State::Dialing(attempt) => match attempt.advance(now, self.limit(), &self.wrap) {
                Progress::Pending(attempt) => self.rest(State::Dialing(attempt)),
                Progress::Open(socket) => {
                    words.push(Word::Opened);
                    Some(State::Open(Box::new(Session::new(socket, now))))
                }
                Progress::Answered(answer) => {
                    words.push(Word::Answered(answer));
                    None
                }
                Progress::Failed(setback)
                    if self.untried.is_empty() || matches!(setback, Setback::Never(_)) =>
                {
                    Some(self.retreat(setback, now, words))
                }
                Progress::Failed(_) => Some(self.dial(now, words)),
            },
            State::Open(session) => self.converse(session, now, transcript, words),
            State::Ended => None,
        }
    }

    fn rest(&mut self, state: State) -> Option<State> {
        self.state = state;
        None
    }

    /// Tries the next address.
    fn dial(&mut self, now: Instant, words: &mut Vec<Word>) -> State {
        let mut setback = Setback::later("its name has no address");
        while let Some(address) = self.untried.pop_front() {
            let upgrade = Upgrade::new(&self.server.authority(), &self.call);
            match Attempt::start(address, upgrade, now, self.limit()) {
                Ok(attempt) => return State::Dialing(attempt),
                Err(failed) => setback = failed,
            }
        }
        self.retreat(setback, now, words)
    }

    /// Hears, then speaks.
    fn converse(
        &mut self,
        mut session: Box<Session>,
        now: Instant,
        transcript: &Transcript,
        words: &mut Vec<Word>,
    ) -> Option<State> {
        let mut heard = Vec::new();
        session.hear(now, &mut heard);
        let mut end = take(heard, words);
        if end.is_none() {
            if session.steady(now) {
                words.extend(self.recover().map(Word::Note));
            }
            let Err(reason) = session.speak(now, transcript) else {
                return self.rest(State::Open(session));
            };
            // What the server said last, its reason to hang up perhaps, may still be there to be heard.
            let mut heard = Vec::new();
            session.hear(now, &mut heard);
            end = Some(take(heard, words).unwrap_or(Heard::Lost(reason)));
        }
        match end {
            Some(Heard::Closed(code, reason)) => {
                words.push(Word::Closed(code, reason));
                None
            }
            Some(Heard::Lost(reason)) => Some(self.retreat(Setback::later(reason), now, words)),
            Some(Heard::Text(_)) | None => None,
        }
    }

    /// The server is there again, and of use; the note for people.
    pub fn recover(&mut self) -> Option<String> {
        self.wait = SHORTEST_WAIT;
        self.doublings = 0;
        std::mem::take(&mut self.away).then(|| format!("{} is back", self.server))
    }

    /// An attempt or a connection came to its end, and another will be made; the note for people.
    pub fn set_back(&mut self, reason: &str, wait: Option<Duration>, now: Instant) -> Option<String> {
        let wait = wait.unwrap_or_default().min(LONGEST_WISH).max(self.wait);
        self.wait = (self.wait * 2).min(LONGEST_WAIT);
        self.state = State::Waiting(now + wait);
        let told = std::mem::replace(&mut self.away, true);
        (!told).then(|| format!("{} is away ({reason}), trying again", self.server))
    }

    fn retreat(&mut self, setback: Setback, now: Instant, words: &mut Vec<Word>) -> State {
        match setback {
            Setback::Never(failure) => words.push(Word::Failed(failure)),
            Setback::Later { reason, wait, timeout } => {
                if timeout {
                    self.doublings = (self.doublings + 1).min(MOST_DOUBLINGS);
                }
                words.extend(self.set_back(&reason, wait, now).map(Word::Note));
            }
        }
        std::mem::replace(&mut self.state, State::Ended)
    }

    /// What wakes it.
    pub fn watch(&self) -> Option<Watch<'_>> {
        match &self.state {
            State::LookingUp(lookup) => Some(lookup.watch()),
            State::Dialing(attempt) => Some(attempt.watch()),
            State::Open(session) => Some(session.watch()),
            State::Waiting(_) | State::Ended => None,
        }
    }

    /// When it wants a turn at the latest.
    pub fn wake_at(&self) -> Option<Instant> {
        match &self.state {
            State::Waiting(until) => Some(*until),
            State::Dialing(attempt) => Some(attempt.deadline()),
            State::Open(session) => Some(session.wake_at()),
            State::LookingUp(_) | State::Ended => None,
        }
    }

    /// Whether a session is open.
    pub fn is_open(&self) -> bool {
        matches!(self.state, State::Open(_))
    }
}

/// Passes on what was said and gives back what ended the session, if anything did.
fn take(heard: Vec<Heard>, words: &mut Vec<Word>) -> Option<Heard> {
    for heard in heard {
        match heard {
            Heard::Text(text) => words.push(Word::Text(text)),
            end => return Some(end),
        }
    }
    None
}
