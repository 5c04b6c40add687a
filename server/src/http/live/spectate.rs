//! `GET /v1/matches/{id}/live`: a match over a WebSocket, its events in one direction and a seat's acts in the other.
//! Acts of a socket are done one at a time; until one is done the next is not read.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::http::HeaderMap;
use axum::response::Response;
use engines::erased::AnyMove;
use futures_util::SinkExt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tokio::time::{Interval, MissedTickBehavior, interval_at};

use crate::http::live::admit::Admitted;
use crate::http::live::close::{
    BAD, CloseReason as End, DONE, FAILED, GOING_AWAY, ONLY_TEXT, TOO_SLOW, close, close_with as end,
    receive_failed as broken,
};
use crate::http::live::follow::{Interruption as Cut, Since};
use crate::http::matches::actions::{IfMatch, PlayRequest};
use crate::http::matches::{MatchOf, Place};
use crate::http::openapi;
use crate::http::request::caller::{SUBPROTOCOL, Who};
use crate::http::request::extract;
use crate::http::request::extract::Query;

use crate::app::App;
use crate::domain::MatchId;
use crate::error::{Code, Error, Problem};
use crate::matches::ledger::Caller;
use crate::matches::render;
use crate::matches::service::{RenderedEvent, SeatAction, ViewerStream};
use crate::schema::AnswerId;

/// The largest message from a client, in bytes.
const MAX_MESSAGE: usize = 64 << 10;

/// What an idle socket holds for reading and for writing, in bytes.
const BUFFER: usize = 4096;

/// So many messages in a row that say nothing are enough.
const NONSENSE: u32 = 100;

/// What a client sends.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum LiveRequest {
    /// Make a move.
    Move {
        /// The answer repeats it.
        #[schemars(with = "Option<AnswerId>")]
        id: Option<Value>,
        /// Moves made before it, as `ply` of the match tells.
        ply: Option<u32>,
        /// The move, by the game's schema. Either this or `notation` must be there.
        #[serde(rename = "move")]
        #[schemars(with = "Option<AnyMove>")]
        mv: Option<Value>,
        /// The move, as the official protocol writes it.
        notation: Option<String>,
    },
    /// Give the seat up, before the start.
    Leave {
        /// The answer repeats it.
        #[schemars(with = "Option<AnswerId>")]
        id: Option<Value>,
    },
    /// Give the match up.
    Resign {
        /// The answer repeats it.
        #[schemars(with = "Option<AnswerId>")]
        id: Option<Value>,
    },
    /// Take the match back, before the first move.
    Abort {
        /// The answer repeats it.
        #[schemars(with = "Option<AnswerId>")]
        id: Option<Value>,
    },
}

/// What the server answers to what a client sends.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum LiveAnswer<'a> {
    /// It is done and on disk.
    Done {
        /// The `id` of the request.
        #[schemars(with = "Option<AnswerId>")]
        id: Option<Value>,
        /// What happened, as the seat sees it.
        #[schemars(with = "render::Shown")]
        frame: &'a RawValue,
    },
    /// It was not done. The connection goes on.
    Refused {
        /// The `id` of the request; `null` where that could not be read.
        #[schemars(with = "Option<AnswerId>")]
        id: Option<Value>,
        /// Why.
        problem: Box<Problem>,
    },
}

/// A match as it goes on, and what the caller's seat does in it.
///
/// Every message is a JSON object. The server sends what a stream of events holds: first the match as it is now, then
/// events. The client may send `move` (with `ply`, and `move` or `notation`), `leave`, `resign` and `abort`, with an
/// `id` of its own; each gets its answer `done` or `refused`, in order, besides the event that everybody gets.
/// Browsers, which set no headers here, offer the subprotocols `kibitz`, `token.TOKEN` and `key.KEY`; `kibitz` is
/// taken. Pings come every 10 seconds; a peer that is not heard of for a minute is given up.
/// Closes with 1000 when the match is over, 1001 when the server stops, 4408 when the reader has not kept up (the
/// reason says where to go on), 4400 after 100 messages in a row that say nothing, 4413 when a message is larger than
/// 64 KiB, 1003 for a binary message, 1007 for one that is not UTF-8, 1011 when the server failed.
#[utoipa::path(get, path = "/v1/matches/{id}/live", operation_id = "followMatchByWebSocket", tag = "matches",
    security((), ("token" = []), ("match_key" = [])),
    params(openapi::MatchPath, openapi::SinceQuery, openapi::Subprotocols),
    responses((status = 101, description = "The WebSocket is open. It carries `StreamFrame` and `LiveAnswer` to the \
                                            client and `LiveRequest` to the server."),
              openapi::Refusals))]
