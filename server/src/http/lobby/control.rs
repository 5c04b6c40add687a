//! `/v1/me/live` and `/v1/me/events`: a player's control connection. It begins with the current state, so a client that
//! reconnects has missed nothing.

use std::collections::VecDeque;
use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

use crate::app::App;
use crate::domain::scope::Right;
use crate::domain::{PlayerKind, PlayerRef};
use crate::error::{Code, Error};
use crate::http::live::admit::ConnectionPermit;
use crate::http::live::close::{BAD, CloseReason, GOING_AWAY, TAKEN_OVER, close_with, code_of};
use crate::http::live::follow::Interruption;
use crate::http::live::form::StreamFormat;
use crate::http::live::socket;
use crate::http::live::socket::TextSocket;
use crate::http::live::stream::ClosedFrame;
use crate::http::lobby::of_kind;
use crate::http::openapi;
use crate::http::players::player_of;
use crate::lobby::{Follower, LobbyConnection, LobbyEvent, Policy};
use crate::matches::ledger::Caller;
use crate::request::caller::{Reads, SUBPROTOCOL};
use crate::request::extract;
use crate::request::json::NO_STORE;
use crate::request::meter::SocketSource;
use crate::request::problem::Problem;

/// The longest message from a client, in bytes.
const MAX_MESSAGE: usize = 64 << 10;

/// After this many invalid messages in a row the socket is closed.
const MOST_INVALID: u32 = 20;

/// A message from the client: one JSON object per line.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum ControlRequest {
    /// Set the policy of a bot, which applies from now on; `null`: it accepts nothing. It is online for others while this
    /// connection is open.
    Policy { policy: Option<Policy> },
    /// Accept a challenge.
    Accept {
        /// The challenge.
        id: String,
    },
    /// Decline a challenge.
    Decline {
        /// The challenge.
        id: String,
        /// The reason, which the challenger sees: at most 200 characters.
        reason: Option<String>,
    },
}

/// A message from the server that is not an event.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ControlAnswer {
    /// A message was refused. The connection stays open.
    Refused {
        /// The reason.
        problem: Box<Problem>,
    },
    /// The policy of the bot is set: it holds from now on.
    PolicySet {},
}

/// A control connection and the state that its client knows.
struct Control {
    connection: LobbyConnection,
    caller: Caller,
    who: PlayerRef,
    app: &'static App,
    changed: watch::Receiver<()>,
    follower: Follower,
}

impl Control {
    async fn open(app: &'static App, caller: Caller) -> Result<Self, Error> {
        let who = player_of(caller.clone())?;
        app.programs.refuse_client(&who)?;
        let connection = app.lobby.connect(app.matches, &who).await?;
        let mut changed = app.lobby.follow_player(&who.id);
        changed.mark_changed();
        Ok(Self { connection, caller, who, app, changed, follower: Follower::default() })
    }

    /// Waits for a change that concerns this player; returns the news. Cancel-safe.
    async fn news(&mut self) -> Result<Vec<LobbyEvent>, Error> {
        if self.changed.changed().await.is_err() {
            return Err(Error::stopping());
        }
        self.follower.update(&self.app.lobby.now(), &self.who.id)
    }

    /// Whether a newer connection of the same bot has a policy. A bot has one program at a time: two would play the same
    /// matches.
    fn is_taken_over(&self) -> bool {
        let lobby = self.app.lobby.now();
        lobby.policies_of(&self.who.id).any(|(open, _)| open.id.as_str() > self.connection.id())
    }

    /// The current state as events.
    async fn state(&mut self) -> Result<Vec<LobbyEvent>, Error> {
        let mut events = self.news().await?;
        events.push(LobbyEvent::Ready {});
        Ok(events)
    }
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain values with text keys")
}

