//! The store on real databases: every statement, conflicts, lists against a simple model, several nodes, faults of the disk,
//! and a killed process.

mod crash;
mod database;
mod imported_ratings;
mod lobby;
mod matches;
mod nodes;
mod people;
mod postgres_only;
mod programs;
mod ratings;
mod sqlite_only;
mod structure;
mod tournaments;
mod trouble;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::domain::time::ServerClock;
use crate::metrics::StoreMetrics;
use crate::store::*;

/// A timeout that only a hang reaches.
const HANG: Duration = Duration::from_secs(60);

/// A database of its own for one test.
enum TestDatabase {
    /// A file in a temporary folder.
    Sqlite(tempfile::TempDir),
    /// A database on this process's PostgreSQL server.
    Postgres(DatabaseAddress),
}

/// The player for whom the token with this hash acts.
async fn holder_of(store: &TestStore, key: KeyHash) -> Option<PlayerRef> {
    store.token_holder(key).await.unwrap().map(|holder| holder.who)
}

/// A node.
struct TestStore {
    store: Arc<dyn Store>,
    clock: ServerClock,
}

impl std::ops::Deref for TestStore {
    type Target = dyn Store;

    fn deref(&self) -> &Self::Target {
        self.store.as_ref()
    }
}

impl TestStore {
    fn now(&self) -> ServerClock {
        self.clock
    }
}

impl TestDatabase {
    fn sqlite() -> Self {
        Self::Sqlite(tempfile::tempdir().unwrap())
    }

    async fn postgres() -> Self {
        let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
        Self::at(&url)
    }

    fn at(url: &str) -> Self {
        let Ok(address) = url.parse();
        Self::Postgres(address)
    }

    /// Another one of the same kind.
    async fn another(&self) -> Self {
        match self {
            Self::Sqlite(_) => Self::sqlite(),
            Self::Postgres(_) => Self::postgres().await,
        }
    }

    fn folder(&self) -> &Path {
        match self {
            Self::Sqlite(folder) => folder.path(),
            Self::Postgres(_) => panic!("it is not in a file"),
        }
    }

    fn file(&self) -> PathBuf {
        self.folder().join("kibitz.db")
    }

    fn address(&self) -> DatabaseAddress {
        match self {
            Self::Sqlite(_) => DatabaseAddress::File(self.file()),
            Self::Postgres(address) => address.clone(),
        }
    }

    /// The URL of a PostgreSQL database, or the path of a file.
    fn text(&self) -> String {
        match self.address() {
            DatabaseAddress::File(path) => path.to_str().unwrap().to_owned(),
            DatabaseAddress::Postgres(url) => url.reveal().to_owned(),
        }
    }

    /// Opens the database as a node that serves from this time on.
    async fn open(&self, now: Millis) -> Arc<TestStore> {
        let store = self.try_open(now).await.unwrap();
        store.serve(store.now().ms()).await.unwrap();
        Arc::new(store)
    }

    /// Makes it a database of the version before the migration that contains `marker`, and runs `rows` in it. Each `FALSE` in
    /// them is written as the database writes it.
    async fn make_older(&self, marker: &str, rows: &str) {
        use sqlx::{AssertSqlSafe, Connection, Executor, raw_sql};
        let older = |all: &[&'static str]| -> (String, usize) {
            let older: Vec<&str> = all.iter().copied().take_while(|sql| !sql.contains(marker)).collect();
            (older.join(";\n"), older.len())
        };
        match self {
            Self::Sqlite(_) => {
                let url = format!("sqlite:{}?mode=rwc", self.file().to_str().unwrap());
                let mut db = sqlx::SqliteConnection::connect(&url).await.unwrap();
                let (tables, number) = older(&sqlite::MIGRATIONS);
                let mark = format!("PRAGMA application_id = 0x6b696269; PRAGMA user_version = {number}");
                for sql in [tables, mark, rows.replace("FALSE", "0")] {
                    db.execute(raw_sql(AssertSqlSafe(sql))).await.unwrap();
                }
            }
            Self::Postgres(_) => {
                let mut db = sqlx::PgConnection::connect(&self.text()).await.unwrap();
                let (tables, number) = older(&postgres::MIGRATIONS);
                let mark = format!("INSERT INTO kibitz_schema (version) VALUES ({number})");
                for sql in [tables, mark, rows.to_owned()] {
                    db.execute(raw_sql(AssertSqlSafe(sql))).await.unwrap();
                }
            }
        }
    }

    /// Runs a statement on a connection of its own.
    async fn execute(&self, sql: &'static str) {
        use sqlx::{Connection, Executor};
        match self {
            Self::Sqlite(_) => {
                let url = format!("sqlite:{}", self.file().to_str().unwrap());
                sqlx::SqliteConnection::connect(&url).await.unwrap().execute(sql).await.unwrap();
            }
            Self::Postgres(_) => {
                sqlx::PgConnection::connect(&self.text()).await.unwrap().execute(sql).await.unwrap();
            }
        }
    }

    async fn try_open(&self, now: Millis) -> Result<TestStore, OpenError> {
        let offset_ms = now - ServerClock::start(0).ms();
        let OpenedStore { store, now, .. } =
            open(&self.address(), offset_ms, StoreMetrics::default()).await?;
        Ok(TestStore { store, clock: now })
    }
}

/// Runs these tests, which take a [`TestDatabase`], on both databases.
macro_rules! on_both_databases {
    ($($test:ident),* $(,)?) => {
        mod on_sqlite {
            $(#[tokio::test]
            async fn $test() {
                super::$test(super::TestDatabase::sqlite()).await;
            })*
        }
        mod on_postgres {
            $(#[tokio::test]
            async fn $test() {
                super::$test(super::TestDatabase::postgres().await).await;
            })*
        }
    };
}
use on_both_databases;

fn event(text: &str) -> StoredEvent {
    StoredEvent { at_ms: 7, body: format!(r#"{{"type":"{text}"}}"#) }
}

fn row(stage: Stage) -> MatchRow {
    MatchRow {
        game: "go".to_owned(),
        stage,
        private: false,
        never_begun: false,
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
    Append {
        id: id.clone(),
        seq: 0,
        events,
        row: Some(row(Stage::Running)),
        request: None,
        rated: None,
        begins: None,
        faults: Vec::new(),
        program_results: Vec::new(),
    }
}

/// Another event, without a row.
fn next(id: &MatchId, seq: u32) -> Append {
    Append {
        id: id.clone(),
        seq,
        events: vec![event(&format!("moved {seq}"))],
        row: None,
        request: None,
        rated: None,
        begins: None,
        faults: Vec::new(),
        program_results: Vec::new(),
    }
}

/// The last event.
fn last(id: &MatchId, seq: u32) -> Append {
    Append { row: Some(row(Stage::Over)), ..next(id, seq) }
}

async fn create_match(store: &TestStore) -> MatchId {
    let id = MatchId::fresh();
    store.append(first(&id)).await.unwrap();
    id
}

fn hash(n: u8) -> KeyHash {
    KeyHash([n; 32])
}

fn request(n: u8) -> StoredRequest {
    StoredRequest { key: hash(n), request_hash: hash(100), answer: format!(r#"{{"n":{n}}}"#) }
}

fn named(name: &str) -> PlayerRef {
    PlayerRef::new(format!("id of {name}"), name)
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
async fn wait_for_news_of(store: &TestStore, id: &MatchId) {
    let wait = async { while !store.changed_elsewhere().await.contains(id) {} };
    tokio::time::timeout(HANG, wait).await.expect("news comes");
}
