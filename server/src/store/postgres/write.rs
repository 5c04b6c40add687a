//! The statement that writes a batch: rows, requests and events, all in one round trip. It renews the lease of the node,
//! and writes nothing if the lease has expired.

use std::collections::HashSet;

use sqlx::PgConnection;
use sqlx::postgres::PgArguments;
use sqlx::query::QueryScalar;

use crate::domain::time::Millis;
use crate::store::data::row::stage_text;
use crate::store::postgres::nodes::Node;
use crate::store::writing::write_plan::WritePlan;
use crate::store::{MatchRow, StoredRequest};

/// The node's own row: its lease, the number of this transaction, the time of its latest event. No row: the lease has
/// expired. Everything else is written only if there is one.
macro_rules! write_sql {
    ($rows:literal) => {
        concat!(
            "WITH alive AS (UPDATE nodes SET expires_at = clock_timestamp() + interval '4500 ms', batch = $2,
                last_ms = greatest(last_ms, $3) WHERE id = $1 AND expires_at > clock_timestamp() RETURNING id),",
            $rows,
            "written AS (INSERT INTO events (match_nr, seq, at_ms, body)
                SELECT nr, seq, at_ms, body
                FROM unnest($4::bigint[], $5::int[], $6::bigint[], $7::text[]) AS e (nr, seq, at_ms, body)
                WHERE EXISTS (SELECT 1 FROM alive))
            SELECT EXISTS (SELECT 1 FROM alive)"
        )
    };
}

/// Events alone, the usual case.
const EVENTS: &str = write_sql!("");

/// With rows and requests. A result that counts already is not counted again. Values that a match keeps for its whole
/// life are not set again: that would rewrite the indexes that contain them.
const ALL: &str = write_sql!(
    "rows AS (INSERT INTO matches
            (nr, id, game, stage, private, created_ms, ended_ms, rematch_of, summary, players, never_begun, holder)
        SELECT r.*, CASE WHEN r.stage <> 'over' THEN $1 END
        FROM unnest($8::bigint[], $9::text[], $10::text[], $11::text[], $12::bool[], $13::bigint[], $14::bigint[],
            $15::text[], $16::text[], $17::text[], $18::bool[])
            AS r (nr, id, game, stage, private, created_ms, ended_ms, rematch_of, summary, players, never_begun)
        WHERE EXISTS (SELECT 1 FROM alive)
        ON CONFLICT (nr) DO UPDATE SET stage = excluded.stage, ended_ms = excluded.ended_ms,
            summary = excluded.summary, players = excluded.players, never_begun = excluded.never_begun,
            holder = CASE WHEN excluded.stage <> 'over' THEN matches.holder END,
            wake_ms = CASE WHEN excluded.stage <> 'over' THEN matches.wake_ms END),
    seats AS (SELECT * FROM unnest($19::bigint[], $20::text[], $21::text[], $22::text[], $23::text[], $24::bool[],
            $25::float8[]) AS p (match_nr, player, match_id, game, stage, private, score)
        WHERE EXISTS (SELECT 1 FROM alive)),
    counted AS (INSERT INTO results (player, game, played, won, shared)
        SELECT player, game, count(*), count(*) FILTER (WHERE score >= 1),
            count(*) FILTER (WHERE score > 0 AND score < 1)
        FROM seats s WHERE score IS NOT NULL AND NOT private AND NOT EXISTS (SELECT 1 FROM match_players p
            WHERE p.match_nr = s.match_nr AND p.player = s.player AND p.score IS NOT NULL)
        GROUP BY 1, 2 ORDER BY 1, 2
        ON CONFLICT (player, game) DO UPDATE SET played = results.played + excluded.played,
            won = results.won + excluded.won, shared = results.shared + excluded.shared),
    gone AS (DELETE FROM match_players p WHERE p.match_nr = ANY ($8) AND EXISTS (SELECT 1 FROM alive)
        AND NOT EXISTS (SELECT 1 FROM seats s WHERE s.match_nr = p.match_nr AND s.player = p.player)),
    seated AS (INSERT INTO match_players (match_nr, player, match_id, game, stage, private, score)
        SELECT * FROM seats
        ON CONFLICT (match_nr, player) DO UPDATE SET stage = excluded.stage, score = excluded.score),
    answered AS (INSERT INTO requests (key, request_hash, answer, made)
        SELECT key, request_hash, answer, answer::json ->> 'id'
        FROM unnest($26::text[], $27::text[], $28::text[]) AS q (key, request_hash, answer)
        WHERE EXISTS (SELECT 1 FROM alive)),
    "
);

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 2] = [EVENTS, ALL];

