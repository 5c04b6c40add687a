//! The tables: the migrations at the repository's root, built into the program. A database says with `user_version` how
//! many of them it has. They are only ever added.

use sqlx::{Executor, SqliteConnection, SqliteTransaction};

use crate::store::accounts;
use crate::store::faults::Fault;

/// In their order; the first is version 1.
const MIGRATIONS: [&str; 3] = [
    include_str!("../../../migrations/sqlite/0001_matches.sql"),
    include_str!("../../../migrations/sqlite/0002_stopping.sql"),
    include_str!("../../../migrations/sqlite/0003_accounts.sql"),
];

/// `application_id` of our databases: "kibi".
const OURS: i64 = 0x6b69_6269;

/// What keeps a database from being used.
#[derive(Debug)]
pub enum Unfit {
    /// It is another program's.
    Foreign,
    /// A later version of this program has changed it.
    Newer,
    /// It cannot be read or written.
    Fault(Fault),
}

impl From<sqlx::Error> for Unfit {
    fn from(error: sqlx::Error) -> Self {
        Self::Fault(Fault::from(error))
    }
}

/// Brings the tables up to date; all or nothing, and only one server at a time.
pub async fn migrate(tx: &mut SqliteTransaction<'_>) -> Result<(), Unfit> {
    let db: &mut SqliteConnection = tx;
    let version = number(db, "PRAGMA user_version").await?;
    let application = number(db, "PRAGMA application_id").await?;
    let tables = number(db, "SELECT count(*) FROM sqlite_schema").await?;
    if application != OURS && (version != 0 || application != 0 || tables > 0) {
        return Err(Unfit::Foreign);
    }
    let done = usize::try_from(version).map_err(|_| Unfit::Foreign)?;
    if done > MIGRATIONS.len() {
        return Err(Unfit::Newer);
    }
    for &sql in &MIGRATIONS[done..] {
        db.execute(sqlx::raw_sql(sql)).await?;
    }
    if done < MIGRATIONS.len() {
        let marks = format!("PRAGMA application_id = {OURS}; PRAGMA user_version = {}", MIGRATIONS.len());
        db.execute(sqlx::raw_sql(sqlx::AssertSqlSafe(marks))).await?;
    }
    accounts::finish_keys(db).await?;
    Ok(())
}

async fn number(db: &mut SqliteConnection, sql: &'static str) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(sql).fetch_one(db).await
}

/// Whether this is a database of this program.
pub async fn is_ours(db: &mut SqliteConnection) -> Result<bool, sqlx::Error> {
    Ok(number(db, "PRAGMA application_id").await? == OURS)
}
