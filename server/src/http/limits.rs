//! How often a caller may make matches and players. A bucket of tokens a caller, kept as one time each (the generic
//! cell rate algorithm): that is all there is to it, so no crate is needed.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;

use crate::app::App;
use crate::domain::ClientId;
use crate::error::{Code, Error};
use crate::host::ledger::Caller;

/// Callers that are remembered without a thought.
const CROWD: usize = 4096;

/// What one caller may make.
#[derive(Clone, Debug, clap::Args)]
pub struct QuotaOptions {
    /// Matches, and players, that one caller may make a minute in the long run.
    #[arg(long, env = "KIBITZ_CREATIONS_PER_MINUTE", value_name = "N", default_value_t = 600,
          value_parser = clap::value_parser!(u32).range(1..=60_000_000))]
    pub creations_per_minute: u32,
    /// Matches, and players, that one caller may make at once after a rest.
    #[arg(long, env = "KIBITZ_CREATIONS_BURST", value_name = "N", default_value_t = 300,
          value_parser = clap::value_parser!(u32).range(1..=60_000_000))]
    pub creations_burst: u32,
    /// The header in which a proxy in front of this server says whom it serves: its last address counts. Without it,
    /// callers are told apart by the address of their connection.
    #[arg(long, env = "KIBITZ_CLIENT_IP_HEADER", value_name = "NAME")]
    pub client_ip_header: Option<String>,
}

/// The address of a request's connection.
#[derive(Clone, Copy, Debug)]
pub struct PeerAddress(pub SocketAddr);

/// Where a request comes from.
pub struct Origin(IpAddr);

impl FromRequestParts<&'static App> for Origin {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Self::Rejection> {
        let header = app.limits.quota.client_ip_header.as_deref();
        let peer = parts.extensions.get::<PeerAddress>().map(|peer| peer.0.ip());
        let told = header.and_then(|name| forwarded(&parts.headers, name));
        Ok(Self(told.or(peer).unwrap_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED))))
    }
}

/// The last address in this header: the one that the nearest proxy has written.
fn forwarded(headers: &HeaderMap, name: &str) -> Option<IpAddr> {
    let last = headers.get_all(name).iter().next_back()?.to_str().ok()?.rsplit(',').next()?.trim();
    last.parse().ok().or_else(|| last.parse::<SocketAddr>().ok().map(|address| address.ip()))
}

impl Origin {
    /// The client that a request of this caller is counted for.
    pub fn client(&self, caller: &Caller) -> ClientId {
        ClientId::new(self.0, caller.player.as_ref().map(|player| player.id.clone()))
    }
}

/// What each caller may make now.
pub struct Quota {
    matches: Mutex<Buckets<ClientId>>,
    players: Mutex<Buckets<ClientId>>,
}

impl Quota {
    /// Full buckets for all.
    pub fn new(options: &QuotaOptions) -> Self {
        let buckets = || Mutex::new(Buckets::new(options.creations_per_minute, options.creations_burst));
        Self { matches: buckets(), players: buckets() }
    }

    /// The caller makes a match.
    ///
    /// # Errors
    /// `too_many`.
    pub fn matches(&self, caller: &Caller, origin: &Origin) -> Result<(), Error> {
        take(&self.matches, origin.client(caller), "matches")
    }

    /// The caller makes a player.
    ///
    /// # Errors
    /// `too_many`.
    pub fn players(&self, caller: &Caller, origin: &Origin) -> Result<(), Error> {
        take(&self.players, origin.client(caller), "players")
    }
}

fn take(buckets: &Mutex<Buckets<ClientId>>, client: ClientId, what: &str) -> Result<(), Error> {
    // Nothing that holds it can fail half-way.
    let mut buckets = buckets.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    buckets.take(client, Instant::now()).map_err(|wait| {
        let detail = format!(
            "this caller makes too many {what}: {} at once and {:.0} a minute is the limit here",
            buckets.burst,
            60.0 / buckets.each.as_secs_f64()
        );
        Error::new(Code::TooMany, detail).retry_after(wait)
    })
}

/// A bucket for each key.
struct Buckets<K> {
    /// Time that earns one token.
    each: Duration,
    /// Tokens in a full bucket.
    burst: u32,
    /// Per key, when its bucket will be full again. Who is not here has a full one.
    full_at: HashMap<K, Instant>,
    /// So many are remembered before those with full buckets are looked for.
    crowd: usize,
}

impl<K: Eq + Hash> Buckets<K> {
    fn new(per_minute: u32, burst: u32) -> Self {
        Self { each: Duration::from_secs(60) / per_minute, burst, full_at: HashMap::new(), crowd: CROWD }
    }

    /// Takes one token; `Err`: when there will be one.
    fn take(&mut self, key: K, now: Instant) -> Result<(), Duration> {
        if self.full_at.len() >= self.crowd {
            self.full_at.retain(|_, full_at| *full_at > now);
            self.crowd = CROWD.max(2 * self.full_at.len());
        }
        let full_at = self.full_at.get(&key).copied().map_or(now, |at| at.max(now)) + self.each;
        let missing = full_at - now;
        let most = self.each * self.burst;
        if missing > most {
            return Err(missing - most);
        }
        self.full_at.insert(key, full_at);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_gives_its_burst_and_then_what_it_earns() {
        let mut buckets = Buckets::new(60, 3);
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        for _ in 0..3 {
            assert_eq!(buckets.take("a", start), Ok(()));
        }
        assert_eq!(buckets.take("a", start), Err(Duration::from_secs(1)));
        assert_eq!(buckets.take("a", at(400)), Err(Duration::from_millis(600)), "a refusal costs nothing");
        assert_eq!(buckets.take("b", at(400)), Ok(()), "others have their own");
        assert_eq!(buckets.take("a", at(1000)), Ok(()));
        assert!(buckets.take("a", at(1000)).is_err());
        for _ in 0..3 {
            assert_eq!(buckets.take("a", at(100_000)), Ok(()), "never more than full");
        }
        assert!(buckets.take("a", at(100_000)).is_err());
    }

    #[test]
    fn full_buckets_are_forgotten() {
        let mut buckets = Buckets::new(60, 1);
        let start = Instant::now();
        for n in 0..CROWD {
            assert_eq!(buckets.take(n, start), Ok(()));
        }
        assert_eq!(buckets.take(CROWD, start + Duration::from_secs(2)), Ok(()));
        assert_eq!(buckets.full_at.len(), 1);
    }

    #[test]
    fn the_last_forwarded_address_counts() {
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-for", "192.0.2.1, 192.0.2.2".parse().unwrap());
        assert_eq!(
            forwarded(&headers, "x-forwarded-for"),
            "192.0.2.2".parse().ok(),
            "the first can be invented"
        );
        headers.append("x-forwarded-for", "[2001:db8::1]:9".parse().unwrap());
        assert_eq!(forwarded(&headers, "x-forwarded-for"), "2001:db8::1".parse().ok());
        assert_eq!(forwarded(&headers, "x-real-ip"), None);
    }
}
