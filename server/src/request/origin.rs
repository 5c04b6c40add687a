//! The address that a request comes from.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};

use crate::app::App;
use crate::domain::ClientId;
use crate::matches::ledger::Caller;
use crate::request::in_flight::InFlight;
use crate::request::meter::Meter;

/// The connection of a request.
#[derive(Clone)]
pub(crate) struct Peer {
    /// The peer's address.
    pub address: SocketAddr,
    /// Counts the bytes of messages once the connection is a WebSocket.
    pub meter: Arc<Meter>,
    /// Counts the requests that are being answered.
    pub in_flight: Arc<InFlight>,
}

/// The address that a request comes from: the connection's, or the one that a trusted proxy names.
pub(crate) struct Origin(IpAddr);

impl Origin {
    /// The origin of the request with these extensions and headers.
    pub(crate) fn of(extensions: &Extensions, headers: &HeaderMap, app: &App) -> Self {
        let peer = extensions.get::<Peer>().map(|peer| peer.address.ip());
        let peer = peer.unwrap_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED));
        Self(app.limits.proxies.client(peer, headers))
    }

    /// The client that a request by this caller is counted for.
    pub(crate) fn client(&self, caller: &Caller) -> ClientId {
        ClientId::new(self.0, caller.player.as_ref().map(|player| player.id.clone()))
    }

    /// The address whose limits apply; for IPv6, its /64 network.
    pub(crate) fn network(&self) -> IpAddr {
        ClientId::new(self.0, None).network()
    }
}

impl FromRequestParts<&'static App> for Origin {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Self::Rejection> {
        Ok(Self::of(&parts.extensions, &parts.headers, app))
    }
}
