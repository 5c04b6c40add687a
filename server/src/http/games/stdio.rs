//! `GET /v1/games/{game}/stdio`: a dialogue over a WebSocket, line by line. The socket is read while an engine thinks: a
//! peer that disconnects stops the search, and lines that arrive early are kept until the decision is made.

use std::time::Instant;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use engines::erased::{Awaits, DecisionRequest};
use engines::protocol::KeptSetting;
use tokio::time::sleep_until;

use crate::app::App;
use crate::error::Error;
use crate::http::games::dialogue::{FencedDialogue, Reader};
use crate::http::games::options;
use crate::http::games::options::{DialogueOptions, SearchOptions};
use crate::http::games::pending_decision::{DecisionProgress, PendingDecision};
use crate::http::live::close::{CloseReason, DONE, GOING_AWAY, TOO_LARGE, close_with};
use crate::http::live::socket;
use crate::http::live::socket::{SocketMessage, TextSocket};
use crate::http::openapi;
use crate::request::client::Client;
use crate::request::extract::UrlQuery;
use crate::request::meter::SocketSource;
use crate::request::path::GameOf;

/// The most bytes and entries that are kept while a decision is pending.
const MAX_WAITING_BYTES: usize = 4 << 20;
const MAX_WAITING: usize = 100_000;

/// A dialogue over a WebSocket, line by line.
///
/// The client sends messages of one or more lines of a transcript, joined by line feeds: `< TEXT` is what the bot read,
/// `> TEXT` what it already printed, `# TEXT` a remark, `.` the end of its input. The server sends `> TEXT` lines to
/// print, and `# TEXT` remarks. `# keep KEY=VALUE` asks the client to give this parameter when it starts another
/// dialogue of the same match, which is needed in contests that start a new process for every move. A client that plays
/// several matches and cannot tell them apart gives all kept values, joined by commas; the server finds the one of the
/// match. `# forget KEY=VALUE` before it says which kept value the new one replaces. `# warning TEXT`
/// says that the referee sent something that our rules forbid; the dialogue goes on. `# best MS TEXT`, while the server
/// thinks, is the best move so far in a contest with a limit: if no line to print has come MS milliseconds after the
/// line that asked for it, print TEXT, disconnect, and send the transcript on a new connection. A later one replaces it.
/// The server sends nothing before
/// the first message: a client that has nothing to say yet sends a remark. A client that lost its connection
/// reconnects, sends the transcript so far in one message and goes on.
///
/// Closes with 1000 when the dialogue is over, 4400 when a message is wrong, 4413 when the client sends too much, 1001
/// when the server stops, 1013 when all engines are busy for too long.
#[utoipa::path(get, path = "/v1/games/{game}/stdio", operation_id = "openDialogue", tag = "moves",
    params(openapi::GamePath, openapi::DialogueQuery),
    responses((status = 101, description = "The WebSocket is open."), openapi::Refusals))]
