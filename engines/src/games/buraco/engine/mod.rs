//! Buraco's engines. They know no dialogue.

mod fast;
mod plans;
mod policy;
mod rollout;
mod yardsticks;

pub use rollout::SPEC;
pub use yardsticks::{DRAWER, GREEDY};
