//! The life of a server: listens, serves connections, and ends in order. It must not know what requests say.

use std::io;
use std::net::SocketAddr;
use std::process::ExitCode;
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
use crate::config::ServeArgs;
use crate::connections::Connections;
use crate::http;
use crate::http::Stack;
use crate::http::live::meter::Meter;
use crate::http::request::origin::Peer;
use crate::limits::shares::Held;
use crate::matches::service::Matches;
use crate::metrics::OpenConnection;
use crate::stall::{Received, Stall};

/// How long a connection may take to say what it wants.
const HEADER_TIME: Duration = Duration::from_secs(60);

/// The most bytes of a request's head, or of a body that is not read yet, that a connection keeps in memory.
const READ_BUFFER: usize = 64 << 10;

/// How long the door stays open after the server began to stop, so that whoever asks hears that it does.
const FAREWELL: Duration = Duration::from_millis(300);

/// How long requests and dialogues may take to end after that.
const LAST_WORDS: Duration = Duration::from_secs(5);

/// How long not to accept when the system has no file descriptors left.
const BREATHER: Duration = Duration::from_millis(50);

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
    /// When the address cannot be had, the database cannot be used or the system gives no threads.
    pub async fn start(args: &ServeArgs, games: &[&'static dyn AnyGame]) -> io::Result<Self> {
        let listener = TcpListener::bind(args.listen).await?;
        let address = listener.local_addr()?;
        let app = App::start(args, games).await?;
        let service = http::service(app);
        // All is ready: from here on clocks run.
        app.matches.begin().await.map_err(|e| {
            io::Error::other(format!("cannot use the database {}: {e}", args.host.database.display()))
        })?;
        let served = tokio::spawn(serve(listener, service, app));
        Ok(Self { app, address, served })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The matches that it hosts.
    pub fn matches(&self) -> &'static Matches {
        &self.app.matches
    }

    /// What it counts.
    pub fn metrics(&self) -> String {
        self.app.metrics.text()
    }

    /// Begins the end: clocks stand, not ready, no new work, searches told to answer, sockets closed with a reason.
    pub fn begin_stop(&self) {
        self.app.matches.begin_stop();
        self.app.stopping.cancel();
        self.app.thinking.stop();
    }

    /// Ends it, and returns when nothing of it is left.
    pub async fn stop(self) {
        self.begin_stop();
        if self.served.await.is_err() {
            tracing::error!("the server's loop failed");
        }
        if timeout(LAST_WORDS, self.app.matches.close()).await.is_err() {
            tracing::warn!("the database does not close and is left as it is");
        }
    }
}

/// What may wait in the system for a slow reader, in bytes, besides what is on its way.
#[cfg(target_os = "linux")]
const UNSENT: u32 = 64 << 10;

/// Sets up a connection: nothing waits for more to come, and a peer that has vanished or takes nothing is found out,
/// also by the system, and holds little of its memory till then.
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
struct Served<S> {
    /// HTTP/1 takes the requests of a connection one after the other, so nothing ever waits for the lock. It saves a
    /// copy of all layers for every request.
    service: Mutex<S>,
    peer: Peer,
}

/// What a connection keeps as long as it is open.
struct Open {
    _place: OpenConnection<Held>,
    meter: Arc<Meter>,
}

impl Received for Open {
    fn received(&self, bytes: usize) -> io::Result<()> {
        self.meter.received(bytes)
    }
}

impl<S: Stack> hyper::service::Service<hyper::Request<hyper::body::Incoming>> for Served<S> {
    type Response = axum::http::Response<S::Body>;
    type Error = std::convert::Infallible;
    type Future = S::Future;

    fn call(&self, request: hyper::Request<hyper::body::Incoming>) -> Self::Future {
        let mut request = request.map(axum::body::Body::new);
        request.extensions_mut().insert(self.peer.clone());
        // A router is always ready, and so are the layers around it.
        self.service.lock().unwrap_or_else(PoisonError::into_inner).call(request)
    }
}

async fn serve<S: Stack>(listener: TcpListener, service: S, app: &'static App) {
    let (connections, last_call) = (TaskTracker::new(), CancellationToken::new());
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIME).max_buf_size(READ_BUFFER);
    let places = Connections::new(&app.limits, app.metrics);
    let farewell = async {
        app.stopping.cancelled().await;
        sleep(FAREWELL).await;
    };
    tokio::pin!(farewell);
    loop {
        let (stream, peer) = tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok(accepted) => accepted,
                Err(e) => {
                    tracing::warn!(error = %e, "a connection could not be accepted");
                    sleep(BREATHER).await;
                    continue;
                }
            },
            () = &mut farewell => break,
        };
        if let Err(e) = tune(&stream, app) {
            tracing::debug!(error = %e, "a connection was gone at once");
            continue;
        }
        let place = match places.admit(peer) {
            Ok(place) => place,
            Err(refused) => {
                places.refuse(stream, &refused);
                continue;
            }
        };
        let peer = Peer { address: peer, meter: Arc::default() };
        let open = Open { _place: app.metrics.connection(place), meter: Arc::clone(&peer.meter) };
        let stream = Stall::holding(stream, app.limits.timeouts.stalled_after, open);
        let service = Served { service: Mutex::new(service.clone()), peer };
        let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
        let last_call = last_call.clone();
        connections.spawn(async move {
            tokio::pin!(connection);
            let ended = tokio::select! {
                ended = connection.as_mut() => ended,
                () = last_call.cancelled_owned() => {
                    connection.as_mut().graceful_shutdown();
                    connection.await
                }
            };
            if let Err(e) = ended {
                tracing::debug!(error = %e, "a connection broke");
            }
        });
    }
    drop(listener);
    last_call.cancel();
    connections.close();
    app.dialogues.close();
    let ended = async {
        connections.wait().await;
        app.dialogues.wait().await;
    };
    if timeout(LAST_WORDS, ended).await.is_err() {
        tracing::warn!("some connections did not end and are cut");
    }
}

/// `kibitz serve`: serves all games until it is told to end; gives the program's exit code.
pub fn run(args: ServeArgs) -> ExitCode {
    args.log.start();
    #[cfg(unix)]
    raise_file_limit();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            tracing::error!(error = %e, "the runtime does not start");
            return ExitCode::FAILURE;
        }
    };
    let ended = runtime.block_on(async {
        let end = end_signal()?;
        let server = Server::start(&args, engines::games::GAMES).await?;
        tracing::info!(address = %server.address(), "serving");
        let signal = end.await;
        tracing::info!(signal, "stopping");
        server.stop().await;
        Ok::<_, io::Error>(())
    });
    // Whatever still hangs on a socket must not keep the program.
    runtime.shutdown_timeout(Duration::from_millis(100));
    match ended {
        Ok(()) => {
            tracing::info!("stopped");
            ExitCode::SUCCESS
        }
        Err(e) => {
            tracing::error!(error = %e, address = %args.listen, "the server does not start");
            ExitCode::FAILURE
        }
    }
}

/// As many open sockets as the system allows. The usual 1024 is for programs of old that cannot count further; here it
/// would take no more than a thousand clients that say nothing to lock all others out.
#[cfg(unix)]
fn raise_file_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(e) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(error = %e, "few files may be open at a time");
    }
}

/// Waits for a signal to end; listens from the moment it is made.
#[cfg(unix)]
fn end_signal() -> io::Result<impl Future<Output = &'static str>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
        }
    })
}

#[cfg(not(unix))]
fn end_signal() -> io::Result<impl Future<Output = &'static str>> {
    Ok(async {
        // Without the signal there is no way to be told: then it runs until it is killed.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        "interrupt"
    })
}
