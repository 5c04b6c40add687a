//! What the records of a run say: counts, scores, intervals, tests. It plays nothing.

mod beta;
pub(super) mod calibration;
mod copies;
mod score;
pub mod stats;
pub(super) mod summary;
mod table;
pub(super) mod trial;
pub(super) mod versus;
