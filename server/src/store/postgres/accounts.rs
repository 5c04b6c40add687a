//! Changes to accounts, bans and old matches.

use sqlx::{PgConnection, PgPool};

use crate::store::account_sql::account_access;
use crate::store::postgres::{chat, ratings, tokens, tournaments};

const FORGET_REQUESTS: &str = "DELETE FROM requests WHERE made = $1";
const EXPIRE: &str = "DELETE FROM matches WHERE nr IN (
        SELECT nr FROM matches WHERE ended_ms < $1 AND id < (SELECT max(id) FROM matches)
        ORDER BY ended_ms LIMIT $2)";
const COUNT_UP: &str = "INSERT INTO settings (name, value) VALUES ('accounts', '1')
    ON CONFLICT (name) DO UPDATE SET value = (settings.value::bigint + 1)::text";
const FORMER: &str = "SELECT id, CASE WHEN deleted_ms IS NULL THEN name END FROM players
    WHERE renamed_ms IS NOT NULL";

/// For the test that prepares all statements.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 4] = [FORGET_REQUESTS, EXPIRE, COUNT_UP, FORMER];

account_access!(PgConnection, PgPool, FORGET_REQUESTS, EXPIRE, COUNT_UP, FORMER);