/// Open the caller's control connection as a WebSocket.
///
/// Every message is a JSON object. The server sends `LobbyEvent`: first one event for each open challenge and each match of the
/// caller that is not over, then `ready`, then news. A client that lost the connection connects again and gets the current
/// state. The client may send `ControlRequest`, several of them on lines of one message; a refused one is answered by `refused`.
/// A bot that sends its policy is online for others while the connection is open. Any token of the player opens the connection;
/// what the client sends needs the scope `play`, or for a bot `bot:NAME`. Browsers offer the subprotocols `kibitz` and
/// `token.TOKEN`. The server pings a peer after 15 seconds of silence and drops it after a minute. Close codes: 1001 the
/// server is stopping; 1013 the server fails for now; 4400 20 invalid messages in a row; 4403 the token was replaced or
/// revoked, or has expired; 4410 another program of this bot has sent its policy over a newer connection, so do not come back.
#[utoipa::path(get, path = "/v1/me/live", operation_id = "openControlConnection", tag = "players", security(("token" = ["read"])),
    params(openapi::Subprotocols),
    responses((status = 101, description = "The WebSocket is open. It carries `LobbyEvent` and `ControlAnswer` to the client and \
                                            `ControlRequest` to the server."), openapi::Refusals))]
pub(crate) async fn live(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    source: SocketSource,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Error> {
    let token = caller.token;
    let kind = of_kind(app, player_of(caller.clone())?).await?.kind;
    let upgrade = upgrade.map(|upgrade| upgrade.protocols([SUBPROTOCOL]));
    socket::open(app, source, token, upgrade, move |wire| async move {
        let mut session = Session { app, kind, invalid_in_a_row: 0 };
        let mut wire = wire;
        let end = match Control::open(app, caller).await {
            Ok(control) => session.hold(control, &mut wire).await,
            Err(e) => close_with(code_of(&e), e.detail()),
        };
        wire.close(end).await;
    })
}

/// A WebSocket that is a control connection.
struct Session {
    app: &'static App,
    kind: PlayerKind,
    invalid_in_a_row: u32,
}

impl Session {
    async fn hold(&mut self, mut control: Control, wire: &mut TextSocket) -> CloseReason {
        let mut first = true;
        loop {
            let step = tokio::select! {
                biased;
                () = self.app.stopping.cancelled() => {
                    return close_with(GOING_AWAY, &Interruption::Stopping.detail(None));
                }
                news = async { if first { control.state().await } else { control.news().await } } => {
                    first = false;
                    match news {
                        Ok(_) if self.kind == PlayerKind::Bot && control.is_taken_over() => {
                            Err(close_with(TAKEN_OVER, "another program plays for this bot now"))
                        }
                        Ok(events) => send(wire, &events).await,
                        Err(e) => Err(close_with(code_of(&e), e.detail())),
                    }
                }
                message = wire.recv() => match wire.text(message) {
                    Ok(None) => Ok(()),
                    Ok(Some(text)) => self.hear(&control, wire, &text).await,
                    Err(end) => Err(end),
                }
            };
            if let Err(end) = step {
                return end;
            }
        }
    }

    async fn hear(
        &mut self,
        control: &Control,
        wire: &mut TextSocket,
        text: &str,
    ) -> Result<(), CloseReason> {
        if text.len() > MAX_MESSAGE {
            return Err(close_with(BAD, &format!("a message has more than {MAX_MESSAGE} bytes")));
        }
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            match self.act(control, line).await {
                Ok(answer) => {
                    self.invalid_in_a_row = 0;
                    if let Some(answer) = answer {
                        wire.send_text(json(&answer)).await?;
                    }
                }
                Err(e) => {
                    e.log();
                    self.invalid_in_a_row += 1;
                    wire.send_text(json(&ControlAnswer::Refused { problem: Box::new(e.problem()) })).await?;
                    if self.invalid_in_a_row >= MOST_INVALID {
                        return Err(close_with(BAD, &format!("{MOST_INVALID} invalid messages in a row")));
                    }
                }
            }
        }
        Ok(())
    }

    async fn act(&self, control: &Control, line: &str) -> Result<Option<ControlAnswer>, Error> {
        let (lobby, matches) = (&self.app.lobby, self.app.matches);
        let request = extract::json::<ControlRequest>(line.as_bytes())?;
        // Any token may follow the player's matches.
        control.caller.require(Right::Play)?;
        match request {
            ControlRequest::Policy { .. } if self.kind != PlayerKind::Bot => {
                Err(Error::new(Code::NotABot, "policy: only a bot has one (POST /v1/me/bots creates a bot)"))
            }
            ControlRequest::Policy { policy } => {
                control.connection.set_policy(policy).await?;
                Ok(Some(ControlAnswer::PolicySet {}))
            }
            ControlRequest::Accept { id } => {
                lobby.accept(matches, &id, &control.who, control.caller.network).await.map(|_| None)
            }
            ControlRequest::Decline { id, reason } => {
                lobby.refuse(matches, &id, &control.who, false, reason).await.map(|_| None)
            }
        }
    }
}

