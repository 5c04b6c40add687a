//! Starts the parts of a server, in the order in which they need each other.

use std::io;
#[cfg(feature = "programs")]
use std::num::NonZeroUsize;
use std::sync::Arc;

use engines::erased::AnyGame;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::accounts::Accounts;
use crate::admission::Admission;
use crate::analysis::Analyses;
use crate::analysis::puzzles::Puzzles;
use crate::app::App;
use crate::catalogue::Catalogue;
use crate::domain::time::ServerClock;
use crate::engine_pool::{self, EnginePool};
use crate::jobs::{self, JobContext};
use crate::limits::creations::Creations;
use crate::limits::side_work::SideWork;
use crate::lobby::Lobby;
use crate::matches::deps::MatchesDeps;
use crate::matches::service::Matches;
use crate::metrics::Metrics;
use crate::moderation::Moderation;
use crate::notifications::{NotificationDeps, Notifications};
use crate::offered_files::OfferedFiles;
use crate::process::admin_token::read_token;
use crate::process::options::ServeArgs;
#[cfg(feature = "programs")]
use crate::programs::Places;
use crate::programs::{Hosting, NoRunner, ProgramRunner, Programs};
use crate::store::{self, DatabaseAddress, OpenedStore, Store};
use crate::tournaments::runner::{self, RunnerDeps};
use crate::tournaments::service::Tournaments;
use crate::web;

/// Starts the engine pool, opens the database and creates the state, which lives as long as the program. Then begins the
/// background work, except what needs a server that serves ([`begin_contests`]).
///
/// # Errors
/// If the system gives no threads, or the database cannot be used: the text says what to do.
pub(super) async fn start(args: &ServeArgs, games: &[&'static dyn AnyGame]) -> io::Result<&'static App> {
    let limits = args.limits.clone();
    limits.proxies.check().map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))?;
    let admin = args.admin_token_file.as_deref().map(read_token).transpose().map_err(io::Error::other)?;
    let offered = OfferedFiles::open(&args.downloads)?;
    let metrics: &'static Metrics = Box::leak(Box::default());
    let opened = store::open(&args.host.database, args.host.clock_offset_ms, metrics.store());
    let OpenedStore { store, now, buckets } = opened.await.map_err(io::Error::other)?;
    let engine_pool = engine_pool::start(&args.pool, &args.workers, games, metrics).await?;
    let engine_pool: &'static dyn EnginePool = Box::leak(engine_pool);
    let games: &'static Catalogue = Box::leak(Box::new(Catalogue::new(games)));
    let stopping = CancellationToken::new();
    let creations: &'static Creations = Box::leak(Box::new(Creations::new(&limits.creations, buckets)));
    let (per_address, per_player) = (args.host.max_matches_per_address, args.host.max_matches_per_player);
    let admission: &'static Admission =
        Box::leak(Box::new(Admission::new(creations, per_address, per_player)));
    let (runner, hosting) = runners(args, Arc::clone(&store), now, metrics).await?;
    hosting.refresh().await.map_err(io::Error::other)?;
    let deps = MatchesDeps {
        games,
        engine_pool,
        metrics,
        max_think: limits.max_think(),
        admission,
        now,
        programs: hosting,
        stopping: stopping.clone(),
    };
    let matches: &'static Matches = Box::leak(Box::new(Matches::open(store, args.host.clone(), deps)));
    let tournaments: &'static Tournaments = Box::leak(Box::default());
    let accounts: &'static Accounts =
        Box::leak(Box::new(Accounts::new(&args.accounts, matches, tournaments)));
    let moderation: &'static Moderation = Box::leak(Box::new(Moderation {
        accounts,
        matches,
        tournaments,
        creations,
        stopping: stopping.clone(),
    }));
    let programs: &'static Programs = Box::leak(Box::new(Programs::new(
        matches,
        args.programs.clone(),
        (runner, hosting),
        stopping.clone(),
    )));
    let lobby: &'static Lobby = Box::leak(Box::new(Lobby::new(args.lobby.clone())));
    let deps = NotificationDeps { matches, lobby, tournaments, texts: web::notification_text };
    let notifications = Notifications::open(&args.notifications, accounts.public_origin(), deps).await;
    let notifications: &'static Notifications = Box::leak(Box::new(notifications.map_err(io::Error::other)?));
    accounts.refresh().await.map_err(io::Error::other)?;
    metrics.name_node(matches.node());
    let app: &'static App = Box::leak(Box::new(App {
        games,
        engine_pool,
        metrics,
        matches,
        tournaments,
        analyses: Box::leak(Box::new(Analyses {
            matches,
            games,
            engine_pool,
            asked: Notify::new(),
            stopping: stopping.clone(),
        })),
        puzzles: Box::leak(Box::new(Puzzles { matches, games })),
        lobby,
        accounts,
        notifications,
        programs,
        moderation,
        offered: Box::leak(Box::new(offered)),
        side_work: Box::leak(Box::new(SideWork::new(limits.side_work))),
        seat_holders: Box::leak(Box::default()),
        creations,
        admin: admin.map(|token| token.hash()),
        retention_days: args.jobs.retention_days,
        stopping,
        dialogues: TaskTracker::new(),
        sockets: limits.capacity.sockets(),
        bodies: limits.capacity.bodies(limits.max_body),
        modules: limits.capacity.modules(),
        limits,
    }));
    admission.answer_for_bots(app.lobby);
    begin_background_work(args, app).await;
    Ok(app)
}

