//! How many connections, and how much memory, clients may hold at a time.

use crate::domain::MAX_MODULE_BYTES;
use crate::error::Code;
use crate::limits::quotas::{Limit, Quotas};

/// The default limit for one address is this fraction of all WebSockets and streams, and of the memory for modules.
const ADDRESS_SHARE: usize = 4;

/// The limits on what one address, and all addresses together, may hold at a time.
#[derive(Clone, Debug, clap::Args)]
pub struct CapacityOptions {
    /// The most WebSockets and streams of events at a time.
    #[arg(long, env = "KIBITZ_MAX_SOCKETS", value_name = "N", default_value_t = 4096)]
    pub max_sockets: usize,
    /// The most WebSockets and streams of events of one address. Default: a quarter of --max-sockets.
    #[arg(long, env = "KIBITZ_MAX_SOCKETS_PER_ADDRESS", value_name = "N")]
    pub max_sockets_per_address: Option<usize>,
    /// The most open connections at a time. Default and upper bound: what the system's limit on open files leaves.
    #[arg(long, env = "KIBITZ_MAX_CONNECTIONS", value_name = "N")]
    pub max_connections: Option<usize>,
    /// The most open connections from one address; trusted proxies may have any number.
    #[arg(long, env = "KIBITZ_MAX_CONNECTIONS_PER_ADDRESS", value_name = "N", default_value_t = 256)]
    pub max_connections_per_address: usize,
    /// The most memory, in bytes, for the bodies of all requests and for messages over WebSockets.
    #[arg(long, env = "KIBITZ_MAX_BODY_MEMORY", value_name = "BYTES", default_value_t = 256 << 20)]
    pub max_body_memory: usize,
    /// The same for one address, in bytes.
    #[arg(long, env = "KIBITZ_MAX_BODY_MEMORY_PER_ADDRESS", value_name = "BYTES", default_value_t = 16 << 20)]
    pub max_body_memory_per_address: usize,
    /// The most memory, in bytes, for programs of bots that are being uploaded. An address has at most a quarter, but always room for
    /// one.
    #[arg(long, env = "KIBITZ_MAX_MODULE_MEMORY", value_name = "BYTES", default_value_t = 128 << 20)]
    pub max_module_memory: usize,
}

impl CapacityOptions {
    /// The most WebSockets and streams of events of one address.
    pub fn sockets_per_address(&self) -> usize {
        self.max_sockets_per_address.unwrap_or_else(|| (self.max_sockets / ADDRESS_SHARE).max(1))
    }

    /// The counter of WebSockets and streams.
    pub fn sockets(&self) -> &'static Quotas {
        let each = Limit { most: self.sockets_per_address(), setting: "--max-sockets-per-address" };
        let all = Limit { most: self.max_sockets, setting: "--max-sockets" };
        Quotas::with_total("open WebSockets and streams", each, all, Code::TooManySockets)
    }

    /// The counter of the bytes of modules that are being uploaded. One module always fits.
    pub fn modules(&self) -> &'static Quotas {
        let setting = "--max-module-memory";
        let each = Limit { most: (self.max_module_memory / ADDRESS_SHARE).max(MAX_MODULE_BYTES), setting };
        let all = Limit { most: self.max_module_memory.max(MAX_MODULE_BYTES), setting };
        Quotas::with_total("bytes of programs in memory", each, all, Code::Overloaded)
    }

    /// The counter of the bytes of bodies. One body of `max_body` bytes always fits.
    pub fn bodies(&self, max_body: usize) -> &'static Quotas {
        let each = Limit {
            most: self.max_body_memory_per_address.max(max_body),
            setting: "--max-body-memory-per-address",
        };
        let all = Limit { most: self.max_body_memory.max(max_body), setting: "--max-body-memory" };
        Quotas::with_total("bytes of request bodies and messages in memory", each, all, Code::Overloaded)
    }
}
