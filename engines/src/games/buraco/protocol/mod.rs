//! Both sides of Buraco's official dialogue. Knows no search.

mod distort;
mod observed;
mod player;
mod referee;

pub use distort::distort;
pub use player::Bot;
pub use referee::Judge;
