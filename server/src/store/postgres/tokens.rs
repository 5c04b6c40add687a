//! The tokens of players.

use sqlx::{PgConnection, PgPool};

use crate::store::token_sql::token_access;

const KNOWN: &str = "SELECT key FROM players WHERE key IN (SELECT jsonb_array_elements_text($1::text::jsonb))
    UNION ALL SELECT key FROM tokens WHERE key IN (SELECT jsonb_array_elements_text($1::text::jsonb))";

/// For the test that prepares all statements.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 1] = [KNOWN];

token_access!(PgConnection, PgPool, KNOWN);
