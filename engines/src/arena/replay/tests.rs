//! Tests of replays.
