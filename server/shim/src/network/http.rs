//! One HTTP request to the server and the response: for a WebSocket, a `GET` or a `POST`. It must not decide whether
//! to try again.

use crate::network::stream::ServerStream;
use httparse::Status;
use std::io::{self, ErrorKind, Read, Write};
use std::rc::Rc;
use tungstenite::handshake::{client::generate_key, derive_accept_key};

/// Longest response that is read, head and body, in bytes.
const LONGEST_RESPONSE: usize = 16 * 1024;

/// Most header fields of a response.
const MOST_HEADERS: usize = 100;

/// A request to the server.
#[derive(Clone)]
pub(crate) struct HttpRequest {
    /// Path and query.
    pub path: String,
    /// Header fields besides the usual ones.
    pub headers: Vec<(&'static str, String)>,
    /// What the request asks for.
    pub method: HttpMethod,
}

/// What a request asks for.
#[derive(Clone)]
pub(crate) enum HttpMethod {
    /// A WebSocket.
    WebSocket,
    /// A text.
    Get,
    /// To take this JSON.
    Post(String),
    /// To keep this file.
    Put(Rc<[u8]>),
}

/// A request that is being sent, and the part of the response that has arrived.
pub(crate) struct HttpExchange {
    request: Vec<u8>,
    written: usize,
    key: String,
    response: Vec<u8>,
}

/// The server's reply.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum HandshakeReply {
    /// The connection is a WebSocket now; these bytes of it were already read.
    Switched(Vec<u8>),
    /// The server answered without opening a WebSocket.
    Response(HttpResponse),
    /// The reply is not valid HTTP, or no answer to our handshake; the reason.
    Invalid(&'static str),
}

/// An HTTP response that opens no WebSocket.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct HttpResponse {
    /// HTTP status.
    pub status: u16,
    /// `Retry-After` in seconds, if present.
    pub retry_after_s: Option<u64>,
    /// The `detail` of a problem document, or the `Location` of a redirect.
    pub detail: Option<String>,
    /// The first string called `token` in its body.
    pub token: Option<String>,
    /// Its body; of a long one the beginning.
    pub body: String,
}

impl HttpExchange {
    /// A request to `authority`.
    pub(crate) fn new(authority: &str, http_request: &HttpRequest) -> Self {
        let key = generate_key();
        let method = match http_request.method {
            HttpMethod::Get | HttpMethod::WebSocket => "GET",
            HttpMethod::Post(_) => "POST",
            HttpMethod::Put(_) => "PUT",
        };
        let mut request = format!("{method} {} HTTP/1.1\r\nHost: {authority}\r\n", http_request.path);
        request += concat!("User-Agent: kibitz-shim/", env!("CARGO_PKG_VERSION"), "\r\n");
        for (name, value) in &http_request.headers {
            request.extend([name, ": ", value, "\r\n"]);
        }
        match &http_request.method {
            HttpMethod::Get => request += "Connection: close\r\n\r\n",
            HttpMethod::WebSocket => request.extend([
                "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ",
                &key,
                "\r\n\r\n",
            ]),
            HttpMethod::Post(body) => request.extend([
                "Connection: close\r\nContent-Type: application/json\r\nContent-Length: ",
                &body.len().to_string(),
                "\r\n\r\n",
                body,
            ]),
            HttpMethod::Put(body) => request.extend([
                "Connection: close\r\nContent-Type: application/wasm\r\nContent-Length: ",
                &body.len().to_string(),
                "\r\n\r\n",
            ]),
        }
        let mut request = request.into_bytes();
        if let HttpMethod::Put(body) = &http_request.method {
            request.extend_from_slice(body);
        }
        Self { request, written: 0, key, response: Vec::new() }
    }

    /// Whether part of the request is still to be written.
    pub(crate) fn unwritten(&self) -> bool {
        self.written < self.request.len()
    }

