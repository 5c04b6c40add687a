//! Both sides of Buraco's official dialogue. Knows no search.

mod bot;
mod distort;
mod judge;
mod record;

pub use bot::Bot;
pub use distort::distort;
pub use judge::Judge;
