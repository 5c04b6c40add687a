//! The state that all handlers share, created once per server and never moved. It must not know the form of requests.

use std::io;
use std::time::Duration;

use engines::erased::AnyGame;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::admin::Registration;
use crate::admin::bans::Bans;
use crate::admission::Admission;
use crate::catalogue::Catalogue;
use crate::config::ServeArgs;
use crate::domain::token::KeyHash;
use crate::engine_pool::{self, EnginePool};
use crate::http::HttpOptions;
use crate::limits::creations::Creations;
use crate::limits::shares::Shares;
use crate::limits::side_work::SideWork;
use crate::lobby::Lobby;
use crate::matches::deps::MatchesDeps;
use crate::matches::seat_holders::SeatHolders;
use crate::matches::service::Matches;
use crate::metrics::Metrics;
use crate::players::Players;
use crate::players::sessions::Sessions;
use crate::store::{self, DatabaseAddress, OpenedStore};
use crate::tournaments::runner::{self, RunnerDeps};
use crate::tournaments::service::Tournaments;
use crate::upkeep;

/// The state of a server.
pub struct App {
    /// The games on offer.
    pub games: &'static Catalogue,
    /// Runs the engines.
    pub thinking: &'static dyn EnginePool,
    /// The metrics.
    pub metrics: &'static Metrics,
    /// The hosted matches.
    pub matches: Matches,
    /// The tournaments.
    pub tournaments: Tournaments,
    /// Connected players, challenges and pairing.
    pub lobby: Lobby,
    /// The players whose tokens were used recently.
    pub players: Players,
    /// The open connections of callers.
    pub sessions: &'static Sessions,
    /// Processor time for what requests cost besides engines.
    pub side_work: &'static SideWork,
    /// The dialogues of seats.
    pub seat_holders: &'static SeatHolders,
    /// The rate limits for creating matches and players.
    pub creations: &'static Creations,
    /// Addresses whose requests are refused.
    pub bans: Bans,
    /// Who may create a player.
    pub registration: Registration,
    /// The hash of the admin token; `None`: the admin API is off.
    pub admin: Option<KeyHash>,
    /// The number of days after which finished matches are deleted; `None`: never.
    pub retention_days: Option<u32>,
    /// How often the database file is checked; `None`: never.
    pub check_every: Option<Duration>,
    /// The limits of requests.
    pub limits: HttpOptions,
    /// Cancelled when the server begins to stop.
    pub stopping: CancellationToken,
    /// The open dialogues and streams; shutdown waits for them.
    pub dialogues: TaskTracker,
    /// Counts the open WebSockets and streams.
    pub sockets: &'static Shares,
    /// Counts the bytes of request bodies in memory.
    pub bodies: &'static Shares,
}

impl App {
    /// Starts the pool, opens the database and creates the state, which lives as long as the program.
    ///
    /// # Errors
    /// If the system gives no threads, or the database cannot be used: the text says what to do.
    pub async fn start(args: &ServeArgs, games: &[&'static dyn AnyGame]) -> io::Result<&'static Self> {
        args.http.proxies.check().map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))?;
        let admin = args.admin.token().map_err(io::Error::other)?;
        let limits = args.http.clone();
        let metrics: &'static Metrics = Box::leak(Box::default());
        let opened = store::open(&args.host.database, args.host.clock_offset_ms, metrics.store());
        let OpenedStore { store, now, buckets } = opened.await.map_err(io::Error::other)?;
        let thinking = engine_pool::start(&args.pool, &args.workers, games, metrics).await?;
        let thinking: &'static dyn EnginePool = Box::leak(thinking);
        let games: &'static Catalogue = Box::leak(Box::new(Catalogue::new(games)));
        let stopping = CancellationToken::new();
        let creations: &'static Creations = Box::leak(Box::new(Creations::new(&limits.creations, buckets)));
        let (per_address, per_player) = (args.host.max_matches_per_address, args.host.max_matches_per_player);
        let admission: &'static Admission =
            Box::leak(Box::new(Admission::new(creations, per_address, per_player)));
        let deps = MatchesDeps {
            games,
            thinking,
            metrics,
            max_think: limits.max_think(),
            admission,
            now,
            stopping: stopping.clone(),
        };
        let app = Self {
            games,
            thinking,
            metrics,
            matches: Matches::open(store, args.host.clone(), deps),
            tournaments: Tournaments::default(),
            lobby: Lobby::new(args.lobby.clone()),
            players: Players::default(),
            sessions: Box::leak(Box::default()),
            side_work: Box::leak(Box::new(SideWork::new(limits.side_work))),
            seat_holders: Box::leak(Box::default()),
            bans: Bans::default(),
            registration: args.admin.registration,
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
        metrics.name_node(app.matches.node());
        let app: &'static Self = Box::leak(Box::new(app));
        admission.answer_for_bots(&app.lobby);
        let checked = match &args.host.database {
            DatabaseAddress::File(path) => upkeep::check_small(app, path).await,
            DatabaseAddress::Postgres(_) => true,
        };
        tokio::spawn(upkeep::run(app, checked));
        tokio::spawn(app.lobby.run(&app.matches, app.stopping.clone()));
        tokio::spawn(app.seat_holders.follow(&app.matches, app.stopping.clone()));
        Ok(app)
    }

    /// Begins to run tournaments. Call this once the server serves.
    pub fn run_tournaments(&'static self) {
        let deps = RunnerDeps { tournaments: &self.tournaments, matches: &self.matches, games: self.games };
        tokio::spawn(runner::run(deps, self.stopping.clone()));
    }

    /// Begins to run the permanent ladder, unless it is off. Call this once the server serves.
    pub fn run_ladder(&'static self) {
        tokio::spawn(self.lobby.run_ladder(&self.matches, self.stopping.clone()));
    }
}
