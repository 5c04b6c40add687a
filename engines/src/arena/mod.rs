//! Matches between engines, programs that speak the official dialogue, and servers: the same deals with seats
//! exchanged, limits enforced, mistakes counted. Knows games through [`crate::erased`] alone; opens no socket itself.
//!
//! [`RunPlan::new`] checks everything that can be checked before the first match, [`run()`] plays, [`resume`] continues a
//! file ([`EarlierGames`]), [`RunSummary::of`] counts.

mod beta;
mod calibration;
mod child;
mod clock;
mod command;
mod earlier_games;
mod http;
mod lineup;
mod plan;
mod play;
mod record;
mod run;
mod spec;
mod sprt;
mod standstill;
pub mod stats;
mod summary;
mod table;
mod thinker;
mod versus;

pub use calibration::{Bin, Calibration};
pub use clock::{TOLERANCE, TimeLimits};
pub use earlier_games::{BadFile, EarlierGames};
pub use http::{Http, NoHttp, Post, PostResponse};
pub use plan::{BadPlan, Fixture, RunPlan, Wanted};
pub use record::{ArenaRecord, Fault, FaultKind, SeatRecord};
pub use run::{resume, run};
pub use spec::{BadSpec, Contestant, PlayerSpec, duration, words};
pub use sprt::{Hypothesis, Sprt, Standing, Trial};
pub use summary::{FaultCount, PlayerSummary, RunSummary, SeatSummary};
pub use versus::Versus;
