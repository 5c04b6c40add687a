//! Limits the connections that stay open: streams of events and WebSockets of every kind share one limit. They are
//! counted while they are open, and the server waits for them when it stops.

use std::net::IpAddr;

use prometheus_client::metrics::gauge::Gauge;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::app::App;
use crate::error::Error;
use crate::limits::shares::Held;

/// Permission for one connection to stay open. Dropping it ends the count of the connection.
pub(crate) struct Admitted {
    open: Gauge,
    _place: Held,
    /// Lets the server wait for this connection when it stops.
    _token: TaskTrackerToken,
}

impl Admitted {
    /// Admits one more connection. `open`: the gauge that counts it. `network`: the address whose limit it counts toward.
    ///
    /// # Errors
    /// `stopping`, `too_many_sockets`, `too_many`.
    pub(crate) fn new(app: &'static App, open: Gauge, network: Option<IpAddr>) -> Result<Self, Error> {
        if app.stopping.is_cancelled() {
            return Err(Error::stopping());
        }
        let place = app.sockets.take(network, 1)?;
        open.inc();
        Ok(Self { open, _place: place, _token: app.dialogues.token() })
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.open.dec();
    }
}
