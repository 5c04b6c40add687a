//! How WebSockets are closed: the codes, the reasons, and the code for a message that cannot be read.

use std::error::Error as _;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::error::CapacityError;

use crate::error::{Code, Error};

/// How long the peer has to answer a close frame.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(1);

/// The longest reason in a close frame, in bytes (RFC 6455 allows 123).
const MAX_REASON: usize = 120;

/// Normal end: the dialogue or the match is over.
pub(crate) const DONE: u16 = 1000;
/// The server stops.
pub(crate) const GOING_AWAY: u16 = 1001;
/// The peer sent a binary message.
pub(crate) const ONLY_TEXT: u16 = 1003;
/// The peer sent a message that is not UTF-8.
pub(crate) const NOT_UTF8: u16 = 1007;
/// The server failed.
pub(crate) const FAILED: u16 = 1011;
/// The server cannot serve this now, for example because all engines are busy. Try again later.
pub(crate) const LATER: u16 = 1013;
/// The peer sent a message that the protocol does not allow.
pub(crate) const BAD: u16 = 4400;
/// The caller may not go on, for example because the seat is no longer theirs.
const NOT_ALLOWED: u16 = 4403;
/// The peer does not read fast enough.
pub(crate) const TOO_SLOW: u16 = 4408;
/// A newer connection has taken over what this one was for. The program that held it should stop.
pub(crate) const TAKEN_OVER: u16 = 4410;
/// The peer sent too much. A code of our own: unlike 1009 it says that reconnecting with the same data will not help.
pub(crate) const TOO_LARGE: u16 = 4413;

/// The code and the reason to send when a WebSocket is closed; `None` when the peer is gone and gets neither.
pub(crate) type CloseReason = Option<(u16, String)>;

/// The close code for an error that ends a dialogue.
pub(crate) fn code_of(e: &Error) -> u16 {
    match e.code() {
        Code::Busy | Code::StoreUnavailable | Code::TooMany => LATER,
        Code::Stopping => GOING_AWAY,
        Code::Internal | Code::EngineFailed => FAILED,
        Code::NotYourSeat
        | Code::NoSuchMatch
        | Code::BadToken
        | Code::TokenExpired
        | Code::PlayScopeNeeded
        | Code::Banned => NOT_ALLOWED,
        _ => BAD,
    }
}

/// A close with this code and reason. A long reason is cut.
pub(crate) fn close_with(code: u16, reason: &str) -> CloseReason {
    Some((code, reason[..reason.floor_char_boundary(MAX_REASON)].to_owned()))
}

/// The close for a peer whose message could not be received; `limit`: the largest message, in bytes.
pub(crate) fn receive_failed(e: &axum::Error, limit: usize) -> CloseReason {
    match e.source().and_then(|source| source.downcast_ref()) {
        Some(tungstenite::Error::Capacity(CapacityError::MessageTooLong { .. })) => {
            close_with(TOO_LARGE, &format!("a message has more than {limit} bytes"))
        }
        Some(tungstenite::Error::Utf8(_)) => close_with(NOT_UTF8, "a message is not UTF-8"),
        _ => None,
    }
}

/// Closes and waits a moment for the peer to close too: data may be lost if the server disconnects first.
pub(crate) async fn close(mut socket: WebSocket, reason: CloseReason) {
    let Some((code, reason)) = reason else { return };
    let frame = CloseFrame { code, reason: reason.into() };
    let handshake = async {
        if socket.send(Message::Close(Some(frame))).await.is_ok() {
            while let Some(Ok(_)) = socket.recv().await {}
        }
    };
    // A peer that does not answer in time is dropped.
    let _ = timeout(CLOSE_TIMEOUT, handshake).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_code_follows_from_the_type_of_the_error() {
        let code = |e: tungstenite::Error| receive_failed(&axum::Error::new(e), 9).map(|(code, _)| code);
        let too_long = CapacityError::MessageTooLong { size: 10, max_size: 9 };
        assert_eq!(code(tungstenite::Error::Capacity(too_long)), Some(TOO_LARGE));
        assert_eq!(code(tungstenite::Error::Utf8("byte 0".to_owned())), Some(NOT_UTF8));
        // The text of an error does not matter: the peer wrote or caused it.
        for text in ["a path that is too long", "not utf-8"] {
            let io = std::io::Error::other(text);
            assert_eq!(code(tungstenite::Error::Io(io)), None, "{text}");
        }
    }

    #[test]
    fn long_reason_is_cut_between_characters() {
        let (_, reason) = close_with(BAD, &"ä".repeat(100)).unwrap();
        assert_eq!(reason, "ä".repeat(MAX_REASON / 2));
    }
}
