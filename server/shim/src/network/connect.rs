//! One attempt to connect to a server: name lookup, TCP, TLS, WebSocket handshake. It must not block, and must not
//! decide whether to try again.

use crate::dialogue::answer::{Failure, PollTarget};
use crate::network::address::ServerAddress;
use crate::network::http::{HandshakeReply, HttpExchange, HttpResponse};
use crate::network::stream::{ServerStream, Transport, is_distrust};
use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tungstenite::{WebSocket, protocol::Role, protocol::WebSocketConfig};

/// Bytes to read at once: answers are short, and every connection fills the buffer with zeros.
const READ_BUFFER: usize = 4 * 1024;

/// Longest message accepted from a server, in bytes.
const LONGEST_MESSAGE: usize = 16 << 20;

/// The pause after a response that asks to try again without saying when.
const DEFAULT_RETRY_AFTER: Duration = Duration::from_millis(100);

/// The reason why an attempt failed.
#[derive(Debug)]
pub(crate) enum ConnectError {
    /// A later attempt may succeed.
    Temporary {
        /// The error.
        reason: String,
        /// The pause that the server asked for.
        wait: Option<Duration>,
        /// Whether the attempt timed out without any response.
        timeout: bool,
    },
    /// No later attempt can succeed.
    Permanent(Failure),
}

impl ConnectError {
    /// A broken connection or the like.
    pub(crate) fn temporary(reason: impl Into<String>) -> Self {
        Self::Temporary { reason: reason.into(), wait: None, timeout: false }
    }

    fn timeout() -> Self {
        Self::Temporary { reason: "no answer".into(), wait: None, timeout: true }
    }
}

/// The state of an attempt after a step.
pub(crate) enum AttemptProgress {
    /// Not finished.
    Pending(ConnectAttempt),
    /// The WebSocket is open.
    Open(WebSocket<ServerStream>),
    /// The server answered without opening a WebSocket.
    Response(HttpResponse),
    Failed(ConnectError),
}

/// A lookup of a server's name. The system's resolver blocks, so it runs on its own thread.
#[derive(Debug)]
pub(crate) struct Lookup {
    result: mpsc::Receiver<io::Result<Vec<SocketAddr>>>,
    /// Becomes readable when the result has arrived.
    wake: UnixStream,
}

impl Lookup {
    /// Starts to look up the server's name.
    pub(crate) fn start(server: &ServerAddress) -> io::Result<Self> {
        let (wake, waker) = UnixStream::pair()?;
        let (sender, result) = mpsc::channel();
        let place = (server.host.clone(), server.port);
        std::thread::Builder::new().name("lookup".into()).spawn(move || {
            // Without a receiver the program is ending; ignore the error.
            let _ = sender.send(place.to_socket_addrs().map(Iterator::collect));
            // Closing this end makes the other one readable.
            drop(waker);
        })?;
        Ok(Self { result, wake })
    }

    /// The addresses, as soon as the lookup is done.
    pub(crate) fn poll(&self) -> Option<io::Result<Vec<SocketAddr>>> {
        match self.result.try_recv() {
            Ok(result) => Some(result),
            Err(mpsc::TryRecvError::Empty) => None,
            Err(mpsc::TryRecvError::Disconnected) => Some(Err(io::ErrorKind::NotFound.into())),
        }
    }

    /// The file descriptor to poll for.
    pub(crate) fn poll_target(&self) -> PollTarget<'_> {
        PollTarget { fd: self.wake.as_fd(), write: false }
    }
}

/// The socket address, if the host is an IP address.
pub(crate) fn literal(server: &ServerAddress) -> Option<SocketAddr> {
    server.host.parse::<IpAddr>().ok().map(|ip| SocketAddr::new(ip, server.port))
}

/// An attempt to connect to one address.
pub(crate) struct ConnectAttempt {
    step: AttemptStep,
    deadline: Instant,
}

enum AttemptStep {
    Connecting(TcpStream, HttpExchange),
    /// TLS and HTTP handshakes.
    Upgrading(ServerStream, HttpExchange),
}

impl ConnectAttempt {
    /// Starts to connect. Each step may take `limit`.
    pub(crate) fn start(
        address: SocketAddr,
        exchange: HttpExchange,
        now: Instant,
        limit: Duration,
    ) -> Result<Self, ConnectError> {
        let tcp = connect(address).map_err(|error| ConnectError::temporary(brief(&error)))?;
        Ok(Self { step: AttemptStep::Connecting(tcp, exchange), deadline: now + limit })
    }

    /// Proceeds as far as possible without waiting.
    pub(crate) fn advance(self, now: Instant, limit: Duration, transport: &Transport) -> AttemptProgress {
        let result = match self.step {
            AttemptStep::Connecting(tcp, exchange) => {
                Self::finish_tcp(tcp, exchange, self.deadline, now, limit, transport)
            }
            AttemptStep::Upgrading(stream, exchange) => Self::upgrade(stream, exchange, self.deadline, now),
        };
        result.unwrap_or_else(AttemptProgress::Failed)
    }

