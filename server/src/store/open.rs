//! Opening a database: the checks that give a clear sentence where it cannot be used, the tables, this server's entry.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::domain::time::ServerClock;
use crate::domain::token;
use crate::store::faults::{Fault, Kind};
use crate::store::schema;
use crate::store::schema::Unfit;
use crate::store::servers;
use crate::store::servers::Presence;
use crate::store::writer::last_position;

/// How long a write waits for another server's write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// What every SQLite file begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";

/// Why a database cannot be used: one sentence that says what to do.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the database {}: {what}", path.display())]
pub struct OpenError {
    path: PathBuf,
    what: What,
}

#[derive(Debug, thiserror::Error)]
enum What {
    #[error("its directory does not exist; create it, or name another file")]
    NoDirectory,
    #[error("it is a directory; name a file in it")]
    IsDirectory,
    #[error("this user may not read and write the file and its directory; change their owner or mode")]
    NoPermission,
    #[error("the file or its directory is read-only; make both writable, or name another file")]
    ReadOnly,
    #[error("the disk is full; make room on it")]
    Full,
    #[error("it is not an SQLite database; name another file")]
    NotDatabase,
    #[error("it belongs to another program; name another file")]
    Foreign,
    #[error("it is corrupt; restore a backup, or move it away to begin with an empty one")]
    Corrupt,
    #[error("a newer version of this program has made it; use that version, or name another file")]
    Newer,
    #[error("another program keeps it locked; end that program and start again")]
    Locked,
    #[error(
        "its file system cannot share memory between processes, which is needed; name a file on a local disk"
    )]
    NoWal,
    #[error("{0}; look after the disk and start again")]
    Other(Fault),
}

impl From<Fault> for What {
    fn from(fault: Fault) -> Self {
        match fault.kind {
            Kind::Full => Self::Full,
            Kind::ReadOnly => Self::ReadOnly,
            Kind::Corrupt => Self::Corrupt,
            Kind::Busy => Self::Locked,
            Kind::Access => Self::NoPermission,
            _ => Self::Other(fault),
        }
    }
}

impl From<std::io::Error> for What {
    fn from(error: std::io::Error) -> Self {
        Fault::from(error.kind()).into()
    }
}

impl From<sqlx::Error> for What {
    fn from(error: sqlx::Error) -> Self {
        Fault::from(error).into()
    }
}

impl From<Unfit> for What {
    fn from(unfit: Unfit) -> Self {
        match unfit {
            Unfit::Foreign => Self::Foreign,
            Unfit::Newer => Self::Newer,
            Unfit::Fault(fault) => fault.into(),
        }
    }
}

/// A database that can be used, with this server entered in it.
pub struct Opened {
    /// How to connect for writing.
    pub options: SqliteConnectOptions,
    /// The first connection for writing.
    pub db: SqliteConnection,
    /// The sign that this server lives.
    pub me: Presence,
    /// The database's own secret.
    pub pepper: [u8; 32],
    /// What time it is for all servers on this database.
    pub now: ServerClock,
    /// The position of the last event.
    pub seen: i64,
}

/// Opens a database, and makes it where there is none. `system`: the time by the system's clock.
pub async fn open(path: &Path, system: ServerClock) -> Result<Opened, OpenError> {
    let failed = |what: What| OpenError { path: path.to_owned(), what };
    let owned = path.to_owned();
    let prepared = tokio::task::spawn_blocking(move || {
        check_file_blocking(&owned)?;
        // By whatever name others call it.
        Ok(Presence::take_blocking(&owned.canonicalize()?)?)
    });
    let me = prepared.await.unwrap_or_else(|_| Err(What::Other(ErrorKind::Other.into()))).map_err(failed)?;
    let options = options(path);
    let mut db = connect(&options).await.map_err(failed)?;
    let entered = enter(&mut db, &me, system).await;
    let (pepper, seen, now) = match entered {
        Ok(entered) => entered,
        Err(what) => {
            // The connection is of no use any more; what closing it says adds nothing.
            let _ = db.close().await;
            return Err(failed(what));
        }
    };
    Ok(Opened { options, db, me, pepper, now, seen })
}

/// How to connect for writing.
fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(false)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        // The pages that live matches change, in KiB; and the log is cut back after a long reader has let it grow.
        .pragma("cache_size", "-16384")
        .pragma("journal_size_limit", "67108864")
        .disable_statement_logging()
}

/// What can be told from the file alone. Makes an empty one, for this user's eyes only, where there is none: a match's
/// secrets are in it.
fn check_file_blocking(path: &Path) -> Result<(), What> {
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !directory.is_dir() {
        return Err(What::NoDirectory);
    }
    if path.is_dir() {
        return Err(What::IsDirectory);
    }
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(_) => return Ok(()),
        Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
        Err(e) => return Err(e.into()),
    }
    let mut begin = Vec::new();
    File::open(path)?.take(MAGIC.len() as u64).read_to_end(&mut begin)?;
    if !begin.is_empty() && begin != MAGIC {
        return Err(What::NotDatabase);
    }
    OpenOptions::new().write(true).open(path)?;
    Ok(())
}

/// Two servers that make one database at the same time: the second one waits.
async fn connect(options: &SqliteConnectOptions) -> Result<SqliteConnection, What> {
    let began = Instant::now();
    loop {
        match options.connect().await.map_err(Fault::from) {
            Ok(db) => return Ok(db),
            Err(fault) if fault.kind == Kind::Busy && began.elapsed() < BUSY_TIMEOUT => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(fault) => return Err(fault.into()),
        }
    }
}

type Entered = ([u8; 32], i64, ServerClock);

/// Brings the tables up to date and enters this server, in one transaction: the first write, which tells whether the
/// database can be written at all. Then agrees on the time.
async fn enter(db: &mut SqliteConnection, me: &Presence, system: ServerClock) -> Result<Entered, What> {
    let mode: String = sqlx::query_scalar("PRAGMA journal_mode").fetch_one(&mut *db).await?;
    if mode != "wal" {
        return Err(What::NoWal);
    }
    let mut tx = db.begin_with("BEGIN IMMEDIATE").await?;
    schema::migrate(&mut tx).await?;
    servers::enter(&mut tx, me).await?;
    let pepper = pepper(&mut tx).await?;
    let seen = last_position(&mut tx).await?;
    tx.commit().await?;
    let now = servers::agree(db, me, system).await?;
    Ok((pepper, seen, now))
}

/// The database's own secret, made with it.
async fn pepper(db: &mut SqliteConnection) -> Result<[u8; 32], What> {
    let found: Option<String> = sqlx::query_scalar("SELECT value FROM settings WHERE name = 'pepper'")
        .fetch_optional(&mut *db)
        .await?;
    if let Some(text) = found {
        return token::unhex(&text).ok_or(What::Corrupt);
    }
    let fresh = token::random().map_err(|_| What::Other(ErrorKind::Other.into()))?;
    let sql = "INSERT INTO settings (name, value) VALUES ('pepper', $1)";
    sqlx::query(sql).bind(token::hex(&fresh)).execute(db).await?;
    Ok(fresh)
}
