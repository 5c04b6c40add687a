//! How often matches and players may be created, challenges and reports sent, sign-ins tried: token buckets for each address and for
//! each player. Both must have room, because names are free: a caller who registers more players gets no more than its
//! address may have.

use std::fmt::Display;
use std::hash::Hash;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use futures_util::future::BoxFuture;
use governor::clock::Clock;
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::error::{Code, Error};

/// The number of creations after which full buckets are evicted.
const SWEEP: u32 = 4096;

/// How often matches and players may be created.
#[derive(Clone, Debug, clap::Args)]
pub struct CreationOptions {
    /// Matches, and players, that one address may create a minute in the long run.
    #[arg(long, env = "KIBITZ_CREATIONS_PER_MINUTE", value_name = "N", default_value_t = 600,
          value_parser = clap::value_parser!(u32).range(1..=60_000_000))]
    pub creations_per_minute: u32,
    /// Matches, and players, that one address may create at once after a rest.
    #[arg(long, env = "KIBITZ_CREATIONS_BURST", value_name = "N", default_value_t = 300,
          value_parser = clap::value_parser!(u32).range(1..=60_000_000))]
    pub creations_burst: u32,
    /// Matches that one player may create a minute in the long run. Default: half of what an address may.
    #[arg(long, env = "KIBITZ_PLAYER_CREATIONS_PER_MINUTE", value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=60_000_000))]
    pub player_creations_per_minute: Option<u32>,
    /// Matches that one player may create at once after a rest. Default: half of what an address may.
    #[arg(long, env = "KIBITZ_PLAYER_CREATIONS_BURST", value_name = "N",
          value_parser = clap::value_parser!(u32).range(1..=60_000_000))]
    pub player_creations_burst: Option<u32>,
    /// Challenges that one address may send a minute, in the long run and at once after a rest; a player may send half of them.
    #[arg(long, env = "KIBITZ_CHALLENGES_PER_MINUTE", value_name = "N", default_value_t = 120,
          value_parser = clap::value_parser!(u32).range(1..=60_000_000))]
    pub challenges_per_minute: u32,
    /// Reports that one address may send a minute, in the long run and at once after a rest; a player may send half of them.
    #[arg(long, env = "KIBITZ_REPORTS_PER_MINUTE", value_name = "N", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=60_000_000))]
    pub reports_per_minute: u32,
    /// Sign-ins, and renewals of subscriptions to notifications, that one address may try a minute, in the long run and at once after a rest.
    #[arg(long, env = "KIBITZ_SIGN_INS_PER_MINUTE", value_name = "N", default_value_t = 30,
          value_parser = clap::value_parser!(u32).range(1..=60_000_000))]
    pub sign_ins_per_minute: u32,
}

/// How fast a bucket fills, and how much it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// The number that comes back in a minute.
    pub per_minute: u32,
    /// The number that a full bucket holds.
    pub burst: u32,
}

/// Buckets that several nodes share.
pub trait SharedBuckets: Send + Sync {
    /// Takes one from the bucket with this key. `Ok(Err)`: it is empty for this long. `Err`: the reason why that is
    /// unknown.
    fn take<'a>(&'a self, key: String, rate: Rate) -> BoxFuture<'a, Result<Result<(), Duration>, String>>;
}

/// The buckets of matches and of players.
pub struct Creations {
    matches: Buckets<IpAddr>,
    matches_of_players: Buckets<String>,
    players: Buckets<IpAddr>,
    challenges: Buckets<IpAddr>,
    challenges_of_players: Buckets<String>,
    reports: Buckets<IpAddr>,
    reports_of_players: Buckets<String>,
    sign_ins: Buckets<IpAddr>,
    /// Instead of the ones above, if there are several nodes.
    shared: Option<Arc<dyn SharedBuckets>>,
}

