//! A caller of several nodes: it sends each request to any of them until one answers, and remembers when none did.

use std::fmt;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use engines::rng::Rng;
use serde_json::Value;

use super::super::retrying_client::ask;
use crate::client::TestResponse;

/// How long a caller waits for a node before it asks another one; twice as long after each time.
const PATIENCE: Duration = Duration::from_secs(1);
const MOST_PATIENCE: Duration = Duration::from_secs(20);

/// How long a caller avoids a node that did not answer.
const AVOIDED: Duration = Duration::from_secs(2);

/// A request that takes longer is remembered.
const SLOW: Duration = Duration::from_millis(200);

/// Longer than any trouble lasts, even on a slow machine.
const GIVE_UP: Duration = Duration::from_secs(300);

pub(super) struct Caller {
    nodes: Vec<CalledNode>,
    rng: Rng,
    /// The periods in which no node served: from the time when each had failed to the time when the last request to one
    /// of them was sent.
    away: Vec<(Instant, Instant)>,
    /// The requests that took long.
    pub(super) slow: Vec<SlowRequest>,
}

/// A request for whose answer the caller waited for long.
pub(super) struct SlowRequest {
    pub sent: Instant,
    /// The node's place in the caller's list.
    pub node: usize,
    pub method: &'static str,
    pub waited: Duration,
    /// The status of the answer; `None`: the caller gave up.
    pub status: Option<u16>,
}

impl fmt::Display for SlowRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, method, waited, .. } = self;
        match self.status {
            Some(status) => write!(f, "node {node} answered {method} by {status} after {waited:.1?}"),
            None => write!(f, "node {node} did not answer {method} for {waited:.1?}"),
        }
    }
}

struct CalledNode {
    address: SocketAddr,
    avoided_until: Instant,
    /// Since a node answered: the time of its first failure, and the time when the last request that failed was sent.
    failed: Option<(Instant, Instant)>,
}

pub(super) struct TimedAnswer {
    pub reply: TestResponse,
    /// The time at which the request was first sent.
    pub first_sent: Instant,
    /// The time at which the answered request was sent.
    pub sent: Instant,
    pub received: Instant,
}

impl Caller {
    pub(super) fn new(nodes: &[SocketAddr], rng: Rng) -> Self {
        let now = Instant::now();
        let node = |address: &SocketAddr| CalledNode { address: *address, avoided_until: now, failed: None };
        Self { nodes: nodes.iter().map(node).collect(), rng, away: Vec::new(), slow: Vec::new() }
    }

    /// Sends a request until it is answered with anything but "come back later".
    pub(super) async fn insist(
        &mut self,
        method: &'static str,
        path: &str,
        headers: &[(&str, &str)],
        json: &Value,
    ) -> TimedAnswer {
        let first_sent = Instant::now();
        let mut patience = PATIENCE;
        loop {
            let n = self.choose();
            let sent = Instant::now();
            let asked = ask(self.nodes[n].address, method, path, headers, json);
            let reply = tokio::time::timeout(patience, asked).await;
            let received = Instant::now();
            let waited = received - sent;
            if waited >= SLOW {
                let status = reply.as_ref().ok().and_then(|reply| Some(reply.as_ref().ok()?.status.as_u16()));
                self.slow.push(SlowRequest { sent, node: n, method, waited, status });
            }
            if let Ok(Ok(reply)) = reply
                && reply.status != 503
            {
                self.serves();
                return TimedAnswer { reply, first_sent, sent, received };
            }
            if waited >= patience {
                patience = (2 * patience).min(MOST_PATIENCE);
            }
            assert!(first_sent.elapsed() < GIVE_UP, "{method} {path} is not answered");
            self.nodes[n].avoided_until = received + AVOIDED;
            let failed = &mut self.nodes[n].failed;
            *failed = Some((failed.map_or(received, |(first, _)| first), sent));
            tokio::time::sleep(Duration::from_millis(15)).await;
        }
    }

    /// Chooses a node at random, one that is not avoided if there is one.
    fn choose(&mut self) -> usize {
        let now = Instant::now();
        let good: Vec<usize> =
            (0..self.nodes.len()).filter(|n| self.nodes[*n].avoided_until <= now).collect();
        self.rng.pick(&good).copied().unwrap_or_else(|| self.rng.below(self.nodes.len()))
    }

    /// Records that a node serves, and for how long none did.
    fn serves(&mut self) {
        let failed: Option<Vec<(Instant, Instant)>> = self.nodes.iter().map(|node| node.failed).collect();
        let from = failed.iter().flatten().map(|(first, _)| *first).max();
        let to = failed.iter().flatten().map(|(_, last)| *last).min();
        self.away.extend(from.zip(to).filter(|(from, to)| from < to));
        self.nodes.iter_mut().for_each(|node| node.failed = None);
    }

    /// How long it waited within this time for nodes that did not answer until it gave them up.
    pub(super) fn waited_within(&self, from: Instant, to: Instant) -> Duration {
        let in_vain = self.slow_within(from, to).filter(|one| one.status.is_none());
        in_vain.map(|one| (one.sent + one.waited).min(to) - one.sent.max(from)).sum()
    }

    /// The slow requests for which it waited within this time.
    pub(super) fn slow_within(&self, from: Instant, to: Instant) -> impl Iterator<Item = &SlowRequest> {
        self.slow.iter().filter(move |one| one.sent < to && one.sent + one.waited > from)
    }

    /// How long certainly no node served within this time.
    pub(super) fn away_within(&self, from: Instant, to: Instant) -> Duration {
        let common = |span: &(Instant, Instant)| span.1.min(to).saturating_duration_since(span.0.max(from));
        self.away.iter().map(common).sum()
    }
}
