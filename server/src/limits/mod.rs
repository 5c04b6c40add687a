//! Bounds on what one network address, or one player, may cost, create and hold, and how an address is found behind proxies.
//! Nothing here knows handlers or matches.

pub mod capacity;
pub mod creations;
pub mod proxies;
pub mod quotas;
pub mod side_work;
pub mod stall;
pub mod timeouts;

use std::time::Duration;

use capacity::CapacityOptions;
use creations::CreationOptions;
use proxies::ProxyOptions;
use side_work::SideWorkOptions;
use timeouts::ConnectionTimeouts;

/// The limits on the cost of requests, and on the resources that they hold.
#[derive(Clone, Debug, clap::Args)]
pub struct RequestLimits {
    /// The longest thinking time of one decision, in milliseconds.
    #[arg(long, env = "KIBITZ_MAX_THINK_MS", value_name = "MS", default_value_t = 30_000,
          value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub max_think_ms: u64,
    /// The largest body of a request, in bytes.
    #[arg(long, env = "KIBITZ_MAX_BODY", value_name = "BYTES", default_value_t = 1 << 20)]
    pub max_body: usize,
    /// How many connections and how much memory clients may hold at a time.
    #[command(flatten)]
    pub capacity: CapacityOptions,
    /// How often matches and players may be created.
    #[command(flatten)]
    pub creations: CreationOptions,
    /// How much processor time an address has for what is no search.
    #[command(flatten)]
    pub side_work: SideWorkOptions,
    /// The proxies in front of the server.
    #[command(flatten)]
    pub proxies: ProxyOptions,
    /// The times after which peers are pinged or count as gone.
    #[arg(skip)]
    pub timeouts: ConnectionTimeouts,
}

impl RequestLimits {
    /// The longest thinking time of one decision.
    pub fn max_think(&self) -> Duration {
        Duration::from_millis(self.max_think_ms)
    }
}
