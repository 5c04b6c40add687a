//! The state that all handlers share, created once per server and never moved. It must not know the form of requests.

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::accounts::Accounts;
use crate::analysis::Analyses;
use crate::analysis::puzzles::Puzzles;
use crate::catalogue::Catalogue;
use crate::domain::token::KeyHash;
use crate::engine_pool::EnginePool;
use crate::limits::RequestLimits;
use crate::limits::creations::Creations;
use crate::limits::quotas::Quotas;
use crate::limits::side_work::SideWork;
use crate::lobby::Lobby;
use crate::matches::bots::seat_holders::SeatHolders;
use crate::matches::service::Matches;
use crate::metrics::Metrics;
use crate::moderation::Moderation;
use crate::notifications::Notifications;
use crate::offered_files::OfferedFiles;
use crate::programs::Programs;
use crate::tournaments::service::Tournaments;

/// The state of a server.
pub struct App {
    /// The games on offer.
    pub games: &'static Catalogue,
    /// Runs the engines.
    pub engine_pool: &'static dyn EnginePool,
    /// Counts requests, searches and matches.
    pub metrics: &'static Metrics,
    /// The hosted matches.
    pub matches: &'static Matches,
    /// Creates, changes and lists tournaments.
    pub tournaments: &'static Tournaments,
    /// Connected players, challenges and pairing.
    pub lobby: &'static Lobby,
    /// Analyses of finished matches.
    pub analyses: &'static Analyses,
    /// Puzzles from analysed matches.
    pub puzzles: &'static Puzzles,
    /// The accounts of people and bots.
    pub accounts: &'static Accounts,
    /// Notifications while no page is open.
    pub notifications: &'static Notifications,
    /// The programs of bots.
    pub programs: &'static Programs,
    /// Reports, and what the operator takes back.
    pub moderation: &'static Moderation,
    /// The files to download.
    pub(crate) offered: &'static OfferedFiles,
    /// Processor time for what requests cost besides engines.
    pub side_work: &'static SideWork,
    /// The dialogues of seats.
    pub seat_holders: &'static SeatHolders,
    /// The rate limits for creating matches and players.
    pub creations: &'static Creations,
    /// The hash of the admin token; `None`: the admin API is off.
    pub admin: Option<KeyHash>,
    /// The number of days after which finished matches are deleted; `None`: never.
    pub retention_days: Option<u32>,
    /// The limits of requests.
    pub limits: RequestLimits,
    /// Cancelled when the server begins to stop.
    pub stopping: CancellationToken,
    /// The open dialogues and streams; shutdown waits for them.
    pub dialogues: TaskTracker,
    /// Counts the open WebSockets and streams.
    pub sockets: &'static Quotas,
    /// Counts the bytes of request bodies in memory.
    pub bodies: &'static Quotas,
    /// Counts the bytes of modules that are being uploaded.
    pub modules: &'static Quotas,
}
