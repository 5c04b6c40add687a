//! The answers of a server, stored with their requests, and the search for secrets in them.

use std::net::SocketAddr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use kibitz::domain::token::{Token, hex, unhex};
use serde_json::Value;
use tokio::net::TcpStream;

use super::viewer_output::text;
use crate::client::{HANG, TestResponse};

/// An answer, or a message of a WebSocket.
pub(super) struct ReceivedText {
    pub what: String,
    pub text: String,
    /// The secrets that it may contain, because this answer gives them to the caller.
    pub given: Vec<String>,
}

/// A secret, by a name that may be printed, in the forms in which it could be found.
#[derive(Clone)]
pub(super) struct Secret {
    pub name: String,
    forms: Vec<String>,
    /// Its hash in the database, which no caller may see either.
    hash: Option<String>,
    bytes: Option<Vec<u8>>,
}

impl Secret {
    pub(super) fn new(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), forms: vec![without_white_space(text)], hash: None, bytes: None }
    }

    /// A token: whole, without its beginning, and its bytes.
    pub(super) fn token(token: &str) -> Self {
        let (kind, parsed) = Token::parse(token).expect("it is a token");
        let bytes = URL_SAFE_NO_PAD.decode(&token[4..]).unwrap();
        Self {
            name: format!("the token of a {kind:?}"),
            forms: vec![token.to_owned(), token[4..].to_owned(), hex(&bytes)],
            hash: Some(parsed.hash().to_string()),
            bytes: Some(bytes),
        }
    }

    /// 32 bytes in hexadecimal, or as the list that Rust's `Debug` prints.
    pub(super) fn bytes(name: &str, text: &str) -> Self {
        let bytes = unhex(text).expect("64 digits");
        let list: Vec<String> = bytes.iter().map(u8::to_string).collect();
        Self { forms: vec![text.to_owned(), list.join(",")], ..Self::new(name, "") }
    }

    /// The form of the secret that this text contains. The text must have no white space.
    fn found_in(&self, text: &str) -> Option<&str> {
        self.forms.iter().chain(&self.hash).map(String::as_str).find(|form| text.contains(form))
    }

    /// Without the hash, which the searched text may contain.
    pub(super) fn in_the_clear(&self) -> Self {
        Self { hash: None, ..self.clone() }
    }

    /// Whether the text contains its hash.
    pub(super) fn is_hashed_in(&self, text: &str) -> bool {
        self.hash.as_ref().is_some_and(|hash| text.contains(hash))
    }

    /// Whether these bytes contain its own.
    pub(super) fn is_raw_in(&self, bytes: &[u8]) -> bool {
        self.bytes.as_ref().is_some_and(|own| bytes.windows(own.len()).any(|window| window == own))
    }
}

/// Without spaces and escapes, so that a value is found however it was written.
pub(super) fn without_white_space(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && *c != '\\').collect()
}

/// A client that stores everything it receives.
pub(super) struct RecordingClient {
    pub address: SocketAddr,
    pub received: Vec<ReceivedText>,
}

impl RecordingClient {
    /// Sends a request and stores the answer.
    pub(super) async fn ask(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        json: &Value,
    ) -> TestResponse {
        let body = if json.is_null() { String::new() } else { json.to_string() };
        let kind = ("content-type", "application/json");
        let headers: Vec<_> = headers.iter().copied().chain((!json.is_null()).then_some(kind)).collect();
        self.send(method, path, &headers, body.into()).await
    }

    /// As [`Self::ask`], for an answer that holds secrets of its caller: those in these fields.
    pub(super) async fn ask_for(&mut self, path: &str, headers: &[(&str, &str)], json: &Value) -> Value {
        let reply = self.ask("POST", path, headers, json).await;
        assert!(reply.status.is_success(), "{path} {json}: {reply:?}");
        let answer: Value = serde_json::from_slice(&reply.body).unwrap();
        let seats = answer["seats"].as_array().into_iter().flatten();
        let given = seats.map(|seat| &seat["token"]).chain([&answer["token"], &answer["key"]]);
        let given = given.filter_map(Value::as_str).map(str::to_owned).collect();
        self.received.last_mut().unwrap().given = given;
        answer
    }

    /// Sends any request, and keeps the answer.
    pub(super) async fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Bytes,
    ) -> TestResponse {
        let mut request =
            Request::builder().method(method).uri(path).header("host", self.address.to_string());
        if !headers.iter().any(|(name, _)| *name == "x-request-id") {
            // Else every answer would have an id of its own, and no two would be equal.
            request = request.header("x-request-id", "the-same-every-time");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(body)).unwrap();
        let exchange = async {
            let stream = TcpStream::connect(self.address).await.unwrap();
            let (mut sender, connection) =
                hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.unwrap();
            let connection = tokio::spawn(connection);
            let (parts, body) = sender.send_request(request).await.unwrap().into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            connection.abort();
            TestResponse { status: parts.status, headers: parts.headers, body }
        };
        let reply = tokio::time::timeout(HANG, exchange).await.expect("an answer comes");
        self.keep(format!("{method} {path}"), text(&reply));
        reply
    }

    pub(super) fn keep(&mut self, what: String, text: String) {
        self.received.push(ReceivedText { what, text, given: Vec::new() });
    }

    /// Fails if an answer contains one of these secrets without giving it to its caller.
    pub(super) fn search(&self, secrets: &[Secret], upto: usize) {
        for heard in &self.received[..upto] {
            let mut text = without_white_space(&heard.text);
            heard.given.iter().for_each(|given| text = text.replace(given, "(given)"));
            // The caller knows the request; it is printed only without secrets.
            search(&text, secrets, &heard.what);
        }
    }
}

/// Fails if the text contains one of these secrets; the text must be squeezed.
#[track_caller]
pub(super) fn search(text: &str, secrets: &[Secret], place: &str) {
    for secret in secrets {
        if let Some(form) = secret.found_in(text) {
            let at = text.find(form).unwrap();
            let from = text.floor_char_boundary(at.saturating_sub(300));
            let upto = text.ceil_char_boundary((at + form.len() + 100).min(text.len()));
            panic!("{} is exposed: {place}: ...{}...", secret.name, &text[from..upto]);
        }
    }
}
