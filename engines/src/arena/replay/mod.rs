//! Replays the dialogue of a finished match with a program, and compares its answers with the recorded ones. Knows games through
//! [`crate::erased`] alone.

mod comparison;
mod course;
mod dialogue;
mod position;
mod program;
mod recording;
mod run_file;
mod script;

pub use comparison::{BotFault, Comparison, Replay, ReplayCounts, ReplayEnd, Verdict};
pub use dialogue::{DialogueLine, seat_dialogue};
pub use position::{AskedPlayer, AskedPosition, PlayerAnswer, PositionAnswer};
pub use program::{ReplayBot, replay};
pub use recording::{RecordedAnswer, RecordedTurn, Recording, ReplayMatch, ReplaySeat};
pub use run_file::{PlayedRun, read_run};
pub use script::games_of;
