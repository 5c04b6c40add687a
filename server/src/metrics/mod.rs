//! The server's metrics, in the text formats of Prometheus. One set per server, no global; decides nothing.

mod classic;
mod names;
mod nats;
mod process;
mod service;

use std::time::Duration;

use axum::http::StatusCode;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use nats::NatsCollector;
pub use nats::NatsReading;
use process::ProcessCollector;
pub use service::ServiceMetrics;

/// Upper bounds of the batch size histogram.
const BATCHES: [f64; 10] = [0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

type Seconds = Counter<f64, std::sync::atomic::AtomicU64>;

/// Upper bounds of the latency histogram, in seconds.
const BUCKETS: [f64; 13] =
    [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: &'static str,
    status: u16,
    code: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabel {
    route: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LaneLabel {
    lane: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct NodeLabel {
    node: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PlaceLabel {
    ran: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct GameLabel {
    game: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct LiveLabels {
    game: &'static str,
    stage: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct EndLabels {
    game: &'static str,
    how: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct MoverLabels {
    game: &'static str,
    by: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OpponentLabels {
    game: &'static str,
    opponent: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct KindLabel {
    kind: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CodeLabel {
    code: &'static str,
}

/// The metrics of a server; each has its name where it is registered.
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    latency: Family<RouteLabel, Histogram, fn() -> Histogram>,
    queue: Family<LaneLabel, Gauge>,
    running: Family<LaneLabel, Gauge>,
    suspended: Family<LaneLabel, Gauge>,
    admitted: Family<LaneLabel, Counter>,
    refused: Family<LaneLabel, Counter>,
    cancelled: Family<LaneLabel, Counter>,
    thinking: Family<LaneLabel, Seconds>,
    nodes: Family<GameLabel, Counter>,
    ladder_seconds: Family<GameLabel, Seconds>,
    ladder_matches: Family<OpponentLabels, Counter>,
    panics: Counter,
    searches_by_place: Family<PlaceLabel, Counter>,
    worker_retries: Counter,
    workers: Gauge,
    worker_slots_free: Gauge,
    live: Family<LiveLabels, Gauge>,
    made: Family<GameLabel, Counter>,
    ended: Family<EndLabels, Counter>,
    moves: Family<MoverLabels, Counter>,
    /// Matches that had to pause because the database was unavailable.
    pub pauses: Counter,
    /// Times in which this process did not run.
    pub freezes: Counter,
    store: StoreMetrics,
    /// What the service holds.
    pub service: ServiceMetrics,
    nats: NatsCollector,
    streams: Family<KindLabel, Gauge>,
    live_acts: Family<CodeLabel, Counter>,
    node: Family<NodeLabel, Gauge>,
    connections: Gauge,
    connections_refused: Family<CodeLabel, Counter>,
    /// Open dialogues over WebSockets.
    pub sockets: Gauge,
    /// Lines printed by the engines' sides of dialogues.
    pub lines: Counter,
}

/// Counts transactions of the database, and how long they took.
#[derive(Clone, Debug)]
pub struct StoreMetrics {
    /// Transactions that failed.
    pub failures: Counter,
    commits: Histogram,
    writes: Histogram,
    batches: Histogram,
}

impl Default for StoreMetrics {
    fn default() -> Self {
        Self {
            failures: Counter::default(),
            commits: Histogram::new(BUCKETS),
            writes: Histogram::new(BUCKETS),
            batches: Histogram::new(BATCHES),
        }
    }
}

impl StoreMetrics {
    /// Records a transaction: the number of requests that it committed, and the time that it took.
    pub fn commit(&self, requests: usize, took: Duration) {
        self.commits.observe(took.as_secs_f64());
        self.batches.observe(requests as f64);
    }

    /// Records a request that is on disk, and the time since it was made.
    pub fn written(&self, took: Duration) {
        self.writes.observe(took.as_secs_f64());
    }
}

/// A connection that is counted as open.
#[must_use = "the connection counts as closed at once when it is dropped"]
pub struct CountedConnection<T> {
    open: Gauge,
    _guard: T,
}

impl<T> Drop for CountedConnection<T> {
    fn drop(&mut self) {
        self.open.dec();
    }
}

/// The metrics of a server that uses workers.
#[derive(Clone)]
pub struct WorkerMetrics {
    /// Searches that a worker decided.
    pub worker: Counter,
    /// Searches given to the server's own threads.
    pub local: Counter,
    /// Searches that were begun again because a worker was lost, busy or ending.
    pub retries: Counter,
    /// Workers that the server uses.
    pub known: Gauge,
    /// Their slots that no search of this server has.
    pub slots_free: Gauge,
}

/// The metrics of one lane of the pool (quick or long searches).
#[derive(Clone)]
pub struct LaneMetrics {
    /// Searches that wait.
    pub queue: Gauge,
    /// Searches that run.
    pub running: Gauge,
    /// Searches that have begun and wait for their next slot.
    pub suspended: Gauge,
    /// Searches accepted.
    pub admitted: Counter,
    /// Searches refused because they could not meet their deadline.
    pub refused: Counter,
    /// Searches cancelled because their caller disconnected.
    pub cancelled: Counter,
    /// Engines that panicked.
    pub panics: Counter,
    seconds: Seconds,
    nodes: Family<GameLabel, Counter>,
    ladder_seconds: Family<GameLabel, Seconds>,
}

impl LaneMetrics {
    /// Records how long a search took. `ladder`: the game, if the search was for a match of the permanent ladder.
    pub fn thinking(&self, took: Duration, ladder: Option<&'static str>) {
        self.seconds.inc_by(took.as_secs_f64());
        if let Some(game) = ladder {
            self.ladder_seconds.get_or_create(&GameLabel { game }).inc_by(took.as_secs_f64());
        }
    }

    /// Records how many nodes a search in this game visited.
    pub fn nodes(&self, game: &'static str, nodes: u64) {
        self.nodes.get_or_create(&GameLabel { game }).inc_by(nodes);
    }
}

impl Default for Metrics {
    fn default() -> Self {
        let latency: fn() -> Histogram = || Histogram::new(BUCKETS);
        let mut metrics = Self {
            registry: Registry::default(),
            requests: Family::default(),
            latency: Family::new_with_constructor(latency),
            queue: Family::default(),
            running: Family::default(),
            suspended: Family::default(),
            admitted: Family::default(),
            refused: Family::default(),
            cancelled: Family::default(),
            thinking: Family::default(),
            nodes: Family::default(),
            ladder_seconds: Family::default(),
            ladder_matches: Family::default(),
            panics: Counter::default(),
            searches_by_place: Family::default(),
            worker_retries: Counter::default(),
            workers: Gauge::default(),
            worker_slots_free: Gauge::default(),
            live: Family::default(),
            made: Family::default(),
            ended: Family::default(),
            moves: Family::default(),
            pauses: Counter::default(),
            freezes: Counter::default(),
            store: StoreMetrics::default(),
            service: ServiceMetrics::default(),
            nats: NatsCollector::default(),
            streams: Family::default(),
            live_acts: Family::default(),
            node: Family::default(),
            connections: Gauge::default(),
            connections_refused: Family::default(),
            sockets: Gauge::default(),
            lines: Counter::default(),
        };
        metrics.register();
        metrics
    }
}

impl Metrics {
    /// The counters of the store.
    pub fn store(&self) -> StoreMetrics {
        self.store.clone()
    }

    /// The counters of a lane.
    pub fn lane(&self, lane: &'static str) -> LaneMetrics {
        let label = LaneLabel { lane };
        LaneMetrics {
            queue: self.queue.get_or_create(&label).clone(),
            running: self.running.get_or_create(&label).clone(),
            suspended: self.suspended.get_or_create(&label).clone(),
            admitted: self.admitted.get_or_create(&label).clone(),
            refused: self.refused.get_or_create(&label).clone(),
            cancelled: self.cancelled.get_or_create(&label).clone(),
            seconds: self.thinking.get_or_create(&label).clone(),
            panics: self.panics.clone(),
            nodes: self.nodes.clone(),
            ladder_seconds: self.ladder_seconds.clone(),
        }
    }

    /// Shows that these are the metrics of the node with this id.
    pub fn name_node(&self, id: &str) {
        self.node.get_or_create(&NodeLabel { node: id.to_owned() }).set(1);
    }

    /// The counters of a server that uses workers.
    pub fn workers(&self) -> WorkerMetrics {
        let ran = |ran| self.searches_by_place.get_or_create(&PlaceLabel { ran }).clone();
        WorkerMetrics {
            worker: ran("worker"),
            local: ran("local"),
            retries: self.worker_retries.clone(),
            known: self.workers.clone(),
            slots_free: self.worker_slots_free.clone(),
        }
    }

    /// The number of matches of a game that are in memory. `stage`: `open` or `running`.
    pub fn live(&self, game: &'static str, stage: &'static str) -> Gauge {
        self.live.get_or_create(&LiveLabels { game, stage }).clone()
    }

    /// Counts a match of this game that was created.
    pub fn made(&self, game: &'static str) {
        self.made.get_or_create(&GameLabel { game }).inc();
    }

    /// Counts a match of this game that the permanent ladder began. `opponent`: `bot` or `engine`; `check`: an
    /// engine, in a check match.
    pub fn ladder_match(&self, game: &'static str, opponent: &'static str) {
        self.ladder_matches.get_or_create(&OpponentLabels { game, opponent }).inc();
    }

    /// Counts a match of this game that is over.
    pub fn ended(&self, game: &'static str, how: &'static str) {
        self.ended.get_or_create(&EndLabels { game, how }).inc();
    }

    /// Counts a move in a match of this game. `by`: `engine`, `other`, or `penalty`.
    pub fn moved(&self, game: &'static str, by: &'static str) {
        self.moves.get_or_create(&MoverLabels { game, by }).inc();
    }

    /// Records an answered request. `code`: the problem's, empty when there was none.
    pub fn request(&self, route: &'static str, status: StatusCode, code: &'static str, took: Duration) {
        self.requests.get_or_create(&RequestLabels { route, status: status.as_u16(), code }).inc();
        self.latency.get_or_create(&RouteLabel { route }).observe(took.as_secs_f64());
    }

    /// The streams of this kind that are open.
    pub fn streams(&self, kind: &'static str) -> Gauge {
        self.streams.get_or_create(&KindLabel { kind }).clone()
    }

    /// Counts an action of a seat over a WebSocket. `code`: the problem's, empty when there was none.
    pub fn live_act(&self, code: &'static str) {
        self.live_acts.get_or_create(&CodeLabel { code }).inc();
    }

    /// Counts a connection as open until the result is dropped, and `guard` with it.
    pub fn connection<T>(&self, guard: T) -> CountedConnection<T> {
        self.connections.inc();
        CountedConnection { open: self.connections.clone(), _guard: guard }
    }

    /// Counts a refused connection. `code`: the problem's.
    pub fn connection_refused(&self, code: &'static str) {
        self.connections_refused.get_or_create(&CodeLabel { code }).inc();
    }

    /// Shows the counts of a connection to NATS. `purpose`: what it carries; `read`: reads the counts.
    pub fn nats(&self, purpose: &'static str, read: impl Fn() -> NatsReading + Send + Sync + 'static) {
        self.nats.add(purpose, Box::new(read));
    }

    /// The text in the classic format of Prometheus (version 0.0.4).
    pub fn classic_text(&self) -> String {
        classic::of(&self.text())
    }

    /// The text in OpenMetrics 1.0.
    pub fn text(&self) -> String {
        let mut out = String::new();
        text::encode(&mut out, &self.registry).expect("writing to a String cannot fail");
        out
    }
}
