//! Malformed bytes, and the server's reaction.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::client::HANG;

pub(super) struct RawConnection {
    pub stream: TcpStream,
    /// Bytes that were read and not returned yet.
    read: Vec<u8>,
}

impl RawConnection {
    pub(super) async fn dial(server: SocketAddr) -> Self {
        Self { stream: TcpStream::connect(server).await.unwrap(), read: Vec::new() }
    }

    /// A connection with a small receive buffer.
    pub(super) async fn narrow(server: SocketAddr) -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(2048).unwrap();
        Self { stream: socket.connect(server).await.unwrap(), read: Vec::new() }
    }

    /// Writes until the server closes the connection; a write error is ignored.
    pub(super) async fn say(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        let said = tokio::time::timeout(HANG, self.stream.write_all(bytes.as_ref())).await;
        said.expect("the server neither reads nor hangs up").is_ok()
    }

    /// All bytes until the server closes the connection or is silent for this long.
    pub(super) async fn hear(&mut self, still: Duration) -> Vec<u8> {
        while let Ok(Ok(1..)) = tokio::time::timeout(still, self.stream.read_buf(&mut self.read)).await {}
        std::mem::take(&mut self.read)
    }

    /// Whether the server has closed the connection.
    pub(super) async fn hung_up(&mut self) -> bool {
        self.take(1).await.is_none()
    }

    /// The next bytes, this many; `None`: the server has closed the connection.
    async fn take(&mut self, count: usize) -> Option<Vec<u8>> {
        while self.read.len() < count {
            let read = tokio::time::timeout(HANG, self.stream.read_buf(&mut self.read)).await;
            if read.expect("the server says something").ok()? == 0 {
                return None;
            }
        }
        Some(self.read.drain(..count).collect())
    }

    /// The head of an answer.
    pub(super) async fn head(&mut self) -> String {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let Some(byte) = self.take(1).await else { break };
            head.extend(byte);
        }
        String::from_utf8(head).unwrap()
    }

    /// Opens a WebSocket on this connection.
    pub(super) async fn upgrade(&mut self, path: &str, token: Option<&str>) {
        let bearer = token.map_or(String::new(), |token| format!("authorization: Bearer {token}\r\n"));
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: target\r\nconnection: upgrade\r\nupgrade: websocket\r\n\
             sec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n{bearer}\r\n"
        );
        assert!(self.say(request).await);
        let head = self.head().await;
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
    }

    /// The first byte and the content of the next frame of a WebSocket; `None`: the server closed the connection.
    pub(super) async fn frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let head = self.take(2).await?;
        let length = match head[1] {
            126 => u64::from(u16::from_be_bytes(self.take(2).await?.try_into().unwrap())),
            127 => u64::from_be_bytes(self.take(8).await?.try_into().unwrap()),
            short => u64::from(short),
        };
        Some((head[0], self.take(usize::try_from(length).unwrap()).await?))
    }

    /// Reads to the end; returns the close code, if the server sends one.
    pub(super) async fn closed(&mut self) -> Option<u16> {
        let mut code = None;
        while let Some((first, content)) = self.frame().await {
            if first & 0xf == 8 {
                code = content.first_chunk().map(|code| u16::from_be_bytes(*code));
            }
        }
        code
    }
}

/// A frame of a WebSocket as clients write it; `first`: the bits of its kind.
pub(super) fn frame(first: u8, content: &[u8]) -> Vec<u8> {
    let mut frame = vec![first];
    match content.len() {
        short @ 0..126 => frame.push(0x80 | short as u8),
        long @ 126..65_536 => {
            frame.push(0x80 | 126);
            frame.extend((long as u16).to_be_bytes());
        }
        huge => {
            frame.push(0x80 | 127);
            frame.extend((huge as u64).to_be_bytes());
        }
    }
    // A mask of zeros is valid and leaves the bytes as they are.
    frame.extend([0; 4]);
    frame.extend(content);
    frame
}

/// A whole message of text.
pub(super) fn text(content: impl AsRef<[u8]>) -> Vec<u8> {
    frame(0x81, content.as_ref())
}
