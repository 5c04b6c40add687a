//! Buraco's engines. They know no dialogue.

mod fast;
mod policy;
mod yardsticks;

pub use yardsticks::{DRAWER, GREEDY};
