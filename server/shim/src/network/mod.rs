//! Connections to a server: its address, a request, a WebSocket, and when to try again. It must know no game.

pub(crate) mod address;
pub(crate) mod backoff;
pub(crate) mod connect;
pub(crate) mod http;
pub(crate) mod link;
pub(crate) mod request;
pub(crate) mod session;
pub(crate) mod stream;
#[cfg(feature = "tls")]
pub(crate) mod tls;
