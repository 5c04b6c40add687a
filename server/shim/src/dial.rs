//! One attempt to reach the server: name, TCP, TLS, WebSocket handshake. It must not block and not decide whether
//! there will be another.

use crate::answer::{Failure, Watch};
use crate::server::Server;
use crate::stream::{Stream, Wrap, is_distrust};
use crate::upgrade::{Answer, Reply, Upgrade};
use std::io;
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tungstenite::{WebSocket, protocol::Role, protocol::WebSocketConfig};

/// Bytes to read at once: answers are short, and the buffer is filled with zeros at every connection.
const READ_BUFFER: usize = 4 * 1024;

/// Longest message accepted from a server.
const LONGEST_MESSAGE: usize = 16 << 20;

/// Why an attempt came to nothing.
#[derive(Debug)]
pub enum Setback {
    /// It may come to something later.
    Later {
        /// What happened.
        reason: String,
        /// How long the server asked to be left alone.
        wait: Option<Duration>,
        /// Whether nothing at all came back in time.
        timeout: bool,
    },
    /// It never will.
    Never(Failure),
}

impl Setback {
    /// A broken connection or the like.
    pub fn later(reason: impl Into<String>) -> Self {
        Self::Later { reason: reason.into(), wait: None, timeout: false }
    }

    fn timeout() -> Self {
        Self::Later { reason: "no answer".into(), wait: None, timeout: true }
    }
}

/// How an attempt stands.
pub enum Progress {
    /// Not there yet.
    Pending(Attempt),
    /// There.
    Open(WebSocket<Stream>),
    /// The server answers, but opens no WebSocket.
    Answered(Answer),
    /// It failed.
    Failed(Setback),
}

/// The looking up of a server's name. The system's resolver blocks, so it gets a thread of its own.
#[derive(Debug)]
pub struct Lookup {
    result: mpsc::Receiver<io::Result<Vec<SocketAddr>>>,
    /// Becomes readable when the result is there.
    bell: UnixStream,
}

impl Lookup {
    /// Begins to look up a name.
    pub fn start(server: &Server) -> io::Result<Self> {
        let (bell, ringer) = UnixStream::pair()?;
        let (sender, result) = mpsc::channel();
        let place = (server.host.clone(), server.port);
        std::thread::Builder::new().name("lookup".into()).spawn(move || {
            // Nobody to hear the result means that the program is ending.
            let _ = sender.send(place.to_socket_addrs().map(Iterator::collect));
            // Closing the other end is what rings.
            drop(ringer);
        })?;
        Ok(Self { result, bell })
    }

    /// The addresses, once they are found.
    pub fn poll(&self) -> Option<io::Result<Vec<SocketAddr>>> {
        match self.result.try_recv() {
            Ok(result) => Some(result),
            Err(mpsc::TryRecvError::Empty) => None,
            Err(mpsc::TryRecvError::Disconnected) => Some(Err(io::ErrorKind::NotFound.into())),
        }
    }

    /// What wakes it.
    pub fn watch(&self) -> Watch<'_> {
        Watch { fd: self.bell.as_fd(), write: false }
    }
}

/// The address itself, if the host is one.
pub fn literal(server: &Server) -> Option<SocketAddr> {
    server.host.parse::<IpAddr>().ok().map(|ip| SocketAddr::new(ip, server.port))
}

/// An attempt on one address.
pub struct Attempt {
    step: Step,
    deadline: Instant,
}

enum Step {
    Connecting(TcpStream, Upgrade),
    Greeting(Stream, Upgrade),
}

impl Attempt {
    /// Begins to connect; every step may take `limit`.
    pub fn start(
        address: SocketAddr,
        upgrade: Upgrade,
        now: Instant,
        limit: Duration,
    ) -> Result<Self, Setback> {
        let tcp = connect(address).map_err(|error| Setback::later(brief(&error)))?;
        Ok(Self { step: Step::Connecting(tcp, upgrade), deadline: now + limit })
    }

