//! The reasons why a database cannot be opened or migrated, in words for the operator.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use crate::store::database_error::{DatabaseError, DatabaseErrorKind};

/// The reason why a database cannot be used: one sentence that says what to do.
#[derive(Debug, thiserror::Error)]
#[error("cannot use the database {name}: {what}")]
pub struct OpenError {
    name: String,
    what: OpenErrorKind,
}

impl OpenError {
    /// `name`: of the database, without a password.
    pub(super) fn new(name: &dyn std::fmt::Display, what: OpenErrorKind) -> Self {
        Self { name: name.to_string(), what }
    }
}

/// The problem with a database, and what to do.
#[derive(Debug, thiserror::Error)]
pub(super) enum OpenErrorKind {
    #[error("its directory does not exist; create it, or name another file")]
    NoDirectory,
    #[error("it is a directory; name a file in it")]
    IsDirectory,
    /// With the command that changes the owner, if another user is the owner.
    #[error("this user may not read and write the file and its directory; change their owner or mode{}", how(.0))]
    NoPermission(Option<String>),
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
    #[error("the URL is wrong: {0}; write postgres://user@host/database")]
    WrongUrl(String),
    #[error("{0}; start the server, check the URL, and create the user and the database")]
    Unreachable(DatabaseError),
    #[error("an import into it was interrupted; run the same kibitz import again")]
    Importing,
    #[error("the server is older than PostgreSQL 14; update it")]
    OldServer,
    #[error("{0}; check the disk and start again")]
    Other(DatabaseError),
}

fn how(command: &Option<String>) -> String {
    command.as_ref().map_or_else(String::new, |command| {
        format!(": `{command}` (what is mounted into a container has its own name outside)")
    })
}

impl OpenErrorKind {
    /// Names the command that makes a database in this file usable, where the permission is missing.
    pub(super) fn of_file(self, path: &Path) -> Self {
        match self {
            Self::NoPermission(None) => Self::NoPermission(change_of_owner(path)),
            other => other,
        }
    }
}

/// The command that gives this file and its directory to the user of this process; `None` if nothing of it belongs to another one.
fn change_of_owner(path: &Path) -> Option<String> {
    let user = rustix::process::geteuid().as_raw();
    let foreign = |place: &&Path| fs::metadata(place).is_ok_and(|found| found.uid() != user);
    let path = std::path::absolute(path).ok()?;
    let places = [directory_of(&path), &path];
    let names: String =
        places.iter().filter(|place| foreign(place)).map(|place| format!(" {place:?}")).collect();
    (!names.is_empty()).then(|| format!("chown {user}{names}"))
}

/// The directory of a database file.
pub(super) fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

impl From<DatabaseError> for OpenErrorKind {
    fn from(error: DatabaseError) -> Self {
        match error.kind {
            DatabaseErrorKind::Full => Self::Full,
            DatabaseErrorKind::ReadOnly => Self::ReadOnly,
            DatabaseErrorKind::Corrupt => Self::Corrupt,
            DatabaseErrorKind::Busy => Self::Locked,
            DatabaseErrorKind::Access => Self::NoPermission(None),
            _ => Self::Other(error),
        }
    }
}

impl From<std::io::Error> for OpenErrorKind {
    fn from(error: std::io::Error) -> Self {
        DatabaseError::from(error.kind()).into()
    }
}

impl From<sqlx::Error> for OpenErrorKind {
    fn from(error: sqlx::Error) -> Self {
        DatabaseError::from(error).into()
    }
}

impl From<MigrateError> for OpenErrorKind {
    fn from(unfit: MigrateError) -> Self {
        match unfit {
            MigrateError::Foreign => Self::Foreign,
            MigrateError::Newer => Self::Newer,
            MigrateError::Database(error) => error.into(),
        }
    }
}

/// The reason why a database cannot be migrated.
#[derive(Debug)]
pub(super) enum MigrateError {
    /// It belongs to another program.
    Foreign,
    /// A newer version of this program has changed it.
    Newer,
    /// Reading or writing it fails.
    Database(DatabaseError),
}

impl From<sqlx::Error> for MigrateError {
    fn from(error: sqlx::Error) -> Self {
        Self::Database(DatabaseError::from(error))
    }
}
