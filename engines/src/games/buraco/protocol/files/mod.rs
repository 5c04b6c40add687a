//! Readers of the files of the course's `buraco.js`: what it prints with `-d`, and what it reads with `-i`.

mod debug_log;
mod start;

pub(in super::super) use debug_log::LOG;
pub(in super::super) use start::START;
