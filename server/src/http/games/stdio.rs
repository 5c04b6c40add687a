//! `GET /v1/games/{game}/stdio`: a dialogue over a WebSocket, line by line. While an engine thinks, the socket is
//! read: a peer that has gone stops the search, and what comes early waits.

use std::pin::Pin;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocketUpgrade};
use axum::response::Response;
use engines::erased::{Awaits, DecisionRequest};
use engines::rng::Rng;
use tokio::time::{sleep, sleep_until};

use crate::app::App;
use crate::engine_pool::{Task, TimedDecision};
use crate::error::{Code, Error};
use crate::http::games::dialogue::FencedDialogue;
use crate::http::games::options;
use crate::http::games::options::{DialogueOptions, SearchOptions};
use crate::http::live::close::{BAD, DONE, End, FAILED, GOING_AWAY, LATER, TOO_LARGE, end};
use crate::http::live::meter::SocketSource;
use crate::http::live::socket;
use crate::http::live::socket::Wire;
use crate::http::openapi;
use crate::http::request::client::Client;
use crate::http::request::extract::{GameOf, Query};

/// What may wait behind a decision.
const MAX_WAITING_BYTES: usize = 4 << 20;
const MAX_WAITING: usize = 100_000;

/// How long a refused thought waits at least, and at most, before it is tried again.
const RETRY: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(100));

/// What is left of the time when it is tried for the last time: so short a thought has a lane of its own, and it is
/// better than none.
const LAST: Duration = Duration::from_millis(80);

/// A dialogue, line by line, over a WebSocket.
///
/// The client sends messages of one or more lines of a transcript, joined by line feeds: `< TEXT` what the bot read,
/// `> TEXT` what it printed already, `# TEXT` a remark, `.` the end of its input. The server sends `> TEXT` lines to
/// print, and `# TEXT` remarks; `# keep KEY=VALUE` asks the client to give this parameter when it starts another
/// dialogue of the same match, as contests do that start a new process for every move; `# warning TEXT` says that the
/// referee told what our rules forbid, and the dialogue goes on. It says nothing before the first message: a client that has nothing to say yet
/// sends a remark. A client that lost its connection sends the transcript so far in one message and goes on.
/// Closes with 1000 when the dialogue is over, 4400 when it went wrong, 4413 when it is
/// too much, 1001 when the server stops, 1013 when
/// all engines are busy for too long.
#[utoipa::path(get, path = "/v1/games/{game}/stdio", operation_id = "openDialogue", tag = "moves",
    params(openapi::GamePath, openapi::DialogueQuery),
    responses((status = 101, description = "The WebSocket is open."), openapi::Refusals))]
