//! What the database holds, counted for the metrics.

use crate::store::StoreError;
use crate::store::database::{Readers, Statement, query};

const PLAYERS: Statement =
    Statement::new("SELECT kind, count(*) FROM players WHERE deleted_ms IS NULL GROUP BY kind");
const TOURNAMENTS: Statement = Statement::new("SELECT stage, count(*) FROM tournaments GROUP BY stage");
const RATED: Statement =
    Statement::new("SELECT game, count(*) FROM ratings WHERE listed IS NOT NULL GROUP BY game");
const REPORTS: Statement = Statement::new("SELECT count(*) FROM reports");
/// Without SQLite's log, which is part of the file sooner or later.
const SIZE: Statement = Statement::of_each(
    "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
    "SELECT pg_database_size(current_database())",
);

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[PLAYERS, TOURNAMENTS, RATED, REPORTS, SIZE];

/// What the database holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoreCounts {
    /// The kinds of accounts, with the number of accounts of each; those of deleted ones are left out.
    pub players: Vec<(String, i64)>,
    /// The stages of tournaments, with the number of tournaments in each.
    pub tournaments: Vec<(String, i64)>,
    /// The games, with the number of players who have a rating in each.
    pub rated_players: Vec<(String, i64)>,
    /// Reports that are not settled.
    pub reports: i64,
    /// The size of the database, in bytes.
    pub bytes: i64,
}

/// Counts what the database holds.
pub(in crate::store) async fn counts(db: &Readers) -> Result<StoreCounts, StoreError> {
    Ok(StoreCounts {
        players: groups(db, PLAYERS).await?,
        tournaments: groups(db, TOURNAMENTS).await?,
        rated_players: groups(db, RATED).await?,
        reports: number(db, REPORTS).await?,
        bytes: number(db, SIZE).await?,
    })
}

async fn groups(db: &Readers, statement: Statement) -> Result<Vec<(String, i64)>, StoreError> {
    let rows = db.fetch_all(query(statement)).await?;
    rows.iter().map(|row| Ok((row.get(0)?, row.get(1)?))).collect()
}

async fn number(db: &Readers, statement: Statement) -> Result<i64, StoreError> {
    let row = db.fetch_optional(query(statement)).await?;
    Ok(row.map(|row| row.get(0)).transpose()?.unwrap_or_default())
}
