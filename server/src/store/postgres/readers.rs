//! The reads of matches and players.

use sqlx::PgPool;
use sqlx::postgres::PgRow;

use crate::store::postgres::boards;
#[cfg(test)]
use crate::store::rating_sql;
use crate::store::read_sql::match_reads;
#[cfg(test)]
use crate::store::tournament_sql;

/// A list reads only the one index that fits its filter.
macro_rules! list {
    (matches, $where:literal) => {
        concat!(
            "SELECT m.id, m.game, m.stage, m.created_ms, m.ended_ms, m.rematch_of, m.summary, m.players, ",
            "m.private, m.never_begun FROM matches m WHERE NOT private AND NOT never_begun AND id < $1",
            $where,
            " ORDER BY id DESC LIMIT $2"
        )
    };
    (players, $where:literal) => {
        concat!(
            "SELECT m.id, m.game, m.stage, m.created_ms, m.ended_ms, m.rematch_of, m.summary, m.players, ",
            "m.private, m.never_begun FROM match_players p JOIN matches m ON m.nr = p.match_nr",
            " WHERE NOT p.private AND NOT m.never_begun AND p.match_id < $1 AND p.player = $5",
            $where,
            " ORDER BY p.match_id DESC LIMIT $2"
        )
    };
}

/// The statement for a filter by game, by stage, by player.
const fn list_sql(game: bool, stage: bool, player: bool) -> &'static str {
    match (game, stage, player) {
        (false, false, false) => list!(matches, ""),
        (true, false, false) => list!(matches, " AND game = $3"),
        (false, true, false) => list!(matches, " AND stage = $4"),
        (true, true, false) => list!(matches, " AND game = $3 AND stage = $4"),
        (false, false, true) => list!(players, ""),
        (true, false, true) => list!(players, " AND p.game = $3"),
        (false, true, true) => list!(players, " AND p.stage = $4"),
        (true, true, true) => {
            list!(players, " AND p.game = $3 AND p.stage = $4")
        }
    }
}

/// Matches that are over, the oldest first, each with the least rating of its players after it; see [`list!`].
macro_rules! finished {
    ($from:literal, $of:literal, $id:literal) => {
        concat!(
            "SELECT m.id, m.summary, (SELECT min(h.mu) FROM rated_results r JOIN rating_history h ON h.nr = r.nr
                WHERE r.match_id = m.id) FROM ",
            $from,
            " WHERE NOT m.never_begun AND ",
            $of,
            " AND ", $id, " > $1 AND ", $id, " < $2 ORDER BY ", $id, " LIMIT $3"
        )
    };
}

/// The statement for these matches.
const fn finished_sql(of: &FinishedOf) -> &'static str {
    match of {
        FinishedOf::Game(_) => {
            finished!("matches m", "NOT m.private AND m.stage = 'over' AND m.game = $4", "m.id")
        }
        FinishedOf::Player(_, None) => finished!(
            "match_players p JOIN matches m ON m.nr = p.match_nr",
            "NOT p.private AND p.stage = 'over' AND p.player = $4",
            "p.match_id"
        ),
        FinishedOf::Player(_, Some(_)) => finished!(
            "match_players p JOIN matches m ON m.nr = p.match_nr",
            "NOT p.private AND p.stage = 'over' AND p.player = $4 AND p.game = $5",
            "p.match_id"
        ),
    }
}

/// Lists that contain private matches: for the operator, and for a player's own matches. $6: only private or only public
/// ones; $7: also those that ended before they began.
const LIST_ALL: &str =
    "SELECT m.id, m.game, m.stage, m.created_ms, m.ended_ms, m.rematch_of, m.summary, m.players, m.private,
        m.never_begun
    FROM matches m WHERE id < least($1, 'deleted:') AND ($3::text IS NULL OR game = $3) AND ($4::text IS NULL OR stage = $4)
        AND ($6::bool IS NULL OR private = $6) AND (NOT never_begun OR $7::bool)
    ORDER BY id DESC LIMIT $2";
const LIST_OWN: &str =
    "SELECT m.id, m.game, m.stage, m.created_ms, m.ended_ms, m.rematch_of, m.summary, m.players, m.private,
        m.never_begun
    FROM match_players p JOIN matches m ON m.nr = p.match_nr
    WHERE p.player = $5 AND p.match_id < $1 AND ($3::text IS NULL OR p.game = $3) AND ($4::text IS NULL OR p.stage = $4)
        AND ($6::bool IS NULL OR p.private = $6) AND (NOT m.never_begun OR $7::bool)
    ORDER BY p.match_id DESC LIMIT $2";

const DUE: &str = "SELECT id FROM matches WHERE wake_ms <= $1 ORDER BY wake_ms LIMIT $2";

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) fn statements() -> Vec<&'static str> {
    let lists = (0..8).map(|i| list_sql(i & 1 > 0, i & 2 > 0, i & 4 > 0));
    let of = [
        FinishedOf::Game(String::new()),
        FinishedOf::Player(String::new(), None),
        FinishedOf::Player(String::new(), Some(String::new())),
    ];
    lists
        .chain(of.iter().map(finished_sql))
        .chain([LIST_ALL, LIST_OWN, DUE])
        .chain(sql::STATEMENTS)
        .chain(rating_sql::read::STATEMENTS)
        .chain([boards::BOARD_OF_KIND])
        .chain(tournament_sql::sql::READS)
        .collect()
}

match_reads!(PgPool, PgRow, list_sql, finished_sql, LIST_ALL, LIST_OWN, DUE);
