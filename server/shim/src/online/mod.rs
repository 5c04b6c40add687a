//! `kibitz-shim play`: keeps a bot online. One control connection stays open; on it the server offers challenges and names
//! the matches in which the bot has a seat. Each match runs on a thread of its own, as `kibitz-shim join` plays it. It must
//! know no game.

pub(crate) mod options;

use crate::answerers::remote::{CLOSE_TAKEN_OVER, retry_after_close};
use crate::dialogue::answer::Failure;
use crate::dialogue::notes::{Notes, write_last};
use crate::dialogue::pipe::timespec;
use crate::dialogue::transcript::Transcript;
use crate::join;
use crate::join::options::JoinOptions;
use crate::join::requests::json;
use crate::network::connect::{ConnectError, classify};
use crate::network::http::{HttpMethod, HttpRequest, json_string};
use crate::network::link::{Link, LinkEvent};
use options::{OnlineOptions, TokenSource};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Refusals after which no other attempt can succeed: the options are wrong.
const REFUSALS_FOR_GOOD: [&str; 5] =
    ["unknown_game", "bad_field", "bad_json", "not_a_bot", "play_scope_needed"];

/// How long a challenge waits for a seat that is being freed: after the last move of a match, its program ends and the server
/// learns so.
const FREED_WITHIN: Duration = Duration::from_secs(2);

/// Keeps the bot online until a signal arrives.
pub(crate) fn run(options: OnlineOptions) -> Result<(), Failure> {
    if !join::check_program(&options.command)? {
        find_program(&options.command)?;
    }
    let signals = join::signals()?;
    let mut online = OnlineBot::new(options)?;
    loop {
        let signalled = online.turn(Instant::now()).and_then(|()| online.wait(&signals));
        if !matches!(signalled, Ok(false)) {
            online.stop();
        }
        if signalled? {
            write_last(
                "stopped by a signal; the seats of running matches stay taken, start again to continue",
            );
            return Ok(());
        }
    }
}

/// A match that is being played.
struct RunningMatch {
    /// Closing it stops the match's thread.
    stop: UnixStream,
    thread: JoinHandle<()>,
}

/// The bot, its control connection and its matches.
struct OnlineBot {
    options: OnlineOptions,
    token: String,
    link: Link,
    /// The messages to the server: the policy, and answers to challenges since the connection was opened.
    outbox: Transcript,
    notes: Notes,
    /// Whether the program was online before.
    was_online: bool,
    running: HashMap<String, RunningMatch>,
    /// Matches that begin when there is room for them.
    waiting: VecDeque<String>,
    /// Challenges that were accepted and whose match is not known yet.
    accepted: BTreeSet<String>,
    /// Challenges for which there is no room, with the time at which each is declined.
    held: VecDeque<(String, Instant)>,
    /// Matches that cannot go on in this process.
    given_up: BTreeSet<String>,
    /// Matches that have ended, with the result.
    ended: mpsc::Receiver<(String, Result<Option<String>, Failure>)>,
    report: mpsc::Sender<(String, Result<Option<String>, Failure>)>,
    /// Becomes readable when a match has ended.
    wake: UnixStream,
    waker: UnixStream,
}

impl OnlineBot {
    fn new(options: OnlineOptions) -> Result<Self, Failure> {
        let token = token(&options.token)?;
        let path = format!("{}/v1/me/live", options.server.base());
        let headers = vec![("Authorization", format!("Bearer {token}"))];
        let request = HttpRequest { path, headers, method: HttpMethod::WebSocket };
        let link = Link::new(&options.server, options.ca.as_deref(), request, Instant::now())?;
        let (report, ended) = mpsc::channel();
        let pair = || {
            let (wake, waker) = UnixStream::pair()?;
            wake.set_nonblocking(true)?;
            // A full stream wakes as well.
            waker.set_nonblocking(true)?;
            Ok((wake, waker))
        };
        let (wake, waker) = pair()
            .map_err(|error: std::io::Error| Failure::setup(format!("cannot create a socket: {error}")))?;
        let mut online = Self {
            notes: Notes::new(options.verbose),
            options,
            token,
            link,
            outbox: Transcript::default(),
            was_online: false,
            running: HashMap::new(),
            waiting: VecDeque::new(),
            accepted: BTreeSet::new(),
            held: VecDeque::new(),
            given_up: BTreeSet::new(),
            ended,
            report,
            wake,
            waker,
        };
        online.begin_again();
        Ok(online)
    }

