//! Changes to accounts, bans and old matches.

use sqlx::{PgConnection, PgPool};

use crate::store::account_sql::account_access;
use crate::store::postgres::{chat, erasure, lobby, moderation, ratings, tokens, tournaments};

const FORGET_REQUESTS: &str = "DELETE FROM requests WHERE made = $1";
const EXPIRE: &str = "DELETE FROM matches WHERE nr IN (
        SELECT nr FROM matches WHERE ended_ms < $1 AND id < (SELECT max(id) FROM matches)
        ORDER BY ended_ms LIMIT $2)";
const COUNT_UP: &str = "INSERT INTO settings (name, value) VALUES ('accounts', '1')
    ON CONFLICT (name) DO UPDATE SET value = (settings.value::bigint + 1)::text";
const FORMER: &str = "SELECT id, CASE WHEN deleted_ms IS NULL THEN name END FROM players
    WHERE renamed_ms IS NOT NULL";

const DELETE_MATCH: &str = "DELETE FROM matches WHERE id = $1 AND stage = 'over'";

/// For the test that prepares all statements.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 5] = [FORGET_REQUESTS, EXPIRE, COUNT_UP, FORMER, DELETE_MATCH];

account_access!(PgConnection, PgPool, FORGET_REQUESTS, EXPIRE, COUNT_UP, FORMER);

/// Deletes a match that is over; returns 0 if there is none.
async fn delete_match(db: &mut PgConnection, id: &MatchId) -> Result<u64, sqlx::Error> {
    Ok(sqlx::query(DELETE_MATCH).bind(id.as_str()).execute(db).await?.rows_affected())
}
