//! The HTTP client of the arena: posts a request, and distinguishes responses, time-outs and failures. Knows no game.

use std::time::Duration;

use engines::arena::{Http, Post, PostResponse};
use serde_json::Value;

/// Sends requests over HTTP.
pub(in crate::cli) struct NetworkClient(ureq::Agent);

impl NetworkClient {
    /// The longest response that is read, in bytes.
    const LONGEST: u64 = 4 << 20;
    /// How long a living server may take to send any response.
    const PROBE: Duration = Duration::from_secs(5);

    /// A client without connections.
    pub(in crate::cli) fn new() -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(concat!("kibitz-arena/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(Duration::from_secs(5)));
        Self(config.build().new_agent())
    }
}

impl Http for NetworkClient {
    fn post(&self, url: &str, body: &Value, timeout: Duration) -> Post {
        let request = self.0.post(url).config().timeout_global(Some(timeout)).build();
        let request = request.header("content-type", "application/json").header("accept", "application/json");
        let read = request.send(body.to_string().as_bytes()).and_then(|mut response| {
            let status = response.status().as_u16();
            let retry = response.headers().get("retry-after").and_then(|v| v.to_str().ok());
            let retry_after = retry.and_then(|s| s.trim().parse().ok()).map(Duration::from_secs);
            let body =
                response.body_mut().with_config().limit(Self::LONGEST).lossy_utf8(true).read_to_string()?;
            Ok(PostResponse { status, retry_after, body })
        });
        match read {
            Ok(reply) => Post::Answered(reply),
            Err(ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve)) => {
                Post::Failed("the server cannot be reached in time".to_owned())
            }
            Err(ureq::Error::Timeout(_)) => Post::TimedOut,
            Err(e) => Post::Failed(e.to_string()),
        }
    }

    fn answers(&self, url: &str) -> bool {
        // A new agent has no connection to reuse, which might be the dead one.
        let fresh = Self::new();
        let request = fresh.0.get(url).config().timeout_global(Some(Self::PROBE)).build();
        request.call().is_ok()
    }
}
