//! A WebSocket of text messages: how many may be open, when a peer counts as gone, how it is told why it ends. It must
//! not know what the texts say.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use tokio::time::timeout;

use crate::app::App;
use crate::error::{Code, Error};
use crate::http::Pulse;
use crate::http::live::admit::Admitted;
use crate::http::live::close;
use crate::http::live::close::{End, LATER, ONLY_TEXT, broken, end};
use crate::http::live::meter::{Meter, SocketSource};
use crate::limits::shares::Held;

/// The largest message: a long transcript is sent again whole. Twice what the shim keeps at most.
const MAX_MESSAGE: usize = 16 << 20;

/// An idle socket costs about this much.
const READ_BUFFER: usize = 4096;

/// Turns a request from this source into a WebSocket on which `hold` talks, if one more may be open.
///
/// # Errors
/// `upgrade_required`, `stopping`, `too_many_sockets`, `too_many`.
pub fn open<F: Future<Output = ()> + Send + 'static>(
    app: &'static App,
    source: SocketSource,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    hold: impl FnOnce(Wire) -> F + Send + 'static,
) -> Result<Response, Error> {
    let upgrade = upgrade.map_err(|e| Error::new(Code::UpgradeRequired, e.body_text()))?;
    let admitted = Admitted::new(app, app.metrics.sockets.clone(), Some(source.network))?;
    let kept = app.bodies.take(Some(source.network), 0)?;
    source.meter.start(app.bodies.take(Some(source.network), 0)?);
    let meter = source.meter;
    let upgrade =
        upgrade.max_message_size(MAX_MESSAGE).max_frame_size(MAX_MESSAGE).read_buffer_size(READ_BUFFER);
    Ok(upgrade.on_upgrade(move |socket| async move {
        let (pulse, heard) = (app.limits.pulse, Instant::now());
        hold(Wire { socket, pulse, heard, pinged: false, meter, told: false, kept }).await;
        drop(admitted);
    }))
}

/// An open connection.
pub struct Wire {
    socket: WebSocket,
    pulse: Pulse,
    /// When the peer was heard last.
    heard: Instant,
    /// Since then, it was pinged.
    pinged: bool,
    /// Counts the message that arrives.
    meter: Arc<Meter>,
    /// A message was handed out. It counts until the next one is asked for.
    told: bool,
    /// Counts what [`Self::keep`] is told.
    kept: Held,
}

impl Wire {
    /// What comes next, to be given to [`Self::text`]. May be dropped and called again.
    pub async fn recv(&mut self) -> Option<Result<Message, axum::Error>> {
        if std::mem::take(&mut self.told) {
            self.meter.complete();
        }
        self.socket.recv().await
    }

    /// When [`Self::pulse`] is due unless something comes before.
    pub fn next_pulse(&self) -> Instant {
        self.heard + if self.pinged { self.pulse.gone_after } else { self.pulse.ping_after }
    }

    /// Nothing was heard for a while.
    ///
    /// # Errors
    /// When the peer is gone.
    pub async fn pulse(&mut self) -> Result<(), End> {
        if self.heard.elapsed() >= self.pulse.gone_after {
            return Err(None);
        }
        self.pinged = true;
        self.send(Message::Ping(Default::default())).await
    }

    /// The text of what came; `None` where it has none.
    ///
    /// # Errors
    /// When the peer is gone, or to be sent away.
    pub fn text(&mut self, message: Option<Result<Message, axum::Error>>) -> Result<Option<String>, End> {
        let message = match message {
            None => return Err(None),
            Some(Err(e)) => {
                let refused = self.meter.refused().map(|refused| end(LATER, refused.detail()));
                return Err(refused.unwrap_or_else(|| broken(&e, MAX_MESSAGE)));
            }
            Some(Ok(message)) => message,
        };
        self.told = true;
        self.heard = Instant::now();
        self.pinged = false;
        match message {
            Message::Text(text) => Ok(Some(text.as_str().to_owned())),
            Message::Ping(_) | Message::Pong(_) => Ok(None),
            Message::Binary(_) => Err(end(ONLY_TEXT, "a dialogue is text")),
            // The answer to it is sent by itself while the socket is read to its end.
            Message::Close(_) => Err(None),
        }
    }

    /// So many bytes of messages are kept for later.
    ///
    /// # Errors
    /// When no more fit into the memory for them.
    pub fn keep(&mut self, bytes: usize) -> Result<(), End> {
        self.kept.grow(bytes).map_err(|refused| end(LATER, refused.detail()))
    }

    /// Nothing is kept any more.
    pub fn keep_nothing(&mut self) {
        self.kept.clear();
    }

    /// Sends a text.
    ///
    /// # Errors
    /// When the peer is gone, or does not read.
    pub async fn say(&mut self, text: String) -> Result<(), End> {
        self.send(Message::text(text)).await
    }

    async fn send(&mut self, message: Message) -> Result<(), End> {
        match timeout(self.pulse.gone_after, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(None),
        }
    }

    /// Sends a remark on what went wrong; the end that it is.
    pub async fn fail(&mut self, code: u16, e: &Error) -> End {
        let remark = format!("# error: {}", e.detail().replace(['\r', '\n'], " "));
        match self.say(remark).await {
            Ok(()) => end(code, e.detail()),
            Err(gone) => gone,
        }
    }

    /// Closes, with the reason.
    pub async fn close(self, end: End) {
        close::close(self.socket, end).await;
    }
}
