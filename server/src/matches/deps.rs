//! The shared parts of the server that hosted matches use: the games, the engines, the limits, the metrics.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::admission::Admission;
use crate::catalogue::Catalogue;
use crate::domain::time::ServerClock;
use crate::engine_pool::EnginePool;
use crate::matches::bots::hosted::HostedPrograms;
use crate::metrics::Metrics;

/// The parts of the rest of the server that hosted matches need.
pub struct MatchesDeps {
    /// The games on offer.
    pub games: &'static Catalogue,
    /// The pool that runs the engines.
    pub engine_pool: &'static dyn EnginePool,
    /// Counts moves, ends and live matches.
    pub metrics: &'static Metrics,
    /// The longest thinking time of an engine.
    pub max_think: Duration,
    /// The limits on making matches.
    pub admission: &'static Admission,
    /// The clock of the server.
    pub now: ServerClock,
    /// The programs of hosted bots.
    pub programs: &'static dyn HostedPrograms,
    /// Cancelled when the server begins to stop.
    pub stopping: CancellationToken,
}