pub(crate) async fn stdio(
    State(app): State<&'static App>,
    GameOf(offer): GameOf,
    Client(client): Client,
    query: UrlQuery,
    source: SocketSource,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Error> {
    let reader = Reader::new(app, &client, offer);
    let DialogueOptions { search, remarks, settings, .. } =
        DialogueOptions::parse(query.0, offer, client, &app.limits)?;
    let dialogue = FencedDialogue::new(options::session(offer, &settings)?);
    socket::open(app, source, None, upgrade, move |socket| async move {
        let mut connection = DialogueConnection {
            app,
            reader,
            search,
            with_remarks: remarks,
            socket,
            kept_bytes: 0,
            decision_remarks: String::new(),
        };
        let Err(reason) = connection.run(dialogue).await;
        connection.socket.close(reason).await;
    })
}

/// An input to which a dialogue reacts.
enum DialogueInput {
    Stopping,
    Message(SocketMessage),
    Search(DecisionProgress),
    Silence,
}

/// The event that the dialogue waits for besides messages.
enum WaitsFor {
    Nothing,
    Silence(Instant),
    Decision(PendingDecision),
}

/// A WebSocket and the dialogue on it.
struct DialogueConnection {
    app: &'static App,
    reader: Reader,
    search: SearchOptions,
    /// Whether the client wants remarks on each decision.
    with_remarks: bool,
    socket: TextSocket,
    /// Bytes that arrived while a decision was pending.
    kept_bytes: usize,
    /// Remarks on decisions, as lines of a transcript, for the next message.
    decision_remarks: String,
}

impl DialogueConnection {
    /// Runs the dialogue until it ends. Returns the reason as the error.
    async fn run(&mut self, mut dialogue: FencedDialogue) -> Result<std::convert::Infallible, CloseReason> {
        let mut waits_for = WaitsFor::Nothing;
        loop {
            let input = self.next_input(&mut waits_for).await;
            let pending = matches!(waits_for, WaitsFor::Decision(_));
            let awaits;
            (dialogue, awaits) = match self.take(dialogue, input, pending).await? {
                (dialogue, Some(awaits)) => (dialogue, awaits),
                (unchanged, None) => {
                    dialogue = unchanged;
                    continue;
                }
            };
            if dialogue.waiting() == 0 {
                self.kept_bytes = 0;
                self.socket.keep_nothing();
            }
            self.print(&mut dialogue).await?;
            waits_for = match awaits {
                Awaits::Entry => WaitsFor::Nothing,
                Awaits::EntryWithin(time) => WaitsFor::Silence(Instant::now() + time),
                Awaits::Decision(question) => WaitsFor::Decision(self.decide(question)),
                Awaits::Nothing => return Err(close_with(DONE, "the dialogue is over")),
            };
        }
    }

    async fn next_input(&mut self, waits_for: &mut WaitsFor) -> DialogueInput {
        tokio::select! {
            biased;
            () = self.app.stopping.cancelled() => DialogueInput::Stopping,
            message = self.socket.recv() => DialogueInput::Message(message),
            input = async {
                match waits_for {
                    WaitsFor::Nothing => std::future::pending().await,
                    WaitsFor::Silence(until) => {
                        sleep_until((*until).into()).await;
                        DialogueInput::Silence
                    }
                    WaitsFor::Decision(decision) => DialogueInput::Search(decision.next().await),
                }
            } => input,
        }
    }

    /// Gives the input to the dialogue. `pending`: whether a decision is pending. Returns what the dialogue awaits then;
    /// `None` if that is unchanged.
    async fn take(
        &mut self,
        mut dialogue: FencedDialogue,
        input: DialogueInput,
        pending: bool,
    ) -> Result<(FencedDialogue, Option<Awaits>), CloseReason> {
        let result = match input {
            DialogueInput::Stopping => return Err(close_with(GOING_AWAY, "the server is stopping")),
            DialogueInput::Message(message) => {
                let Some(text) = self.socket.text(message)? else { return Ok((dialogue, None)) };
                if pending && (dialogue.waiting() > 0 || !holds_printed_lines(&text)) {
                    self.keep(&mut dialogue, &text).await?;
                    return Ok((dialogue, None));
                }
                dialogue.hear_lines(text, self.reader).await
            }
            DialogueInput::Silence => dialogue.silence().await,
            DialogueInput::Search(DecisionProgress::Best(remark)) => {
                self.socket.send_text(remark).await?;
                return Ok((dialogue, None));
            }
            DialogueInput::Search(DecisionProgress::Decided(decision)) => {
                let decision = self.or_close(decision).await?;
                if self.with_remarks {
                    self.decision_remarks.push_str(&decision.remarks());
                }
                dialogue.decide(decision.answer.mv.notation).await
            }
        };
        let (dialogue, awaits) = self.or_close(result).await?;
        Ok((dialogue, Some(awaits)))
    }

    /// Keeps lines that arrived while a decision is pending.
    async fn keep(&mut self, dialogue: &mut FencedDialogue, text: &str) -> Result<(), CloseReason> {
        self.kept_bytes += text.len();
        self.socket.keep(text.len())?;
        let kept = dialogue.keep(text);
        self.or_close(kept).await?;
        if self.kept_bytes > MAX_WAITING_BYTES || dialogue.waiting() > MAX_WAITING {
            return Err(close_with(TOO_LARGE, "too much waits behind a decision"));
        }
        Ok(())
    }

    /// Sends the lines to print, and remarks.
    async fn print(&mut self, dialogue: &mut FencedDialogue) -> Result<(), CloseReason> {
        let (lines, warnings) = (dialogue.take_lines(), dialogue.take_remarks());
        if lines.is_empty() && warnings.is_empty() {
            return Ok(());
        }
        self.app.metrics.lines.inc_by(lines.len() as u64);
        let mut text = String::with_capacity(lines.iter().map(|line| line.len() + 3).sum());
        text.push_str(&std::mem::take(&mut self.decision_remarks));
        for warning in warnings {
            text.push_str(&format!("# warning {warning}\n"));
        }
        for KeptSetting { name, value, replaces } in dialogue.to_keep() {
            if let Some(replaced) = replaces {
                text.push_str(&format!("# forget {name}={replaced}\n"));
            }
            text.push_str(&format!("# keep {name}={value}\n"));
        }
        for line in &lines {
            text.push_str("> ");
            text.push_str(line);
            text.push('\n');
        }
        text.pop();
        self.socket.send_text(text).await
    }

    /// Returns the value. An error is sent as a remark and becomes the reason to close.
    async fn or_close<T>(&mut self, result: Result<T, Error>) -> Result<T, CloseReason> {
        match result {
            Ok(value) => Ok(value),
            Err(e) => Err(self.socket.fail(&e).await),
        }
    }

    fn decide(&self, question: DecisionRequest) -> PendingDecision {
        let last_moment = question.last_moment(self.search.wanted_think());
        let task = self.search.dialogue_task(question, Instant::now(), true);
        PendingDecision::new(self.app, task, last_moment)
    }
}

/// Whether a message holds lines that the bot already printed.
fn holds_printed_lines(text: &str) -> bool {
    text.starts_with('>') || text.contains("\n>")
}
