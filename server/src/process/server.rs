//! The life of a server: listens, serves connections, and shuts down in order. It must not know what requests mean.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use engines::erased::AnyGame;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::app::App;
use crate::http::Stack;
use crate::limits::quotas::QuotaGuard;
use crate::limits::stall::{ConnectionObserver, StallTimeout};
use crate::matches::service::Matches;
use crate::metrics::CountedConnection;
use crate::process::connections::Connections;
use crate::process::options::ServeArgs;
use crate::process::router::service;
use crate::process::service_manager::inherited_listener;
use crate::process::start::{begin_contests, start};
use crate::request::in_flight::InFlight;
use crate::request::meter::Meter;
use crate::request::origin::Peer;

/// How long a client may take to send the head of a request.
const HEADER_TIME: Duration = Duration::from_secs(60);

/// The maximum number of bytes of a request's head, or of an unread body, that a connection keeps in memory.
const READ_BUFFER: usize = 64 << 10;

/// How long the server still accepts connections after it began to stop, so that clients learn that it stops.
const STOP_NOTICE: Duration = Duration::from_millis(300);

/// How long after that a connection waits for its first request, or for the rest of one of which only a part has come.
const LAST_BYTES: Duration = Duration::from_millis(200);

/// How long requests and dialogues may take to end after that.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// How long to accept nothing after the system has run out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// A server that runs in the background.
pub struct Server {
    app: &'static App,
    address: SocketAddr,
    served: JoinHandle<()>,
}

impl Server {
    /// Binds the address and begins to serve these games.
    ///
    /// # Errors
    /// If the address cannot be bound, the database cannot be used or the system gives no threads.
    pub async fn start(args: &ServeArgs, games: &[&'static dyn AnyGame]) -> io::Result<Self> {
        Self::start_on(TcpListener::bind(args.listen).await?, false, args, games).await
    }

    /// The same on the socket that a service manager has opened, if it has.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub(crate) async fn start_as_service(
        args: &ServeArgs,
        games: &[&'static dyn AnyGame],
    ) -> io::Result<Self> {
        match inherited_listener()? {
            Some(listener) => Self::start_on(listener, true, args, games).await,
            None => Self::start(args, games).await,
        }
    }

    async fn start_on(
        listener: TcpListener,
        outlasts: bool,
        args: &ServeArgs,
        games: &[&'static dyn AnyGame],
    ) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let app = start(args, games).await?;
        let service = service(app);
        // Everything is ready: clocks run from here on.
        app.matches.begin().await.map_err(|e| io::Error::other(format!("cannot use the database: {e}")))?;
        begin_contests(app);
        let served = tokio::spawn(serve(listener, outlasts, service, app));
        Ok(Self { app, address, served })
    }

    /// The address on which it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The matches that it hosts.
    pub fn matches(&self) -> &'static Matches {
        self.app.matches
    }

    /// Its metrics as text.
    pub fn metrics(&self) -> String {
        self.app.metrics.text()
    }

    /// Begins to stop: clocks pause, `/readyz` fails, new work is refused, searches end, sockets are closed with a reason.
    pub fn begin_stop(&self) {
        self.app.matches.begin_stop();
        self.app.stopping.cancel();
        self.app.engine_pool.stop();
    }

    /// Stops the server, and returns when nothing of it is left.
    pub async fn stop(self) {
        self.begin_stop();
        if self.served.await.is_err() {
            tracing::error!("the server's loop failed");
        }
        if timeout(STOP_TIMEOUT, self.app.matches.close()).await.is_err() {
            tracing::warn!("the database does not close and is left as it is");
        }
    }
}

/// The maximum number of unsent bytes that the system buffers for a slow reader, besides those in flight.
#[cfg(target_os = "linux")]
const UNSENT: u32 = 64 << 10;

/// Sets TCP_NODELAY, a user timeout (the system closes a connection whose peer does not acknowledge), and a cap on unsent
/// bytes.
fn tune(stream: &TcpStream, app: &App) -> io::Result<()> {
    stream.set_nodelay(true)?;
    #[cfg(target_os = "linux")]
    {
        let socket = socket2::SockRef::from(stream);
        socket.set_tcp_notsent_lowat(UNSENT)?;
        socket.set_tcp_user_timeout(Some(app.limits.timeouts.gone_after))?;
    }
    #[cfg(not(target_os = "linux"))]
    let _ = app;
    Ok(())
}

