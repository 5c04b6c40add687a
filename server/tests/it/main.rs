//! The integration tests of the service, in one program: linking is the slow part.
#![allow(clippy::unwrap_used)]

mod official;