    /// Writes and reads as far as possible without waiting. `None`: the response is not complete yet.
    pub(crate) fn advance(&mut self, stream: &mut ServerStream) -> io::Result<Option<HandshakeReply>> {
        match self.exchange(stream) {
            Ok(()) => Ok(self.reply(true)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(self.reply(false)),
            Err(error) if self.response.is_empty() => Err(error),
            // A response that arrived before the connection broke still counts.
            Err(_) => Ok(self.reply(true)),
        }
    }

    /// The reply in what has arrived so far, after a timeout.
    pub(crate) fn give_up(&self) -> Option<HandshakeReply> {
        if self.response.is_empty() { None } else { self.reply(true) }
    }

    fn exchange(&mut self, stream: &mut ServerStream) -> io::Result<()> {
        while let Some(rest) = self.request.get(self.written..).filter(|rest| !rest.is_empty()) {
            match stream.write(rest)? {
                0 => return Err(ErrorKind::WriteZero.into()),
                count => self.written += count,
            }
        }
        stream.flush()?;
        let mut buffer = [0; 4096];
        while self.response.len() < LONGEST_RESPONSE {
            let count = stream.read(&mut buffer)?;
            if count == 0 {
                break;
            }
            self.response.extend_from_slice(buffer.get(..count).unwrap_or_default());
            // Stop here: later bytes belong to the WebSocket, which reads them itself.
            if self.reply(false).is_some() {
                break;
            }
        }
        Ok(())
    }

    /// The reply in the bytes that have arrived. `ended`: no more will come.
    fn reply(&self, ended: bool) -> Option<HandshakeReply> {
        let mut fields = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut head = httparse::Response::new(&mut fields);
        let length = match head.parse(&self.response) {
            Ok(Status::Complete(length)) => length,
            Ok(Status::Partial) if !ended => return None,
            Ok(Status::Partial) | Err(_) => {
                return Some(HandshakeReply::Invalid("it does not answer like an HTTP server"));
            }
        };
        let body = self.response.get(length..).unwrap_or_default();
        let status = head.code.unwrap_or_default();
        if status == 101 {
            let expected = derive_accept_key(self.key.as_bytes());
            return Some(if field(&head, "sec-websocket-accept") == Some(expected.as_str()) {
                HandshakeReply::Switched(body.to_vec())
            } else {
                HandshakeReply::Invalid("its WebSocket handshake is not an answer to ours")
            });
        }
        let content_length = field(&head, "content-length").and_then(|length| length.parse().ok());
        let complete = content_length.is_some_and(|length: usize| body.len() >= length);
        (ended || complete).then(|| HandshakeReply::Response(HttpResponse::new(status, &head, body)))
    }
}

impl HttpResponse {
    fn new(status: u16, head: &httparse::Response<'_, '_>, body: &[u8]) -> Self {
        let redirect = field(head, "location").filter(|_| (300..400).contains(&status));
        let detail = redirect.map(|location| format!("moved to {location}"));
        let body = String::from_utf8_lossy(body);
        Self {
            status,
            retry_after_s: field(head, "retry-after").and_then(|seconds| seconds.parse().ok()),
            detail: detail.or_else(|| json_string(&body, "detail")),
            token: json_string(&body, "token"),
            body: body.into_owned(),
        }
    }
}

/// The value of the first header field with this name.
fn field<'a>(head: &httparse::Response<'_, 'a>, name: &str) -> Option<&'a str> {
    let field = head.headers.iter().find(|field| field.name.eq_ignore_ascii_case(name))?;
    std::str::from_utf8(field.value).ok().map(str::trim)
}

/// The first whole number under `key` in a JSON text.
pub(crate) fn json_number(json: &str, key: &str) -> Option<u64> {
    let (_, after) = json.split_once(&format!("\"{key}\""))?;
    let after = after.trim_start().strip_prefix(':')?.trim_start();
    let end = after.find(|char: char| !char.is_ascii_digit()).unwrap_or(after.len());
    after.get(..end)?.parse().ok()
}

/// The first string under `key` in a JSON text. A complete JSON parser would be larger than the rest of the program.
pub(crate) fn json_string(json: &str, key: &str) -> Option<String> {
    let (_, after) = json.split_once(&format!("\"{key}\""))?;
    let after = after.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let mut out = String::new();
    let mut chars = after.chars();
    loop {
        match chars.next()? {
            '"' => return Some(out),
            '\\' => match chars.next()? {
                'u' => {
                    let code: String = chars.by_ref().take(4).collect();
                    let char = u32::from_str_radix(&code, 16).ok().and_then(char::from_u32);
                    out.push(char.unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                'n' | 'r' | 't' => out.push(' '),
                plain => out.push(plain),
            },
            plain => out.push(plain),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply(response: &str, ended: bool) -> Option<HandshakeReply> {
        let request = HttpRequest { path: "/".into(), headers: Vec::new(), method: HttpMethod::WebSocket };
        let mut exchange = HttpExchange::new("h", &request);
        exchange.key = "dGhlIHNhbXBsZSBub25jZQ==".into();
        exchange.response = response.into();
        exchange.reply(ended)
    }

    #[test]
    fn switch_must_answer_our_key() {
        // The example of RFC 6455, section 1.3.
        let right =
            "HTTP/1.1 101 Switching Protocols\r\nsec-websocket-ACCEPT: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
        assert_eq!(reply(&format!("{right}abc"), false), Some(HandshakeReply::Switched(b"abc".to_vec())));
        assert_eq!(reply(right.strip_suffix("\r\n").unwrap(), false), None);
        let wrong = right.replace("s3p", "xxx");
        assert!(matches!(reply(&wrong, false), Some(HandshakeReply::Invalid(_))));
    }

    #[test]
    fn refusal_is_read_with_its_body() {
        let head = "HTTP/1.1 503 Busy\r\nRetry-After: 2\r\nContent-Length: 29\r\n\r\n";
        let body = r#"{"detail": "full \"\u0041\""}"#;
        assert_eq!(reply(head, false), None);
        let response = |detail, body: &str| {
            let body = body.to_owned();
            HttpResponse { status: 503, retry_after_s: Some(2), detail, token: None, body }
        };
        let whole = response(Some("full \"A\"".into()), body);
        assert_eq!(reply(&format!("{head}{body}"), false), Some(HandshakeReply::Response(whole)));
        let cut = HandshakeReply::Response(response(None, "{\"detail\": \"fu"));
        assert_eq!(reply(&format!("{head}{{\"detail\": \"fu"), true), Some(cut));
    }

    #[test]
    fn redirect_names_the_new_place() {
        let response =
            "HTTP/1.1 308 Permanent Redirect\r\nlocation:  https://b/ \r\ncontent-length: 0\r\n\r\n";
        match reply(response, false) {
            Some(HandshakeReply::Response(response)) => {
                assert_eq!(response.detail.as_deref(), Some("moved to https://b/"));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn post_has_a_length_and_its_response_may_hold_a_token() {
        let request = HttpRequest {
            path: "/p".into(),
            headers: vec![("X", "y".into())],
            method: HttpMethod::Post("{}".into()),
        };
        let request = String::from_utf8(HttpExchange::new("h", &request).request).unwrap();
        assert!(request.starts_with("POST /p HTTP/1.1\r\nHost: h\r\n"), "{request}");
        assert!(request.contains("\r\nX: y\r\n") && request.ends_with("Content-Length: 2\r\n\r\n{}"));
        let token = |body: &str| match reply(&format!("HTTP/1.1 200 OK\r\n\r\n{body}"), true) {
            Some(HandshakeReply::Response(response)) => response.token,
            other => panic!("{other:?}"),
        };
        assert_eq!(token(r#"{"seats":[{"seat":1,"token":"kbs_x"}]}"#), Some("kbs_x".into()));
        assert_eq!(token(r#"{"seats":[{"seat":1,"token":null}],"key":null}"#), None);
    }

    #[test]
    fn put_sends_the_bytes_of_a_file() {
        let method = HttpMethod::Put([0, 97, 255].into());
        let request = HttpRequest { path: "/p".into(), headers: Vec::new(), method };
        let request = HttpExchange::new("h", &request).request;
        assert!(request.starts_with(b"PUT /p HTTP/1.1\r\nHost: h\r\n"));
        assert!(request.ends_with(b"Content-Length: 3\r\n\r\n\x00a\xff"));
    }

    #[test]
    fn number_is_found_in_json() {
        assert_eq!(json_number(r#"{"number": 12,"game":"x"}"#, "number"), Some(12));
        assert_eq!(json_number(r#"{"number":7}"#, "number"), Some(7));
        for none in [r#"{"number":null}"#, r#"{"number":-1}"#, r#"{"number""#, ""] {
            assert_eq!(json_number(none, "number"), None, "{none}");
        }
    }

    #[test]
    fn text_that_is_not_http_is_invalid() {
        for response in ["", "SSH-2.0-x\r\n", "SSH-2.0-x\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 x\r\n\r\n"] {
            assert!(matches!(reply(response, true), Some(HandshakeReply::Invalid(_))), "{response}");
        }
    }
}
