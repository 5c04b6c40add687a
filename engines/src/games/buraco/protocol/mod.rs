//! Both sides of Buraco's official dialogue. Knows no search.

mod bot;
mod judge;

pub use bot::Bot;
pub use judge::Judge;
