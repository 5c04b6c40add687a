//! How many spectators a node has, as nodes tell each other. It must not decide what is shown of them.

use crate::domain::MatchId;

/// What a node tells the other nodes of its spectators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpectatorReport {
    /// Whether it has all matches that the node's spectators watch; otherwise those whose number has changed.
    pub all: bool,
    /// The number of the node's spectators of each match.
    pub counts: Vec<(MatchId, u32)>,
    /// The ids of the nodes that are asked to report all of theirs.
    pub asks: Vec<String>,
}

/// What a node hears of spectators.
#[derive(Debug, Default)]
pub struct SpectatorNews {
    /// The reports of other nodes, each with the node's id, in their order.
    pub reports: Vec<(String, SpectatorReport)>,
    /// Whether others may be missing, because the connection was lost in between.
    pub missed: bool,
}
