//! The HTTP request that turns a connection into a WebSocket, and what servers answer to it. It must not decide
//! when to try again.

use crate::stream::Stream;
use std::io::{self, ErrorKind, Read, Write};
use tungstenite::handshake::{client::generate_key, derive_accept_key};

/// Longest answer that is looked at, header and body.
const LONGEST_ANSWER: usize = 16 * 1024;

/// What is asked of a server.
#[derive(Clone)]
pub struct Call {
    /// Path and query.
    pub path: String,
    /// Headers beside the usual ones.
    pub headers: Vec<(&'static str, String)>,
    /// JSON to post; `None`: a WebSocket is asked for.
    pub post: Option<String>,
}

/// A request on its way.
pub struct Upgrade {
    request: Vec<u8>,
    written: usize,
    key: String,
    response: Vec<u8>,
}

/// What the server said to it.
#[derive(Debug, PartialEq, Eq)]
pub enum Reply {
    /// The connection is a WebSocket now; these bytes of it were read already.
    Switched(Vec<u8>),
    /// It is not; what the server says instead.
    Answered(Answer),
    /// The other side does not speak HTTP, or not with us.
    Nonsense(&'static str),
}

/// An HTTP answer that opens no WebSocket.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// `Retry-After` in seconds, if there.
    pub retry_after_s: Option<u64>,
    /// The `detail` of a problem document, or the `Location` of a redirect.
    pub detail: Option<String>,
    /// The string called `token` in its body.
    pub token: Option<String>,
}

impl Upgrade {
    /// A request to `authority`.
    pub fn new(authority: &str, call: &Call) -> Self {
        let key = generate_key();
        let method = if call.post.is_some() { "POST" } else { "GET" };
        let mut request = format!("{method} {} HTTP/1.1\r\nHost: {authority}\r\n", call.path);
        request += concat!("User-Agent: kibitz-shim/", env!("CARGO_PKG_VERSION"), "\r\n");
        for (name, value) in &call.headers {
            request.extend([name, ": ", value, "\r\n"]);
        }
        match &call.post {
            None => request.extend([
                "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ",
                &key,
                "\r\n\r\n",
            ]),
            Some(body) => request.extend([
                "Connection: close\r\nContent-Type: application/json\r\nContent-Length: ",
                &body.len().to_string(),
                "\r\n\r\n",
                body,
            ]),
        }
        Self { request: request.into_bytes(), written: 0, key, response: Vec::new() }
    }

    /// Whether part of the request is still to be written.
    pub fn unwritten(&self) -> bool {
        self.written < self.request.len()
    }

