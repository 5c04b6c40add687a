//! `GET /v1/matches/{id}/live`: a match over a WebSocket, events in one direction and actions of a seat in the other. A
//! socket has one action at a time; the next message is read when it is done.

use std::hash::{BuildHasher, RandomState};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::HeaderMap;
use axum::response::Response;
use futures_util::FutureExt;
use futures_util::SinkExt;
use serde_json::Value;
use tokio::sync::broadcast::{Receiver, error::RecvError};

use crate::http::live::admit::ConnectionPermit;
use crate::http::live::close::{
    BAD, CloseReason, DONE, FAILED, GOING_AWAY, ONLY_TEXT, TOO_SLOW, close, close_with, code_of,
    receive_failed,
};
use crate::http::live::follow::{Interruption, ResumePoint};
use crate::http::live::keep_alive::{KeepAlive, PingedSocket};
use crate::http::live::message::{LiveAnswer, LiveRequest, act, done, named, text};
use crate::http::openapi;
use crate::limits::timeouts::ConnectionTimeouts;
use crate::request::caller::{Reads, SUBPROTOCOL};
use crate::request::extract;
use crate::request::extract::UrlQuery;
use crate::request::path::MatchOf;

use crate::app::App;
use crate::domain::MatchId;
use crate::domain::request_id::{RequestId, run_for, work_for};
use crate::domain::scope::Right;
use crate::error::{Code, Error};
use crate::matches::ledger::Caller;
use crate::matches::render::RenderedEvent;
use crate::matches::request::SeatAction;
use crate::matches::service::ViewerStream;

/// The largest message from a client, in bytes.
const MAX_MESSAGE: usize = 64 << 10;

/// The read buffer of a socket, in bytes: each has one, and most messages of clients are shorter.
const READ_BUFFER: usize = 512;

/// A socket's messages that wait to be sent with others are sent when they reach this many bytes.
const WRITE_BUFFER: usize = 4096;

/// The time over which the sockets of spectators are closed after the end of a match.
const CLOSE_SPREAD: Duration = Duration::from_millis(500);

/// After this many invalid messages in a row the socket is closed.
const MOST_INVALID: u32 = 100;

/// Follow a match and act in it.
///
/// Every message is a JSON object. The server sends the same frames as in a stream of events: first the match, then its
/// events. The client may send `move` (with `ply`, and `move` or `notation`), `leave`, `resign` and `abort`, each with an
/// `id` of its choice. The answer is `done` or `refused`, in the order of the messages, in addition to the event itself.
/// Browsers, which cannot set headers here, offer the subprotocols `kibitz`, `token.TOKEN` and `key.KEY`; the server selects
/// `kibitz`. Any token of a player follows the match; to act, it needs the scope `play`. The server pings a peer after
/// 10 seconds of silence and drops it after a minute. Close codes: 1000 the match is over; 1001 the server is stopping;
/// 4408 the reader is too slow (the reason says from which event to continue); 4400 100 invalid messages in a row; 4413
/// a message is larger than 64 KiB; 1003 a binary message; 1007 a message that is not UTF-8; 1011 the server failed.
#[utoipa::path(get, path = "/v1/matches/{id}/live", operation_id = "followMatchByWebSocket", tag = "matches",
    security((), ("token" = ["read"]), ("match_key" = [])),
    params(openapi::MatchPath, openapi::SinceQuery, openapi::Subprotocols),
    responses((status = 101, description = "The WebSocket is open. It carries `StreamFrame` and `LiveAnswer` to the \
                                            client and `LiveRequest` to the server."),
              openapi::Refusals))]
pub(crate) async fn live(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    MatchOf(id): MatchOf,
    headers: HeaderMap,
    query: UrlQuery,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Error> {
    let since = ResumePoint::of(&headers, &query.0)?;
    let upgrade = upgrade.map_err(|e| Error::new(Code::UpgradeRequired, e.body_text()))?;
    let admitted = ConnectionPermit::new(app, app.metrics.streams("live"), caller.network, caller.token)?;
    let watch = app.matches.watch(&id, &caller, since.seq).await?;
    let upgrade = upgrade
        .protocols([SUBPROTOCOL])
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER);
    let request = RequestId::current();
    Ok(upgrade.on_upgrade(move |socket| {
        // Both are on the heap: the upgrade waits for this future, and an async block would hold the connection twice, as what it
        // captures and as what it passes on.
        let connection = Box::new(LiveConnection::new(app, id, caller, socket, admitted));
        Box::pin(work_for(request, connection.hold(watch)))
    }))
}

/// A running action, and the `id` for its answer.
type RunningAction = Pin<Box<dyn Future<Output = (Option<Value>, Result<Arc<RenderedEvent>, Error>)> + Send>>;