/// Writes the plan as this transaction of the node. Returns whether the node's lease was valid; otherwise nothing is
/// written.
pub(super) async fn write(
    db: &mut PgConnection,
    node: &Node,
    batch: i64,
    plan: &WritePlan<'_>,
) -> Result<bool, sqlx::Error> {
    let has_rows = !plan.rows.is_empty() || !plan.requests.is_empty();
    let query = sqlx::query_scalar(if has_rows { ALL } else { EVENTS });
    // Another node may write to the same matches: all insert in the order of their numbers, so that none waits for one that
    // waits for it.
    let mut events: Vec<_> = plan.events.iter().collect();
    events.sort_by_key(|event| event.0);
    let latest: Millis = plan.events.iter().map(|(_, _, at_ms, _)| *at_ms).max().unwrap_or(0);
    let mut query = query
        .bind(&node.id)
        .bind(batch)
        .bind(latest)
        .bind(events.iter().map(|event| event.0).collect::<Vec<i64>>())
        .bind(events.iter().map(|event| event.1.cast_signed()).collect::<Vec<i32>>())
        .bind(events.iter().map(|event| event.2).collect::<Vec<Millis>>())
        .bind(events.iter().map(|event| event.3).collect::<Vec<&str>>());
    if has_rows {
        query = bind_requests(bind_seats(bind_rows(query, plan), plan), plan);
    }
    query.fetch_one(db).await
}

type WriteQuery<'q> = QueryScalar<'q, sqlx::Postgres, bool, PgArguments>;

fn bind_rows<'q>(query: WriteQuery<'q>, plan: &WritePlan<'_>) -> WriteQuery<'q> {
    /// One value of each row.
    fn column<T>(plan: &WritePlan<'_>, value: impl Fn(&MatchRow) -> T) -> Vec<T> {
        plan.rows.values().map(|(_, row)| value(row)).collect()
    }
    let text = |row: &MatchRow| {
        let players: Vec<_> = row.players.iter().map(|(who, score)| (&who.id, &who.name, score)).collect();
        serde_json::to_string(&players).expect("texts and numbers are JSON")
    };
    query
        .bind(plan.rows.keys().copied().collect::<Vec<i64>>())
        .bind(plan.rows.values().map(|(id, _)| id.as_str().to_owned()).collect::<Vec<String>>())
        .bind(column(plan, |row| row.game.clone()))
        .bind(column(plan, |row| stage_text(row.stage)))
        .bind(column(plan, |row| row.private))
        .bind(column(plan, |row| row.created_ms))
        .bind(column(plan, |row| row.ended_ms))
        .bind(column(plan, |row| row.rematch_of.as_ref().map(|id| id.as_str().to_owned())))
        .bind(column(plan, |row| row.summary.clone()))
        .bind(column(plan, text))
        .bind(column(plan, |row| row.never_begun))
}

/// A player with several seats appears once.
fn bind_seats<'q>(query: WriteQuery<'q>, plan: &WritePlan<'_>) -> WriteQuery<'q> {
    let seats = plan.rows.iter().flat_map(|(nr, (id, row))| {
        let mut seen = HashSet::new();
        let once = row.players.iter().filter(move |(who, _)| seen.insert(&who.id));
        once.map(move |(who, score)| (*nr, id.as_str().to_owned(), who.id.clone(), *row, *score))
    });
    let seats: Vec<_> = seats.collect();
    query
        .bind(seats.iter().map(|seat| seat.0).collect::<Vec<i64>>())
        .bind(seats.iter().map(|seat| seat.2.clone()).collect::<Vec<String>>())
        .bind(seats.iter().map(|seat| seat.1.clone()).collect::<Vec<String>>())
        .bind(seats.iter().map(|seat| seat.3.game.clone()).collect::<Vec<String>>())
        .bind(seats.iter().map(|seat| stage_text(seat.3.stage)).collect::<Vec<&str>>())
        .bind(seats.iter().map(|seat| seat.3.private).collect::<Vec<bool>>())
        .bind(seats.iter().map(|seat| seat.4).collect::<Vec<Option<f64>>>())
}

fn bind_requests<'q>(query: WriteQuery<'q>, plan: &WritePlan<'_>) -> WriteQuery<'q> {
    let hash = |request: &&StoredRequest| request.request_hash.to_string();
    query
        .bind(plan.requests.keys().cloned().collect::<Vec<String>>())
        .bind(plan.requests.values().map(hash).collect::<Vec<String>>())
        .bind(plan.requests.values().map(|request| request.answer.clone()).collect::<Vec<String>>())
}