pub async fn live(
    State(app): State<&'static App>,
    Who(caller): Who,
    MatchOf(id): MatchOf,
    headers: HeaderMap,
    query: Query,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Error> {
    let since = Since::of(&headers, &query.0)?;
    let upgrade = upgrade.map_err(|e| Error::new(Code::UpgradeRequired, e.body_text()))?;
    let admitted = Admitted::new(app, app.metrics.streams("live"), caller.network)?;
    let watch = app.matches.watch(&id, &caller, since.seq).await?;
    let upgrade = upgrade
        .protocols([SUBPROTOCOL])
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .read_buffer_size(BUFFER)
        .write_buffer_size(BUFFER);
    Ok(upgrade.on_upgrade(move |socket| {
        // The way here is long; what waits for the upgrade should be short.
        Box::pin(async move {
            Live::new(app, id, caller, socket).hold(watch).await;
            drop(admitted);
        })
    }))
}

/// An act under way, and what its answer is to be called.
type Acting = Pin<Box<dyn Future<Output = (Option<Value>, Result<Arc<RenderedEvent>, Error>)> + Send>>;

/// What happened next.
enum Event {
    Shown(Result<Arc<RenderedEvent>, RecvError>),
    Came(Option<Result<Message, axum::Error>>),
    Acted(Option<Value>, Result<Arc<RenderedEvent>, Error>),
    Pulse,
}

struct Live {
    app: &'static App,
    id: MatchId,
    caller: Caller,
    socket: WebSocket,
    pulse: Interval,
    /// When the peer was heard last.
    heard: Instant,
    /// The place of the last event that was sent.
    last: Option<u32>,
    /// Messages in a row that said nothing.
    nonsense: u32,
    acting: Option<Acting>,
}

impl Live {
    fn new(app: &'static App, id: MatchId, caller: Caller, socket: WebSocket) -> Self {
        let period = app.limits.timeouts.heartbeat;
        let mut pulse = interval_at(tokio::time::Instant::now() + period, period);
        pulse.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let heard = Instant::now();
        Self { app, id, caller, socket, pulse, heard, last: None, nonsense: 0, acting: None }
    }

    async fn hold(mut self, watch: ViewerStream) {
        let end = match self.tell(watch).await {
            Ok(live) => self.go_on(live).await,
            Err(end) => end,
        };
        close(self.socket, end).await;
    }

    /// Sends what is known already.
    async fn tell(&mut self, watch: ViewerStream) -> Result<Receiver<Arc<RenderedEvent>>, End> {
        let place = Place::of(&watch.page).seq.filter(|_| watch.backlog.is_empty());
        self.feed(text(&watch.page)).await?;
        self.last = place;
        for frame in &watch.backlog {
            self.feed(text(frame)).await?;
            self.last = frame.seq;
        }
        taken(self.app, self.last, self.socket.flush()).await?;
        watch.live.ok_or_else(over)
    }

    async fn go_on(&mut self, mut live: Receiver<Arc<RenderedEvent>>) -> End {
        loop {
            let done = match self.event(&mut live).await {
                Event::Shown(Ok(frame)) => self.show(&frame).await,
                Event::Shown(Err(RecvError::Lagged(_))) => return self.cut(TOO_SLOW, Cut::TooSlow),
                // When the server stops, all matches let go of those who follow them.
                Event::Shown(Err(RecvError::Closed)) if self.app.stopping.is_cancelled() => {
                    return self.cut(GOING_AWAY, Cut::Stopping);
                }
                Event::Shown(Err(RecvError::Closed)) => return self.cut(FAILED, Cut::Lost),
                Event::Came(message) => self.hear(message).await,
                Event::Acted(id, result) => {
                    self.acting = None;
                    self.answer(id, result).await
                }
                Event::Pulse => self.beat().await,
            };
            if let Err(end) = done {
                return end;
            }
        }
    }

    async fn event(&mut self, live: &mut Receiver<Arc<RenderedEvent>>) -> Event {
        let Self { socket, acting, pulse, .. } = self;
        tokio::select! {
            biased;
            frame = live.recv() => Event::Shown(frame),
            event = async {
                match acting {
                    Some(acting) => {
                        let (id, result) = acting.await;
                        Event::Acted(id, result)
                    }
                    None => Event::Came(socket.recv().await),
                }
            } => event,
            _ = pulse.tick() => Event::Pulse,
        }
    }

    async fn show(&mut self, frame: &RenderedEvent) -> Result<(), End> {
        self.send(text(frame)).await?;
        self.last = frame.seq.or(self.last);
        if frame.kind == "ended" {
            // Who has just ended it still waits for the answer.
            if let Some(acting) = self.acting.take() {
                let (id, result) = acting.await;
                self.answer(id, result).await?;
            }
            return Err(over());
        }
        Ok(())
    }

    async fn hear(&mut self, message: Option<Result<Message, axum::Error>>) -> Result<(), End> {
        // What came in now came in now, whatever is done with it first.
        let arrived = Instant::now();
        let message = match message {
            None => return Err(None),
            Some(Err(e)) => return Err(broken(&e, MAX_MESSAGE)),
            Some(Ok(message)) => message,
        };
        self.heard = arrived;
        let text = match message {
            Message::Text(text) => text,
            Message::Ping(_) | Message::Pong(_) => return Ok(()),
            Message::Binary(_) => return Err(end(ONLY_TEXT, "messages here are text")),
            // The answer to it is sent by itself while the socket is read to its end.
            Message::Close(_) => return Err(None),
        };
        match extract::json::<LiveRequest>(text.as_bytes()).and_then(|request| act(request, arrived)) {
            Ok((id, act)) => {
                self.nonsense = 0;
                self.acting = Some(self.act(id, act));
                Ok(())
            }
            Err(e) => {
                self.nonsense += 1;
                self.answer(named(&text), Err(e)).await?;
                if self.nonsense >= NONSENSE {
                    let reason = format!("{NONSENSE} messages in a row said nothing");
                    return Err(end(BAD, &reason));
                }
                Ok(())
            }
        }
    }

    fn act(&self, id: Option<Value>, act: SeatAction) -> Acting {
        let (app, of, caller) = (self.app, self.id.clone(), self.caller.clone());
        Box::pin(async move { (id, app.matches.act(&of, &caller, act).await) })
    }

    async fn answer(
        &mut self,
        id: Option<Value>,
        result: Result<Arc<RenderedEvent>, Error>,
    ) -> Result<(), End> {
        let code = result.as_ref().err().map_or("", |e| e.code().name());
        self.app.metrics.live_act(code);
        let answer = match &result {
            Ok(frame) => match serde_json::from_slice(&frame.json) {
                Ok(frame) => LiveAnswer::Done { id, frame },
                Err(e) => return Err(end(FAILED, &format!("a frame is no JSON: {e}"))),
            },
            Err(e) => {
                e.log(None);
                LiveAnswer::Refused { id, problem: Box::new(e.problem(None)) }
            }
        };
        let answer = serde_json::to_string(&answer).expect("plain values with text keys");
        self.send(Message::text(answer)).await
    }

    async fn beat(&mut self) -> Result<(), End> {
        if self.heard.elapsed() >= self.app.limits.timeouts.gone_after && self.acting.is_none() {
            return Err(None);
        }
        self.send(Message::Ping(Default::default())).await
    }

    fn cut(&self, code: u16, cut: Cut) -> End {
        end(code, &cut.detail(self.last))
    }

    async fn feed(&mut self, message: Message) -> Result<(), End> {
        taken(self.app, self.last, self.socket.feed(message)).await
    }

    async fn send(&mut self, message: Message) -> Result<(), End> {
        taken(self.app, self.last, self.socket.send(message)).await
    }
}

/// Waits for the peer to take what is sent, unless the server stops. How long it may take is the connection's business.
async fn taken(
    app: &'static App,
    last: Option<u32>,
    sent: impl Future<Output = Result<(), axum::Error>>,
) -> Result<(), End> {
    tokio::select! {
        biased;
        sent = sent => sent.map_err(|_| None),
        () = app.stopping.cancelled() => Err(end(GOING_AWAY, &Cut::Stopping.detail(last))),
    }
}

fn over() -> End {
    end(DONE, "the match is over")
}

/// The message that shows this. What is shown is JSON, so it is text.
fn text(frame: &RenderedEvent) -> Message {
    Utf8Bytes::try_from(frame.json.clone()).map_or_else(|_| Message::text("{}"), Message::Text)
}

/// What a message asks for.
fn act(request: LiveRequest, arrived: Instant) -> Result<(Option<Value>, SeatAction), Error> {
    Ok(match request {
        LiveRequest::Move { id, ply, mv, notation } => {
            (id, PlayRequest { mv, notation, ply }.act(IfMatch::NONE, arrived)?)
        }
        LiveRequest::Leave { id } => (id, SeatAction::Leave),
        LiveRequest::Resign { id } => (id, SeatAction::Resign),
        LiveRequest::Abort { id } => (id, SeatAction::Abort),
    })
}

/// What the answer to a message is to be called, if that much of it can be read.
fn named(text: &str) -> Option<Value> {
    #[derive(Deserialize)]
    struct Named {
        id: Option<Value>,
    }
    serde_json::from_str::<Named>(text).ok()?.id
}
