//! What a bot writes to standard error and what its processes use, turn by turn: for the arena and the shim, which both run
//! programs. It must know no game, no server and no referee.

mod match_log;
mod process_usage;
mod standard_error;
mod turn_capture;

pub use match_log::{LogMark, MatchLog};
pub use process_usage::ProcessUsage;
#[cfg(unix)]
pub use process_usage::{EndedProcess, reap};
pub use standard_error::{Admission, ErrorLines, OutputBudget};
pub use turn_capture::{CapturedLine, TurnCapture};
