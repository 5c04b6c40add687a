//! The store on real files: every statement, conflicts, lists against a simple model, several nodes, faults of the disk,
//! and a killed process.

mod account_changes;
mod appends;
mod crash;
mod lists;
mod nodes;
mod trouble;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::metrics::StoreMetrics;
use crate::store::*;

/// A timeout that only a hang reaches.
const HANG: Duration = Duration::from_secs(60);

/// A temporary folder with a database.
struct TestDatabase(tempfile::TempDir);

impl TestDatabase {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("kibitz.db")
    }

    /// Opens the database as a node that serves from this time on.
    async fn open(&self, now: Millis) -> Arc<SqliteStore> {
        let store = self.try_open(now).await.unwrap();
        store.serve(store.now().ms()).await.unwrap();
        Arc::new(store)
    }

    async fn try_open(&self, now: Millis) -> Result<SqliteStore, OpenError> {
        SqliteStore::open(&self.file(), now, StoreMetrics::default()).await
    }
}

fn event(text: &str) -> StoredEvent {
    StoredEvent { at_ms: 7, body: format!(r#"{{"type":"{text}"}}"#) }
}

fn row(stage: Stage) -> MatchRow {
    MatchRow {
        game: "go".to_owned(),
        stage,
        private: false,
        created_ms: 5,
        ended_ms: (stage == Stage::Over).then_some(9),
        rematch_of: None,
        summary: r#"{"seats":[]}"#.to_owned(),
        players: Vec::new(),
    }
}

/// The first event of a match.
fn first(id: &MatchId) -> Append {
    let events = vec![event("created")];
    Append { id: id.clone(), seq: 0, events, row: Some(row(Stage::Running)), request: None }
}

/// Another event, without a row.
fn next(id: &MatchId, seq: u32) -> Append {
    Append { id: id.clone(), seq, events: vec![event(&format!("moved {seq}"))], row: None, request: None }
}

/// The last event.
fn last(id: &MatchId, seq: u32) -> Append {
    Append { row: Some(row(Stage::Over)), ..next(id, seq) }
}

async fn create_match(store: &SqliteStore) -> MatchId {
    let id = MatchId::fresh();
    store.append(first(&id)).await.unwrap();
    id
}

fn hash(n: u8) -> KeyHash {
    KeyHash([n; 32])
}

fn request(n: u8) -> StoredRequest {
    StoredRequest { key: hash(n), asked: hash(100), answer: format!(r#"{{"n":{n}}}"#) }
}

fn named(name: &str) -> PlayerRef {
    PlayerRef { id: format!("id of {name}"), name: name.to_owned() }
}

/// Repeats the check until it returns a value.
async fn poll_until<T>(mut check: impl AsyncFnMut() -> Option<T>) -> T {
    let wait = async {
        loop {
            if let Some(found) = check().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(HANG, wait).await.expect("the condition becomes true")
}

/// Waits until the store reports that another node has changed this match.
async fn wait_for_news_of(store: &SqliteStore, id: &MatchId) {
    let wait = async { while !store.changed_elsewhere().await.contains(id) {} };
    tokio::time::timeout(HANG, wait).await.expect("news comes");
}
