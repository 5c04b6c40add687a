//! Reads of ratings, leaderboards and bots.

use sqlx::{SqliteConnection, SqlitePool};

use crate::store::rating_sql::rating_reads;
use crate::store::rating_sql::read::board;

pub(super) const BOARD_OF_KIND: &str = board!("INDEXED BY ratings_board_kind", " AND r.kind = $6");

const HISTORY: &str = "SELECT h.played, r.match_id, h.mu, h.sigma, h.at_ms
    FROM rating_history h JOIN rated_results r ON r.nr = h.nr
    WHERE h.player = $1 AND h.game = $2 AND h.played IN (SELECT value FROM json_each($3)) ORDER BY h.played";

/// For the test that prepares all statements.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 1] = [HISTORY];

rating_reads!(SqlitePool, SqliteConnection, "BEGIN", BOARD_OF_KIND, HISTORY);
