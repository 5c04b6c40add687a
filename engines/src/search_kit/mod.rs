//! Search tools that several games share.

pub mod handicap;
pub mod random;
#[cfg(test)]
pub mod strength;