    /// Starts the handshakes once the TCP connection is established.
    fn finish_tcp(
        tcp: TcpStream,
        exchange: HttpExchange,
        deadline: Instant,
        now: Instant,
        limit: Duration,
        transport: &Transport,
    ) -> Result<AttemptProgress, ConnectError> {
        let established = connected(&tcp).map_err(|error| ConnectError::temporary(brief(&error)))?;
        if established {
            let stream = transport.wrap(tcp).map_err(ConnectError::Permanent)?;
            return Self::upgrade(stream, exchange, now + limit, now);
        }
        if now >= deadline {
            return Err(ConnectError::timeout());
        }
        Ok(AttemptProgress::Pending(Self { step: AttemptStep::Connecting(tcp, exchange), deadline }))
    }

    /// Continues the TLS and HTTP handshakes.
    fn upgrade(
        mut stream: ServerStream,
        mut exchange: HttpExchange,
        deadline: Instant,
        now: Instant,
    ) -> Result<AttemptProgress, ConnectError> {
        let reply = match exchange.advance(&mut stream) {
            Ok(Some(reply)) => reply,
            Ok(None) if now >= deadline => exchange.give_up().ok_or_else(ConnectError::timeout)?,
            Ok(None) => {
                let step = AttemptStep::Upgrading(stream, exchange);
                return Ok(AttemptProgress::Pending(Self { step, deadline }));
            }
            Err(error) if is_distrust(&error) => {
                let reason = format!(
                    "the server's certificate is not trusted ({error}); name a file with its authority with --ca FILE"
                );
                return Err(ConnectError::Permanent(Failure::setup(reason)));
            }
            Err(error) => return Err(ConnectError::temporary(brief(&error))),
        };
        match reply {
            HandshakeReply::Switched(part) => {
                let config = WebSocketConfig::default()
                    .read_buffer_size(READ_BUFFER)
                    .max_message_size(Some(LONGEST_MESSAGE));
                let socket = WebSocket::from_partially_read(stream, part, Role::Client, Some(config));
                Ok(AttemptProgress::Open(socket))
            }
            HandshakeReply::Response(response) => Ok(AttemptProgress::Response(response)),
            HandshakeReply::Invalid(reason) => Err(ConnectError::temporary(reason)),
        }
    }

    /// The file descriptor to poll for.
    pub(crate) fn poll_target(&self) -> PollTarget<'_> {
        match &self.step {
            AttemptStep::Connecting(tcp, _) => PollTarget { fd: tcp.as_fd(), write: true },
            AttemptStep::Upgrading(stream, exchange) => {
                PollTarget { fd: stream.as_fd(), write: stream.wants_write(exchange.unwritten()) }
            }
        }
    }

    /// The time at which the current step times out.
    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }
}

/// Classifies a response that opened no WebSocket. `advice`: a hint for the user if the request was wrong.
pub(crate) fn classify(response: HttpResponse, advice: &str) -> ConnectError {
    let status = response.status;
    let detail = response.detail.map(|detail| format!(": {detail}")).unwrap_or_default();
    match status {
        300..=499 if !matches!(status, 408 | 425 | 429) => {
            let advice = match status {
                300..=399 => "; use that address as the server",
                401 | 403 => "",
                _ => advice,
            };
            ConnectError::Permanent(Failure::setup(format!("the server answers {status}{detail}{advice}")))
        }
        _ => ConnectError::Temporary {
            reason: format!("it answers {status}{detail}"),
            wait: Some(response.retry_after_s.map_or(DEFAULT_RETRY_AFTER, Duration::from_secs)),
            timeout: false,
        },
    }
}

/// Starts a connection without waiting for it.
fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    use rustix::net::{AddressFamily, SocketType};
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let tcp = TcpStream::from(rustix::net::socket(family, SocketType::STREAM, None)?);
    tcp.set_nonblocking(true)?;
    // Lines are short, and the other side waits for them.
    tcp.set_nodelay(true)?;
    match rustix::net::connect(&tcp, &address) {
        Ok(()) | Err(rustix::io::Errno::INPROGRESS | rustix::io::Errno::INTR) => Ok(tcp),
        Err(error) => Err(error.into()),
    }
}

/// Whether a started connection is established.
fn connected(tcp: &TcpStream) -> io::Result<bool> {
    rustix::net::sockopt::socket_error(tcp)??;
    match tcp.peer_addr() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(false),
        Err(error) => Err(error),
    }
}

/// The text of an error without the system's error number.
pub(crate) fn brief(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(_) => error.kind().to_string(),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn classified(status: u16, retry_after_s: Option<u64>) -> ConnectError {
        classify(
            HttpResponse {
                status,
                retry_after_s,
                detail: Some("so".into()),
                token: None,
                body: String::new(),
            },
            "; look again",
        )
    }

    #[test]
    fn temporary_refusals_are_tried_again() {
        for status in [200, 408, 429, 500, 502, 503, 504] {
            assert!(matches!(classified(status, None), ConnectError::Temporary { .. }), "{status}");
        }
        match classified(503, Some(2)) {
            ConnectError::Temporary { wait, reason, .. } => {
                assert_eq!((wait, reason.as_str()), (Some(Duration::from_secs(2)), "it answers 503: so"));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn permanent_refusals_say_what_to_do() {
        for status in [301, 400, 401, 404, 422] {
            match classified(status, None) {
                ConnectError::Permanent(failure) => {
                    assert_eq!(failure.status, 2);
                    assert!(failure.reason.contains(": so"), "{failure:?}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