async fn send(wire: &mut TextSocket, events: &[LobbyEvent]) -> Result<(), CloseReason> {
    for event in events {
        wire.send_text(json(event)).await?;
    }
    Ok(())
}

/// The state of an answer that streams events.
struct EventStream {
    app: &'static App,
    control: Control,
    form: StreamFormat,
    ready: VecDeque<Bytes>,
    /// The time of the next heartbeat.
    beat: Instant,
    first: bool,
    over: bool,
    admitted: ConnectionPermit,
}

impl EventStream {
    /// The next part of the answer; `None`: it is over.
    async fn next(&mut self) -> Option<Bytes> {
        while self.ready.is_empty() && !self.over {
            let control = &mut self.control;
            let news = async { if self.first { control.state().await } else { control.news().await } };
            tokio::select! {
                biased;
                () = self.app.stopping.cancelled() => self.over = true,
                why = self.admitted.ended() => {
                    self.over = true;
                    self.ready.push_back(ClosedFrame::frame(Interruption::from(&why), None, self.form));
                }
                news = news => {
                    self.first = false;
                    match news {
                        Ok(events) => self.ready.extend(events.iter().map(|event| {
                            self.form.write(event.kind(), None, json(event).as_bytes())
                        })),
                        Err(_) => self.over = true,
                    }
                }
                () = sleep_until(self.beat) => self.ready.push_back(self.form.heartbeat()),
            }
        }
        self.beat = Instant::now() + self.app.limits.timeouts.heartbeat;
        self.ready.pop_front()
    }
}

/// Follow the caller's challenges and matches as a stream of events.
///
/// The answer consists of server-sent events (the default) or, with `Accept: application/x-ndjson`, of one JSON object per
/// line. The current state comes first, then `ready`, then news, as over the WebSocket `/v1/me/live`; a client that
/// reconnects gets the current state. A heartbeat comes every 10 seconds: a comment, or an empty line.
#[utoipa::path(get, path = "/v1/me/events", operation_id = "followMe", tag = "players", security(("token" = ["read"])),
    responses((status = 200, description = "The stream.",
               content((LobbyEvent = "text/event-stream"), (LobbyEvent = "application/x-ndjson"))), openapi::Refusals))]
pub(crate) async fn events(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    headers: HeaderMap,
) -> Result<Response, Error> {
    let form = StreamFormat::wanted(&headers, StreamFormat::Sse);
    let admitted =
        ConnectionPermit::new(app, app.metrics.streams(form.name()), caller.network, caller.token)?;
    let control = Control::open(app, caller).await?;
    let ready = form.opening().into_iter().collect();
    let state =
        EventStream { app, control, form, ready, beat: Instant::now(), first: true, over: false, admitted };
    let parts = stream::unfold(state, |mut state| async move {
        let part = state.next().await?;
        Some((Ok::<_, Infallible>(part), state))
    });
    let headers = [(header::CONTENT_TYPE, form.content_type()), NO_STORE, StreamFormat::unbuffered()];
    Ok((headers, Body::from_stream(parts)).into_response())
}
