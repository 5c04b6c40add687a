//! The pages about the API: its reference, and its problems.

pub(in crate::web) mod problems;
pub(in crate::web) mod reference;
