//! What a writer does before its statements, in either database: takes commands, decides them, and plans the rows.

pub(in crate::store) mod command_error;
pub(in crate::store) mod commands;
pub(in crate::store) mod decisions;
pub(in crate::store) mod holds;
pub(in crate::store) mod match_cache;
pub(in crate::store) mod shared;
pub(in crate::store) mod write_plan;
