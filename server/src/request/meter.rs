//! Counts the bytes of a WebSocket message while it arrives. The library hands out whole messages only, so without this
//! a peer could send half of a large message on each of many sockets and fill the memory.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::app::App;
use crate::error::Error;
use crate::limits::quotas::QuotaGuard;
use crate::limits::stall::ConnectionObserver;
use crate::request::origin::{Origin, Peer};

/// Counts the bytes of the message that a connection is receiving. It counts nothing before [`Meter::start`].
#[derive(Default)]
pub(crate) struct Meter(OnceLock<Mutex<MeterState>>);

struct MeterState {
    held: QuotaGuard,
    refused: Option<Error>,
}

impl Meter {
    /// Begins to count, in `held`.
    pub(crate) fn start(&self, held: QuotaGuard) {
        // A connection becomes a WebSocket at most once.
        let _ = self.0.set(Mutex::new(MeterState { held, refused: None }));
    }

    /// Ends the count of a message that was received whole and is no longer needed.
    pub(crate) fn complete(&self) {
        if let Some(mut state) = self.lock() {
            state.held.clear();
        }
    }

    /// The refusal that makes the connection fail; `None` if there is none.
    pub(crate) fn refused(&self) -> Option<Error> {
        self.lock().and_then(|state| state.refused.clone())
    }

    fn lock(&self) -> Option<MutexGuard<'_, MeterState>> {
        self.0.get().map(|state| state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ConnectionObserver for Meter {
    fn received(&self, bytes: usize) -> io::Result<()> {
        let Some(mut state) = self.lock() else { return Ok(()) };
        if state.refused.is_none()
            && let Err(refused) = state.held.grow(bytes)
        {
            state.held.clear();
            state.refused = Some(refused);
        }
        match &state.refused {
            Some(refused) => Err(io::Error::other(refused.detail().to_owned())),
            None => Ok(()),
        }
    }
}

/// The data that a handler needs to count the messages of a WebSocket.
pub(crate) struct SocketSource {
    /// The address whose limits apply.
    pub network: IpAddr,
    /// The meter of the connection.
    pub meter: Arc<Meter>,
}

impl FromRequestParts<&'static App> for SocketSource {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Self::Rejection> {
        let network = Origin::of(&parts.extensions, &parts.headers, app).network();
        let meter = parts.extensions.get::<Peer>().map(|peer| Arc::clone(&peer.meter)).unwrap_or_default();
        Ok(Self { network, meter })
    }
}
