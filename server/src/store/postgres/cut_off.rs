//! Nodes of which the database has not heard for a while: they are cut off, frozen or dead. What happens in a match does
//! not reach the players who are connected to them.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use engines::game::Seat;
use sqlx::{PgConnection, PgPool};

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::store::StoreError;
use crate::store::downtime::Span;

/// How long the answer of [`ANY`] is used.
const FRESH: Duration = Duration::from_millis(100);

/// How long a dead node is remembered, in milliseconds: longer than a player needs to come back to another one.
const REMEMBERED: Millis = 60_000;

/// The time since a node has last renewed its lease of 4.5 seconds, in milliseconds. Each renews it about twice a second.
macro_rules! silence {
    () => {
        "(extract(epoch FROM clock_timestamp() - s.expires_at) * 1000 + 4500)"
    };
}

/// Whether there is another node that was not heard for 0.9 seconds, or was found dead after `$2`.
const ANY: &str = concat!(
    "SELECT EXISTS (SELECT 1 FROM nodes s WHERE s.id <> $1 AND NOT s.stopping AND ",
    silence!(),
    " >= 900) OR EXISTS (SELECT 1 FROM dead_nodes WHERE to_ms > $2)"
);
/// The latest of the spans of the nodes to which the player is connected. A player who follows the match on a node that is
/// well sees it there.
const SPAN: &str = concat!(
    "SELECT c.from_ms, c.to_ms FROM (
        SELECT s.id, ($4 - ",
    silence!(),
    ")::bigint AS from_ms, $4::bigint AS to_ms FROM nodes s
            WHERE s.id <> $3 AND NOT s.stopping AND s.expires_at > clock_timestamp() AND ",
    silence!(),
    " >= 900
        UNION ALL SELECT id, from_ms, to_ms FROM dead_nodes WHERE to_ms > $5
    ) c JOIN match_presence p ON p.node = c.id
    WHERE p.match_id = $1 AND p.seat = $2 AND NOT EXISTS (
        SELECT 1 FROM match_presence p JOIN nodes s ON s.id = p.node
        WHERE p.match_id = $1 AND p.seat = $2 AND p.follows AND s.id <> $3 AND ",
    silence!(),
    " < 900)
    ORDER BY c.to_ms DESC, c.from_ms LIMIT 1"
);
const ADD: &str = "INSERT INTO dead_nodes (id, from_ms, to_ms)
    SELECT n.id, $3 - n.silent_ms, $3 FROM unnest($1::text[], $2::bigint[]) AS n (id, silent_ms)";
const FORGET: &str = "DELETE FROM dead_nodes WHERE to_ms < $1";

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 4] = [ANY, SPAN, ADD, FORGET];

/// What this node knows of the others.
#[derive(Debug, Default)]
pub(super) struct CutOffNodes {
    /// When it was last asked whether there is one, and the answer.
    asked: Mutex<Option<(Instant, bool)>>,
}

impl CutOffNodes {
    /// The time in which another node, to which the player of this seat is connected, did not reach the database: up to
    /// `now`, or until it was found dead. `None`: there is no such node, or the player follows the match on a third one.
    pub(super) async fn span(
        &self,
        db: &PgPool,
        own: &str,
        (id, seat): (&MatchId, Seat),
        now: Millis,
    ) -> Result<Option<Span>, StoreError> {
        let since = now.saturating_sub(REMEMBERED);
        if !self.any(db, own, since).await? {
            return Ok(None);
        }
        let query = sqlx::query_as(SPAN).bind(id.as_str()).bind(i16::from(seat.0)).bind(own).bind(now);
        Ok(query.bind(since).fetch_optional(db).await?)
    }

    async fn any(&self, db: &PgPool, own: &str, since: Millis) -> Result<bool, StoreError> {
        let known = *self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, found)) = known
            && at.elapsed() < FRESH
        {
            return Ok(found);
        }
        let (at, found) =
            (Instant::now(), sqlx::query_scalar(ANY).bind(own).bind(since).fetch_one(db).await?);
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = Some((at, found));
        Ok(found)
    }
}

/// Remembers nodes that were found dead now, with how long each was not heard, in milliseconds; forgets earlier ones.
pub(super) async fn remember_dead(
    db: &mut PgConnection,
    dead: &[(String, i64)],
    now: Millis,
) -> Result<(), sqlx::Error> {
    sqlx::query(FORGET).bind(now.saturating_sub(REMEMBERED)).execute(&mut *db).await?;
    let (ids, silent): (Vec<String>, Vec<i64>) = dead.iter().cloned().unzip();
    sqlx::query(ADD).bind(ids).bind(silent).bind(now).execute(db).await.map(drop)
}