pub async fn stdio(
    State(app): State<&'static App>,
    GameOf(offer): GameOf,
    Client(client): Client,
    query: Query,
    source: SocketSource,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Error> {
    let DialogueOptions { ask, remarks, settings, .. } =
        DialogueOptions::parse(query.0, offer, client, &app.limits)?;
    let session = options::session(offer, &settings)?;
    let hold = move |wire| {
        Dialogue { app, ask, tells: remarks, wire, early: 0, remarks: String::new() }
            .hold(FencedDialogue::new(session))
    };
    socket::open(app, source, upgrade, hold)
}

type PendingDecision = Pin<Box<dyn Future<Output = Result<TimedDecision, Error>> + Send>>;

/// What happened next.
enum Event {
    Stopping,
    Came(Option<Result<Message, axum::Error>>),
    Decided(Result<TimedDecision, Error>),
    Silence,
    Pulse,
}

/// What the dialogue waits for besides lines.
enum Wait {
    Lines,
    Silence(Instant),
    TimedDecision(PendingDecision),
}

struct Dialogue {
    app: &'static App,
    ask: SearchOptions,
    /// Whether the client wants remarks on each decision.
    tells: bool,
    wire: Wire,
    /// Bytes that came while a thought was under way.
    early: usize,
    /// Remarks on decisions, marked, for the next message.
    remarks: String,
}

impl Dialogue {
    async fn hold(mut self, talk: FencedDialogue) {
        let Err(end) = self.converse(talk).await;
        self.wire.close(end).await;
    }

    async fn converse(&mut self, mut talk: FencedDialogue) -> Result<std::convert::Infallible, End> {
        let mut wait = Wait::Lines;
        loop {
            let awaits;
            (talk, awaits) = match self.event(&mut wait).await {
                Event::Stopping => return Err(end(GOING_AWAY, "the server is stopping")),
                Event::Pulse => {
                    self.wire.pulse().await?;
                    continue;
                }
                Event::Came(message) => {
                    let Some(text) = self.wire.text(message)? else { continue };
                    if matches!(wait, Wait::TimedDecision(_)) && (talk.waiting() > 0 || !answers(&text)) {
                        self.keep(&mut talk, &text).await?;
                        continue;
                    }
                    let heard = talk.hear_lines(text).await;
                    self.or_end(heard).await?
                }
                Event::Silence => {
                    let silent = talk.silence().await;
                    self.or_end(silent).await?
                }
                Event::Decided(thought) => {
                    let thought = self.or_end(thought).await?;
                    if self.tells {
                        self.remarks.push_str(&thought.remarks());
                    }
                    let decided = talk.decide(thought.answer.mv.notation).await;
                    self.or_end(decided).await?
                }
            };
            if talk.waiting() == 0 {
                self.early = 0;
                self.wire.keep_nothing();
            }
            self.print(&mut talk).await?;
            wait = match awaits {
                Awaits::Entry => Wait::Lines,
                Awaits::EntryWithin(time) => Wait::Silence(Instant::now() + time),
                Awaits::Decision(question) => Wait::TimedDecision(self.think(question)),
                Awaits::Nothing => return Err(end(DONE, "the dialogue is over")),
            };
        }
    }

    async fn event(&mut self, wait: &mut Wait) -> Event {
        let next_pulse = self.wire.next_pulse();
        tokio::select! {
            biased;
            () = self.app.stopping.cancelled() => Event::Stopping,
            message = self.wire.recv() => Event::Came(message),
            event = async {
                match wait {
                    Wait::Lines => std::future::pending().await,
                    Wait::Silence(until) => {
                        sleep_until((*until).into()).await;
                        Event::Silence
                    }
                    Wait::TimedDecision(thought) => Event::Decided(thought.await),
                }
            } => event,
            () = sleep_until(next_pulse.into()) => Event::Pulse,
        }
    }

    /// Keeps lines that came while a thought is under way.
    async fn keep(&mut self, talk: &mut FencedDialogue, text: &str) -> Result<(), End> {
        self.early += text.len();
        self.wire.keep(text.len())?;
        let kept = talk.keep(text);
        self.or_end(kept).await?;
        if self.early > MAX_WAITING_BYTES || talk.waiting() > MAX_WAITING {
            return Err(end(TOO_LARGE, "too much waits behind a decision"));
        }
        Ok(())
    }

    async fn print(&mut self, talk: &mut FencedDialogue) -> Result<(), End> {
        let (lines, remarks) = (talk.take_lines(), talk.take_remarks());
        if lines.is_empty() && remarks.is_empty() {
            return Ok(());
        }
        self.app.metrics.lines.inc_by(lines.len() as u64);
        let mut text = String::with_capacity(lines.iter().map(|line| line.len() + 3).sum());
        text.push_str(&std::mem::take(&mut self.remarks));
        for remark in remarks {
            text.push_str(&format!("# warning {remark}\n"));
        }
        for (key, value) in talk.to_keep() {
            text.push_str(&format!("# keep {key}={value}\n"));
        }
        for line in &lines {
            text.push_str("> ");
            text.push_str(line);
            text.push('\n');
        }
        text.pop();
        self.wire.say(text).await
    }

    /// The value, or a remark and the end that the error is.
    async fn or_end<T>(&mut self, result: Result<T, Error>) -> Result<T, End> {
        let e = match result {
            Ok(value) => return Ok(value),
            Err(e) => e,
        };
        e.log(None);
        let code = match e.code() {
            Code::Busy => LATER,
            Code::Stopping => GOING_AWAY,
            Code::Internal | Code::EngineFailed => FAILED,
            _ => BAD,
        };
        Err(self.wire.fail(code, &e).await)
    }

    fn think(&self, question: DecisionRequest) -> PendingDecision {
        let task = self.ask.dialogue_task(question, Instant::now(), true);
        Box::pin(think(self.app, task))
    }
}

/// Thinks; waits for a free engine as long as the deadline allows, and asks once more after an engine's failure.
async fn think(app: &'static App, mut task: Task) -> Result<TimedDecision, Error> {
    let mut failed = false;
    loop {
        let thought = match app.thinking.think(task.clone()) {
            Ok(pending) => pending.answer().await,
            Err(e) => Err(e),
        };
        match thought {
            Err(e) if e.code() == Code::Busy => {
                let left = task.deadline.saturating_duration_since(Instant::now());
                if left <= LAST {
                    return Err(e);
                }
                let wait = e.comes_back_after().unwrap_or(RETRY.0).clamp(RETRY.0, RETRY.1);
                sleep(wait.min(left - LAST)).await;
            }
            Err(e) if e.code() == Code::EngineFailed && !failed => {
                e.log(None);
                failed = true;
                // The same search would fail at the same place.
                task.limits.seed = Rng::new(&task.limits.seed).seed();
            }
            done => return done,
        }
    }
}

/// Whether a message holds answers that are known already.
fn answers(text: &str) -> bool {
    text.starts_with('>') || text.contains("\n>")
}
