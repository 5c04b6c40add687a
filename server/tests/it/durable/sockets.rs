//! Bad clients on WebSockets: each is closed with a reason, if the protocol allows one, and harms no other client.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::misbehaving_clients::TargetMatch;
use super::raw_connection::{RawConnection, frame, text};
use crate::client::HANG;

/// Continues a message, and ends one.
const MORE: u8 = 0x00;
const END: u8 = 0x80;
const BINARY: u8 = 0x82;
const BEGIN: u8 = 0x01;

impl TargetMatch {
    async fn live(&self, token: Option<&str>) -> RawConnection {
        let mut raw = RawConnection::dial(self.address).await;
        raw.upgrade(&format!("{}/live", self.path), token).await;
        raw
    }

    /// Sends this over a WebSocket of a seat; returns the close code.
    async fn closes(&self, said: &[u8]) -> Option<u16> {
        let mut raw = self.live(Some(&self.tokens[0])).await;
        raw.say(said).await;
        // The server's close frame waits for the client's.
        raw.say(frame(0x88, &1000_u16.to_be_bytes())).await;
        raw.closed().await
    }

    pub(super) async fn bad_sockets(&self) {
        assert_eq!(self.closes(&frame(BINARY, b"\x00\x01\x02")).await, Some(1003));
        assert_eq!(self.closes(&text(b"\xff\xfe{}")).await, Some(1007));
        assert_eq!(self.closes(&text(vec![b' '; 200_000])).await, Some(4413));
        // The declared length alone is too large; the rest never comes.
        let mut huge = vec![0x81, 0x80 | 127];
        huge.extend((1_u64 << 62).to_be_bytes());
        huge.extend([0; 4]);
        assert_eq!(self.closes(&huge).await, Some(4413));
        // One message that never ends.
        let mut endless = frame(BEGIN, b"[");
        for _ in 0..100 {
            endless.extend(frame(MORE, &[b' '; 1000]));
        }
        assert_eq!(self.closes(&endless).await, Some(4413));
        let nonsense: Vec<u8> = (0..150).flat_map(|n| text(format!("{{\"type\":\"{n}\"}}"))).collect();
        assert_eq!(self.closes(&nonsense).await, Some(4400));
        // Bytes that are no WebSocket frames: closing the connection is enough.
        for garbage in [
            b"\x81\x05hello".to_vec(),          // not masked
            frame(0xf1, b"{}"),                 // reserved bits
            frame(0x83, b"{}"),                 // an unknown opcode
            frame(0x89, &[b'x'; 200]),          // a ping that is too long
            frame(MORE, b"{}"),                 // continues a message that never began
            b"GET / HTTP/1.1\r\n\r\n".to_vec(), // HTTP inside a WebSocket
            vec![0; 5000],
            vec![0xff; 5000],
            frame(0x88, b"\x03"), // a close with half a code
        ] {
            let code = self.closes(&garbage).await;
            assert!(
                matches!(code, None | Some(1000 | 1002 | 1007 | 4400 | 4413)),
                "{code:?} for {garbage:?}"
            );
        }
        self.odd_but_right().await;
        // Half a frame and nothing more: the server does not wait for the rest.
        let mut half = self.live(Some(&self.tokens[1])).await;
        half.say(&text(b"{\"type\":\"resign\"}")[..12]).await;
        drop(half);
    }

    /// A move in small pieces with pings between them is a move like any other, here a wrong one.
    async fn odd_but_right(&self) {
        let mut raw = self.live(Some(&self.tokens[0])).await;
        let order = json!({ "type": "move", "ply": 0, "notation": "none", "id": "in pieces" }).to_string();
        for (n, byte) in order.bytes().enumerate() {
            raw.say(frame(if n == 0 { BEGIN } else { MORE }, &[byte])).await;
            raw.say(frame(0x89, b"are you there?")).await;
        }
        raw.say(frame(END, b"")).await;
        let mut pongs = 0;
        let refused = async {
            loop {
                let (first, content) = raw.frame().await.expect("it goes on");
                pongs += usize::from(first == 0x8a);
                let said: Value = serde_json::from_slice(&content).unwrap_or_default();
                if said["type"] == "refused" {
                    return said;
                }
            }
        };
        let refused = tokio::time::timeout(HANG, refused).await.expect("an answer comes");
        assert_eq!(refused["id"], "in pieces", "{refused}");
        assert!(pongs > 0, "a ping is answered in the middle of a message");
    }

    /// Followers that never read: in the end each has events without a gap, and a close reason if some are missing.
    pub(super) async fn never_read(&self) -> Vec<RawConnection> {
        let mut readers = Vec::new();
        for n in 0..24 {
            let token = &self.tokens[n % 4];
            let mut raw = RawConnection::narrow(self.address).await;
            match n % 3 {
                0 => raw.upgrade(&format!("{}/live?since=0", self.path), Some(token)).await,
                kind => {
                    let accept = if kind == 1 { "application/x-ndjson" } else { "text/event-stream" };
                    let path = format!("{}/events?since=0", self.path);
                    let request = format!(
                        "GET {path} HTTP/1.1\r\nhost: target\r\nconnection: close\r\naccept: {accept}\r\nauthorization: Bearer {token}\r\n\r\n"
                    );
                    raw.say(request).await;
                }
            }
            readers.push(raw);
        }
        readers
    }
}

/// Reads what the server sent to the followers that never read: events in order, without a gap, and then an end.
pub(super) async fn read_at_last(readers: Vec<RawConnection>) {
    let read = readers.into_iter().map(async |mut raw| {
        let told = raw.hear(HANG).await;
        assert!(raw.hung_up().await, "it ends, sooner or later");
        let told = String::from_utf8_lossy(&told);
        let frames = told.match_indices("{\"type\":").filter_map(|(at, _)| {
            // The last one may be cut off.
            serde_json::Deserializer::from_str(&told[at..]).into_iter::<Value>().next()?.ok()
        });
        let seqs: Vec<_> = frames.skip(1).filter_map(|frame| frame["seq"].as_u64()).collect();
        assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>(), "in order, without a gap");
        seqs.len()
    });
    // A follower that was closed for its slowness may have received very little.
    let told: usize = join_all(read).await.into_iter().sum();
    assert!(told > 0, "nothing was told to anybody");
}
