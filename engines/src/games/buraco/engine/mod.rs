//! Buraco's engines. They know no dialogue.

#[cfg(test)]
mod brute;
mod exact;
mod fast;
mod habits;
mod hand;
mod hidden;
mod plans;
mod policy;
mod rollout;
#[cfg(test)]
mod strength;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tune;
mod yardsticks;

pub use rollout::SPEC;
pub use yardsticks::{CASUAL, DRAWER, GREEDY, SIMPLE2, SIMPLE3};
