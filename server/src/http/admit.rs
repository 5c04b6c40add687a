//! How many connections may stay open: streams of events and WebSockets of every kind share one limit, are counted while
//! they last, and are waited for when the server ends.

use std::time::Duration;

use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::app::App;
use crate::error::{Code, Error};

/// When somebody who was not let in may come back.
const COME_BACK: Duration = Duration::from_secs(5);

/// A connection that may stay. What it holds is given back when it is dropped, however it ends.
pub struct Admitted {
    open: Gauge,
    _place: OwnedSemaphorePermit,
    /// The end of the server waits for it.
    _token: TaskTrackerToken,
}

impl Admitted {
    /// Lets one more in. `open`: where it is counted.
    ///
    /// # Errors
    /// `stopping`, `too_many_sockets`.
    pub fn new(app: &'static App, open: Gauge) -> Result<Self, Error> {
        if app.stopping.is_cancelled() {
            return Err(Error::stopping());
        }
        let Ok(place) = app.sockets.clone().try_acquire_owned() else {
            let limit = app.limits.max_sockets;
            let detail = format!("{limit} WebSockets and streams are open, which is the limit here");
            return Err(Error::new(Code::TooManySockets, detail).retry_after(COME_BACK));
        };
        open.inc();
        Ok(Self { open, _place: place, _token: app.dialogues.token() })
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.open.dec();
    }
}
