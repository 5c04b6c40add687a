//! Records everything that passes through NATS: a client of its own that subscribes to all subjects.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::processes::NatsServer;
use crate::client::HANG;

#[derive(Clone, Debug)]
pub(crate) struct NatsMessage {
    pub subject: String,
    /// The subject for replies, if there is one.
    pub reply: Option<String>,
    pub payload: Vec<u8>,
}

impl NatsMessage {
    /// The payload as JSON; null if it is empty.
    pub(crate) fn json(&self) -> Value {
        if self.payload.is_empty() { Value::Null } else { serde_json::from_slice(&self.payload).unwrap() }
    }
}

/// All messages since it began.
pub(crate) struct Traffic {
    messages: Arc<Mutex<Vec<NatsMessage>>>,
    stream: TcpStream,
}

impl Traffic {
    /// Begins to record; returns when the subscription is in force.
    pub(crate) fn record(nats: &NatsServer) -> Self {
        let mut stream = TcpStream::connect(nats.address()).unwrap();
        stream.write_all(b"CONNECT {\"verbose\":false}\r\nSUB > 1\r\nPING\r\n").unwrap();
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut line = String::new();
        while line != "PONG\r\n" {
            line.clear();
            assert!(reader.read_line(&mut line).unwrap() > 0, "NATS answers");
        }
        let messages = Arc::<Mutex<Vec<NatsMessage>>>::default();
        let (received, answers) = (Arc::clone(&messages), stream.try_clone().unwrap());
        std::thread::spawn(move || receive(reader, &answers, &received));
        Self { messages, stream }
    }

    /// The messages so far.
    pub(crate) fn so_far(&self) -> Vec<NatsMessage> {
        self.messages.lock().unwrap().clone()
    }

    /// Sends a message.
    pub(crate) fn send(&mut self, subject: &str, payload: &Value) {
        let payload = payload.to_string();
        write!(self.stream, "PUB {subject} {}\r\n{payload}\r\n", payload.len()).unwrap();
    }

    /// Waits until a message satisfies this, from the message number `from` on.
    pub(crate) async fn until(&self, from: usize, what: &str, right: impl Fn(&NatsMessage) -> bool) {
        let began = Instant::now();
        while !self.so_far()[from..].iter().any(&right) {
            assert!(began.elapsed() < HANG, "no message: {what}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Waits until a worker announces that no search wants to compute.
    pub(crate) async fn until_idle(&self) {
        let from = self.so_far().len();
        let idle = |m: &NatsMessage| {
            m.subject.ends_with(".workers") && m.json()["busy"].as_object().is_some_and(|b| b.is_empty())
        };
        self.until(from, "an idle worker", idle).await;
    }
}

/// Reads the messages until the connection ends.
fn receive(mut reader: BufReader<TcpStream>, mut answers: &TcpStream, messages: &Mutex<Vec<NatsMessage>>) {
    let mut line = String::new();
    while reader.read_line(&mut line).is_ok_and(|length| length > 0) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words[..] {
            ["PING"] => answers.write_all(b"PONG\r\n").unwrap(),
            ["MSG", subject, _, ref rest @ ..] => {
                let (length, reply) = rest.split_last().expect("a message has a length");
                let mut payload = vec![0; length.parse::<usize>().unwrap() + 2];
                if reader.read_exact(&mut payload).is_err() {
                    return;
                }
                payload.truncate(payload.len() - 2);
                let reply = reply.first().map(ToString::to_string);
                messages.lock().unwrap().push(NatsMessage { subject: subject.to_owned(), reply, payload });
            }
            _ => {}
        }
        line.clear();
    }
}
