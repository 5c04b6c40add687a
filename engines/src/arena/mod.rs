//! Matches between engines, programs that speak the official dialogue, and servers: the same deals with seats
//! exchanged, limits enforced, mistakes counted. Knows games through [`crate::erased`] alone; opens no socket itself.
//!
//! [`RunPlan::new`] checks everything that can be checked before the first match, [`run()`] plays, [`resume`] continues a
//! file ([`EarlierGames`]), [`RunSummary::of`] counts. [`BotCheck`] finds what is wrong with a bot.

mod check;
mod clock;
mod count;
mod earlier_games;
mod lineup;
mod opening;
mod plan;
mod play;
mod positions;
mod record;
mod replay;
mod run;
mod spec;
mod sprt;

pub use check::{
    BotCheck, BotCheckReport, CheckedTable, CheckedTimes, MadeMistakes, ShownMistake, TriedSettings,
};
pub use clock::{TOLERANCE, TimeLimits};
pub use count::calibration::{Bin, Calibration};
pub use count::stats;
pub use count::summary::{FaultCount, PlayerSummary, RunSummary, SeatSummary};
pub use count::trial::Trial;
pub use count::versus::Versus;
pub use earlier_games::{BadFile, EarlierGames};
pub use opening::DealtMatch;
pub use plan::{BadPlan, Fixture, PlanOptions, RunPlan};
pub use play::Backends;
pub use play::decision::BotFault;
pub use play::hosted::{HostedDecision, HostedInterruption, HostedProgram, HostedTime};
pub use play::http::{Http, NoHttp, Post, PostResponse};
pub use play::program_seed;
pub use play::sandboxed::{
    NoPrograms, ProgramHost, SandboxProcess, SandboxSeat, SandboxState, SandboxStep, process_seed,
};
pub use positions::read_positions;
pub use record::{ArenaRecord, ErrorLine, Fault, FaultKind, SeatRecord};
pub use replay::{
    AskedPlayer, AskedPosition, Comparison, DialogueLine, PlayedRun, PlayerAnswer, PositionAnswer,
    RecordedAnswer, RecordedTurn, Recording, Replay, ReplayBot, ReplayCounts, ReplayEnd, ReplayMatch,
    ReplaySeat, ShownRecording, ShownTurn, Verdict, games_of, positions, read_run, replay, seat_dialogue,
};
pub use run::{resume, run};
pub use spec::{BadSpec, Contestant, PlayerSpec, time_limit};
pub use sprt::{Hypothesis, Sprt, Standing};
