//! The server's side, scripted by each test: accepts a connection, hears, says, closes, or misbehaves.

use crate::LIMIT;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};
use tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tungstenite::protocol::CloseFrame;
use tungstenite::{Error, Message, WebSocket};

/// A connection, whatever it is wrapped in.
pub trait ByteStream: Read + Write {}
impl<T: Read + Write> ByteStream for T {}

/// A listening socket.
pub struct TestServer {
    listener: TcpListener,
    pub address: SocketAddr,
}

/// One WebSocket session.
pub struct TestSession {
    socket: WebSocket<Box<dyn ByteStream>>,
    tcp: TcpStream,
    /// Path and query that were asked for.
    pub path: String,
}

impl TestServer {
    pub fn open() -> Self {
        Self::open_at("127.0.0.1:0".parse().expect("an address"))
    }

    /// Listens where no other test does, so that the port is still free after a while without a listener.
    pub fn open_alone() -> Self {
        static NEXT: AtomicU8 = AtomicU8::new(1);
        // Only Linux has more than one loopback address without being told.
        let net = if cfg!(target_os = "linux") { NEXT.fetch_add(1, Ordering::Relaxed) } else { 0 };
        Self::open_at(([127, 0, net, 1], 0).into())
    }

    pub fn open_at(address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).expect("the port is free");
        listener.set_nonblocking(true).expect("a socket");
        let address = listener.local_addr().expect("a socket");
        Self { listener, address }
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The next connection, before anything is said on it.
    pub fn tcp(&self) -> TcpStream {
        let start = Instant::now();
        loop {
            match self.listener.accept() {
                Ok((tcp, _)) => {
                    tcp.set_nonblocking(false).expect("a socket");
                    tcp.set_read_timeout(Some(LIMIT)).expect("a socket");
                    tcp.set_nodelay(true).expect("a socket");
                    return tcp;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock && start.elapsed() < LIMIT => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(error) => panic!("nobody connects: {error}"),
            }
        }
    }

    pub fn session(&self) -> TestSession {
        let tcp = self.tcp();
        let wire = Box::new(tcp.try_clone().expect("a socket"));
        TestSession::over(wire, tcp)
    }

    /// Answers the next request with plain HTTP.
    pub fn refuse(&self, status: &str, headers: &str, body: &str) {
        let mut tcp = self.tcp();
        let mut request = Vec::new();
        let mut byte = [0];
        while !request.ends_with(b"\r\n\r\n") {
            tcp.read_exact(&mut byte).expect("a request");
            request.push(byte[0]);
        }
        let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
        tcp.write_all(head.as_bytes()).expect("somebody reads");
        // In two pieces, as slow networks deliver.
        std::thread::sleep(Duration::from_millis(20));
        tcp.write_all(body.as_bytes()).expect("somebody reads");
    }
}

impl TestSession {
    pub fn over(wire: Box<dyn ByteStream>, tcp: TcpStream) -> Self {
        let mut path = String::new();
        #[allow(clippy::result_large_err)]
        let note = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
            path = request.uri().to_string();
            Ok(response)
        };
        let socket = tungstenite::accept_hdr(wire, note).map_err(|error| error.to_string());
        Self { socket: socket.expect("a WebSocket handshake"), tcp, path }
    }

    /// The next message that is more than a remark.
    pub fn hear(&mut self) -> String {
        let start = Instant::now();
        // Pings go on for ever, so the socket's own limit is not enough.
        while start.elapsed() < LIMIT {
            match self.socket.read().expect("a message") {
                Message::Text(text) if !text.as_str().lines().all(|line| line.starts_with('#')) => {
                    return text.as_str().to_owned();
                }
                Message::Close(frame) => panic!("closed: {frame:?}"),
                _ => {}
            }
        }
        panic!("nothing is said");
    }

    /// Hears until the transcript lines heard are these, in however many messages they come.
    pub fn hear_lines(&mut self, expected: &[&str]) {
        let mut lines = Vec::new();
        while lines.len() < expected.len() {
            lines.extend(self.hear().lines().map(str::to_owned));
        }
        assert_eq!(lines, expected);
    }

    pub fn say(&mut self, text: &str) {
        self.socket.send(Message::text(text)).expect("somebody listens");
    }

    /// Gives no other sign of life for a while than the protocol's own.
    pub fn answer_pings_for(&mut self, time: Duration) {
        let until = Instant::now() + time;
        self.tcp.set_read_timeout(Some(Duration::from_millis(50))).expect("a socket");
        while Instant::now() < until {
            match self.socket.read() {
                Ok(Message::Ping(_)) => self.socket.flush().expect("somebody listens"),
                Ok(message) => panic!("{message:?}"),
                Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) => panic!("{error}"),
            }
        }
        self.tcp.set_read_timeout(Some(LIMIT)).expect("a socket");
    }

    pub fn close(mut self, code: u16, reason: &'static str) {
        let frame = CloseFrame { code: code.into(), reason: reason.into() };
        self.socket.close(Some(frame)).expect("somebody listens");
        // Until the other side has hung up as well, so that nothing is lost on the way.
        while self.socket.read().is_ok() {}
    }

    /// Breaks the connection as a server does that dies.
    pub fn reset(self) {
        rustix::net::sockopt::set_socket_linger(&self.tcp, Some(Duration::ZERO)).expect("a socket");
    }

    /// Asserts that the other side hangs up.
    pub fn hung_up(mut self) {
        let start = Instant::now();
        while start.elapsed() < LIMIT {
            match self.socket.read() {
                Ok(_) => {}
                Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => break,
                Err(_) => return,
            }
        }
        panic!("the other side does not hang up");
    }
}
