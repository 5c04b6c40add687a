//! Answers from a server: connects, resumes with the transcript, waits between attempts. It must not print and
//! must not understand the game.

use crate::answer::{Answerer, Failure, News, Watch};
use crate::dial::{Attempt, Lookup, Progress, Setback, brief, literal};
use crate::options::Options;
use crate::server::Server;
use crate::session::{Heard, Session};
use crate::stream::Wrap;
use crate::transcript::{Said, Transcript, said};
use crate::upgrade::Upgrade;
use std::collections::VecDeque;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// First and longest wait between two rounds of attempts.
const SHORTEST_WAIT: Duration = Duration::from_millis(5);
const LONGEST_WAIT: Duration = Duration::from_millis(500);

/// Longest wait that a server may ask for: a match goes on meanwhile.
const LONGEST_WISH: Duration = Duration::from_secs(1);

/// How long to leave a server alone that asks for a moment without saying how long.
const MOMENT: Duration = Duration::from_millis(250);

/// How long each step of an attempt may take; doubled where nothing at all came back, up to two times.
const STEP_LIMIT: Duration = Duration::from_secs(1);
const MOST_DOUBLINGS: u32 = 2;

/// Close codes (RFC 6455, section 7.4, and our own) that mean more than a broken connection.
const CLOSE_DONE: u16 = 1000;
const CLOSE_LATER: u16 = 1013;
const CLOSE_CONTRADICTION: u16 = 4400;

/// A server somewhere, and how things stand with it.
pub struct Remote {
    server: Server,
    path: String,
    wrap: Wrap,
    state: State,
    /// Addresses not tried yet in this round.
    untried: VecDeque<SocketAddr>,
    wait: Duration,
    doublings: u32,
    /// Whether the user was told that the server is away.
    away: bool,
    /// Opening lines that a server, not knowing yet that the dialogue goes on, may say once more.
    echo: VecDeque<String>,
}

enum State {
    Waiting(Instant),
    LookingUp(Lookup),
    Dialing(Attempt),
    Open(Box<Session>),
    Ended,
}

impl Remote {
    /// Prepares to reach the server that the options name.
    pub fn new(options: &Options, now: Instant) -> Result<Self, Failure> {
        Ok(Self {
            path: options.server.session_path(&options.game, &options.parameters),
            wrap: Wrap::new(&options.server, options.ca.as_deref())?,
            server: options.server.clone(),
            state: State::Waiting(now),
            untried: VecDeque::new(),
            wait: SHORTEST_WAIT,
            doublings: 0,
            away: false,
            echo: VecDeque::new(),
        })
    }

    /// Leaves the connection and resumes on a new one: what was printed did not come from this server.
    #[cfg(feature = "embedded")]
    pub fn begin_again(&mut self, now: Instant) {
        if let State::Open(_) = self.state {
            self.state = State::Waiting(now);
        }
    }

    fn limit(&self) -> Duration {
        STEP_LIMIT * 2_u32.pow(self.doublings)
    }

