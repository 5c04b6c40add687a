//! The tokens of players.

use sqlx::{SqliteConnection, SqlitePool};

use crate::store::token_sql::token_access;

const KNOWN: &str = "SELECT key FROM players WHERE key IN (SELECT value FROM json_each($1))
    UNION ALL SELECT key FROM tokens WHERE key IN (SELECT value FROM json_each($1))";

/// For the test that prepares all statements.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 1] = [KNOWN];

token_access!(SqliteConnection, SqlitePool, KNOWN);
