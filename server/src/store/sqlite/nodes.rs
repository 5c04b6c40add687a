//! Finds out which nodes live, which of them serve, and the time that all of them use. Each node locks a file of its
//! own beside the database; the operating system frees the lock as soon as the node dies, however it dies. The matches
//! that a dead node held become free, and the times in which no node served are recorded.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sqlx::SqliteConnection;

use crate::domain::time::{Millis, ServerClock};
use crate::store::downtime::Span;
use crate::store::writing::commands::Heartbeat;

/// The lock that shows that this node lives, for as long as this value exists.
#[derive(Debug)]
pub(super) struct NodeLock {
    /// The node's id.
    pub id: String,
    database: PathBuf,
    file: PathBuf,
    _lock: File,
}

impl NodeLock {
    /// Takes the lock: this node lives from now on.
    pub(super) fn take_blocking(database: &Path) -> std::io::Result<Self> {
        let id = uuid::Uuid::now_v7().simple().to_string();
        let file = lock_file(database, &id);
        let lock = OpenOptions::new().write(true).create_new(true).open(&file)?;
        lock.lock()?;
        Ok(Self { id, database: database.to_owned(), file, _lock: lock })
    }

    /// The dead nodes among these.
    pub(super) async fn dead(&self, nodes: Vec<String>) -> Vec<String> {
        let database = self.database.clone();
        let check = move || nodes.into_iter().filter(|id| is_dead(&lock_file(&database, id))).collect();
        // If the check panics, no node counts as dead.
        tokio::task::spawn_blocking(check).await.unwrap_or_default()
    }

    /// Removes the lock files of dead nodes.
    pub(super) fn remove_files_blocking(&self, dead: &[String]) {
        for id in dead {
            // Another node may have removed it already; a file that stays does no harm.
            let _ = std::fs::remove_file(lock_file(&self.database, id));
        }
    }
}

impl Drop for NodeLock {
    fn drop(&mut self) {
        // Only the lock counts; the next node removes a file that stays.
        let _ = std::fs::remove_file(&self.file);
    }
}

fn lock_file(database: &Path, id: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(format!("-server-{id}"));
    PathBuf::from(name)
}

/// Whether the node with this lock file is dead. In doubt it lives.
fn is_dead(lock_file: &Path) -> bool {
    match File::open(lock_file) {
        Ok(file) => match file.try_lock_shared() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
        },
        Err(e) => e.kind() == ErrorKind::NotFound,
    }
}

/// Another node, as the database knows it.
struct OtherNode {
    id: String,
    /// Its last heartbeat; 0: it does not serve yet.
    beat_ms: Millis,
    stopping: bool,
    dead: bool,
}

impl OtherNode {
    /// Whether it accepts moves now.
    fn serves(&self) -> bool {
        self.beat_ms > 0 && !self.stopping && !self.dead
    }
}

async fn others(db: &mut SqliteConnection, node: &NodeLock) -> Result<Vec<OtherNode>, sqlx::Error> {
    let sql = "SELECT id, beat_ms, stopping FROM nodes WHERE id <> $1";
    let rows: Vec<(String, Millis, bool)> = sqlx::query_as(sql).bind(node.id.as_str()).fetch_all(db).await?;
    let dead = match rows.is_empty() {
        true => Vec::new(),
        false => node.dead(rows.iter().map(|(id, ..)| id.clone()).collect()).await,
    };
    let other = |(id, beat_ms, stopping)| OtherNode { dead: dead.contains(&id), id, beat_ms, stopping };
    Ok(rows.into_iter().map(other).collect())
}

/// Whether a node uses the database with this canonical path.
pub(in crate::store) async fn has_living_nodes(
    db: &mut SqliteConnection,
    database: &Path,
) -> Result<bool, sqlx::Error> {
    let ids: Vec<String> = sqlx::query_scalar("SELECT id FROM nodes").fetch_all(db).await?;
    Ok(ids.iter().any(|id| !is_dead(&lock_file(database, id))))
}

/// Adds this node, which does not serve yet.
pub(super) async fn register(db: &mut SqliteConnection, node: &NodeLock) -> Result<(), sqlx::Error> {
    sqlx::query("INSERT INTO nodes (id, beat_ms) VALUES ($1, 0)").bind(node.id.as_str()).execute(db).await?;
    Ok(())
}

/// Records that this node serves from now on. If no other node serves, there was a downtime since the last heartbeat.
/// Returns the nodes that were found dead, and all downtimes.
pub(super) async fn serve(
    db: &mut SqliteConnection,
    node: &NodeLock,
    now: Millis,
) -> Result<(Vec<String>, Vec<Span>), sqlx::Error> {
    let others = others(db, node).await?;
    let last = others.iter().map(|other| other.beat_ms).max().filter(|last| (1..now).contains(last));
    if let Some(last) = last.filter(|_| !others.iter().any(OtherNode::serves)) {
        add_downtimes(db, &[(last, now)]).await?;
    }
    let dead: Vec<String> = others.into_iter().filter(|other| other.dead).map(|other| other.id).collect();
    free(db, &dead).await?;
    upsert_row(db, node, now, false).await?;
    let all = sqlx::query_as("SELECT from_ms, to_ms FROM downtimes").fetch_all(db).await?;
    Ok((dead, all))
}

