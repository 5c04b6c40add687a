//! Replays the dialogue of a finished match with a program, and compares its answers with the recorded ones. Knows games through
//! [`crate::erased`] alone.

mod asked_position;
mod comparison;
mod course;
mod dialogue;
mod program;
mod recording;
mod run_file;
mod script;
mod shown_turns;

pub use asked_position::{AskedPlayer, AskedPosition, PlayerAnswer, PositionAnswer};
pub use comparison::{Comparison, Replay, ReplayCounts, ReplayEnd, Verdict};
pub use dialogue::{DialogueLine, seat_dialogue};
pub use program::{ReplayBot, replay};
pub use recording::{RecordedAnswer, RecordedTurn, Recording, ReplayMatch, ReplaySeat};
pub use run_file::{PlayedRun, read_run};
pub use script::games_of;
pub use shown_turns::{ShownRecording, ShownTurn, positions};