/// Answers the requests of one connection.
struct ConnectionService<S> {
    /// HTTP/1 takes the requests of a connection one after the other, so the lock is never contended. It saves a copy of
    /// all layers for every request.
    service: Mutex<S>,
    peer: Peer,
}

/// The values that a connection holds until it closes.
struct ConnectionGuard {
    _open: CountedConnection<QuotaGuard>,
    meter: Arc<Meter>,
    in_flight: Arc<InFlight>,
}

impl ConnectionObserver for ConnectionGuard {
    fn received(&self, bytes: usize) -> io::Result<()> {
        self.meter.received(bytes)
    }

    fn blocked(&self, blocked: bool) {
        self.in_flight.blocked(blocked);
    }
}

impl<S: Stack> hyper::service::Service<hyper::Request<hyper::body::Incoming>> for ConnectionService<S> {
    type Response = axum::http::Response<S::Body>;
    type Error = std::convert::Infallible;
    type Future = S::Future;

    fn call(&self, request: hyper::Request<hyper::body::Incoming>) -> Self::Future {
        let mut request = request.map(axum::body::Body::new);
        request.extensions_mut().insert(self.peer.clone());
        // A router is always ready, and so are its layers.
        self.service.lock().unwrap_or_else(PoisonError::into_inner).call(request)
    }
}

/// Serves until the server stops. `outlasts`: the socket stays open after this process, and the next one takes the connections that
/// come meanwhile.
async fn serve<S: Stack>(listener: TcpListener, outlasts: bool, service: S, app: &'static App) {
    let (connections, last_call) = (TaskTracker::new(), CancellationToken::new());
    let admission = Connections::new(&app.limits, app.metrics);
    let stop = async {
        app.stopping.cancelled().await;
        if !outlasts {
            sleep(STOP_NOTICE).await;
        }
    };
    tokio::pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(e) => {
                    tracing::warn!(error = %e, "a connection could not be accepted");
                    sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
        };
        if let Err(e) = tune(&stream, app) {
            tracing::debug!(error = %e, "a connection closed at once");
            continue;
        }
        match admission.admit(peer) {
            Ok(held) => {
                connections.spawn(serve_connection(
                    stream,
                    peer,
                    held,
                    service.clone(),
                    app,
                    last_call.clone(),
                ));
            }
            Err(refused) => admission.refuse(stream, &refused),
        }
    }
    drop(listener);
    last_call.cancel();
    connections.close();
    app.dialogues.close();
    let ended = async {
        connections.wait().await;
        app.dialogues.wait().await;
    };
    if timeout(STOP_TIMEOUT, ended).await.is_err() {
        tracing::warn!("some connections did not end in time and are closed");
    }
}

/// Serves a connection until it closes. `last_call`: when it is cancelled, the connection ends after the current request.
async fn serve_connection<S: Stack>(
    stream: TcpStream,
    peer: SocketAddr,
    held: QuotaGuard,
    service: S,
    app: &'static App,
    last_call: CancellationToken,
) {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME).max_buf_size(READ_BUFFER);
    let peer = Peer { address: peer, meter: Arc::default(), in_flight: Arc::default() };
    let in_flight = Arc::clone(&peer.in_flight);
    let open = ConnectionGuard {
        _open: app.metrics.connection(held),
        meter: Arc::clone(&peer.meter),
        in_flight: Arc::clone(&in_flight),
    };
    let stream = StallTimeout::holding(stream, app.limits.timeouts.stalled_after, open);
    let service = ConnectionService { service: Mutex::new(service), peer };
    let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
    tokio::pin!(connection);
    // hyper closes a connection at once if no request has come on it yet. A client that has just connected gets its answer.
    let last_call = async {
        last_call.cancelled_owned().await;
        in_flight.first_within(LAST_BYTES).await;
    };
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = last_call => {
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                ended = connection => ended,
                // Nothing is being answered: it waits for the rest of a request, which may never come.
                () = in_flight.none_for(LAST_BYTES) => return,
            }
        }
    };
    if let Err(e) = ended {
        tracing::debug!(error = %e, "a connection failed");
    }
}
