//! Values in the tables of both databases.

use crate::domain::{PlayerKind, Stage};
use crate::store::StoreError;
use crate::store::database_error::CORRUPT;

/// The error for a row that this program cannot have written.
pub(in crate::store) fn broken() -> StoreError {
    StoreError::Unavailable(CORRUPT.to_owned())
}

/// The kind of a player with this name in the tables.
pub(in crate::store) fn kind_of(text: &str) -> Result<PlayerKind, StoreError> {
    PlayerKind::parse(text).ok_or_else(broken)
}

/// The name of a stage in the tables.
pub(in crate::store) const fn stage_text(stage: Stage) -> &'static str {
    match stage {
        Stage::Open => "open",
        Stage::Running => "running",
        Stage::Over => "over",
    }
}

/// The stage with this name in the tables.
pub(in crate::store) fn stage_of(text: &str) -> Result<Stage, StoreError> {
    match text {
        "open" => Ok(Stage::Open),
        "running" => Ok(Stage::Running),
        "over" => Ok(Stage::Over),
        _ => Err(broken()),
    }
}
