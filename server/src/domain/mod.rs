//! Types that every layer may use. This module uses no other module of the server.

mod client;
pub mod names;

pub use client::ClientId;