/// What runs the programs of bots: for the checks of programs, and for matches. Each has a process of its own, so that a module that
/// nobody has checked yet disturbs no match.
#[cfg(feature = "programs")]
async fn runners(
    args: &ServeArgs,
    store: Arc<dyn Store>,
    now: ServerClock,
    metrics: &Metrics,
) -> io::Result<(&'static dyn ProgramRunner, &'static Hosting)> {
    use crate::bot_runner::{BotRunner, RemoteRunners, RunnerOptions};
    let Some(program) = args.bots.program()? else { return Ok((&NoRunner, hosting(store, now, None))) };
    let threads = NonZeroUsize::new(args.pool.threads()).unwrap_or(NonZeroUsize::MIN);
    let runner = BotRunner::new(RunnerOptions { program, threads, memory_mib: args.bots.bots_memory });
    let for_checks = Box::leak(Box::new(runner.another()));
    let nats = &args.workers.workers;
    let workers = if nats.is_empty() { None } else { Some(RemoteRunners::start(nats, metrics).await?) };
    let places = Places::new(runner, workers, args.pool.clone());
    Ok((for_checks, hosting(store, now, Some(places))))
}

#[cfg(not(feature = "programs"))]
async fn runners(
    _: &ServeArgs,
    store: Arc<dyn Store>,
    now: ServerClock,
    _: &Metrics,
) -> io::Result<(&'static dyn ProgramRunner, &'static Hosting)> {
    Ok((&NoRunner, hosting(store, now, None)))
}

/// The programs that play.
#[cfg(feature = "programs")]
fn hosting(store: Arc<dyn Store>, now: ServerClock, runners: Option<Places>) -> &'static Hosting {
    Box::leak(Box::new(Hosting::new(store, now, runners)))
}

#[cfg(not(feature = "programs"))]
fn hosting(
    store: Arc<dyn Store>,
    now: ServerClock,
    runner: Option<std::convert::Infallible>,
) -> &'static Hosting {
    Box::leak(Box::new(Hosting::new(store, now, runner)))
}

async fn begin_background_work(args: &ServeArgs, app: &'static App) {
    let context = JobContext {
        options: args.jobs.clone(),
        matches: app.matches,
        analyses: app.analyses,
        lobby: app.lobby,
        accounts: app.accounts,
        tournaments: app.tournaments,
        programs: app.programs,
        moderation: app.moderation,
        stopping: app.stopping.clone(),
    };
    let checked = match &args.host.database {
        DatabaseAddress::File(path) => jobs::check_small(&context, path).await,
        DatabaseAddress::Postgres(_) => true,
    };
    tokio::spawn(jobs::run(context, checked));
    tokio::spawn(app.lobby.run(app.matches, app.stopping.clone()));
    tokio::spawn(app.notifications.run(app.stopping.clone()));
    tokio::spawn(app.seat_holders.follow(app.matches, app.stopping.clone()));
    tokio::spawn(app.matches.share_spectators(app.stopping.clone()));
    tokio::spawn(app.programs.keep_online(app.lobby));
}

/// Begins to run tournaments, and the permanent ladder unless it is off. Call it once the server serves.
pub(super) fn begin_contests(app: &'static App) {
    let deps = RunnerDeps { tournaments: app.tournaments, matches: app.matches, games: app.games };
    tokio::spawn(runner::run(deps, app.stopping.clone()));
    tokio::spawn(app.lobby.run_ladder(app.matches, app.stopping.clone()));
}