    /// Begins the messages of a new connection with the policy. Old answers to challenges are left out: the server
    /// repeats open challenges.
    fn begin_again(&mut self) {
        self.outbox = Transcript::default();
        self.outbox.message(&policy(&self.options));
        self.accepted.clear();
        self.held.clear();
    }

    /// Does everything that is possible without waiting.
    fn turn(&mut self, now: Instant) -> Result<(), Failure> {
        while let Ok((id, result)) = self.ended.try_recv() {
            self.match_ended(&id, result);
        }
        let mut events = Vec::new();
        loop {
            self.answer_held(now);
            let was_open = self.link.is_open();
            self.link.turn(now, &self.outbox, &mut events);
            if was_open && !self.link.is_open() {
                self.begin_again();
            }
            if events.is_empty() {
                break;
            }
            for event in events.drain(..) {
                self.handle(event, now)?;
            }
        }
        Ok(())
    }

    fn handle(&mut self, event: LinkEvent, now: Instant) -> Result<(), Failure> {
        match event {
            LinkEvent::Opened => {}
            LinkEvent::Text(text) => {
                self.notes.answered();
                self.link.recover().iter().for_each(|note| self.notes.write(note));
                self.told(&text, now)?;
            }
            LinkEvent::Closed(CLOSE_TAKEN_OVER, reason) => {
                return Err(Failure::dialogue(format!(
                    "{reason}: only one `kibitz-shim play` of a bot can run at a time, and a newer one has started"
                )));
            }
            LinkEvent::Closed(code, reason) => {
                let note = retry_after_close(&mut self.link, code, &reason, now);
                note.iter().for_each(|note| self.notes.write(note));
            }
            LinkEvent::Response(response) => match classify(response, "; check the server and the token") {
                ConnectError::Permanent(failure) => return Err(failure),
                ConnectError::Temporary { reason, wait, .. } => {
                    let note = self.link.retry(&reason, wait, now);
                    note.iter().for_each(|note| self.notes.write(note));
                }
            },
            LinkEvent::Note(text) => self.notes.write(&text),
            LinkEvent::Failed(failure) => return Err(failure),
        }
        Ok(())
    }

    /// Handles an event of the server. Its own fields come before those of anything inside it.
    fn told(&mut self, event: &str, now: Instant) -> Result<(), Failure> {
        let field = |name| json_string(event, name).unwrap_or_default();
        match field("type").as_str() {
            "policy_set" if !std::mem::replace(&mut self.was_online, true) => {
                self.notes.write(&online_note(&self.options));
            }
            "challenge" if field("role") == "opponent" => self.answer(field("id"), &field("game"), now),
            "challenge_over" => {
                let id = field("id");
                self.accepted.remove(&id);
                self.held.retain(|(held, _)| *held != id);
            }
            "match_over" => self.waiting.retain(|waiting| *waiting != field("id")),
            "match" if field("game") == self.options.game => self.begin(field("id")),
            "refused" => {
                let (code, detail) = (field("code"), field("detail"));
                if REFUSALS_FOR_GOOD.contains(&code.as_str()) {
                    return Err(Failure::setup(format!("the server refuses ({code}): {detail}")));
                }
                self.notes.write(&format!("the server refuses ({code}): {detail}"));
            }
            _ => {}
        }
        Ok(())
    }

    /// Accepts a challenge if there is room for its match; otherwise the challenge waits a moment. The server has compared it
    /// with the policy.
    fn answer(&mut self, id: String, game: &str, now: Instant) {
        if game != self.options.game {
            self.decline(&id, &format!("plays only {}", self.options.game));
        } else {
            self.held.push_back((id, now + FREED_WITHIN));
        }
    }

