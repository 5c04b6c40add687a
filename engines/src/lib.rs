//! engines.