impl Creations {
    /// Full buckets for every address and player. `shared`: those of all nodes together; `None`: this node's own.
    pub fn new(options: &CreationOptions, shared: Option<Arc<dyn SharedBuckets>>) -> Self {
        let CreationOptions { creations_per_minute: rate, creations_burst: burst, .. } = *options;
        let (sent, reports) = (options.challenges_per_minute, options.reports_per_minute);
        let half = |n: u32| n.div_ceil(2);
        let player_rate = options.player_creations_per_minute.unwrap_or_else(|| half(rate));
        let player_burst = options.player_creations_burst.unwrap_or_else(|| half(burst));
        Self {
            matches: Buckets::new("matches", ADDRESS, rate, burst),
            matches_of_players: Buckets::new("matches", PLAYER, player_rate, player_burst),
            players: Buckets::new("players", ADDRESS, rate, burst),
            challenges: Buckets::new("challenges", Owner { name: "address", ..CHALLENGER }, sent, sent),
            challenges_of_players: Buckets::new("challenges", CHALLENGER, half(sent), half(sent)),
            reports: Buckets::new("reports", Owner { name: "address", ..REPORTER }, reports, reports),
            reports_of_players: Buckets::new("reports", REPORTER, half(reports), half(reports)),
            sign_ins: Buckets::new(
                "sign-ins",
                SIGNER,
                options.sign_ins_per_minute,
                options.sign_ins_per_minute,
            ),
            shared,
        }
    }

    /// Charges the creation of a match. `network`: the address that asks for it, if a request does. `players`: the ids of
    /// the players who pay, too.
    ///
    /// # Errors
    /// `too_many`; `store_unavailable`.
    pub async fn charge_match(&self, network: Option<IpAddr>, players: &[String]) -> Result<(), Error> {
        // The players' first: a player who has used up their own bucket must not empty that of their address.
        for player in players {
            self.charge(&self.matches_of_players, player).await?;
        }
        match network {
            Some(network) => self.charge(&self.matches, &network).await,
            None => Ok(()),
        }
    }

    /// Charges the creation of a player.
    ///
    /// # Errors
    /// `too_many`; `store_unavailable`.
    pub async fn charge_player(&self, network: Option<IpAddr>) -> Result<(), Error> {
        let Some(network) = network else { return Ok(()) };
        self.charge(&self.players, &network).await
    }

    /// Charges a challenge of the player with this id.
    ///
    /// # Errors
    /// `too_many`; `store_unavailable`.
    pub async fn charge_challenge(&self, network: Option<IpAddr>, player: &str) -> Result<(), Error> {
        self.charge(&self.challenges_of_players, &player.to_owned()).await?;
        match network {
            Some(network) => self.charge(&self.challenges, &network).await,
            None => Ok(()),
        }
    }

    /// Charges a report; `player`: the id of the person who reports, if they have an account.
    ///
    /// # Errors
    /// `too_many`; `store_unavailable`.
    pub async fn charge_report(&self, network: Option<IpAddr>, player: Option<&str>) -> Result<(), Error> {
        if let Some(player) = player {
            self.charge(&self.reports_of_players, &player.to_owned()).await?;
        }
        match network {
            Some(network) => self.charge(&self.reports, &network).await,
            None => Ok(()),
        }
    }

    /// Charges an attempt to sign in.
    ///
    /// # Errors
    /// `too_many`; `store_unavailable`.
    pub async fn charge_sign_in(&self, network: Option<IpAddr>) -> Result<(), Error> {
        let Some(network) = network else { return Ok(()) };
        self.charge(&self.sign_ins, &network).await
    }

    async fn charge<K: Hash + Eq + Clone + Display>(
        &self,
        buckets: &Buckets<K>,
        key: &K,
    ) -> Result<(), Error> {
        let Some(shared) = &self.shared else { return buckets.charge(key) };
        let (rate, key) = (buckets.rate, format!("{} {} {key}", buckets.what, buckets.owner.name));
        match shared.take(key, rate).await {
            Ok(taken) => taken.map_err(|wait| buckets.refusal(wait)),
            Err(why) => Err(Error::store_unavailable(&why)),
        }
    }
}

/// The owner of a bucket, and the settings that refusals name.
#[derive(Clone, Copy)]
struct Owner {
    name: &'static str,
    rate: &'static str,
    burst: &'static str,
}

const ADDRESS: Owner = Owner { name: "address", rate: "--creations-per-minute", burst: "--creations-burst" };
const PLAYER: Owner =
    Owner { name: "player", rate: "--player-creations-per-minute", burst: "--player-creations-burst" };

const CHALLENGER: Owner =
    Owner { name: "player", rate: "--challenges-per-minute", burst: "--challenges-per-minute" };