    /// One step of a state; `None` when there is nothing more to do without waiting.
    fn step(&mut self, now: Instant, transcript: &Transcript, news: &mut Vec<News>) -> Option<State> {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Waiting(until) if now < until => self.rest(State::Waiting(until)),
            State::Waiting(_) => match literal(&self.server) {
                Some(address) => {
                    self.untried = [address].into();
                    Some(self.dial(now, news))
                }
                None => match Lookup::start(&self.server) {
                    Ok(lookup) => Some(State::LookingUp(lookup)),
                    Err(error) => Some(self.set_back(Setback::later(brief(&error)), now, news)),
                },
            },
            State::LookingUp(lookup) => match lookup.poll() {
                None => self.rest(State::LookingUp(lookup)),
                Some(Ok(addresses)) => {
                    self.untried = addresses.into();
                    Some(self.dial(now, news))
                }
                Some(Err(error)) => Some(self.set_back(Setback::later(error.to_string()), now, news)),
            },
            State::Dialing(attempt) => match attempt.advance(now, self.limit(), &self.wrap) {
                Progress::Pending(attempt) => self.rest(State::Dialing(attempt)),
                Progress::Open(socket) => {
                    self.echo = transcript.opening().map(str::to_owned).collect();
                    Some(State::Open(Box::new(Session::new(socket, now))))
                }
                Progress::Failed(setback)
                    if self.untried.is_empty() || matches!(setback, Setback::Never(_)) =>
                {
                    Some(self.set_back(setback, now, news))
                }
                Progress::Failed(_) => Some(self.dial(now, news)),
            },
            State::Open(session) => self.converse(session, now, transcript, news),
            State::Ended => None,
        }
    }

    fn rest(&mut self, state: State) -> Option<State> {
        self.state = state;
        None
    }

    /// Tries the next address.
    fn dial(&mut self, now: Instant, news: &mut Vec<News>) -> State {
        let mut setback = Setback::later("its name has no address");
        while let Some(address) = self.untried.pop_front() {
            let upgrade = Upgrade::new(&self.server.authority(), &self.path);
            match Attempt::start(address, upgrade, now, self.limit()) {
                Ok(attempt) => return State::Dialing(attempt),
                Err(failed) => setback = failed,
            }
        }
        self.set_back(setback, now, news)
    }

    /// Hears, then speaks.
    fn converse(
        &mut self,
        mut session: Box<Session>,
        now: Instant,
        transcript: &Transcript,
        news: &mut Vec<News>,
    ) -> Option<State> {
        let mut heard = Vec::new();
        session.hear(now, &mut heard);
        let mut end = self.take(heard, news);
        if end.is_none() {
            if session.steady(now) {
                self.recover(news);
            }
            let Err(reason) = session.speak(now, transcript) else {
                return self.rest(State::Open(session));
            };
            // What the server said last, its reason to hang up perhaps, may still be there to be heard.
            let mut heard = Vec::new();
            session.hear(now, &mut heard);
            end = Some(self.take(heard, news).unwrap_or(Heard::Lost(reason)));
        }
        match end {
            Some(Heard::Closed(CLOSE_DONE, _)) => {
                news.push(News::Over);
                None
            }
            Some(Heard::Closed(code @ 4000..5000, reason)) => {
                let said = if reason.is_empty() { code.to_string() } else { reason };
                let what = if code == CLOSE_CONTRADICTION { "the dialogue" } else { "the session" };
                let reason = format!("the server refuses {what}: {said}");
                news.push(News::Failed(Failure::dialogue(reason)));
                None
            }
            Some(Heard::Closed(code, reason)) => {
                let wait = (code == CLOSE_LATER).then_some(MOMENT);
                let reason = format!("closed with {code} {reason}").trim_end().to_owned();
                Some(self.set_back(Setback::Later { reason, wait, timeout: false }, now, news))
            }
            Some(Heard::Lost(reason)) => Some(self.set_back(Setback::later(reason), now, news)),
            Some(Heard::Text(_)) | None => None,
        }
    }

    /// Passes on what was said and gives back what ended the session, if anything did.
    fn take(&mut self, heard: Vec<Heard>, news: &mut Vec<News>) -> Option<Heard> {
        for heard in heard {
            let Heard::Text(text) = heard else {
                return Some(heard);
            };
            let mut print = Vec::new();
            for said in said(&text) {
                match said {
                    Said::Remark(remark) => news.push(News::Remark(remark.to_owned())),
                    Said::Print(line) if self.echo.front().is_some_and(|echo| echo == line) => {
                        self.echo.pop_front();
                    }
                    Said::Print(line) => {
                        self.echo.clear();
                        print.push(line.to_owned());
                    }
                }
            }
            if !print.is_empty() {
                news.push(News::Print(print));
                self.recover(news);
            }
        }
        None
    }

    /// The server is there again, and of use.
    fn recover(&mut self, news: &mut Vec<News>) {
        self.wait = SHORTEST_WAIT;
        self.doublings = 0;
        if std::mem::take(&mut self.away) {
            news.push(News::Note(format!("{} is back", self.server)));
        }
    }

    /// An attempt or a connection came to its end.
    fn set_back(&mut self, setback: Setback, now: Instant, news: &mut Vec<News>) -> State {
        match setback {
            Setback::Never(failure) => {
                news.push(News::Failed(failure));
                State::Ended
            }
            Setback::Later { reason, wait, timeout } => {
                if !std::mem::replace(&mut self.away, true) {
                    news.push(News::Note(format!("{} is away ({reason}), trying again", self.server)));
                }
                if timeout {
                    self.doublings = (self.doublings + 1).min(MOST_DOUBLINGS);
                }
                let wait = wait.unwrap_or_default().min(LONGEST_WISH).max(self.wait);
                self.wait = (self.wait * 2).min(LONGEST_WAIT);
                State::Waiting(now + wait)
            }
        }
    }
}

impl Answerer for Remote {
    fn turn(&mut self, now: Instant, transcript: &Transcript, news: &mut Vec<News>) {
        while let Some(state) = self.step(now, transcript, news) {
            self.state = state;
        }
    }

    fn watch(&self) -> Option<Watch<'_>> {
        match &self.state {
            State::LookingUp(lookup) => Some(lookup.watch()),
            State::Dialing(attempt) => Some(attempt.watch()),
            State::Open(session) => Some(session.watch()),
            State::Waiting(_) | State::Ended => None,
        }
    }

    fn wake_at(&self) -> Option<Instant> {
        match &self.state {
            State::Waiting(until) => Some(*until),
            State::Dialing(attempt) => Some(attempt.deadline()),
            State::Open(session) => Some(session.wake_at()),
            State::LookingUp(_) | State::Ended => None,
        }
    }

    fn in_touch(&self) -> bool {
        matches!(self.state, State::Open(_))
    }
}
