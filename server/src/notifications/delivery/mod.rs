//! Gives a message to a push service (RFC 8030). Players name the addresses, so what this server connects to, what it sends there and
//! what it tells of the answer are bounded: see `docs/security.md`.

mod connection;
mod endpoint;

use std::time::Duration;

use axum::http::{HeaderValue, Request, header};
use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::time::timeout;

use crate::error::Error;
use connection::{Connector, NotConnected};

pub(super) use endpoint::Endpoint;

/// How long the connection and the answer may take together.
const WITHIN: Duration = Duration::from_secs(10);

/// The longest pause that a push service may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(3_600);

/// A message to a push service.
pub(super) struct PushMessage {
    /// Its body, encrypted.
    pub body: Vec<u8>,
    /// The proof of who sends it.
    pub authorization: String,
    /// How long it is of use, in seconds.
    pub ttl_s: u64,
    /// A newer message of the same topic takes the place of one that was not shown yet.
    pub topic: Option<String>,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PushOutcome {
    /// The push service has taken it.
    Taken,
    /// There is no such subscription any more.
    Gone,
    /// The push service cannot take it now; it may ask for a pause.
    Later(Option<Duration>),
    /// The push service does not take it.
    Refused,
}

/// A client of push services.
pub(super) struct PushClient {
    connector: Connector,
}

impl PushClient {
    /// A client. `private`: it also connects to private networks and to this machine.
    pub(super) fn new(private: bool) -> Self {
        Self { connector: Connector::new(private) }
    }

    /// Reads the address of a subscription.
    ///
    /// # Errors
    /// `bad_field`.
    pub(super) fn endpoint(&self, text: &str) -> Result<Endpoint, Error> {
        Endpoint::read(text, self.connector.reach)
    }

    /// Gives a message to the push service of a subscription.
    pub(super) async fn send(&self, to: &Endpoint, message: PushMessage) -> PushOutcome {
        match timeout(WITHIN, self.exchange(to, message)).await {
            Ok(Ok(outcome)) => outcome,
            Ok(Err(why)) => {
                tracing::debug!(host = to.host(), %why, "a push service could not be reached");
                if matches!(why, NotConnected::Forbidden) {
                    PushOutcome::Refused
                } else {
                    PushOutcome::Later(None)
                }
            }
            Err(_) => {
                tracing::debug!(host = to.host(), "a push service does not answer");
                PushOutcome::Later(None)
            }
        }
    }

    async fn exchange(&self, to: &Endpoint, message: PushMessage) -> Result<PushOutcome, NotConnected> {
        let failed = |e: &dyn std::fmt::Display| NotConnected::Failed(e.to_string());
        let stream = self.connector.connect(to).await?;
        let (mut sender, connection) =
            http1::handshake(TokioIo::new(stream)).await.map_err(|e| failed(&e))?;
        // It ends with `sender`, which lives as long as this exchange.
        let driven = tokio::spawn(connection);
        let answer = sender.send_request(request(to, message).map_err(|e| failed(&e))?).await;
        driven.abort();
        let answer = answer.map_err(|e| failed(&e))?;
        Ok(outcome(answer.status().as_u16(), answer.headers().get(header::RETRY_AFTER)))
    }
}

fn request(to: &Endpoint, message: PushMessage) -> Result<Request<Full<Bytes>>, axum::http::Error> {
    let mut request = Request::post(to.path())
        .header(header::HOST, to.authority())
        .header(header::AUTHORIZATION, message.authorization)
        .header(header::CONTENT_TYPE, "application/octet-stream")
        .header(header::CONTENT_ENCODING, "aes128gcm")
        .header("ttl", message.ttl_s)
        .header("urgency", "normal");
    if let Some(topic) = message.topic {
        request = request.header("topic", topic);
    }
    request.body(Full::new(message.body.into()))
}

/// What an answer means. Redirections are not followed: they would lead past the check of the address.
fn outcome(status: u16, retry_after: Option<&HeaderValue>) -> PushOutcome {
    let pause = || {
        let seconds = retry_after?.to_str().ok()?.trim().parse().ok()?;
        Some(Duration::from_secs(seconds).min(LONGEST_PAUSE))
    };
    match status {
        200..=299 => PushOutcome::Taken,
        404 | 410 => PushOutcome::Gone,
        408 | 429 | 500..=599 => PushOutcome::Later(pause()),
        _ => PushOutcome::Refused,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_say_whether_to_try_again() {
        let asked = |status, pause: &'static str| outcome(status, Some(&HeaderValue::from_static(pause)));
        assert_eq!(outcome(201, None), PushOutcome::Taken);
        for (status, wanted) in [
            (404, PushOutcome::Gone),
            (410, PushOutcome::Gone),
            (403, PushOutcome::Refused),
            (307, PushOutcome::Refused),
        ] {
            assert_eq!(outcome(status, None), wanted, "{status}");
        }
        assert_eq!(outcome(503, None), PushOutcome::Later(None));
        assert_eq!(asked(429, "30"), PushOutcome::Later(Some(Duration::from_secs(30))));
        assert_eq!(asked(429, "999999999"), PushOutcome::Later(Some(LONGEST_PAUSE)));
        assert_eq!(asked(500, "Mon, 30 Nov 2026 10:00:00 GMT"), PushOutcome::Later(None));
    }
}