    /// Accepts the challenges for which there is room, and declines those that have waited for long enough.
    fn answer_held(&mut self, now: Instant) {
        let most = self.options.concurrent as usize;
        while let Some((id, until)) = self.held.front().cloned() {
            let playing = self.running.len() + self.accepted.len() + self.waiting.len();
            if playing < most {
                self.outbox.message(&format!("{{\"type\":\"accept\",\"id\":{}}}", json(&id)));
                self.accepted.insert(id);
            } else if now >= until {
                self.decline(&id, &format!("plays {playing} of at most {most} matches now"));
            } else {
                return;
            }
            self.held.pop_front();
        }
    }

    fn decline(&mut self, id: &str, reason: &str) {
        let message = format!("{{\"type\":\"decline\",\"id\":{},\"reason\":{}}}", json(id), json(reason));
        self.outbox.message(&message);
    }

    /// Plays a match, unless it is being played. The server asks the policy before it gives the bot a seat; this is checked
    /// again here, because processes of the bot run on this machine.
    fn begin(&mut self, id: String) {
        if self.running.contains_key(&id) || self.given_up.contains(&id) || self.waiting.contains(&id) {
            return;
        }
        if self.running.len() >= self.options.concurrent as usize {
            self.notes.write(&format!("match {id} waits until another one ends (--concurrent)"));
            self.waiting.push_back(id);
            return;
        }
        let options = JoinOptions {
            match_address: self.options.server.with_path(&format!("/v1/matches/{id}")),
            token: Some(self.token.clone()),
            key: None,
            seat: None,
            name: None,
            referee: self.options.referee.clone(),
            bot_version: self.options.bot_version.clone(),
            ca: self.options.ca.clone(),
            log_dir: self.options.log_dir.clone(),
            verbose: self.options.verbose,
            command: self.options.command.clone(),
        };
        let (report, name) = (self.report.clone(), id.clone());
        let begun = UnixStream::pair().and_then(|(stop, stopped)| {
            let mut waker = self.waker.try_clone()?;
            let thread = std::thread::Builder::new().name("match".into()).spawn(move || {
                let result = join::play(options, &stopped);
                // The program may be ending; ignore the errors.
                let _ = report.send((name, result));
                let _ = waker.write(&[0]);
            })?;
            Ok(RunningMatch { stop, thread })
        });
        match begun {
            Ok(running) => {
                self.notes.write(&format!("plays match {id}"));
                self.running.insert(id, running);
            }
            // The server names it again on the next connection.
            Err(error) => self.notes.write(&format!("match {id} cannot be played now: {error}")),
        }
    }

    fn match_ended(&mut self, id: &str, result: Result<Option<String>, Failure>) {
        if let Some(running) = self.running.remove(id) {
            drop(running.stop);
            // It has just reported its end; a panic was reported by itself.
            let _ = running.thread.join();
        }
        match result {
            Ok(Some(result)) => self.notes.write(&format!("match {id} is over: {result}")),
            Ok(None) => {}
            Err(failure) => {
                self.given_up.insert(id.to_owned());
                self.notes.write(&format!("match {id} cannot go on: {}", failure.reason));
            }
        }
        if let Some(next) = self.waiting.pop_front() {
            self.begin(next);
        }
    }

    /// Waits for the server, the end of a match, or the clock. `true`: a signal arrived.
    fn wait(&mut self, signals: &UnixStream) -> Result<bool, Failure> {
        let mut fds = vec![PollFd::new(signals, PollFlags::IN), PollFd::new(&self.wake, PollFlags::IN)];
        if let Some(target) = self.link.poll_target() {
            let room = if target.write { PollFlags::OUT } else { PollFlags::empty() };
            fds.push(PollFd::from_borrowed_fd(target.fd, PollFlags::IN | room));
        }
        let declines_at = self.held.front().map(|(_, until)| *until);
        let wakes_at = [self.link.wake_at(), declines_at].into_iter().flatten().min();
        let timeout = wakes_at.map(|at| timespec(at.saturating_duration_since(Instant::now())));
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(Failure::dialogue(format!("cannot wait for the server: {error}"))),
        }
        let signalled = fds.first().is_some_and(|signals| !signals.revents().is_empty());
        drop(fds);
        // The bytes only wake the poll.
        let _ = self.wake.read(&mut [0; 64]);
        Ok(signalled)
    }

    /// Stops all matches and their bots.
    fn stop(&mut self) {
        let running: Vec<RunningMatch> = self.running.drain().map(|(_, running)| running).collect();
        let threads: Vec<JoinHandle<()>> = running
            .into_iter()
            .map(|RunningMatch { stop, thread }| {
                drop(stop);
                thread
            })
            .collect();
        for thread in threads {
            // A panic was reported by itself.
            let _ = thread.join();
        }
    }
}