    /// Goes as far as it can without waiting.
    pub fn advance(mut self, now: Instant, limit: Duration, wrap: &Wrap) -> Progress {
        if let Step::Connecting(tcp, upgrade) = self.step {
            match connected(&tcp) {
                Ok(true) => {}
                Ok(false) if now >= self.deadline => return Progress::Failed(Setback::timeout()),
                Ok(false) => return Progress::Pending(Self { step: Step::Connecting(tcp, upgrade), ..self }),
                Err(error) => return Progress::Failed(Setback::later(brief(&error))),
            }
            match wrap.wrap(tcp) {
                Ok(stream) => self.step = Step::Greeting(stream, upgrade),
                Err(failure) => return Progress::Failed(Setback::Never(failure)),
            }
            self.deadline = now + limit;
        }
        let Step::Greeting(mut stream, mut upgrade) = self.step else {
            // The step above left nothing else.
            return Progress::Failed(Setback::timeout());
        };
        let reply = match upgrade.advance(&mut stream) {
            Ok(None) if now >= self.deadline => match upgrade.give_up() {
                Some(reply) => reply,
                None => return Progress::Failed(Setback::timeout()),
            },
            Ok(None) => {
                return Progress::Pending(Self {
                    step: Step::Greeting(stream, upgrade),
                    deadline: self.deadline,
                });
            }
            Ok(Some(reply)) => reply,
            Err(error) if is_distrust(&error) => {
                let reason = format!(
                    "the server's certificate is not trusted ({error}); --ca FILE names another authority"
                );
                return Progress::Failed(Setback::Never(Failure::setup(reason)));
            }
            Err(error) => return Progress::Failed(Setback::later(brief(&error))),
        };
        match reply {
            Reply::Switched(part) => {
                let config = WebSocketConfig::default()
                    .read_buffer_size(READ_BUFFER)
                    .max_message_size(Some(LONGEST_MESSAGE));
                Progress::Open(WebSocket::from_partially_read(stream, part, Role::Client, Some(config)))
            }
            Reply::Answered(answer) => Progress::Answered(answer),
            Reply::Nonsense(reason) => Progress::Failed(Setback::later(reason)),
        }
    }

    /// What wakes it.
    pub fn watch(&self) -> Watch<'_> {
        match &self.step {
            Step::Connecting(tcp, _) => Watch { fd: tcp.as_fd(), write: true },
            Step::Greeting(stream, upgrade) => {
                Watch { fd: stream.as_fd(), write: stream.wants_write(upgrade.unwritten()) }
            }
        }
    }

    /// When it is to be given up.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }
}

/// What it means for us that no WebSocket was opened; `advice`: what to check where the request was wrong.
pub fn judge(answer: Answer, advice: &str) -> Setback {
    let status = answer.status;
    let said = answer.detail.map(|detail| format!(": {detail}")).unwrap_or_default();
    match status {
        300..=499 if !matches!(status, 408 | 425 | 429) => {
            let advice = match status {
                300..=399 => "; give that place as the server",
                401 | 403 => "",
                _ => advice,
            };
            Setback::Never(Failure::setup(format!("the server answers {status}{said}{advice}")))
        }
        _ => Setback::Later {
            reason: format!("it answers {status}{said}"),
            // Without a time of its own it still asked for a pause.
            wait: Some(answer.retry_after_s.map_or(Duration::from_millis(100), Duration::from_secs)),
            timeout: false,
        },
    }
}

/// Begins a connection without waiting for it.
fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    use rustix::net::{AddressFamily, SocketType};
    let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
    let tcp = TcpStream::from(rustix::net::socket(family, SocketType::STREAM, None)?);
    tcp.set_nonblocking(true)?;
    // Lines are short and waited for.
    tcp.set_nodelay(true)?;
    match rustix::net::connect(&tcp, &address) {
        Ok(()) | Err(rustix::io::Errno::INPROGRESS | rustix::io::Errno::INTR) => Ok(tcp),
        Err(error) => Err(error.into()),
    }
}

/// Whether a connection that was begun is there.
fn connected(tcp: &TcpStream) -> io::Result<bool> {
    rustix::net::sockopt::socket_error(tcp)??;
    match tcp.peer_addr() {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(false),
        Err(error) => Err(error),
    }
}

/// An error without the number that the system gives it.
pub fn brief(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(_) => error.kind().to_string(),
        None => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(status: u16, retry_after_s: Option<u64>) -> Setback {
        judge(Answer { status, retry_after_s, detail: Some("so".into()), token: None }, "; look again")
    }

    #[test]
    fn what_may_pass_is_tried_again() {
        for status in [200, 408, 429, 500, 502, 503, 504] {
            assert!(matches!(judged(status, None), Setback::Later { .. }), "{status}");
        }
        match judged(503, Some(2)) {
            Setback::Later { wait, reason, .. } => {
                assert_eq!((wait, reason.as_str()), (Some(Duration::from_secs(2)), "it answers 503: so"));
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn what_will_not_pass_says_what_to_do() {
        for status in [301, 400, 401, 404, 422] {
            match judged(status, None) {
                Setback::Never(failure) => {
                    assert_eq!(failure.status, 2);
                    assert!(failure.reason.contains(": so"), "{failure:?}");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}
