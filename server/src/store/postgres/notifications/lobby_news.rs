//! News of the lobby: a transaction that changes it notifies all nodes.

use sqlx::PgConnection;

/// The channel on which nodes tell each other that the lobby has changed.
pub(in crate::store::postgres) const CHANNEL: &str = "kibitz_lobby";

const NOTIFY: &str = "SELECT pg_notify('kibitz_lobby', '')";

/// For the test that prepares all statements.
#[cfg(test)]
pub(in crate::store::postgres) const STATEMENTS: [&str; 1] = [NOTIFY];

/// Wakes all nodes when this transaction is committed.
pub(in crate::store::postgres) async fn notify(db: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query(NOTIFY).execute(db).await.map(drop)
}
