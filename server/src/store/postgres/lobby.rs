//! The lobby. A transaction that changes it notifies all nodes.

use sqlx::postgres::PgRow;
use sqlx::{PgConnection, PgPool};

use crate::store::lobby_sql::lobby_sql;

/// The channel on which nodes tell each other that the lobby has changed.
pub(super) const CHANNEL: &str = "kibitz_lobby";

const NOTIFY: &str = "SELECT pg_notify('kibitz_lobby', '')";

/// For the test that prepares all statements.
#[cfg(test)]
pub(super) const NOTIFY_STATEMENTS: [&str; 1] = [NOTIFY];

/// Wakes all nodes when this transaction is committed.
pub(super) async fn notify(db: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query(NOTIFY).execute(db).await.map(drop)
}

lobby_sql!(
    PgPool,
    PgConnection,
    PgRow,
    "SELECT id FROM servers WHERE expires_at > clock_timestamp() AND NOT stopping"
);