/// The next input of a connection.
enum SocketInput {
    Shown(Result<Arc<RenderedEvent>, RecvError>),
    Came(Option<Result<Message, axum::Error>>),
    NoRights(Error),
    Acted(Option<Value>, Result<Arc<RenderedEvent>, Error>),
}

struct LiveConnection {
    app: &'static App,
    id: MatchId,
    caller: Caller,
    socket: PingedSocket,
    /// The place of the last event that was sent.
    last: Option<u32>,
    /// The number of invalid messages in a row.
    invalid_in_a_row: u32,
    action: Option<RunningAction>,
    /// The number of messages of the client.
    messages: u64,
    /// The id of the last one.
    message: Option<RequestId>,
    admitted: ConnectionPermit,
}

impl LiveConnection {
    fn new(
        app: &'static App,
        id: MatchId,
        caller: Caller,
        socket: WebSocket,
        admitted: ConnectionPermit,
    ) -> Self {
        let ConnectionTimeouts { heartbeat, gone_after, .. } = app.limits.timeouts;
        let socket = PingedSocket::new(socket, KeepAlive::new(heartbeat, gone_after, Instant::now()));
        Self {
            app,
            id,
            caller,
            socket,
            last: None,
            invalid_in_a_row: 0,
            action: None,
            messages: 0,
            message: None,
            admitted,
        }
    }

    async fn hold(mut self: Box<Self>, mut watch: ViewerStream) {
        let _connection = watch.connection.take();
        let spectates = watch.page.place.seat.is_none();
        let end = match self.tell(watch).await {
            Ok(live) => self.go_on(live).await,
            Err(end) => end,
        };
        if end.as_ref().is_some_and(|(code, _)| *code == DONE) && spectates {
            // All spectators get the last event at once. Closing their sockets costs more than the event itself. The sockets
            // are therefore closed one after the other, which delays neither the event for others nor the answer to the last
            // move.
            tokio::select! {
                () = tokio::time::sleep(CLOSE_SPREAD.mul_f64(random_fraction())) => {}
                () = self.app.stopping.cancelled() => {}
            }
        }
        close(self.socket.socket, end).await;
    }

    /// Sends the page and the backlog.
    async fn tell(&mut self, watch: ViewerStream) -> Result<Receiver<Arc<RenderedEvent>>, CloseReason> {
        let place = watch.backlog.is_empty().then_some(watch.page.place.seq);
        self.feed(text(watch.page.json.clone())).await?;
        self.last = place;
        for frame in &watch.backlog {
            self.feed(text(frame.json.clone())).await?;
            self.last = frame.seq;
        }
        taken(self.app, self.last, self.socket.socket.flush()).await?;
        watch.live.ok_or_else(over)
    }

