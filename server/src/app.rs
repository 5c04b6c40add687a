//! What all handlers share, made once a server and never moved. It must not know how requests look.

use std::io;
use std::sync::Arc;

use engines::any::AnyGame;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::catalogue::Catalogue;
use crate::config::ServeArgs;
use crate::host::hall::{Ground, Hall};
use crate::host::now::Now;
use crate::host::players::Players;
use crate::http::HttpOptions;
use crate::http::limits::Quota;
use crate::metrics::Metrics;
use crate::pool::{Pool, Thinking};
use crate::store::Sqlite;

/// The state of a server.
pub struct App {
    /// The games on offer.
    pub games: &'static Catalogue,
    /// Who runs the engines.
    pub thinking: &'static dyn Thinking,
    /// What is counted.
    pub metrics: &'static Metrics,
    /// The hosted matches.
    pub hall: Hall,
    /// The players whose tokens were shown lately.
    pub players: Players,
    /// What each caller may make now.
    pub quota: Quota,
    /// The limits of requests.
    pub limits: HttpOptions,
    /// Cancelled when the server begins to stop.
    pub stopping: CancellationToken,
    /// The dialogues and streams that are open, so that the end can wait for them.
    pub dialogues: TaskTracker,
    /// The WebSockets and streams that may still be opened.
    pub sockets: Arc<Semaphore>,
}

impl App {
    /// Starts the pool, opens the database and makes the state. It lives as long as the program: a program makes few.
    ///
    /// # Errors
    /// When the system gives no threads, or the database cannot be used: the text says what to do.
    pub async fn start(args: &ServeArgs, games: &[&'static dyn AnyGame]) -> io::Result<&'static Self> {
        let limits = args.http.clone();
        let metrics: &'static Metrics = Box::leak(Box::default());
        let system_ms = Now::start(args.host.clock_offset_ms).ms();
        let store = Sqlite::open(&args.host.database, system_ms, metrics.store());
        let store = Arc::new(store.await.map_err(io::Error::other)?);
        let now = store.now();
        let games: &'static Catalogue = Box::leak(Box::new(Catalogue::new(games)));
        let thinking: &'static Pool = Box::leak(Box::new(Pool::start(&args.pool, metrics)?));
        let stopping = CancellationToken::new();
        let ground = Ground {
            games,
            thinking,
            metrics,
            max_think: limits.max_think(),
            now,
            stopping: stopping.clone(),
        };
        let app = Self {
            games,
            thinking,
            metrics,
            hall: Hall::open(store, args.host.clone(), ground),
            players: Players::default(),
            quota: Quota::new(&limits.quota),
            stopping,
            dialogues: TaskTracker::new(),
            sockets: Arc::new(Semaphore::new(limits.max_sockets.min(Semaphore::MAX_PERMITS))),
            limits,
        };
        Ok(Box::leak(Box::new(app)))
    }
}
