//! What all handlers share, made once a server and never moved. It must not know how requests look.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use engines::erased::AnyGame;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::admin::bans::Bans;
use crate::catalogue::Catalogue;
use crate::config::ServeArgs;
use crate::domain::time::ServerClock;
use crate::domain::token::KeyHash;
use crate::engine_pool::{EnginePool, LocalPool};
use crate::http::HttpOptions;
use crate::limits::creations::Creations;
use crate::limits::shares::Shares;
use crate::matches::service::{Matches, MatchesDeps};
use crate::metrics::Metrics;
use crate::players::Players;
use crate::store::Sqlite;
use crate::upkeep;

/// The state of a server.
pub struct App {
    /// The games on offer.
    pub games: &'static Catalogue,
    /// Who runs the engines.
    pub thinking: &'static dyn EnginePool,
    /// What is counted.
    pub metrics: &'static Metrics,
    /// The hosted matches.
    pub matches: Matches,
    /// The players whose tokens were shown lately.
    pub players: Players,
    /// What each address and player may create now.
    pub creations: &'static Creations,
    /// Addresses that get no answer.
    pub bans: Bans,
    /// The hash of the admin token; `None`: the admin API is off.
    pub admin: Option<KeyHash>,
    /// After how many days finished matches are deleted; `None`: never.
    pub retention_days: Option<u32>,
    /// How often the database file is checked; `None`: never.
    pub check_every: Option<Duration>,
    /// The limits of requests.
    pub limits: HttpOptions,
    /// Cancelled when the server begins to stop.
    pub stopping: CancellationToken,
    /// The dialogues and streams that are open, so that the end can wait for them.
    pub dialogues: TaskTracker,
    /// The WebSockets and streams that are open.
    pub sockets: &'static Shares,
    /// The bytes of bodies that are in memory.
    pub bodies: &'static Shares,
}

impl App {
    /// Starts the pool, opens the database and makes the state. It lives as long as the program: a program makes few.
    ///
    /// # Errors
    /// When the system gives no threads, or the database cannot be used: the text says what to do.
    pub async fn start(args: &ServeArgs, games: &[&'static dyn AnyGame]) -> io::Result<&'static Self> {
        args.http.proxies.check().map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))?;
        let admin = args.admin.token().map_err(io::Error::other)?;
        let limits = args.http.clone();
        let metrics: &'static Metrics = Box::leak(Box::default());
        let system_ms = ServerClock::start(args.host.clock_offset_ms).ms();
        let store = Sqlite::open(&args.host.database, system_ms, metrics.store());
        let store = Arc::new(store.await.map_err(io::Error::other)?);
        let now = store.now();
        let games: &'static Catalogue = Box::leak(Box::new(Catalogue::new(games)));
        let thinking: &'static LocalPool = Box::leak(Box::new(LocalPool::start(&args.pool, metrics)?));
        let stopping = CancellationToken::new();
        let creations: &'static Creations = Box::leak(Box::new(Creations::new(&limits.creations)));
        let deps = MatchesDeps {
            games,
            thinking,
            metrics,
            max_think: limits.max_think(),
            creations,
            now,
            stopping: stopping.clone(),
        };
        let app = Self {
            games,
            thinking,
            metrics,
            matches: Matches::open(store, args.host.clone(), deps),
            players: Players::default(),
            bans: Bans::default(),
            admin: admin.map(|token| token.hash()),
            retention_days: args.admin.retention_days,
            check_every: args.admin.check_every(),
            creations,
            stopping,
            dialogues: TaskTracker::new(),
            sockets: limits.capacity.sockets(),
            bodies: limits.capacity.bodies(limits.max_body),
            limits,
        };
        upkeep::refresh(&app).await.map_err(io::Error::other)?;
        let app: &'static Self = Box::leak(Box::new(app));
        let checked = upkeep::check_small(app, &args.host.database).await;
        tokio::spawn(upkeep::run(app, checked));
        Ok(app)
    }
}
