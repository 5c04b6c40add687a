//! Errors of the database, in words for the operator, and what they mean for the request, the connection and the file.
//! Our own texts contain no path.

use sqlx::postgres::PgDatabaseError;

use crate::store::StoreError;

/// The text for a damaged file.
pub(super) const CORRUPT: &str = "the database file is corrupt";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DatabaseErrorKind {
    /// The disk is full.
    Full,
    /// The file is read-only.
    ReadOnly,
    /// The file is damaged, or is not a database.
    Corrupt,
    /// Another process has locked the database for too long.
    Busy,
    /// The operating system denies access.
    Access,
    /// The disk or the file system fails.
    Io,
    /// A unique value exists already.
    Taken,
    /// This request is wrong; others may be right.
    WriteRequest,
    /// The database server cannot be reached, ended the connection, or does not answer.
    Away,
    /// Two transactions collided; this one can be repeated.
    Collision,
    /// Anything else.
    Other,
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct DatabaseError {
    pub kind: DatabaseErrorKind,
    text: String,
}

/// Result codes of SQLite (<https://www.sqlite.org/rescode.html>).
mod code {
    pub(super) const ERROR: u32 = 1;
    pub(super) const PERM: u32 = 3;
    pub(super) const BUSY: u32 = 5;
    pub(super) const LOCKED: u32 = 6;
    pub(super) const READONLY: u32 = 8;
    pub(super) const IOERR: u32 = 10;
    pub(super) const CORRUPT: u32 = 11;
    pub(super) const FULL: u32 = 13;
    pub(super) const CANTOPEN: u32 = 14;
    pub(super) const TOOBIG: u32 = 18;
    pub(super) const CONSTRAINT: u32 = 19;
    pub(super) const MISMATCH: u32 = 20;
    pub(super) const NOLFS: u32 = 22;
    pub(super) const AUTH: u32 = 23;
    pub(super) const NOTADB: u32 = 26;
    pub(super) const CONSTRAINT_PRIMARYKEY: u32 = 1555;
    pub(super) const CONSTRAINT_UNIQUE: u32 = 2067;
    pub(super) const CONSTRAINT_ROWID: u32 = 2579;
    /// The file with the locks could not grow, which happens when the disk is full.
    pub(super) const IOERR_SHMSIZE: u32 = 4874;
}

impl DatabaseError {
    fn new(kind: DatabaseErrorKind, detail: &str) -> Self {
        let text = match kind {
            DatabaseErrorKind::Full => "the database's disk is full".to_owned(),
            DatabaseErrorKind::ReadOnly => "the database is read-only".to_owned(),
            DatabaseErrorKind::Corrupt => CORRUPT.to_owned(),
            DatabaseErrorKind::Busy => "another program keeps the database locked".to_owned(),
            DatabaseErrorKind::Access => "the database file cannot be opened".to_owned(),
            DatabaseErrorKind::Io => format!("the database's disk fails to read or write ({detail})"),
            DatabaseErrorKind::Taken => "taken already".to_owned(),
            DatabaseErrorKind::WriteRequest => format!("the database refuses the request ({detail})"),
            DatabaseErrorKind::Away => format!("the database cannot be reached ({detail})"),
            DatabaseErrorKind::Collision => "another transaction was in the way".to_owned(),
            DatabaseErrorKind::Other => format!("the database fails ({detail})"),
        };
        Self { kind, text }
    }

    fn of_code(code: u32, detail: &str) -> Self {
        let kind = match (code, code & 0xff) {
            (code::CONSTRAINT_UNIQUE | code::CONSTRAINT_PRIMARYKEY | code::CONSTRAINT_ROWID, _) => {
                DatabaseErrorKind::Taken
            }
            (code::IOERR_SHMSIZE, _) | (_, code::FULL) => DatabaseErrorKind::Full,
            (_, code::READONLY) => DatabaseErrorKind::ReadOnly,
            (_, code::CORRUPT | code::NOTADB) => DatabaseErrorKind::Corrupt,
            (_, code::BUSY | code::LOCKED) => DatabaseErrorKind::Busy,
            (_, code::CANTOPEN | code::PERM | code::AUTH) => DatabaseErrorKind::Access,
            (_, code::IOERR | code::NOLFS) => DatabaseErrorKind::Io,
            (_, code::ERROR | code::CONSTRAINT | code::TOOBIG | code::MISMATCH) => {
                DatabaseErrorKind::WriteRequest
            }
            _ => DatabaseErrorKind::Other,
        };
        Self::new(kind, detail)
    }

    /// By PostgreSQL's code (<https://www.postgresql.org/docs/current/errcodes-appendix.html>).
    fn of_sqlstate(state: &str, detail: &str) -> Self {
        let kind = match state {
            "23505" => DatabaseErrorKind::Taken,
            "40001" | "40P01" => DatabaseErrorKind::Collision,
            "53100" => DatabaseErrorKind::Full,
            "25006" => DatabaseErrorKind::ReadOnly,
            "55P03" | "57014" => DatabaseErrorKind::Busy,
            "58030" => DatabaseErrorKind::Io,
            "XX001" | "XX002" => DatabaseErrorKind::Corrupt,
            "3D000" | "42501" => DatabaseErrorKind::Access,
            "53300" | "57P01" | "57P02" | "57P03" | "57P05" => DatabaseErrorKind::Away,
            _ => match state.get(..2) {
                Some("08") => DatabaseErrorKind::Away,
                Some("28") => DatabaseErrorKind::Access,
                Some("22" | "23" | "42") => DatabaseErrorKind::WriteRequest,
                _ => DatabaseErrorKind::Other,
            },
        };
        match kind {
            // The server says more than the kind.
            DatabaseErrorKind::Access => {
                Self { kind, text: format!("the database denies access ({detail})") }
            }
            _ => Self::new(kind, detail),
        }
    }

    /// The database server cannot be reached, or does not answer.
    pub(super) fn away(detail: &str) -> Self {
        Self::new(DatabaseErrorKind::Away, detail)
    }

    /// Whether the request is to blame: others in the same transaction may be right.
    pub const fn is_of_request(&self) -> bool {
        matches!(self.kind, DatabaseErrorKind::Taken | DatabaseErrorKind::WriteRequest)
    }

    /// Whether the connection can still be used.
    pub const fn spares_connection(&self) -> bool {
        self.is_of_request() || matches!(self.kind, DatabaseErrorKind::Full | DatabaseErrorKind::Busy)
    }
}

impl From<sqlx::Error> for DatabaseError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(e) if e.try_downcast_ref::<PgDatabaseError>().is_some() => {
                Self::of_sqlstate(&e.code().unwrap_or_default(), e.message())
            }
            sqlx::Error::Database(e) => {
                let code = e.code().and_then(|c| c.parse().ok()).unwrap_or(0);
                Self::of_code(code, e.message())
            }
            sqlx::Error::Io(e) => Self::from(e.kind()),
            sqlx::Error::PoolTimedOut => {
                Self::new(DatabaseErrorKind::Other, "too many reads at the same time")
            }
            sqlx::Error::PoolClosed => Self::new(DatabaseErrorKind::Other, "it is closed"),
            other => Self::new(DatabaseErrorKind::Other, &other.to_string()),
        }
    }
}

impl From<std::io::ErrorKind> for DatabaseError {
    fn from(kind: std::io::ErrorKind) -> Self {
        use std::io::ErrorKind as E;
        let ours = match kind {
            E::StorageFull | E::QuotaExceeded => DatabaseErrorKind::Full,
            E::ReadOnlyFilesystem => DatabaseErrorKind::ReadOnly,
            E::PermissionDenied | E::NotFound => DatabaseErrorKind::Access,
            E::ConnectionRefused
            | E::ConnectionReset
            | E::ConnectionAborted
            | E::NotConnected
            | E::BrokenPipe
            | E::UnexpectedEof
            | E::TimedOut
            | E::HostUnreachable
            | E::NetworkUnreachable => DatabaseErrorKind::Away,
            _ => DatabaseErrorKind::Io,
        };
        Self::new(ours, &kind.to_string())
    }
}

impl From<DatabaseError> for StoreError {
    fn from(error: DatabaseError) -> Self {
        if error.kind == DatabaseErrorKind::Taken { Self::Conflict } else { Self::Unavailable(error.text) }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        DatabaseError::from(error).into()
    }
}
