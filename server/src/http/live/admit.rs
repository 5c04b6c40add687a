//! How many connections may stay open: streams of events and WebSockets of every kind share one limit, are counted while
//! they last, and are waited for when the server ends.

use std::net::IpAddr;

use prometheus_client::metrics::gauge::Gauge;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::app::App;
use crate::error::Error;
use crate::limits::shares::Held;

/// A connection that may stay. What it holds is given back when it is dropped, however it ends.
pub struct Admitted {
    open: Gauge,
    _place: Held,
    /// The end of the server waits for it.
    _token: TaskTrackerToken,
}

impl Admitted {
    /// Lets one more in. `open`: where it is counted. `network`: the address that it is counted for.
    ///
    /// # Errors
    /// `stopping`, `too_many_sockets`, `too_many`.
    pub fn new(app: &'static App, open: Gauge, network: Option<IpAddr>) -> Result<Self, Error> {
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
