//! Admits the connections that stay open: streams of events, WebSockets of every kind, requests that wait. They share one
//! limit, they are counted while they are open, they end when their caller loses the rights that it opened them with, and
//! the server waits for them when it stops.

use std::net::IpAddr;

use prometheus_client::metrics::gauge::Gauge;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::accounts::sessions::Session;
use crate::app::App;
use crate::domain::scope::ShownToken;
use crate::error::Error;
use crate::limits::quotas::QuotaGuard;

/// Permission for one connection to stay open. Dropping it ends the count of the connection.
pub(crate) struct ConnectionPermit {
    open: Gauge,
    session: Session,
    _place: QuotaGuard,
    /// Lets the server wait for this connection when it stops.
    _token: TaskTrackerToken,
}

impl ConnectionPermit {
    /// Admits one more connection. `open`: the gauge that counts it. `network`: the address whose limit it counts toward.
    /// `token`: the player's token, if the connection may do or see what only this player may.
    ///
    /// # Errors
    /// `stopping`, `too_many_sockets`, `too_many`.
    pub(crate) fn new(
        app: &'static App,
        open: Gauge,
        network: Option<IpAddr>,
        token: Option<ShownToken>,
    ) -> Result<Self, Error> {
        if app.stopping.is_cancelled() {
            return Err(Error::stopping());
        }
        let place = app.sockets.take(network, 1)?;
        let session = app.accounts.sessions.open(network, token, app.matches.now().ms());
        if token.is_some_and(|token| !app.accounts.token_holders.is_valid(token.hash)) {
            // An account has changed since the token was checked, perhaps this one.
            tokio::spawn(async move {
                if let Err(e) = app.accounts.review_sessions().await {
                    tracing::debug!(error = %e, "open connections could not be reviewed");
                }
            });
        }
        open.inc();
        Ok(Self { open, session, _place: place, _token: app.dialogues.token() })
    }

    /// Waits until the connection has lost its rights; returns the reason.
    pub(crate) async fn ended(&self) -> Error {
        self.session.ended().await
    }

    /// As [`Self::ended`], without the reason, for a stream that ends then.
    pub(crate) fn end_signal(&self) -> impl Future<Output = ()> + Send + use<> {
        self.session.end_signal()
    }

    /// Checks that the connection still has its rights.
    ///
    /// # Errors
    /// `bad_token`, `token_expired`, `banned`.
    pub(crate) fn check(&self) -> Result<(), Error> {
        self.session.check()
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.open.dec();
    }
}