/// Writes a heartbeat. Returns the nodes that have died since the last one; the matches that they held are now free.
pub(super) async fn write_heartbeat(
    db: &mut SqliteConnection,
    node: &NodeLock,
    beat: &Heartbeat,
) -> Result<Vec<String>, sqlx::Error> {
    upsert_row(db, node, beat.at_ms, beat.stopping).await?;
    add_downtimes(db, &beat.downtimes).await?;
    for (id, seq, shown_ms) in &beat.shown {
        let sql = "UPDATE matches SET shown_seq = $2, shown_ms = $3 WHERE id = $1";
        sqlx::query(sql).bind(id.as_str()).bind(seq).bind(shown_ms).execute(&mut *db).await?;
    }
    if beat.stopping {
        // The rows of dead nodes show until when a node served. A node that serves deletes them.
        return Ok(Vec::new());
    }
    let dead = others(db, node).await?.into_iter().filter(|other| other.dead);
    let dead: Vec<String> = dead.map(|other| other.id).collect();
    free(db, &dead).await?;
    Ok(dead)
}

async fn upsert_row(
    db: &mut SqliteConnection,
    node: &NodeLock,
    at_ms: Millis,
    stopping: bool,
) -> Result<(), sqlx::Error> {
    // The row exists, unless this node's lock file was removed and another node considered it dead.
    let sql = "INSERT INTO nodes (id, beat_ms, stopping) VALUES ($1, $2, $3)
               ON CONFLICT (id) DO UPDATE SET beat_ms = excluded.beat_ms, stopping = excluded.stopping";
    sqlx::query(sql).bind(node.id.as_str()).bind(at_ms).bind(stopping).execute(db).await?;
    Ok(())
}

async fn add_downtimes(db: &mut SqliteConnection, spans: &[Span]) -> Result<(), sqlx::Error> {
    for (from, to) in spans {
        let sql = "INSERT INTO downtimes (from_ms, to_ms) VALUES ($1, $2)";
        sqlx::query(sql).bind(from).bind(to).execute(&mut *db).await?;
    }
    Ok(())
}

async fn free(db: &mut SqliteConnection, dead: &[String]) -> Result<(), sqlx::Error> {
    for id in dead {
        // Due at once.
        let sql = "UPDATE matches SET holder = NULL, wake_ms = 0 WHERE holder = $1";
        sqlx::query(sql).bind(id.as_str()).execute(&mut *db).await?;
        sqlx::query("DELETE FROM nodes WHERE id = $1").bind(id.as_str()).execute(&mut *db).await?;
    }
    Ok(())
}

/// How old the last heartbeat of a serving node usually is, in milliseconds.
const USUAL_AGE: std::ops::RangeInclusive<Millis> = 0..=1_500;

/// How long to wait for the next heartbeat of a serving node: somewhat more than the interval between two.
const NEXT_BEAT: Duration = Duration::from_secs(3);

/// The clock of this node. It is never before the last time in the database, and it agrees with that of another node that
/// serves now. The operator may have set the system's clock since those began.
pub(super) async fn agree_on_time(
    db: &mut SqliteConnection,
    node: &NodeLock,
    system: ServerClock,
) -> Result<ServerClock, sqlx::Error> {
    let began = Instant::now();
    let mut first = None;
    loop {
        let serving = others(db, node).await?.into_iter().filter(OtherNode::serves);
        let Some(beat) = serving.map(|other| other.beat_ms).max() else { break };
        if USUAL_AGE.contains(&(system.ms() - beat)) {
            return Ok(system);
        }
        if *first.get_or_insert(beat) < beat {
            tracing::warn!(
                beat,
                system = system.ms(),
                "the system's clock was set; this node uses the time of another node"
            );
            return Ok(ServerClock::beginning_at(beat));
        }
        if began.elapsed() > NEXT_BEAT {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    // Events may be later than the last heartbeat.
    let sql = "SELECT max(beat_ms) FROM nodes UNION ALL SELECT max(to_ms) FROM downtimes
        UNION ALL SELECT at_ms FROM (SELECT at_ms FROM events ORDER BY position DESC LIMIT 1)";
    let known: Vec<Option<Millis>> = sqlx::query_scalar(sql).fetch_all(db).await?;
    let last = known.into_iter().flatten().max().unwrap_or(Millis::MIN);
    if system.ms() < last {
        tracing::warn!(
            last,
            system = system.ms(),
            "the system's clock was set back; this node continues from the last time in the database"
        );
        return Ok(ServerClock::beginning_at(last));
    }
    Ok(system)
}
