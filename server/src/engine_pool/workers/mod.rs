//! Workers: processes that only run engines, reached through NATS. The node keeps the queue and divides engine time between
//! its callers; a search goes to a worker when it gets a slot. See docs/engine-time.md.

mod pool;
mod presence;
mod roster;
mod search;
mod service;
mod wire;

pub(super) use pool::WorkerPool;
pub use service::WorkerService;

use crate::nats::NatsUrl;

/// Settings that decide where a server's engines run.
#[derive(Clone, Debug, clap::Args)]
pub struct WorkersOptions {
    /// NATS servers through which workers (`kibitz worker`) are reached: nats://HOST:PORT or tls://HOST:PORT, with
    /// USER:PASSWORD@ or TOKEN@ before the host if NATS asks for it; several with commas. Searches then run on workers, and
    /// on this server's threads only when no worker has time. Default: no workers
    #[arg(long, env = "KIBITZ_WORKERS", value_name = "URL", value_delimiter = ',', hide_env_values = true)]
    pub workers: Vec<NatsUrl>,
    /// Whether searches may run on this server's own threads when no worker has time. If false, such requests are refused
    #[arg(long, env = "KIBITZ_LOCAL_ENGINES", value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    pub local_engines: bool,
}