/// The message with the bot's policy.
fn policy(options: &OnlineOptions) -> String {
    let clock = options.clock_ms.map(|(least, most)| format!(",\"clock_ms\":[{least},{most}]"));
    let settings: Vec<String> =
        options.referee.iter().map(|(key, value)| format!("{}:{}", json(key), json(value))).collect();
    // Servers that do not know these fields take the ladder to be true, and no settings.
    let ladder = if options.ladder { "" } else { ",\"ladder\":false" };
    let referee = match settings.is_empty() {
        true => String::new(),
        false => format!(",\"referee\":{{{}}}", settings.join(",")),
    };
    format!(
        "{{\"type\":\"policy\",\"policy\":{{\"games\":[{}],\"concurrent\":{},\"rated\":{},\"from\":{},\"unlimited\":{}{}{ladder}{referee}}}}}",
        json(&options.game),
        options.concurrent,
        json(&options.rated),
        json(&options.from),
        !options.timed,
        clock.unwrap_or_default(),
    )
}

/// What the bot accepts, in one line for people.
fn online_note(options: &OnlineOptions) -> String {
    let OnlineOptions { game, server, concurrent, .. } = options;
    let kind = match options.rated.as_str() {
        "only" => "rated matches",
        "never" => "unrated matches",
        _ => "rated and unrated matches",
    };
    let from = match options.from.as_str() {
        "people" => "people",
        "bots" => "bots",
        "owner" => "its owner",
        _ => "anyone",
    };
    let seconds = |ms: u64| format!("{} s", ms as f64 / 1000.0);
    let clock = match (options.clock_ms, options.timed) {
        (Some((least, most)), _) => format!("clock {} to {}", seconds(least), seconds(most)),
        (None, _) => "any clock".to_owned(),
    };
    let untimed = if options.timed { "" } else { " or none" };
    let ladder = if options.ladder { "" } else { ", not on the ladder" };
    format!(
        "online at {server}: {game}, {kind} with {from}, {clock}{untimed}, {concurrent} at a time{ladder}"
    )
}

/// The token, from its source.
pub(crate) fn token(source: &TokenSource) -> Result<String, Failure> {
    let text = match source {
        TokenSource::Text(text) => text.clone(),
        TokenSource::File(path) => std::fs::read_to_string(path).map_err(|error| {
            Failure::setup(format!("the token file {} cannot be read: {error}", path.display()))
        })?,
    };
    let token = text.trim();
    match !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(token.to_owned()),
        false => Err(Failure::setup("the token is invalid: it must be visible ASCII without spaces")),
    }
}

/// Checks that the bot's program exists: otherwise it would lose its matches one after the other.
fn find_program(command: &[std::ffi::OsString]) -> Result<(), Failure> {
    let Some(program) = command.first() else { return Ok(()) };
    let runs = |path: &Path| {
        std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    };
    let found = match program.as_bytes().contains(&b'/') {
        true => runs(Path::new(program)),
        false => std::env::var_os("PATH").is_some_and(|path| {
            std::env::split_paths(&path).any(|folder| runs(&folder.join::<&OsStr>(program)))
        }),
    };
    match found {
        true => Ok(()),
        false => {
            let name = program.to_string_lossy();
            Err(Failure::setup(format!("the bot {name} is not a program: check its path and permissions")))
        }
    }
}