    async fn go_on(&mut self, mut live: Receiver<Arc<RenderedEvent>>) -> CloseReason {
        loop {
            let done = match self.event(&mut live).await {
                SocketInput::Shown(Ok(frame)) => self.show(&frame, !live.is_empty()).await,
                SocketInput::Shown(Err(RecvError::Lagged(_))) => {
                    return self.cut(TOO_SLOW, Interruption::TooSlow);
                }
                // When the server stops, all actors close their channels.
                SocketInput::Shown(Err(RecvError::Closed)) if self.app.stopping.is_cancelled() => {
                    return self.cut(GOING_AWAY, Interruption::Stopping);
                }
                SocketInput::Shown(Err(RecvError::Closed)) => return self.cut(FAILED, Interruption::Lost),
                // On the heap while it runs: most sockets are spectators', who say nothing.
                SocketInput::Came(message) => Box::pin(self.hear(message)).await,
                SocketInput::NoRights(why) => Err(close_with(code_of(&why), why.detail())),
                SocketInput::Acted(id, result) => {
                    self.action = None;
                    self.answer(id, result).await
                }
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    async fn event(&mut self, live: &mut Receiver<Arc<RenderedEvent>>) -> SocketInput {
        let Self { socket, action, admitted, .. } = self;
        tokio::select! {
            biased;
            why = admitted.ended() => SocketInput::NoRights(why),
            frame = live.recv() => SocketInput::Shown(frame),
            event = async {
                match action {
                    Some(action) => {
                        let (id, result) = action.await;
                        SocketInput::Acted(id, result)
                    }
                    None => SocketInput::Came(socket.recv().await),
                }
            } => event,
        }
    }

    /// Sends an event. `more`: whether further ones wait, which are sent with it.
    async fn show(&mut self, frame: &RenderedEvent, more: bool) -> Result<(), CloseReason> {
        self.feed(text(frame.json.clone())).await?;
        self.last = frame.seq.or(self.last);
        let ended = frame.kind == "ended";
        if more && !ended {
            return Ok(());
        }
        // The answer to an action mostly follows its event at once, so both travel in one packet.
        match self.action.as_mut().and_then(|action| action.as_mut().now_or_never()) {
            Some((id, result)) => {
                self.action = None;
                self.answer(id, result).await?;
            }
            None => taken(self.app, self.last, self.socket.socket.flush()).await?,
        }
        if ended {
            // A player who has just ended the match still waits for the answer.
            if let Some(action) = self.action.take() {
                let (id, result) = action.await;
                self.answer(id, result).await?;
            }
            return Err(over());
        }
        Ok(())
    }

    async fn hear(&mut self, message: Option<Result<Message, axum::Error>>) -> Result<(), CloseReason> {
        // The message arrived now, however long its handling takes.
        let arrived = Instant::now();
        let message = match message {
            None => return Err(None),
            Some(Err(e)) => return Err(receive_failed(&e, MAX_MESSAGE)),
            Some(Ok(message)) => message,
        };
        let text = match message {
            Message::Text(text) => text,
            Message::Ping(_) | Message::Pong(_) => return Ok(()),
            Message::Binary(_) => return Err(close_with(ONLY_TEXT, "messages here are text")),
            // The library sends the answer while the socket is read to its end.
            Message::Close(_) => return Err(None),
        };
        self.messages += 1;
        self.message = RequestId::current().map(|id| id.of_message(self.messages));
        let asked = extract::json::<LiveRequest>(text.as_bytes()).and_then(|request| {
            // Any token may follow the match.
            self.caller.require(Right::Play)?;
            act(request, arrived)
        });
        match asked {
            Ok((id, act)) => {
                self.invalid_in_a_row = 0;
                self.action = Some(self.act(id, act));
                Ok(())
            }
            Err(e) => {
                self.invalid_in_a_row += 1;
                self.answer(named(&text), Err(e)).await?;
                if self.invalid_in_a_row >= MOST_INVALID {
                    let reason = format!("{MOST_INVALID} invalid messages in a row");
                    return Err(close_with(BAD, &reason));
                }
                Ok(())
            }
        }
    }

    fn act(&self, id: Option<Value>, act: SeatAction) -> RunningAction {
        let (app, of, caller) = (self.app, self.id.clone(), self.caller.clone());
        let work = async move { (id, app.matches.act(&of, &caller, act).await) };
        Box::pin(work_for(self.message.clone(), work))
    }

    async fn answer(
        &mut self,
        id: Option<Value>,
        result: Result<Arc<RenderedEvent>, Error>,
    ) -> Result<(), CloseReason> {
        let code = result.as_ref().err().map_or("", |e| e.code().name());
        self.app.metrics.live_act(code);
        let answer = match &result {
            Ok(event) => done(id.as_ref(), event),
            Err(e) => {
                let problem = run_for(self.message.clone(), || {
                    e.log();
                    e.problem()
                });
                let answer = LiveAnswer::Refused { id, problem: Box::new(problem) };
                serde_json::to_vec(&answer).expect("plain values with text keys").into()
            }
        };
        self.send(text(answer)).await
    }

    fn cut(&self, code: u16, cut: Interruption) -> CloseReason {
        close_with(code, &cut.detail(self.last))
    }

    async fn feed(&mut self, message: Message) -> Result<(), CloseReason> {
        taken(self.app, self.last, self.socket.socket.feed(message)).await
    }

    async fn send(&mut self, message: Message) -> Result<(), CloseReason> {
        taken(self.app, self.last, self.socket.socket.send(message)).await
    }
}

/// Waits until the peer takes what is sent, unless the server stops. The connection limits how long that may take.
async fn taken(
    app: &'static App,
    last: Option<u32>,
    sent: impl Future<Output = Result<(), axum::Error>>,
) -> Result<(), CloseReason> {
    tokio::select! {
        biased;
        sent = sent => sent.map_err(|_| None),
        () = app.stopping.cancelled() => Err(close_with(GOING_AWAY, &Interruption::Stopping.detail(last))),
    }
}

/// A random number from 0 to 1. Costs no system call, because a thousand spectators may need one each.
fn random_fraction() -> f64 {
    let bits = RandomState::new().hash_one(());
    (bits >> 32) as f64 / f64::from(u32::MAX)
}

fn over() -> CloseReason {
    close_with(DONE, "the match is over")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The size of the future that a function returns.
    fn future_size<A, B, F: Future>(_: impl Fn(A, B) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn idle_socket_takes_little_memory() {
        let (future, connection) = (future_size(LiveConnection::hold), size_of::<LiveConnection>());
        assert!(future + connection <= 3072, "a socket is {future} and {connection} bytes");
    }
}
