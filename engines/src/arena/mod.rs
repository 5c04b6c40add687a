//! Matches between engines, programs that speak the official dialogue, and servers: the same deals with seats
//! exchanged, limits enforced, mistakes counted. Knows games through [`crate::any`] alone; opens no socket itself.
//!
//! [`Plan::new`] checks everything that can be checked before the first match, [`run()`] plays, [`Summary::of`] counts.

mod child;
mod clock;
mod command;
mod http;
mod lineup;
mod plan;
mod play;
mod record;
mod run;
mod spec;
pub mod stats;
mod summary;
mod table;
mod thinker;

pub use clock::{TOLERANCE, TimeLimits};
pub use http::{Http, NoHttp, Post, Reply};
pub use plan::{BadPlan, Fixture, Plan, Wanted};
pub use record::{Fault, FaultKind, Record, SeatRecord};
pub use run::run;
pub use spec::{BadSpec, Contestant, PlayerSpec, duration, words};
pub use summary::{FaultCount, PlayerSummary, SeatSummary, Summary};
