//! What a match refuses, and why. Each becomes a problem with a code of its own.

use engines::any::Refusal;

/// A command that cannot be.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refused {
    /// The match is not what the command needs: over, not begun, begun already; a seat is taken; ...
    #[error("{}", .0.detail)]
    Rules(Refusal),
    /// The move is for another ply than the match is at.
    #[error("the match is at ply {0}")]
    StalePly(u32),
}
