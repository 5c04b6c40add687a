//! News of the programs of bots: a transaction that changes what plays, or what is to be checked, notifies all nodes.

use sqlx::PgConnection;

/// The channel on which nodes tell each other that programs have changed.
pub(in crate::store::postgres) const CHANNEL: &str = "kibitz_programs";

const NOTIFY: &str = "SELECT pg_notify('kibitz_programs', '')";

/// For the test that prepares all statements.
#[cfg(test)]
pub(in crate::store::postgres) const STATEMENTS: [&str; 1] = [NOTIFY];

/// Wakes all nodes when this transaction is committed.
pub(in crate::store::postgres) async fn notify(db: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query(NOTIFY).execute(db).await.map(drop)
}
