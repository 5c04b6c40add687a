//! Tournaments and their events. A node that dies disappears from the table `servers`, and its tournaments become free.

use sqlx::{SqliteConnection, SqlitePool};

use crate::store::tournament_sql::tournament_access;

const RUN: &str = "UPDATE tournaments SET keeper = $2
    WHERE id = $1 AND stage IN ('running', 'paused')
        AND (keeper IS NULL OR keeper = $2 OR NOT EXISTS (SELECT 1 FROM servers WHERE servers.id = keeper))";
const RUNNING: &str = "SELECT id, keeper, NOT EXISTS (SELECT 1 FROM servers WHERE servers.id = keeper)
    FROM tournaments INDEXED BY tournaments_running WHERE stage IN ('running', 'paused') ORDER BY id";
const STATUS: &str = "SELECT id, stage, summary FROM matches WHERE id IN (SELECT value FROM json_each($1))";

/// For the test that prepares all statements.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 3] = [RUN, RUNNING, STATUS];

tournament_access!(SqliteConnection, SqlitePool, RUN, RUNNING, STATUS);
