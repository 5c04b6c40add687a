//! The store on real files: every statement, conflicts, lists against a plain model, other servers, all that can go
//! wrong with a disk, and a killed process.

mod accounts_kept;
mod appends;
mod crash;
mod lists;
mod servers;
mod trouble;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::metrics::StoreMetrics;
use crate::store::*;

/// A wait that is never reached where all is right.
const HANG: Duration = Duration::from_secs(60);

/// A folder for a database, removed at the end.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.0.path().join("kibitz.db")
    }

    /// A server that serves from this time on.
    async fn open(&self, now: Millis) -> Arc<Sqlite> {
        let store = self.try_open(now).await.unwrap();
        store.serve(store.now().ms()).await.unwrap();
        Arc::new(store)
    }

    async fn try_open(&self, now: Millis) -> Result<Sqlite, OpenError> {
        Sqlite::open(&self.file(), now, StoreMetrics::default()).await
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

/// Another event, and only that.
fn next(id: &MatchId, seq: u32) -> Append {
    Append { id: id.clone(), seq, events: vec![event(&format!("moved {seq}"))], row: None, request: None }
}

/// The last event.
fn last(id: &MatchId, seq: u32) -> Append {
    Append { row: Some(row(Stage::Over)), ..next(id, seq) }
}

async fn made(store: &Sqlite) -> MatchId {
    let id = MatchId::fresh();
    store.append(first(&id)).await.unwrap();
    id
}

fn hash(n: u8) -> KeyHash {
    KeyHash([n; 32])
}

fn request(n: u8) -> RequestKey {
    RequestKey { key: hash(n), asked: hash(100), answer: format!(r#"{{"n":{n}}}"#) }
}

fn named(name: &str) -> PlayerRef {
    PlayerRef { id: format!("id of {name}"), name: name.to_owned() }
}

/// Waits until the check gives something: for what happens soon, though not at once.
async fn soon<T>(mut check: impl AsyncFnMut() -> Option<T>) -> T {
    let wait = async {
        loop {
            if let Some(found) = check().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(HANG, wait).await.expect("it happens soon")
}

/// Empties the news that is there, and waits for the first that names this match.
async fn hears_of(store: &Sqlite, id: &MatchId) {
    let wait = async { while !store.news().await.contains(id) {} };
    tokio::time::timeout(HANG, wait).await.expect("news comes");
}
