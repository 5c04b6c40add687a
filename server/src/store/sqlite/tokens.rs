//! The tokens of players.

use sqlx::{SqliteConnection, SqlitePool};

use crate::store::token_sql::token_access;

const KNOWN: &str = "SELECT key, id, name, owner FROM players WHERE key IN (SELECT value FROM json_each($1))
    UNION ALL
    SELECT t.key, p.id, p.name, p.owner FROM tokens t JOIN players p ON p.id = coalesce(t.bot, t.player)
        WHERE t.key IN (SELECT value FROM json_each($1)) AND p.deleted_ms IS NULL";

/// For the test that prepares all statements.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 1] = [KNOWN];

token_access!(SqliteConnection, SqlitePool, KNOWN);
