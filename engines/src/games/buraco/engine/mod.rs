//! Buraco's engines. They know no dialogue.

mod arms;
mod baselines;
#[cfg(test)]
mod brute;
mod exact;
pub mod habits;
pub mod hand;
mod hidden;
mod plans;
pub mod policy;
pub mod position;
pub mod rollout;
#[cfg(test)]
mod strength;
#[cfg(test)]
mod tests;
pub mod value;

pub use baselines::{CASUAL, DRAWER, GREEDY, SIMPLE2, SIMPLE3, SIMPLE3_PLAIN, SIMPLE3_STOCK};
pub use rollout::SPEC;

pub use super::rules::RANKS;
