//! The messages between nodes and workers, JSON over NATS. A worker learns what one seat sees, the limits of the search and
//! times: no token, name, address or id of a match, but the id of the request, for its log. Times are durations, because clocks of machines differ.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use engines::erased::{AnyGame, EngineDecision};
use engines::search::Limits;
use serde::{Deserialize, Serialize};

/// The version of these messages is part of every subject, so that programs with other messages do not meet.
const PREFIX: &str = "kibitz.v2";

/// The subject on which all workers announce themselves.
pub(super) fn announcements() -> String {
    format!("{PREFIX}.workers")
}

/// The subject of orders to one worker.
pub(super) fn orders(worker: &str) -> String {
    format!("{PREFIX}.worker.{worker}")
}

/// The subject of reports on one search of a node; `*` for all.
pub(super) fn reports(node: &str, search: impl std::fmt::Display) -> String {
    format!("{PREFIX}.node.{node}.{search}")
}

/// The subject to which NATS reports that a worker that was pinged is gone; `*` for all workers.
pub(super) fn pings(node: &str, worker: &str) -> String {
    format!("{PREFIX}.node.{node}.ping.{worker}")
}

/// The last part of a subject.
pub(super) fn last(subject: &str) -> &str {
    subject.rsplit('.').next().unwrap_or(subject)
}

/// An engine that searches, and its version: the same version makes the same decisions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct EngineVersion {
    /// The game's short name.
    pub game: String,
    /// The engine's name.
    pub name: String,
    pub version: u32,
}

/// The engines of these games that search. Instant ones never leave their node.
pub(super) fn engine_versions(games: &[&'static dyn AnyGame]) -> Vec<EngineVersion> {
    let of = |game: &&'static dyn AnyGame| {
        let slug = game.info().slug;
        let searching = game.engines().into_iter().filter(|e| !e.instant);
        searching
            .map(|e| EngineVersion { game: slug.to_owned(), name: e.name, version: e.version })
            .collect::<Vec<_>>()
    };
    let mut all: Vec<_> = games.iter().flat_map(of).collect();
    all.sort();
    all
}

/// The announcement of a worker, sent several times a second and when something changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Announcement {
    /// Its key.
    pub worker: String,
    /// How many searches it computes at a time.
    pub threads: usize,
    pub engines: Vec<EngineVersion>,
    /// Per node, how many searches want to compute.
    pub busy: BTreeMap<String, usize>,
    /// Whether it ends and takes no new searches.
    pub leaving: bool,
}

/// A search: the key of its node, and its number there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct SearchKey {
    /// The key of the node.
    pub node: String,
    /// The number of the search.
    pub search: u64,
}

/// An order to a worker. `P`: a position as JSON.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SearchOrder<P> {
    /// Begin a search.
    Think(Box<ThinkOrder<P>>),
    /// Let it wait.
    Suspend(SearchKey),
    /// Let it continue.
    Resume(SearchKey),
    /// End it with the best decision so far.
    Finish(SearchKey),
    /// End it without a decision.
    Cancel(SearchKey),
}

/// The content of an order to search.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ThinkOrder<P> {
    /// The search.
    pub key: SearchKey,
    /// The engine to use.
    pub engine: EngineVersion,
    /// The view of the seat to move.
    pub position: P,
    /// The limits other than time.
    pub limits: Limits,
    /// How long to think, in microseconds.
    pub think_us: u64,
    /// The time until the deadline, in microseconds.
    pub left_us: u64,
    /// Whether interim results are wanted.
    pub updates: bool,
    /// The id of the request, for the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
}

/// A worker's report on a search.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SearchReport {
    /// The worker has taken the search; the first report.
    Taken,
    /// An interim result.
    Found(TimedAnswer),
    /// The decision; the last report.
    Done(TimedAnswer),
    /// There is no decision; the last report.
    Refused {
        /// The reason.
        why: WorkerRefusal,
        /// The reason in a sentence.
        detail: String,
    },
}

/// A decision, and how long the engine thought, in microseconds.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TimedAnswer {
    /// The decision.
    pub answer: EngineDecision,
    /// The thinking time.
    pub took_us: u64,
}

/// The reason why a worker makes no decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum WorkerRefusal {
    /// It has too much to do for this deadline.
    Busy,
    /// It ends, and hands the search back.
    Leaving,
    /// It has no such engine, or cannot read the position.
    Unsuitable,
    EngineFailed,
}

/// Whole microseconds.
pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// A message as its bytes.
pub(super) fn to_bytes<T: Serialize>(message: &T) -> Bytes {
    serde_json::to_vec(message).expect("messages are plain values with text keys").into()
}
