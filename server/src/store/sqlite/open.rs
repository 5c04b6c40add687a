//! Opens a database: checks that give a clear error if it cannot be used, creates the tables, and registers this node.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::domain::time::ServerClock;
use crate::domain::token;
use crate::store::database_error::{DatabaseError, DatabaseErrorKind};
use crate::store::open_error::{OpenError, OpenErrorKind, directory_of};
use crate::store::sqlite::nodes;
use crate::store::sqlite::nodes::NodeLock;
use crate::store::sqlite::schema;
use crate::store::sqlite::writer::last_position;

/// How long a write waits for another node's.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The first bytes of every SQLite file.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// A database that can be used, in which this node is registered.
pub(super) struct OpenedDatabase {
    /// The options of connections for writing.
    pub options: SqliteConnectOptions,
    /// The first connection for writing.
    pub db: SqliteConnection,
    /// The lock that shows that this node lives.
    pub node: NodeLock,
    /// The database's own secret.
    pub pepper: [u8; 32],
    /// The clock that all nodes on this database share.
    pub now: ServerClock,
    /// The position of the last event.
    pub last_position: i64,
}

/// Opens a database, and creates it if it does not exist. `system`: the system's clock.
pub(super) async fn open(path: &Path, system: ServerClock) -> Result<OpenedDatabase, OpenError> {
    let failed = |what: OpenErrorKind| OpenError::new(&path.display(), what.of_file(path));
    let owned = path.to_owned();
    let prepared = tokio::task::spawn_blocking(move || {
        check_file_blocking(&owned)?;
        // The canonical name: other nodes may use another name for the same file.
        Ok(NodeLock::take_blocking(&owned.canonicalize()?)?)
    });
    let node = prepared
        .await
        .unwrap_or_else(|_| Err(OpenErrorKind::Other(ErrorKind::Other.into())))
        .map_err(failed)?;
    let options = options(path);
    let mut db = connect(&options).await.map_err(failed)?;
    let NodeSetup { pepper, last_position, now } = match set_up(&mut db, &node, system).await {
        Ok(setup) => setup,
        Err(what) => {
            // The first error is the one to report; the connection is not used any more.
            let _ = db.close().await;
            return Err(failed(what));
        }
    };
    Ok(OpenedDatabase { options, db, node, pepper, now, last_position })
}

/// The options of connections for writing.
fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(LOCK_TIMEOUT)
        // In KiB: the pages that live matches change. The limit cuts the log after a long read has let it grow.
        .pragma("cache_size", "-16384")
        .pragma("journal_size_limit", "67108864")
        // Overwrites deleted texts, so that the file does not contain them any more.
        .pragma("secure_delete", "ON")
        // The changes of a statement that is not done yet stay in memory: otherwise a file is made for them again and
        // again.
        .pragma("temp_store", "MEMORY")
        .disable_statement_logging()
}

/// Checks what the file alone shows. Creates an empty file, readable by this user alone, if there is none: it will contain
/// the secrets of matches.
fn check_file_blocking(path: &Path) -> Result<(), OpenErrorKind> {
    if !directory_of(path).is_dir() {
        return Err(OpenErrorKind::NoDirectory);
    }
    if path.is_dir() {
        return Err(OpenErrorKind::IsDirectory);
    }
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => return Ok(()),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
        Err(e) => return Err(e.into()),
    }
    let mut begin = Vec::new();
    File::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut begin)?;
    if !begin.is_empty() && begin != MAGIC {
        return Err(OpenErrorKind::NotDatabase);
    }
    OpenOptions::new().write(true).open(path)?;
    Ok(())
}

/// Connects. If two nodes create one database at the same time, the second one waits.
async fn connect(options: &SqliteConnectOptions) -> Result<SqliteConnection, OpenErrorKind> {
    let began = Instant::now();
    loop {
        match options.connect().await.map_err(DatabaseError::from) {
            Ok(db) => return Ok(db),
            Err(error) if error.kind == DatabaseErrorKind::Busy && began.elapsed() < LOCK_TIMEOUT => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
}

/// The result of [`set_up`].
struct NodeSetup {
    pepper: [u8; 32],
    last_position: i64,
    now: ServerClock,
}

/// Updates the tables and registers this node, in one transaction: the first write, which shows whether the database can
/// be written at all. Then agrees with the other nodes on the time.
async fn set_up(
    db: &mut SqliteConnection,
    node: &NodeLock,
    system: ServerClock,
) -> Result<NodeSetup, OpenErrorKind> {
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&mut *db).await?;
    if mode != "wal" {
        return Err(OpenErrorKind::NoWal);
    }
    let mut tx = db.begin_with("BEGIN IMMEDIATE").await?;
    schema::migrate(&mut tx).await?;
    nodes::register(&mut tx, node).await?;
    let pepper = pepper(&mut tx).await?;
    let last_position = last_position(&mut tx).await?;
    tx.commit().await?;
    let now = nodes::agree_on_time(db, node, system).await?;
    Ok(NodeSetup { pepper, last_position, now })
}

/// The database's own secret; created on the first start.
async fn pepper(db: &mut SqliteConnection) -> Result<[u8; 32], OpenErrorKind> {
    let found: Option<String> = sqlx::query_scalar("SELECT value FROM settings WHERE name = 'pepper'")
        .fetch_optional(&mut *db)
        .await?;
    if let Some(text) = found {
        return token::unhex(&text).ok_or(OpenErrorKind::Corrupt);
    }
    let fresh = token::random().map_err(|_| OpenErrorKind::Other(ErrorKind::Other.into()))?;
    let sql = "INSERT INTO settings (name, value) VALUES ('pepper', $1)";
    sqlx::query(sql).bind(token::hex(&fresh)).execute(db).await?;
    Ok(fresh)
}
