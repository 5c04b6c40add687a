//! Reads of ratings, leaderboards and bots.

use sqlx::{PgConnection, PgPool};

use crate::store::rating_sql::rating_reads;
use crate::store::rating_sql::read::board;

pub(super) const BOARD_OF_KIND: &str = board!("", " AND r.kind = $6");

const HISTORY: &str = "SELECT h.played, r.match_id, h.mu, h.sigma, h.at_ms
    FROM rating_history h JOIN rated_results r ON r.nr = h.nr
    WHERE h.player = $1 AND h.game = $2
        AND h.played = ANY (ARRAY(SELECT value::bigint FROM json_array_elements_text($3::json)))
    ORDER BY h.played";

/// For the test that prepares all statements.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 1] = [HISTORY];

rating_reads!(
    PgPool,
    PgConnection,
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    BOARD_OF_KIND,
    HISTORY
);
