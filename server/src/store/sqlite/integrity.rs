//! Checks of a database file for damage, and copies of it. Each uses its own connection, beside a node that reads and
//! writes.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::store::database_error::{CORRUPT, DatabaseError, DatabaseErrorKind};
use crate::store::sqlite::schema;

/// Checks all pages of the file, but does not compare indexes with their tables. Returns the first damage found.
pub(super) async fn quick_check(options: &SqliteConnectOptions) -> Result<Option<String>, DatabaseError> {
    let mut db = options.connect().await?;
    let found = findings(&mut db, "PRAGMA quick_check(1)").await;
    // Nothing was written on this connection, so an error on closing does not matter.
    let _ = db.close().await;
    Ok(found?.into_iter().next())
}

/// The findings of a check, including damage that prevents the check from finishing.
async fn findings(db: &mut SqliteConnection, check: &'static str) -> Result<Vec<String>, DatabaseError> {
    let rows: Result<Vec<String>, DatabaseError> =
        sqlx::query_scalar(check).fetch_all(db).await.map_err(DatabaseError::from);
    match rows {
        Ok(rows) => Ok(rows.into_iter().filter(|row| row != "ok").collect()),
        Err(error) if error.kind == DatabaseErrorKind::Corrupt => Ok(vec![CORRUPT.to_owned()]),
        Err(error) => Err(error),
    }
}

/// Checks the whole file, including its indexes and references. A node may use it meanwhile.
///
/// # Errors
/// The findings, one per line; or the reason why the file cannot be checked.
pub async fn check(file: &Path) -> Result<(), String> {
    let mut db = connect(file).await?;
    let text = |error: DatabaseError| error.to_string();
    let mut found = findings(&mut db, "PRAGMA integrity_check(20)").await.map_err(text)?;
    if found.is_empty() {
        let orphans = "SELECT count(*) FROM pragma_foreign_key_check";
        let orphans: i64 =
            sqlx::query_scalar(orphans).fetch_one(&mut db).await.map_err(|e| text(e.into()))?;
        if orphans > 0 {
            found.push(format!("{orphans} rows refer to rows that do not exist"));
        }
    }
    // Nothing was written on this connection, so an error on closing does not matter.
    let _ = db.close().await;
    if found.is_empty() { Ok(()) } else { Err(found.join("\n")) }
}

/// Writes a compact copy of the database as of one moment, readable by this user alone. A node may go on meanwhile.
///
/// # Errors
/// The reason why there is no copy, in a sentence. Nothing is left behind.
pub async fn back_up(file: &Path, to: &Path) -> Result<(), String> {
    let mut db = connect(file).await?;
    // Only its owner may read it, from the first byte on: it contains hashes of tokens and the deals of running matches.
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(to).map_err(|e| match e.kind() {
        ErrorKind::AlreadyExists => format!("{} exists already; name a new file", to.display()),
        _ => format!("{} cannot be written: {e}", to.display()),
    })?;
    let target = to.to_str().ok_or_else(|| "the name of the copy is not UTF-8".to_owned());
    let copied = match target {
        Ok(target) => {
            let done = sqlx::query("VACUUM INTO $1").bind(target).execute(&mut db).await;
            done.map_err(|e| DatabaseError::from(e).to_string())
        }
        Err(e) => Err(e),
    };
    let _ = db.close().await;
    copied.and_then(|_| sync(to).map_err(|e| format!("{} cannot be written: {e}", to.display()))).inspect_err(
        |_| {
            // Half a copy is worse than none. If it cannot be removed, the caller still gets the first error.
            let _ = fs::remove_file(to);
        },
    )
}

fn sync(file: &Path) -> std::io::Result<()> {
    fs::File::open(file)?.sync_all()
}

async fn connect(file: &Path) -> Result<SqliteConnection, String> {
    let refused = |what: &str| format!("{}: {what}", file.display());
    if !file.is_file() {
        return Err(refused("the file does not exist"));
    }
    let options = SqliteConnectOptions::new().filename(file).create_if_missing(false).read_only(true);
    let mut db = options.connect().await.map_err(|e| refused(&DatabaseError::from(e).to_string()))?;
    match schema::is_ours(&mut db).await {
        Ok(true) => Ok(db),
        Ok(false) => Err(refused("it is not a database of this program")),
        Err(e) => Err(refused(&DatabaseError::from(e).to_string())),
    }
}