const REPORTER: Owner = Owner { name: "player", rate: "--reports-per-minute", burst: "--reports-per-minute" };

const SIGNER: Owner =
    Owner { name: "address", rate: "--sign-ins-per-minute", burst: "--sign-ins-per-minute" };

/// A bucket for each key.
struct Buckets<K: Hash + Eq + Clone> {
    limiter: DefaultKeyedRateLimiter<K>,
    what: &'static str,
    owner: Owner,
    rate: Rate,
    /// Creations since full buckets were evicted.
    since_sweep: AtomicU32,
}

impl<K: Hash + Eq + Clone> Buckets<K> {
    fn new(what: &'static str, owner: Owner, rate: u32, burst: u32) -> Self {
        let at_least_one = |n: u32| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::per_minute(at_least_one(rate)).allow_burst(at_least_one(burst));
        let limiter = RateLimiter::keyed(quota);
        let rate = Rate { per_minute: rate, burst };
        Self { limiter, what, owner, rate, since_sweep: AtomicU32::new(0) }
    }

    fn charge(&self, key: &K) -> Result<(), Error> {
        if self.since_sweep.fetch_add(1, Ordering::Relaxed) == SWEEP {
            self.since_sweep.store(0, Ordering::Relaxed);
            self.limiter.retain_recent();
            self.limiter.shrink_to_fit();
        }
        let wait = |until: governor::NotUntil<_>| until.wait_time_from(self.limiter.clock().now());
        self.limiter.check_key(key).map_err(|until| self.refusal(wait(until)))
    }

    /// The refusal of a caller who may try again after this time.
    fn refusal(&self, wait: Duration) -> Error {
        let Self { what, owner: Owner { name, rate, burst }, .. } = self;
        let Rate { per_minute, burst: most } = self.rate;
        let detail = format!(
            "this {name} creates too many {what}: the limits are {most} at once ({burst}) and {per_minute} a minute \
             ({rate})"
        );
        Error::new(Code::TooMany, detail).retry_after(wait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(rate: u32, burst: u32) -> CreationOptions {
        CreationOptions {
            creations_per_minute: rate,
            creations_burst: burst,
            player_creations_per_minute: None,
            player_creations_burst: None,
            challenges_per_minute: 120,
            reports_per_minute: 10,
            sign_ins_per_minute: 30,
        }
    }

    #[tokio::test]
    async fn address_and_player_must_both_have_room() {
        let creations = Creations::new(&options(1, 4), None);
        let [here, there] = ["10.0.0.1", "10.0.0.2"].map(|text| text.parse().ok());
        let names: Vec<[String; 1]> = (0..9).map(|n| [n.to_string()]).collect();
        let ann = &names[0];
        assert!(creations.charge_match(here, ann).await.is_ok());
        assert!(creations.charge_match(there, ann).await.is_ok());
        let refused = creations.charge_match(here, ann).await.unwrap_err();
        assert!(refused.detail().contains("--player-creations-burst"), "half of 4 were made: {refused}");
        // One was charged here; fresh names add nothing to the other three.
        let mut made = 0;
        for name in &names[1..] {
            made += usize::from(creations.charge_match(here, name).await.is_ok());
        }
        assert_eq!(made, 3);
        let refused = creations.charge_match(here, &[]).await.unwrap_err();
        assert_eq!(refused.code(), Code::TooMany);
        assert!(refused.detail().contains("--creations-burst"), "{refused}");
        assert!(refused.comes_back_after().is_some_and(|wait| !wait.is_zero() && wait.as_secs() <= 60));
        assert!(creations.charge_match(there, &[]).await.is_ok(), "another address has a bucket of its own");
        assert!(creations.charge_player(here).await.is_ok(), "players have buckets of their own");
        for _ in 0..9 {
            assert!(creations.charge_match(None, &[]).await.is_ok(), "the server's own are free");
        }
    }

    #[test]
    fn full_buckets_are_evicted() {
        // A bucket is full again after a microsecond.
        let buckets = Buckets::new("matches", ADDRESS, 60_000_000, 1);
        for n in 0..=SWEEP {
            buckets.charge(&n).unwrap();
        }
        assert!(buckets.limiter.len() < 100, "{} buckets are left", buckets.limiter.len());
    }
}
