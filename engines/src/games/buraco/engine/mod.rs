//! Buraco's engines. They know no dialogue.

mod arms;
#[cfg(test)]
mod brute;
mod exact;
mod fast;
#[cfg(test)]
mod fit;
mod habits;
mod hand;
mod hidden;
#[cfg(test)]
mod learn;
mod plans;
mod policy;
mod rollout;
#[cfg(test)]
mod strength;
#[cfg(test)]
mod tests;
mod value;
mod yardsticks;

pub use rollout::SPEC;
pub use yardsticks::{CASUAL, DRAWER, GREEDY, SIMPLE2, SIMPLE3, SIMPLE3_PLAIN, SIMPLE3_STOCK};
