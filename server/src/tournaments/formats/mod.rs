//! The formats of tournaments: each pairs the entrants of a round in its own way. Pure.

pub(in crate::tournaments) mod gauntlet;
pub(in crate::tournaments) mod ladder;
pub(in crate::tournaments) mod pairing;
pub(in crate::tournaments) mod round_robin;
pub(in crate::tournaments) mod sampled;
pub(in crate::tournaments) mod swiss;
