//! Buraco's engines. They know no dialogue.

mod fast;
mod plans;
mod policy;
mod rollout;
#[cfg(test)]
mod tests;
mod yardsticks;

pub use rollout::SPEC;
pub use yardsticks::{CASUAL, DRAWER, GREEDY, SIMPLE2, SIMPLE3};