    /// Goes as far as the stream allows without waiting. `None`: not far enough yet.
    pub fn advance(&mut self, stream: &mut Stream) -> io::Result<Option<Reply>> {
        match self.exchange(stream) {
            Ok(()) => Ok(self.reply(true)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(self.reply(false)),
            Err(error) if self.response.is_empty() => Err(error),
            // What was said before the connection broke still counts.
            Err(_) => Ok(self.reply(true)),
        }
    }

    /// What the answer says so far, for when there is no more time to wait for its end.
    pub fn give_up(&self) -> Option<Reply> {
        if self.response.is_empty() { None } else { self.reply(true) }
    }

    fn exchange(&mut self, stream: &mut Stream) -> io::Result<()> {
        while let Some(rest) = self.request.get(self.written..).filter(|rest| !rest.is_empty()) {
            match stream.write(rest)? {
                0 => return Err(ErrorKind::WriteZero.into()),
                count => self.written += count,
            }
        }
        stream.flush()?;
        let mut buffer = [0; 4096];
        while self.response.len() < LONGEST_ANSWER {
            let count = stream.read(&mut buffer)?;
            if count == 0 {
                break;
            }
            self.response.extend_from_slice(buffer.get(..count).unwrap_or_default());
            // Whatever follows belongs to the WebSocket, which reads for itself.
            if self.reply(false).is_some() {
                break;
            }
        }
        Ok(())
    }

    fn reply(&self, ended: bool) -> Option<Reply> {
        let Some(end) = self.response.windows(4).position(|bytes| bytes == b"\r\n\r\n") else {
            return ended.then_some(Reply::Nonsense("it does not answer like an HTTP server"));
        };
        let (head, body) = self.response.split_at(end);
        let head = String::from_utf8_lossy(head);
        let body = body.get(4..).unwrap_or_default();
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.strip_prefix("HTTP/1."));
        let Some(status) = status.and_then(|line| line.split(' ').nth(1)?.parse().ok()) else {
            return Some(Reply::Nonsense("it does not answer like an HTTP server"));
        };
        let header = |name: &str| {
            let mut fields = lines.clone().filter_map(|line| line.split_once(':'));
            fields.find(|(key, _)| key.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
        };
        if status == 101 {
            let ours =
                header("sec-websocket-accept") == Some(derive_accept_key(self.key.as_bytes()).as_str());
            return Some(if ours {
                Reply::Switched(body.to_vec())
            } else {
                Reply::Nonsense("its WebSocket handshake is not an answer to ours")
            });
        }
        let length = header("content-length").and_then(|length| length.parse().ok());
        let whole = length.is_some_and(|length: usize| body.len() >= length);
        if !ended && !whole {
            return None;
        }
        let redirect = header("location").filter(|_| (300..400).contains(&status));
        let detail = redirect.map(|location| format!("moved to {location}"));
        let body = String::from_utf8_lossy(body);
        Some(Reply::Answered(Answer {
            status,
            retry_after_s: header("retry-after").and_then(|seconds| seconds.parse().ok()),
            detail: detail.or_else(|| json_string(&body, "detail")),
            token: json_string(&body, "token"),
        }))
    }
}

/// The string under `key` in a flat JSON object. A whole JSON reader would be larger than the rest of the program.
fn json_string(json: &str, key: &str) -> Option<String> {
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

    fn reply(response: &str, ended: bool) -> Option<Reply> {
        let call = Call { path: "/".into(), headers: Vec::new(), post: None };
        let mut upgrade = Upgrade::new("h", &call);
        upgrade.key = "dGhlIHNhbXBsZSBub25jZQ==".into();
        upgrade.response = response.into();
        upgrade.reply(ended)
    }

    #[test]
    fn the_switch_must_answer_our_key() {
        // The example of RFC 6455, section 1.3.
        let right =
            "HTTP/1.1 101 Switching Protocols\r\nsec-websocket-ACCEPT: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
        assert_eq!(reply(&format!("{right}abc"), false), Some(Reply::Switched(b"abc".to_vec())));
        assert_eq!(reply(right.strip_suffix("\r\n").unwrap(), false), None);
        let wrong = right.replace("s3p", "xxx");
        assert!(matches!(reply(&wrong, false), Some(Reply::Nonsense(_))));
    }

    #[test]
    fn a_refusal_is_read_with_its_body() {
        let head = "HTTP/1.1 503 Busy\r\nRetry-After: 2\r\nContent-Length: 29\r\n\r\n";
        let body = r#"{"detail": "full \"\u0041\""}"#;
        assert_eq!(reply(head, false), None);
        let answer = |detail| Answer { status: 503, retry_after_s: Some(2), detail, token: None };
        let whole = answer(Some("full \"A\"".into()));
        assert_eq!(reply(&format!("{head}{body}"), false), Some(Reply::Answered(whole)));
        let cut = Reply::Answered(answer(None));
        assert_eq!(reply(&format!("{head}{{\"detail\": \"fu"), true), Some(cut));
    }

    #[test]
    fn what_is_posted_has_a_length_and_may_bring_a_token() {
        let call = Call { path: "/p".into(), headers: vec![("X", "y".into())], post: Some("{}".into()) };
        let request = String::from_utf8(Upgrade::new("h", &call).request).unwrap();
        assert!(request.starts_with("POST /p HTTP/1.1\r\nHost: h\r\n"), "{request}");
        assert!(request.contains("\r\nX: y\r\n") && request.ends_with("Content-Length: 2\r\n\r\n{}"));
        let token = |body: &str| match reply(&format!("HTTP/1.1 200 OK\r\n\r\n{body}"), true) {
            Some(Reply::Answered(answer)) => answer.token,
            other => panic!("{other:?}"),
        };
        assert_eq!(token(r#"{"seats":[{"seat":1,"token":"kbs_x"}]}"#), Some("kbs_x".into()));
        assert_eq!(token(r#"{"seats":[{"seat":1,"token":null}],"key":null}"#), None);
    }

    #[test]
    fn what_is_not_http_is_not_taken_for_it() {
        for response in ["", "SSH-2.0-x\r\n", "SSH-2.0-x\r\n\r\n", "HTTP/1.1\r\n\r\n", "HTTP/1.1 x\r\n\r\n"] {
            assert!(matches!(reply(response, true), Some(Reply::Nonsense(_))), "{response}");
        }
    }
}
