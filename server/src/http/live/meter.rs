//! Counts the bytes of a WebSocket's message while it arrives: the library hands out whole messages only, and a peer
//! may send half of a large one on each of many sockets.

use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::app::App;
use crate::error::Error;
use crate::http::request::origin::{Origin, Peer};
use crate::limits::shares::Held;
use crate::stall::ReceiveObserver;

/// The bytes that a connection has received of a message that is not complete. It counts nothing before it is started.
#[derive(Default)]
pub struct Meter(OnceLock<Mutex<Metering>>);

struct Metering {
    held: Held,
    refused: Option<Error>,
}

impl Meter {
    /// Counts from now on, in `held`.
    pub fn start(&self, held: Held) {
        // A connection becomes a WebSocket at most once.
        let _ = self.0.set(Mutex::new(Metering { held, refused: None }));
    }

    /// The message is complete, and done with.
    pub fn complete(&self) {
        if let Some(mut metering) = self.lock() {
            metering.held.clear();
        }
    }

    /// Why the connection fails; `None` while it does not, or fails for another reason.
    pub fn refused(&self) -> Option<Error> {
        self.lock().and_then(|metering| metering.refused.clone())
    }

    fn lock(&self) -> Option<MutexGuard<'_, Metering>> {
        self.0.get().map(|metering| metering.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ReceiveObserver for Meter {
    fn received(&self, bytes: usize) -> io::Result<()> {
        let Some(mut metering) = self.lock() else { return Ok(()) };
        if metering.refused.is_none()
            && let Err(refused) = metering.held.grow(bytes)
        {
            metering.held.clear();
            metering.refused = Some(refused);
        }
        match &metering.refused {
            Some(refused) => Err(io::Error::other(refused.detail().to_owned())),
            None => Ok(()),
        }
    }
}

/// What a handler needs to count the messages of a WebSocket: the address, and the connection's meter.
pub struct SocketSource {
    /// The address that limits count.
    pub network: IpAddr,
    /// Of the connection.
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
