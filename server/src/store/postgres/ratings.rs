//! Changes to ratings and to the kinds of players, inside the writer's transaction.

use sqlx::PgConnection;

use crate::store::rating_sql::rating_writes;

/// One node at a time changes ratings, or counts rated matches that begin. The lock lasts until the end of the
/// transaction, and is its first one, so that no two transactions wait for each other.
const LOCK: &str = "SELECT pg_advisory_xact_lock(5938498)";

/// For the test that prepares all statements.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 1] = [LOCK];

/// Takes the lock.
pub(super) async fn lock(db: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query(LOCK).execute(db).await.map(drop)
}

rating_writes!(PgConnection);
