//! Damage to a database file, and copies of it: on connections of their own, beside a server that reads and writes.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::store::faults::{CORRUPT, Fault, Kind};
use crate::store::schema;

/// Looks through all pages of the file, without comparing indexes with their tables. The first damage found.
pub async fn quick_check(options: &SqliteConnectOptions) -> Result<Option<String>, Fault> {
    let mut db = options.connect().await?;
    let found = findings(&mut db, "PRAGMA quick_check(1)").await;
    // Nothing was written on it.
    let _ = db.close().await;
    Ok(found?.into_iter().next())
}

/// What a check finds; damage that keeps it from ending included.
async fn findings(db: &mut SqliteConnection, check: &'static str) -> Result<Vec<String>, Fault> {
    let rows: Result<Vec<String>, Fault> = sqlx::query_scalar(check).fetch_all(db).await.map_err(Fault::from);
    match rows {
        Ok(rows) => Ok(rows.into_iter().filter(|row| row != "ok").collect()),
        Err(fault) if fault.kind == Kind::Corrupt => Ok(vec![CORRUPT.to_owned()]),
        Err(fault) => Err(fault),
    }
}

/// Checks the whole file, its indexes and references included, whether or not a server uses it.
///
/// # Errors
/// What is wrong, one finding a line; or why it cannot be checked.
pub async fn check(file: &Path) -> Result<(), String> {
    let mut db = connect(file).await?;
    let told = |fault: Fault| fault.to_string();
    let mut found = findings(&mut db, "PRAGMA integrity_check(20)").await.map_err(told)?;
    if found.is_empty() {
        let orphans = "SELECT count(*) FROM pragma_foreign_key_check";
        let orphans: i64 =
            sqlx::query_scalar(orphans).fetch_one(&mut db).await.map_err(|e| told(e.into()))?;
        if orphans > 0 {
            found.push(format!("{orphans} rows refer to rows that are not there"));
        }
    }
    // Nothing was written on it.
    let _ = db.close().await;
    if found.is_empty() { Ok(()) } else { Err(found.join("\n")) }
}

/// Writes a copy of the database as it is at one moment, compact and readable by this user alone. A server may go on
/// meanwhile.
///
/// # Errors
/// Why there is no copy, in a sentence; nothing is left behind.
pub async fn back_up(file: &Path, to: &Path) -> Result<(), String> {
    let mut db = connect(file).await?;
    // Its owner alone may read it, from the first byte on: tokens' hashes and the deals of running matches are in it.
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(to).map_err(|e| match e.kind() {
        ErrorKind::AlreadyExists => format!("{} is there already; name a new file", to.display()),
        _ => format!("{} cannot be written: {e}", to.display()),
    })?;
    let target = to.to_str().ok_or_else(|| "the name of the copy is not UTF-8".to_owned());
    let copied = match target {
        Ok(target) => {
            let done = sqlx::query("VACUUM INTO $1").bind(target).execute(&mut db).await;
            done.map_err(|e| Fault::from(e).to_string())
        }
        Err(e) => Err(e),
    };
    let _ = db.close().await;
    copied.and_then(|_| sync(to).map_err(|e| format!("{} cannot be written: {e}", to.display()))).inspect_err(
        |_| {
            // Half a copy is worse than none; if it cannot be removed, the error was told all the same.
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
        return Err(refused("there is no such file"));
    }
    let options = SqliteConnectOptions::new().filename(file).create_if_missing(false).read_only(true);
    let mut db = options.connect().await.map_err(|e| refused(&Fault::from(e).to_string()))?;
    match schema::is_ours(&mut db).await {
        Ok(true) => Ok(db),
        Ok(false) => Err(refused("it is not a database of this program")),
        Err(e) => Err(refused(&Fault::from(e).to_string())),
    }
}
