//! Tournaments and their events. The tournaments of a node whose lease has expired, by the time of the database, are free.

use sqlx::{PgConnection, PgPool};

use crate::store::tournament_sql::tournament_access;

const RUN: &str = "UPDATE tournaments SET keeper = $2
    WHERE id = $1 AND stage IN ('running', 'paused') AND (keeper IS NULL OR keeper = $2
        OR NOT EXISTS (SELECT 1 FROM servers s WHERE s.id = keeper AND s.expires_at > clock_timestamp()))";
const RUNNING: &str = "SELECT id, keeper,
        NOT EXISTS (SELECT 1 FROM servers s WHERE s.id = keeper AND s.expires_at > clock_timestamp())
    FROM tournaments WHERE stage IN ('running', 'paused') ORDER BY id";
const STATUS: &str = "SELECT id, stage, summary FROM matches
    WHERE id = ANY (ARRAY(SELECT value FROM json_array_elements_text($1::json)))";

/// For the test that prepares all statements.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 3] = [RUN, RUNNING, STATUS];

tournament_access!(PgConnection, PgPool, RUN, RUNNING, STATUS);
