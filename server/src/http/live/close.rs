//! What WebSockets have in common: how they end.

use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use tokio::time::timeout;

/// How long the peer has to answer a close.
const GOODBYE: Duration = Duration::from_secs(1);

/// The longest reason of a close, in bytes (RFC 6455 allows 123).
const REASON: usize = 120;

/// All is said.
pub const DONE: u16 = 1000;
/// The server stops.
pub const GOING_AWAY: u16 = 1001;
/// A binary message came.
pub const ONLY_TEXT: u16 = 1003;
/// A message came that is not UTF-8.
pub const NOT_UTF8: u16 = 1007;
/// The server failed.
pub const FAILED: u16 = 1011;
/// All engines are busy for too long.
pub const LATER: u16 = 1013;
/// What came made no sense.
pub const BAD: u16 = 4400;
/// The peer has not kept up.
pub const TOO_SLOW: u16 = 4408;
/// Our own: unlike 1009, a sign that coming again with the same will not help.
pub const TOO_LARGE: u16 = 4413;

/// Why a socket ends: the code and the reason that the peer is told, or nothing where it is gone.
pub type End = Option<(u16, String)>;

/// The end with this code and reason.
pub fn end(code: u16, reason: &str) -> End {
    Some((code, reason[..reason.floor_char_boundary(REASON)].to_owned()))
}

/// What to tell a peer whose messages cannot be read; `limit`: how large they may be.
pub fn broken(e: &axum::Error, limit: usize) -> End {
    // The library's own error is not public in this type; its words are.
    let words = e.to_string().to_lowercase();
    if words.contains("too long") || words.contains("too large") {
        end(TOO_LARGE, &format!("a message has more than {limit} bytes"))
    } else if words.contains("utf-8") || words.contains("utf8") {
        end(NOT_UTF8, "a message is not UTF-8")
    } else {
        None
    }
}

/// Closes and waits a moment for the peer to do so too: who hangs up first may lose what was sent.
pub async fn close(mut socket: WebSocket, end: End) {
    let Some((code, reason)) = end else { return };
    let frame = CloseFrame { code, reason: reason.into() };
    let goodbye = async {
        if socket.send(Message::Close(Some(frame))).await.is_ok() {
            while let Some(Ok(_)) = socket.recv().await {}
        }
    };
    // A peer that does not answer is left.
    let _ = timeout(GOODBYE, goodbye).await;
}
