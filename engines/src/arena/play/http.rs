//! A player that is a server: the move request and the meaning of its answer. [`Http`] owns the socket.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::decision::{Attempt, DecisionLimits, NoMove};
use super::thinker::budget;
use crate::arena::clock::TOLERANCE;
use crate::arena::record::FaultKind;
use crate::erased::Position;
use crate::rng::{Rng, Seed};
use crate::search::Level;

/// How long a server may be away before the match is void: a restart takes some seconds.
const AWAY: Duration = Duration::from_secs(30);
/// First and longest pause between two attempts.
const PAUSES: [Duration; 2] = [Duration::from_millis(100), Duration::from_secs(5)];
/// How often a pause looks at the stop flag.
const LOOK: Duration = Duration::from_millis(50);
/// How long an answer may take if there is no limit.
const PATIENCE: Duration = Duration::from_secs(600);

/// An HTTP answer.
#[derive(Clone, Debug, PartialEq)]
pub struct PostResponse {
    /// The status, e.g. 200.
    pub status: u16,
    /// The header `Retry-After`, if it is a number of seconds.
    pub retry_after: Option<Duration>,
    /// The body, as text.
    pub body: String,
}

/// The result of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Post {
    /// An answer of any status.
    Answered(PostResponse),
    /// No answer in the time allowed, though the server was reached.
    TimedOut,
    /// The server was not reached, or hung up; the text says why.
    Failed(String),
}

/// The arena's access to the network: it sends requests.
pub trait Http: Send + Sync {
    /// Posts this JSON and waits for the answer, at most this long.
    fn post(&self, url: &str, body: &Value, timeout: Duration) -> Post;

    /// Whether a server answers at this address, with any answer. The arena asks on a new connection when a move is late,
    /// since a dead connection looks the same.
    fn answers(&self, url: &str) -> bool;

    /// How long a server may be away before a match is void.
    fn patience(&self) -> Duration {
        AWAY
    }
}

/// No network: every request fails.
pub struct NoHttp;

impl Http for NoHttp {
    fn post(&self, _: &str, _: &Value, _: Duration) -> Post {
        Post::Failed("there is no network here".to_owned())
    }

    fn answers(&self, _: &str) -> bool {
        false
    }

    fn patience(&self) -> Duration {
        Duration::ZERO
    }
}

/// The settings of a server player.
pub(in crate::arena) struct ServerPlayer<'s> {
    /// Its address.
    pub url: &'s str,
    /// Thinking time to ask for.
    pub think: Option<Duration>,
    /// Nodes to ask for.
    pub nodes: Option<u64>,
    /// Level to ask for.
    pub level: Option<Level>,
    /// The seed to send; `None`: one derived from the decision's.
    pub seed: Option<u64>,
}

impl ServerPlayer<'_> {
    /// Asks the server. Failures of the machine are retried and not charged; the player is charged the time of the request
    /// that was answered.
    pub(in crate::arena) fn decide(
        &self,
        slug: &str,
        position: &dyn Position,
        usual: Duration,
        seed: &Seed,
        http: &dyn Http,
        limits: &DecisionLimits,
    ) -> Attempt {
        let url = format!("{}/v1/games/{slug}/move", self.url);
        let body = self.request(position, usual, seed, limits);
        let timeout = limits.allowed.map_or(PATIENCE, |a| a + 2 * TOLERANCE);
        let first = Instant::now();
        let [mut usual_pause, longest] = PAUSES;
        loop {
            let started = Instant::now();
            let post = http.post(&url, &body, timeout);
            let taken = started.elapsed();
            let attempt = |nodes, value, result| Attempt { taken, fuel: None, nodes, value, result };
            if limits.stopped() {
                return attempt(None, None, Err(NoMove::Stopped));
            }
            let (why, pause) = match post {
                Post::Answered(reply) if reply.status < 500 && reply.status != 429 => {
                    let (nodes, value, result) = read(&reply);
                    return attempt(nodes, value, result);
                }
                Post::Answered(reply) => {
                    (format!("{url} answered {}: {}", reply.status, cut(&reply.body)), reply.retry_after)
                }
                Post::TimedOut if http.answers(self.url) => {
                    let text = format!("no answer after {} ms", taken.as_millis());
                    return attempt(None, None, Err(NoMove::fault(FaultKind::Time, text)));
                }
                Post::TimedOut => (format!("{url} does not answer any request any more"), None),
                Post::Failed(e) => (format!("{url}: {e}"), None),
            };
            let pause = pause.unwrap_or(usual_pause).min(longest);
            if first.elapsed() + pause > http.patience() {
                return attempt(None, None, Err(NoMove::Void(why)));
            }
            sleep(pause, limits);
            usual_pause = (2 * usual_pause).min(longest);
        }
    }

    fn request(
        &self,
        position: &dyn Position,
        usual: Duration,
        seed: &Seed,
        limits: &DecisionLimits,
    ) -> Value {
        let mut body = Map::new();
        body.insert("position".to_owned(), position.to_json());
        if self.think.is_some() || self.nodes.is_none() {
            let think = budget(self.think, usual, position, limits);
            body.insert("think_ms".to_owned(), json!(think.as_millis() as u64));
        }
        if let Some(nodes) = self.nodes {
            body.insert("nodes".to_owned(), json!(nodes));
        }
        if let Some(level) = self.level {
            body.insert("level".to_owned(), json!(level));
        }
        // 53 bits: a number that every JSON reader keeps exactly.
        let seed = self.seed.unwrap_or_else(|| Rng::new(seed).next_u64() >> 11);
        body.insert("seed".to_owned(), json!(seed));
        Value::Object(body)
    }
}

/// Sleeps this long, or until the run is stopped.
fn sleep(pause: Duration, limits: &DecisionLimits) {
    let end = Instant::now() + pause;
    while !limits.stopped() && Instant::now() < end {
        std::thread::sleep(LOOK.min(end.saturating_duration_since(Instant::now())));
    }
}

/// An answer with a status below 500: a move, or an error with which the run cannot go on.
fn read(reply: &PostResponse) -> (Option<u64>, Option<f64>, Result<String, NoMove>) {
    let json: Value = serde_json::from_str(&reply.body).unwrap_or_default();
    match (reply.status, json["notation"].as_str()) {
        (200, Some(notation)) => (json["nodes"].as_u64(), json["value"].as_f64(), Ok(notation.to_owned())),
        (status, _) => {
            let text = format!("the server answered {status}, not a move: {}", cut(&reply.body));
            (None, None, Err(NoMove::Void(text)))
        }
    }
}

fn cut(body: &str) -> String {
    body.chars().take(300).collect()
}
