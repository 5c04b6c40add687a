//! How a match comes to be: an order creates it, players join it, and a rematch or a position of a former match begins another.

pub(in crate::matches) mod create;
mod join;
mod position;
mod rematch;
