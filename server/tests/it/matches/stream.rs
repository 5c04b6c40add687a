//! The reading side of streams of events, as a client would write it: strict about every byte.

use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use super::TestCaller;
use crate::client::{HANG, TestServer};

/// One item of a stream, as parsed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StreamItem {
    pub kind: String,
    /// The id, of server-sent events.
    pub id: Option<String>,
    pub json: Value,
    /// The text as received.
    pub text: String,
}

pub(crate) struct EventStream {
    stream: BufReader<TcpStream>,
    pub head: String,
    sse: bool,
    buffer: String,
    /// Signs of life so far.
    pub beats: u32,
    /// The seats that were connected, each time that the stream has reported it. These frames come between others at
    /// any time.
    pub connected: Vec<Value>,
    /// After how many milliseconds to come back, where the stream has said it.
    pub retry: Option<u64>,
}

impl EventStream {
    /// As server-sent events; `extra`: more headers.
    pub(crate) async fn sse(
        host: &TestServer,
        caller: &TestCaller,
        path: &str,
        extra: &[(&str, &str)],
    ) -> Self {
        Self::open(host.address(), caller, path, extra, true, None).await
    }

    /// As lines of JSON.
    pub(crate) async fn ndjson(host: &TestServer, caller: &TestCaller, path: &str) -> Self {
        Self::open(host.address(), caller, path, &[("accept", "application/x-ndjson")], false, None).await
    }

    /// As server-sent events, on a connection whose system takes next to nothing that is not read.
    pub(crate) async fn narrow(host: &TestServer, caller: &TestCaller, path: &str) -> Self {
        Self::open(host.address(), caller, path, &[], true, Some(4096)).await
    }

    async fn open(
        address: SocketAddr,
        caller: &TestCaller,
        path: &str,
        extra: &[(&str, &str)],
        sse: bool,
        receive: Option<u32>,
    ) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        if let Some(bytes) = receive {
            socket.set_recv_buffer_size(bytes).unwrap();
        }
        let mut stream = socket.connect(address).await.unwrap();
        let mut request = format!("GET {path} HTTP/1.1\r\nhost: test\r\n");
        let extra = extra.iter().map(|(name, value)| (*name, (*value).to_owned()));
        for (name, value) in caller.headers().into_iter().chain(extra) {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        stream.write_all(format!("{request}\r\n").as_bytes()).await.unwrap();
        let mut events = Self {
            stream: BufReader::new(stream),
            head: String::new(),
            sse,
            buffer: String::new(),
            beats: 0,
            connected: Vec::new(),
            retry: None,
        };
        while !events.head.ends_with("\r\n\r\n") {
            let read = events.stream.read_line(&mut events.head);
            assert!(timeout(HANG, read).await.expect("an answer comes").unwrap() > 0, "{}", events.head);
        }
        events
    }

    #[track_caller]
    pub(crate) fn opened(self) -> Self {
        assert!(self.head.starts_with("HTTP/1.1 200"), "{}", self.head);
        let kind = if self.sse { "text/event-stream" } else { "application/x-ndjson" };
        assert!(self.head.contains(&format!("content-type: {kind}\r\n")), "{}", self.head);
        assert!(self.head.contains("cache-control: no-store\r\n"), "{}", self.head);
        self
    }

    /// The next frame; `None`: the stream has ended in order.
    pub(crate) async fn next(&mut self) -> Option<StreamItem> {
        loop {
            if let Some(told) = self.parse() {
                return Some(told);
            }
            if !timeout(HANG, self.chunk()).await.expect("something comes").unwrap() {
                assert_eq!(self.buffer, "", "the stream ends inside a frame");
                return None;
            }
        }
    }

    /// All frames to the end of the stream.
    pub(crate) async fn all(mut self) -> Vec<StreamItem> {
        let mut all = Vec::new();
        while let Some(told) = self.next().await {
            all.push(told);
        }
        all
    }

    /// Waits for this many heartbeats.
    pub(crate) async fn beat(&mut self, times: u32) {
        let until = self.beats + times;
        while self.beats < until {
            assert!(timeout(HANG, self.chunk()).await.expect("a sign of life comes").unwrap());
            assert!(self.parse().is_none(), "only signs of life were to come");
        }
    }

    /// Reads until the connection breaks; whether it ended in order.
    pub(crate) async fn ends_in_order(&mut self) -> bool {
        loop {
            match timeout(HANG, self.chunk()).await.expect("an end comes") {
                Ok(true) => self.buffer.clear(),
                Ok(false) => return true,
                Err(_) => return false,
            }
        }
    }

    /// One chunk of the transfer coding; `false`: the last.
    async fn chunk(&mut self) -> std::io::Result<bool> {
        let mut size = String::new();
        if self.stream.read_line(&mut size).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let size = usize::from_str_radix(size.trim_end(), 16).unwrap();
        let mut bytes = vec![0; size + 2];
        self.stream.read_exact(&mut bytes).await?;
        assert!(bytes.ends_with(b"\r\n"));
        self.buffer.push_str(str::from_utf8(&bytes[..size]).unwrap());
        Ok(size > 0)
    }

    /// Waits until exactly these seats are connected, as the stream tells it.
    pub(crate) async fn until_connected(&mut self, seats: &[u8]) {
        let seats = serde_json::json!(seats);
        loop {
            while self.parse().is_some() {}
            if self.connected.last() == Some(&seats) {
                return;
            }
            assert!(timeout(HANG, self.chunk()).await.expect("players connect and leave").unwrap());
        }
    }

    /// The next frame that is complete, apart from those that tell who is connected.
    fn parse(&mut self) -> Option<StreamItem> {
        loop {
            let item = self.parse_any()?;
            if item.kind != "presence" {
                return Some(item);
            }
            assert_eq!((item.id, &item.json["seq"]), (None, &Value::Null));
            self.connected.push(item.json["connected"].clone());
        }
    }

    fn parse_any(&mut self) -> Option<StreamItem> {
        loop {
            let end = if self.sse { "\n\n" } else { "\n" };
            let at = self.buffer.find(end)?;
            let text: String = self.buffer.drain(..at + end.len()).collect();
            let frame = &text[..at];
            if (self.sse && frame == ": ") || (!self.sse && frame.is_empty()) {
                self.beats += 1;
                continue;
            }
            if !self.sse {
                let json: Value = serde_json::from_str(frame).unwrap();
                let kind = json["type"].as_str().unwrap().to_owned();
                return Some(StreamItem { kind, id: None, json, text: frame.to_owned() });
            }
            if let Some(ms) = frame.strip_prefix("retry: ") {
                assert_eq!(self.retry.replace(ms.parse().unwrap()), None, "once is enough");
                continue;
            }
            let (mut kind, mut id, mut data) = (None, None, None);
            for line in frame.lines() {
                let (field, value) = line.split_once(": ").unwrap();
                let place = match field {
                    "event" => &mut kind,
                    "id" => &mut id,
                    "data" => &mut data,
                    other => panic!("{other} is no field"),
                };
                assert!(place.replace(value.to_owned()).is_none(), "{field} twice");
            }
            let (kind, data) = (kind.unwrap(), data.unwrap());
            let json: Value = serde_json::from_str(&data).unwrap();
            // The event of the lobby is the same object as `GET /v1/lobby`, which has no type.
            assert_eq!(json["type"], if kind == "lobby" { Value::Null } else { json!(kind) });
            return Some(StreamItem { kind, id, json, text: data });
        }
    }
}
