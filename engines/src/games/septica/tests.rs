//! Septica.
