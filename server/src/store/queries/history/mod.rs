//! Statements about matches: their events, lists, chat, analyses and deletion.

pub(in crate::store) mod analyses;
pub(in crate::store) mod chat;
pub(in crate::store) mod decisions;
pub(in crate::store) mod deletions;
pub(in crate::store) mod match_lists;
pub(in crate::store) mod matches;
