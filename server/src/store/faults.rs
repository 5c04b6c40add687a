//! What the database reports, in words for whoever runs the server, and what is to be done about it. No words of ours
//! name a path.

use crate::store::StoreError;

/// What is said of a damaged file.
pub const CORRUPT: &str = "the database file is corrupt";

/// What kind of trouble it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No room is left.
    Full,
    /// It may not be written to.
    ReadOnly,
    /// The file is not a database, or a damaged one.
    Corrupt,
    /// Somebody else holds it locked for too long.
    Busy,
    /// The system does not let us at it.
    Access,
    /// The disk, or the file system, fails.
    Io,
    /// Something is there twice that may be there once.
    Taken,
    /// This one request is wrong, others may be right.
    Request,
    /// Something else.
    Other,
}

/// An error of the database.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Fault {
    /// Its kind.
    pub kind: Kind,
    text: String,
}

/// Result codes of SQLite (<https://www.sqlite.org/rescode.html>).
mod code {
    pub const ERROR: u32 = 1;
    pub const PERM: u32 = 3;
    pub const BUSY: u32 = 5;
    pub const LOCKED: u32 = 6;
    pub const READONLY: u32 = 8;
    pub const IOERR: u32 = 10;
    pub const CORRUPT: u32 = 11;
    pub const FULL: u32 = 13;
    pub const CANTOPEN: u32 = 14;
    pub const TOOBIG: u32 = 18;
    pub const CONSTRAINT: u32 = 19;
    pub const MISMATCH: u32 = 20;
    pub const NOLFS: u32 = 22;
    pub const AUTH: u32 = 23;
    pub const NOTADB: u32 = 26;
    pub const CONSTRAINT_PRIMARYKEY: u32 = 1555;
    pub const CONSTRAINT_UNIQUE: u32 = 2067;
    pub const CONSTRAINT_ROWID: u32 = 2579;
    /// The file with the locks could not grow: where the disk is full.
    pub const IOERR_SHMSIZE: u32 = 4874;
}

impl Fault {
    fn new(kind: Kind, detail: &str) -> Self {
        let text = match kind {
            Kind::Full => "the database's disk is full".to_owned(),
            Kind::ReadOnly => "the database is read-only".to_owned(),
            Kind::Corrupt => CORRUPT.to_owned(),
            Kind::Busy => "another program keeps the database locked".to_owned(),
            Kind::Access => "the database file cannot be opened".to_owned(),
            Kind::Io => format!("the database's disk fails to read or write ({detail})"),
            Kind::Taken => "taken already".to_owned(),
            Kind::Request => format!("the database refuses it ({detail})"),
            Kind::Other => format!("the database fails ({detail})"),
        };
        Self { kind, text }
    }

    fn of_code(code: u32, detail: &str) -> Self {
        let kind = match (code, code & 0xff) {
            (code::CONSTRAINT_UNIQUE | code::CONSTRAINT_PRIMARYKEY | code::CONSTRAINT_ROWID, _) => {
                Kind::Taken
            }
            (code::IOERR_SHMSIZE, _) | (_, code::FULL) => Kind::Full,
            (_, code::READONLY) => Kind::ReadOnly,
            (_, code::CORRUPT | code::NOTADB) => Kind::Corrupt,
            (_, code::BUSY | code::LOCKED) => Kind::Busy,
            (_, code::CANTOPEN | code::PERM | code::AUTH) => Kind::Access,
            (_, code::IOERR | code::NOLFS) => Kind::Io,
            (_, code::ERROR | code::CONSTRAINT | code::TOOBIG | code::MISMATCH) => Kind::Request,
            _ => Kind::Other,
        };
        Self::new(kind, detail)
    }

    /// Whether the request is to blame, so that others in the same transaction may be right.
    pub const fn is_of_request(&self) -> bool {
        matches!(self.kind, Kind::Taken | Kind::Request)
    }

    /// Whether the connection is still good.
    pub const fn spares_connection(&self) -> bool {
        self.is_of_request() || matches!(self.kind, Kind::Full | Kind::Busy)
    }
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Database(e) => {
                let code = e.code().and_then(|c| c.parse().ok()).unwrap_or(0);
                Self::of_code(code, e.message())
            }
            sqlx::Error::Io(e) => Self::from(e.kind()),
            sqlx::Error::PoolTimedOut => Self::new(Kind::Other, "too many read at the same time"),
            sqlx::Error::PoolClosed => Self::new(Kind::Other, "it is closed"),
            other => Self::new(Kind::Other, &other.to_string()),
        }
    }
}

impl From<std::io::ErrorKind> for Fault {
    fn from(kind: std::io::ErrorKind) -> Self {
        use std::io::ErrorKind as E;
        let ours = match kind {
            E::StorageFull | E::QuotaExceeded => Kind::Full,
            E::ReadOnlyFilesystem => Kind::ReadOnly,
            E::PermissionDenied | E::NotFound => Kind::Access,
            _ => Kind::Io,
        };
        Self::new(ours, &kind.to_string())
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        if fault.kind == Kind::Taken { Self::Conflict } else { Self::Unavailable(fault.text) }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Fault::from(error).into()
    }
}
