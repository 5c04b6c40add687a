//! A WebSocket that carries text: its limits, its keep-alive, and how it is closed. It must not know what the texts mean.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocketUpgrade};
use axum::response::Response;
use tokio::time::timeout;

use crate::app::App;
use crate::domain::request_id::{RequestId, work_for};
use crate::domain::scope::ShownToken;
use crate::error::{Code, Error};
use crate::http::live::admit::ConnectionPermit;
use crate::http::live::close;
use crate::http::live::close::{CloseReason, LATER, ONLY_TEXT, close_with, code_of, receive_failed};
use crate::http::live::keep_alive::{KeepAlive, PingedSocket};
use crate::limits::quotas::QuotaGuard;
use crate::limits::timeouts::ConnectionTimeouts;
use crate::request::meter::{Meter, SocketSource};

/// The largest message, in bytes: a client that reconnects sends a long transcript whole. Twice what the shim keeps.
const MAX_MESSAGE: usize = 16 << 20;

/// The read buffer, in bytes: most of the memory of an idle socket.
const READ_BUFFER: usize = 4096;

/// Turns a request into a WebSocket and runs `serve` on it, if one more may be open. `token`: see [`ConnectionPermit::new`].
///
/// # Errors
/// `upgrade_required`, `stopping`, `too_many_sockets`, `too_many`.
pub(crate) fn open<F: Future<Output = ()> + Send + 'static>(
    app: &'static App,
    source: SocketSource,
    token: Option<ShownToken>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    serve: impl FnOnce(TextSocket) -> F + Send + 'static,
) -> Result<Response, Error> {
    let upgrade = upgrade.map_err(|e| Error::new(Code::UpgradeRequired, e.body_text()))?;
    let admitted = ConnectionPermit::new(app, app.metrics.sockets.clone(), Some(source.network), token)?;
    let kept = app.bodies.take(Some(source.network), 0)?;
    source.meter.start(app.bodies.take(Some(source.network), 0)?);
    let meter = source.meter;
    let upgrade =
        upgrade.max_message_size(MAX_MESSAGE).max_frame_size(MAX_MESSAGE).read_buffer_size(READ_BUFFER);
    let request = RequestId::current();
    Ok(upgrade.on_upgrade(move |socket| {
        let ConnectionTimeouts { ping_after, gone_after, .. } = app.limits.timeouts;
        let socket = PingedSocket::new(socket, KeepAlive::new(ping_after, gone_after, Instant::now()));
        let socket = TextSocket { socket, send_timeout: gone_after, meter, received: false, kept, admitted };
        work_for(request, serve(socket))
    }))
}

/// An open WebSocket of text messages.
pub(crate) struct TextSocket {
    socket: PingedSocket,
    /// How long the peer may take to accept a message.
    send_timeout: Duration,
    /// Counts the bytes of the message that is arriving.
    meter: Arc<Meter>,
    /// Whether the last message was handed out. It is counted until the next one is asked for.
    received: bool,
    /// Counts the bytes that [`Self::keep`] was given.
    kept: QuotaGuard,
    admitted: ConnectionPermit,
}

/// A message of the peer, or the end of its rights.
pub(crate) enum SocketMessage {
    /// A message, or the end of the connection.
    Message(Option<Result<Message, axum::Error>>),
    /// The caller has lost the rights that it opened the socket with.
    NoRights(Error),
}

impl TextSocket {
    /// Waits for the next message, which is for [`Self::text`]. Meanwhile pings a silent peer. Cancel-safe.
    pub(crate) async fn recv(&mut self) -> SocketMessage {
        if std::mem::take(&mut self.received) {
            self.meter.complete();
        }
        tokio::select! {
            biased;
            why = self.admitted.ended() => SocketMessage::NoRights(why),
            message = self.socket.recv() => SocketMessage::Message(message),
        }
    }

    /// The text of a message; `None` for a ping or pong.
    ///
    /// # Errors
    /// The reason to close, when the peer is gone or the message is not allowed.
    pub(crate) fn text(&mut self, message: SocketMessage) -> Result<Option<String>, CloseReason> {
        let message = match message {
            SocketMessage::NoRights(why) => return Err(close_with(code_of(&why), why.detail())),
            SocketMessage::Message(message) => message,
        };
        let message = match message {
            None => return Err(None),
            Some(Err(e)) => {
                let refused = self.meter.refused().map(|refused| close_with(LATER, refused.detail()));
                return Err(refused.unwrap_or_else(|| receive_failed(&e, MAX_MESSAGE)));
            }
            Some(Ok(message)) => message,
        };
        self.received = true;
        match message {
            Message::Text(text) => Ok(Some(text.as_str().to_owned())),
            Message::Ping(_) | Message::Pong(_) => Ok(None),
            Message::Binary(_) => Err(close_with(ONLY_TEXT, "a dialogue is text")),
            // The library answers the close frame while the socket is read to its end.
            Message::Close(_) => Err(None),
        }
    }

    /// Counts this number of bytes that are kept for later.
    ///
    /// # Errors
    /// When the limit on memory for messages is reached.
    pub(crate) fn keep(&mut self, bytes: usize) -> Result<(), CloseReason> {
        self.kept.grow(bytes).map_err(|refused| close_with(LATER, refused.detail()))
    }

    /// Ends the count of the kept bytes: nothing is kept any more.
    pub(crate) fn keep_nothing(&mut self) {
        self.kept.clear();
    }

    /// Sends a text.
    ///
    /// # Errors
    /// When the peer is gone or does not read, or has lost its rights.
    pub(crate) async fn send_text(&mut self, text: String) -> Result<(), CloseReason> {
        self.admitted.check().map_err(|why| close_with(code_of(&why), why.detail()))?;
        self.send(Message::text(text)).await
    }

    async fn send(&mut self, message: Message) -> Result<(), CloseReason> {
        match timeout(self.send_timeout, self.socket.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(None),
        }
    }

    /// Logs the error and sends a remark with it; returns the reason to close.
    pub(crate) async fn fail(&mut self, e: &Error) -> CloseReason {
        e.log();
        let remark = format!("# error: {}", e.detail().replace(['\r', '\n'], " "));
        match self.send_text(remark).await {
            Ok(()) => close_with(code_of(e), e.detail()),
            Err(gone) => gone,
        }
    }

    /// Closes, with the reason.
    pub(crate) async fn close(self, reason: CloseReason) {
        close::close(self.socket.socket, reason).await;
    }
}
