//! The admin API as the command line uses it: one request, then its response or a sentence that describes the error.

use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use crate::domain::token::Token;

/// How long a server may take to accept a connection.
const CONNECT: Duration = Duration::from_secs(5);

/// A server and its admin token.
pub(super) struct AdminClient {
    agent: ureq::Agent,
    server: String,
    token: Token,
}

impl AdminClient {
    /// A client for the server at this URL.
    pub(super) fn new(server: &str, token: Token) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .user_agent(concat!("kibitz-admin/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(CONNECT));
        let server = server.trim_end_matches('/').to_owned();
        Self { agent: config.build().new_agent(), server, token }
    }

    /// Sends GET.
    pub(super) fn get(&self, path: &str) -> Result<Value, String> {
        let request = self.agent.get(self.url(path)).header("authorization", self.bearer());
        self.answer(request.call())
    }

    /// Sends POST.
    pub(super) fn post(&self, path: &str, body: &Value) -> Result<Value, String> {
        let request = self.agent.post(self.url(path)).header("authorization", self.bearer());
        self.answer(request.header("content-type", "application/json").send(body.to_string().as_bytes()))
    }

    /// Sends PUT.
    pub(super) fn put(&self, path: &str, body: &Value) -> Result<Value, String> {
        let request = self.agent.put(self.url(path)).header("authorization", self.bearer());
        self.answer(request.header("content-type", "application/json").send(body.to_string().as_bytes()))
    }

    /// Sends DELETE.
    pub(super) fn delete(&self, path: &str) -> Result<Value, String> {
        let request = self.agent.delete(self.url(path)).header("authorization", self.bearer());
        self.answer(request.call())
    }

    fn url(&self, path: &str) -> String {
        format!("{}/v1/admin/{path}", self.server)
    }

    fn bearer(&self) -> String {
        format!("Bearer {}", self.token.reveal())
    }

    fn answer(&self, answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Value, String> {
        let lost = |e: ureq::Error| format!("{} does not answer: {e}; is the server running?", self.server);
        let mut answer = answer.map_err(lost)?;
        let status = answer.status();
        let text = answer.body_mut().read_to_string().map_err(lost)?;
        let body: Value = if text.is_empty() {
            Value::Null
        } else {
            serde_json::from_str(&text).map_err(|_| format!("{} is not a kibitz server", self.server))?
        };
        if status.is_success() {
            return Ok(body);
        }
        let (code, detail) = (body["code"].as_str(), body["detail"].as_str());
        Err(match (code, detail) {
            (Some(code), Some(detail)) => format!("{code}: {detail}"),
            _ => format!("{} answers {status}", self.server),
        })
    }
}

/// Percent-encodes a text as a path segment or a query value.
pub(super) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string()
}
