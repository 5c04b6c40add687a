//! Search tools that know no game: tree search, fast random numbers, small networks and their training.

pub mod alpha_beta;
pub mod curve;
pub mod fast_rng;
pub mod handicap;
pub mod learn;
#[cfg(test)]
pub mod lent_cores;
pub mod net;
pub mod optimizer;
pub mod puct;
pub mod random;
#[cfg(test)]
pub mod strength;
