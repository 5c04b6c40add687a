//! Admits connections: a limited number from one address and in total, so that other clients and the database's files
//! always have room. It must not know what connections carry.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::domain::ClientId;
use crate::error::{Code, Error};
use crate::limits::RequestLimits;
use crate::limits::proxies::ProxyOptions;
use crate::limits::quotas::{Limit, QuotaGuard, Quotas};
use crate::metrics::Metrics;
use crate::request::problem::status;

/// Descriptors left to the database, the log and refused connections: an eighth of the limit, at least this number.
const RESERVE: usize = 64;

/// The most connections where neither the system nor a setting has a lower limit.
const USUAL: usize = 1 << 16;

/// The most refused connections that are being answered at a time. Others are closed without an answer.
const REFUSALS: usize = RESERVE / 4;

/// How long a refused client may take to send its request and to read the answer.
const REFUSAL_TIME: Duration = Duration::from_secs(1);

/// Admits connections, or answers why not.
pub(crate) struct Connections {
    shares: &'static Quotas,
    proxies: ProxyOptions,
    metrics: &'static Metrics,
    refusals: Arc<Semaphore>,
}

impl Connections {
    /// With the limits of these settings. Call it after the limit of open files was raised.
    pub(crate) fn new(options: &RequestLimits, metrics: &'static Metrics) -> Self {
        let capacity = &options.capacity;
        let each =
            Limit { most: capacity.max_connections_per_address, setting: "--max-connections-per-address" };
        let all = Limit { most: most(capacity.max_connections, open_files()), setting: "--max-connections" };
        Self {
            shares: Quotas::with_total("open connections", each, all, Code::Overloaded),
            proxies: options.proxies.clone(),
            metrics,
            refusals: Arc::new(Semaphore::new(REFUSALS)),
        }
    }

    /// Admits a connection from this peer. The bound for one address does not apply to trusted proxies, which carry the
    /// connections of many clients.
    ///
    /// # Errors
    /// `too_many`, `overloaded`.
    pub(crate) fn admit(&self, peer: SocketAddr) -> Result<QuotaGuard, Error> {
        let network = Some(peer.ip()).filter(|ip| !self.proxies.trusts(*ip));
        self.shares.take(network.map(|ip| ClientId::new(ip, None).network()), 1)
    }

    /// Answers a connection that is not admitted, and closes it. Returns at once.
    pub(crate) fn refuse(&self, stream: TcpStream, error: &Error) {
        error.log();
        self.metrics.connection_refused(error.code().name());
        let Ok(permit) = Arc::clone(&self.refusals).try_acquire_owned() else { return };
        let answer = answer(error);
        tokio::spawn(async move {
            // The client may have disconnected; ignore the error.
            let _ = timeout(REFUSAL_TIME, say(stream, &answer)).await;
            drop(permit);
        });
    }
}

/// Sends the answer once a request begins to arrive, since clients expect none before, and waits for the client to
/// close. A socket closed while the request is unread would be reset, and the client might lose the answer.
async fn say(mut stream: TcpStream, answer: &[u8]) -> std::io::Result<()> {
    let mut ignored = [0; 1024];
    if stream.read(&mut ignored).await? == 0 {
        return Ok(());
    }
    stream.write_all(answer).await?;
    stream.shutdown().await?;
    while stream.read(&mut ignored).await? > 0 {}
    Ok(())
}

/// The whole answer of a refusal, in HTTP/1.1.
fn answer(error: &Error) -> Vec<u8> {
    let body = error.problem().to_json();
    let status = status(error.code());
    let retry_after = error.comes_back_after().unwrap_or_default().as_secs().max(1);
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/problem+json\r\nretry-after: {retry_after}\r\n\
         access-control-allow-origin: *\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    [head.into_bytes(), body].concat()
}

/// The most connections for this setting and this limit of open files (`None`: unknown or infinite).
fn most(setting: Option<usize>, files: Option<usize>) -> usize {
    let left = files.map_or(USUAL, |files| files - (files / 8).max(RESERVE).min(files / 2));
    match setting {
        Some(setting) if files.is_some() && setting > left => {
            tracing::warn!(
                max_connections = setting,
                possible = left,
                "the limit of open files allows fewer connections"
            );
            left
        }
        Some(setting) => setting,
        None => left.min(USUAL),
    }
}

/// The number of files that this process may have open.
#[cfg(unix)]
fn open_files() -> Option<usize> {
    use rustix::process::{Resource, getrlimit};
    getrlimit(Resource::Nofile).current.map(|files| usize::try_from(files).unwrap_or(usize::MAX))
}

#[cfg(not(unix))]
fn open_files() -> Option<usize> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_files_are_left_to_the_database() {
        assert_eq!(most(None, Some(1024)), 896);
        assert_eq!(most(None, Some(256)), 192);
        assert_eq!(most(None, Some(64)), 32);
        assert_eq!(most(Some(100), Some(1024)), 100);
        assert_eq!(most(Some(5000), Some(1024)), 896, "no setting takes the reserve");
        assert_eq!(most(None, Some(1 << 20)), USUAL);
        assert_eq!(most(Some(200_000), Some(1 << 20)), 200_000);
        assert_eq!(most(None, None), USUAL);
    }

    #[test]
    fn refusal_is_an_http_answer() {
        let error = Error::new(Code::Overloaded, "full").retry_after(Duration::from_secs(5));
        let answer = String::from_utf8(answer(&error)).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 503 Service Unavailable\r\n"), "{head}");
        assert!(
            head.contains("retry-after: 5\r\n") && head.contains(&format!("content-length: {}", body.len()))
        );
        let problem: serde_json::Value = serde_json::from_str(body).unwrap();
        assert_eq!((&problem["code"], &problem["status"]), (&"overloaded".into(), &503.into()));
    }
}
