//! The HTTP interface: the routes, and the layers that all requests and responses pass. Handlers are thin: parse, one call,
//! answer. It must not know the pages.

mod admin;
mod downloads;
mod exports;
mod games;
mod live;
mod lobby;
mod matches;
mod middleware;
mod offered;
mod openapi;
mod ops;
mod players;
mod puzzles;
mod qr;
mod reports;
mod tournaments;

pub(crate) use middleware::Stack;
pub(crate) use middleware::{outer_layers, route_layers};
pub(crate) use openapi::routes;
