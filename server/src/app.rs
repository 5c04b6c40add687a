//! What all handlers share, made once a server and never moved. It must not know how requests look.

use std::sync::Arc;

use engines::any::AnyGame;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::catalogue::Catalogue;
use crate::http::HttpOptions;
use crate::metrics::Metrics;
use crate::pool::{Pool, PoolOptions, Thinking};

/// The state of a server.
pub struct App {
    /// The games on offer.
    pub games: Catalogue,
    /// Who runs the engines.
    pub thinking: Box<dyn Thinking>,
    /// What is counted.
    pub metrics: Metrics,
    /// The limits of requests.
    pub limits: HttpOptions,
    /// Cancelled when the server begins to stop.
    pub stopping: CancellationToken,
    /// The dialogues that are open, so that the end can wait for them.
    pub dialogues: TaskTracker,
    /// The WebSockets that may still be opened.
    pub sockets: Arc<Semaphore>,
}

impl App {
    /// Starts the pool and makes the state. It lives as long as the program: a program makes few.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn start(
        games: &[&'static dyn AnyGame],
        pool: &PoolOptions,
        limits: HttpOptions,
    ) -> std::io::Result<&'static Self> {
        let metrics = Metrics::default();
        let app = Self {
            games: Catalogue::new(games),
            thinking: Box::new(Pool::start(pool, &metrics)?),
            metrics,
            stopping: CancellationToken::new(),
            dialogues: TaskTracker::new(),
            sockets: Arc::new(Semaphore::new(limits.max_sockets.min(Semaphore::MAX_PERMITS))),
            limits,
        };
        Ok(Box::leak(Box::new(app)))
    }
}
