//! A server that each test scripts: it accepts connections, receives, sends, closes, or misbehaves.

use crate::LIMIT;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};
use tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tungstenite::protocol::CloseFrame;
use tungstenite::{Error, Message, WebSocket};

/// A byte stream, plain or with TLS.
pub(crate) trait ByteStream: Read + Write {}
impl<T: Read + Write> ByteStream for T {}

/// A listening socket.
pub(crate) struct ScriptedServer {
    listener: TcpListener,
    pub address: SocketAddr,
}

/// One WebSocket session.
pub(crate) struct TestSession {
    socket: WebSocket<Box<dyn ByteStream>>,
    tcp: TcpStream,
    /// Path and query of the request.
    pub path: String,
}

impl ScriptedServer {
    pub(crate) fn open() -> Self {
        Self::open_at("127.0.0.1:0".parse().expect("an address"))
    }

    /// Listens on an address of its own, so that the port stays free while no listener has it.
    pub(crate) fn open_on_own_address() -> Self {
        static NEXT: AtomicU8 = AtomicU8::new(1);
        // Only Linux has more than one loopback address by default.
        let net = if cfg!(target_os = "linux") { NEXT.fetch_add(1, Ordering::Relaxed) } else { 0 };
        Self::open_at(([127, 0, net, 1], 0).into())
    }

    pub(crate) fn open_at(address: SocketAddr) -> Self {
        let listener = TcpListener::bind(address).expect("the port is free");
        listener.set_nonblocking(true).expect("a socket");
        let address = listener.local_addr().expect("a socket");
        Self { listener, address }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Accepts the next connection.
    pub(crate) fn tcp(&self) -> TcpStream {
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
                Err(error) => panic!("the program does not connect: {error}"),
            }
        }
    }

    pub(crate) fn session(&self) -> TestSession {
        let tcp = self.tcp();
        let wire = Box::new(tcp.try_clone().expect("a socket"));
        TestSession::over(wire, tcp)
    }

    /// Answers the next request with plain HTTP.
    pub(crate) fn refuse(&self, status: &str, headers: &str, body: &str) {
        let mut tcp = self.tcp();
        let mut request = Vec::new();
        let mut byte = [0];
        while !request.ends_with(b"\r\n\r\n") {
            tcp.read_exact(&mut byte).expect("a request");
            request.push(byte[0]);
        }
        let head = format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n", body.len());
        tcp.write_all(head.as_bytes()).expect("the program reads");
        // In two pieces, as on a slow network.
        std::thread::sleep(Duration::from_millis(20));
        tcp.write_all(body.as_bytes()).expect("the program reads");
    }
}

impl TestSession {
    pub(crate) fn over(wire: Box<dyn ByteStream>, tcp: TcpStream) -> Self {
        let mut path = String::new();
        #[allow(clippy::result_large_err)]
        let note = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
            path = request.uri().to_string();
            Ok(response)
        };
        let socket = tungstenite::accept_hdr(wire, note).map_err(|error| error.to_string());
        Self { socket: socket.expect("a WebSocket handshake"), tcp, path }
    }

    /// The next message with more than remarks.
    pub(crate) fn receive(&mut self) -> String {
        let start = Instant::now();
        // Pings keep arriving, so the socket's read timeout is not enough.
        while start.elapsed() < LIMIT {
            match self.socket.read() {
                Ok(Message::Text(text)) if !text.as_str().lines().all(|line| line.starts_with('#')) => {
                    return text.as_str().to_owned();
                }
                Ok(Message::Close(frame)) => panic!("closed: {frame:?}"),
                Ok(_) => {}
                Err(Error::Io(error)) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => panic!("a message is expected: {error}"),
            }
        }
        panic!("no message arrives");
    }

    /// Receives transcript lines, in any number of messages, and asserts that they are these.
    pub(crate) fn expect_lines(&mut self, expected: &[&str]) {
        let mut lines = Vec::new();
        while lines.len() < expected.len() {
            lines.extend(self.receive().lines().map(str::to_owned));
        }
        assert_eq!(lines, expected);
    }

    pub(crate) fn send(&mut self, text: &str) {
        self.socket.send(Message::text(text)).expect("the program reads");
    }

    /// Answers pings for some time, and sends nothing else.
    pub(crate) fn answer_pings_for(&mut self, time: Duration) {
        let until = Instant::now() + time;
        self.tcp.set_read_timeout(Some(Duration::from_millis(50))).expect("a socket");
        while Instant::now() < until {
            match self.socket.read() {
                Ok(Message::Ping(_)) => self.socket.flush().expect("the program reads"),
                Ok(message) => panic!("{message:?}"),
                // A read with a timeout is not resumed after a signal.
                Err(Error::Io(error))
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(error) => panic!("{error}"),
            }
        }
        self.tcp.set_read_timeout(Some(LIMIT)).expect("a socket");
    }

    pub(crate) fn close(mut self, code: u16, reason: &'static str) {
        let frame = CloseFrame { code: code.into(), reason: reason.into() };
        self.socket.close(Some(frame)).expect("the program reads");
        // Read until the program has disconnected as well, so that no message is lost.
        while self.socket.read().is_ok() {}
    }

    /// Resets the connection, as a killed server does.
    pub(crate) fn reset(self) {
        rustix::net::sockopt::set_socket_linger(&self.tcp, Some(Duration::ZERO)).expect("a socket");
    }

    /// Asserts that the program disconnects.
    pub(crate) fn expect_disconnect(mut self) {
        let start = Instant::now();
        while start.elapsed() < LIMIT {
            match self.socket.read() {
                Ok(_) => {}
                Err(Error::Io(error)) if error.kind() == ErrorKind::WouldBlock => break,
                Err(Error::Io(error)) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
        panic!("the program does not disconnect");
    }
}
