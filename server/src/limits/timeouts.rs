//! The times after which peers are pinged or count as gone.

use std::time::Duration;

/// The times that keep connections alive, and those that close them because the peer is gone.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionTimeouts {
    /// The period of the heartbeat to readers that follow a match.
    pub heartbeat: Duration,
    /// A connection is cut when its peer takes nothing of what is written for this long.
    pub stalled_after: Duration,
    /// A peer is pinged after a silence of this length.
    pub ping_after: Duration,
    /// A peer counts as gone after a silence of this length.
    pub gone_after: Duration,
}

impl Default for ConnectionTimeouts {
    fn default() -> Self {
        Self {
            heartbeat: Duration::from_secs(10),
            stalled_after: Duration::from_secs(30),
            ping_after: Duration::from_secs(15),
            gone_after: Duration::from_secs(60),
        }
    }
}
