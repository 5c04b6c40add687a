//! Bounds on what one network address, or one player, may create and hold. Nothing here knows HTTP or matches.

pub mod creations;
pub mod shares;
pub mod side_work;
