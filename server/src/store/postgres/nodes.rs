//! Finds out which nodes live, and which of them serve. A node lives as long as its lease in the table `nodes` has
//! not expired; each of its transactions renews the lease. The matches that a dead node held become free, and the times
//! in which no node served are recorded.

use sqlx::{PgConnection, PgPool};

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::store::StoreError;
use crate::store::data::row::broken;
use crate::store::downtime::Span;
use crate::store::postgres::cut_off;
use crate::store::writing::commands::Heartbeat;

/// How long other nodes' new downtimes are looked for, in milliseconds.
const RECENT: Millis = 60_000;

/// This node, as the database knows it.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// The node's id.
    pub id: String,
    /// The advisory lock that its connection for writing holds. A second such connection waits until the work of the
    /// first one is done. The lock also shows at once that a process has died.
    pub lock: i64,
}

impl Node {
    /// A new node.
    pub(super) fn fresh() -> Self {
        let id = uuid::Uuid::now_v7();
        let (_, lock) = id.as_u64_pair();
        Self { id: id.simple().to_string(), lock: i64::from_ne_bytes(lock.to_ne_bytes()) }
    }
}

const LOCK: &str = "SELECT pg_advisory_lock($1)";
/// Ends the sessions that hold this lock: earlier connections of this node, which it has lost. The database may not know that
/// yet. A session that is committing ends after that.
const END_EARLIER: &str = "SELECT count(pg_terminate_backend(pid)) FROM pg_locks
    WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND pid <> pg_backend_pid()
        AND ((classid::bigint << 32) | objid::bigint) = $1
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
/// A lease lasts for 4.5 seconds, so that a match goes on at most six seconds after its node has died: other nodes look
/// for due matches each second. See also the statements in `write`.
const REGISTER: &str = "INSERT INTO nodes (id, lock, beat_ms, expires_at)
    VALUES ($1, $2, $3, clock_timestamp() + interval '4500 ms')
    ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at";
const LEAVE: &str = "UPDATE nodes SET expires_at = clock_timestamp() WHERE id = $1";
const BEAT: &str = "UPDATE nodes SET beat_ms = $2, stopping = $3 WHERE id = $1";
const BEGIN: &str = "UPDATE nodes SET beat_ms = $2, since_ms = $2, stopping = false WHERE id = $1";
const LIVING: &str = "SELECT EXISTS (SELECT 1 FROM nodes
    WHERE id <> $1 AND expires_at > clock_timestamp() AND NOT pg_try_advisory_xact_lock(lock))";
/// The latest time of which a node knows.
pub(super) const LAST_TIME: &str = "SELECT greatest((SELECT max(greatest(beat_ms, last_ms)) FROM nodes),
    (SELECT max(to_ms) FROM downtimes), 0)";
/// A node that begins to serve considers a node dead if its process is gone, although its lease has not expired:
/// otherwise a restart would not know of its own downtime. This node's transaction then holds the dead node's lock,
/// which no process needs.
/// A row that another transaction has locked is left alone, here and in [`BURY`]: its node is just joining again, or another
/// node buries it, and nodes that wait for each other's rows would be a deadlock.
const BURY_GONE: &str = "DELETE FROM nodes WHERE id IN (SELECT id FROM nodes
        WHERE id <> $1 AND (expires_at <= clock_timestamp() OR pg_try_advisory_xact_lock(lock))
        FOR UPDATE SKIP LOCKED)
    RETURNING id, beat_ms";
/// The matches that dead nodes hold, before a heartbeat frees them.
const ORPHANS: &str = "SELECT m.id FROM nodes s JOIN matches m ON m.holder = s.id
    WHERE s.id <> $1 AND s.expires_at <= clock_timestamp() LIMIT $2";
const BURY: &str = "DELETE FROM nodes WHERE id IN (SELECT id FROM nodes
        WHERE id <> $1 AND expires_at <= clock_timestamp() FOR UPDATE SKIP LOCKED)
    RETURNING id, beat_ms, (extract(epoch FROM clock_timestamp() - expires_at) * 1000 + 4500)::bigint";
/// Due at once. All statements lock rows of matches in the order of their numbers.
const FREE: &str = "WITH freed AS (SELECT m.nr, dead.beat_ms
        FROM matches m JOIN unnest($1::text[], $2::bigint[]) AS dead (id, beat_ms) ON m.holder = dead.id
        ORDER BY m.nr FOR UPDATE OF m)
    UPDATE matches SET holder = NULL, wake_ms = 0, unheld_ms = freed.beat_ms FROM freed WHERE matches.nr = freed.nr";
/// The time at which the first of the nodes that serve now began; the second column: whether another node serves.
const SERVING: &str = "SELECT min(since_ms), count(*) FILTER (WHERE id <> $1) > 0 FROM nodes
    WHERE beat_ms > 0 AND NOT stopping AND expires_at > clock_timestamp()";
const STOPPED: &str = "SELECT max(beat_ms) FROM nodes WHERE id <> $1";
const ADD_DOWNTIMES: &str = "INSERT INTO downtimes (from_ms, to_ms, whole)
    SELECT f, t, $3 FROM unnest($1::bigint[], $2::bigint[]) AS d (f, t)";
const ALL_DOWNTIMES: &str = "SELECT from_ms, to_ms FROM downtimes";
const NEW_DOWNTIMES: &str = "SELECT from_ms, to_ms FROM downtimes WHERE whole AND to_ms > $1";
const SHOWN: &str = "WITH shown AS (SELECT m.nr, s.seq, s.at_ms
        FROM matches m JOIN unnest($1::text[], $2::int[], $3::bigint[]) AS s (id, seq, at_ms) ON s.id = m.id
        ORDER BY m.nr FOR UPDATE OF m)
    UPDATE matches SET shown_seq = shown.seq, shown_ms = shown.at_ms FROM shown WHERE matches.nr = shown.nr";

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 18] = [
    LOCK,
    END_EARLIER,
    REGISTER,
    LEAVE,
    BEAT,
    BEGIN,
    LIVING,
    LAST_TIME,
    BURY_GONE,
    BURY,
    ORPHANS,
    FREE,
    SERVING,
    STOPPED,
    ADD_DOWNTIMES,
    ALL_DOWNTIMES,
    NEW_DOWNTIMES,
    SHOWN,
];

/// Takes the lock of the node: ends earlier connections, and waits until their work is done.
pub(super) async fn lock(db: &mut PgConnection, node: &Node) -> Result<(), sqlx::Error> {
    sqlx::query(END_EARLIER).bind(node.lock).execute(&mut *db).await?;
    sqlx::query(LOCK).bind(node.lock).execute(db).await.map(drop)
}

/// Adds this node, which serves since `beat_ms`; 0: not yet. Or renews its lease, which had expired.
pub(super) async fn register(db: &mut PgConnection, node: &Node, beat_ms: Millis) -> Result<(), sqlx::Error> {
    sqlx::query(REGISTER).bind(&node.id).bind(node.lock).bind(beat_ms).execute(db).await.map(drop)
}

/// The matches of nodes that have died a moment ago.
pub(super) async fn orphans(db: &PgPool, id: &str, limit: i64) -> Result<Vec<MatchId>, StoreError> {
    let ids: Vec<String> = sqlx::query_scalar(ORPHANS).bind(id).bind(limit).fetch_all(db).await?;
    ids.iter().map(|id| MatchId::parse(id).ok_or_else(broken)).collect()
}

/// Removes this node.
pub(super) async fn leave(db: &mut PgConnection, node: &Node) -> Result<(), sqlx::Error> {
    sqlx::query(LEAVE).bind(&node.id).execute(db).await.map(drop)
}

/// Whether another node lives.
pub(super) async fn others_live(db: &mut PgConnection, node: &Node) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(LIVING).bind(&node.id).fetch_one(db).await
}

/// Records that this node serves from now on. If no other node serves, there was a downtime since the last heartbeat.
/// `before`: this node's own last heartbeat, before its lease expired. Returns the number of nodes that were found
/// dead, and all downtimes.
pub(super) async fn serve(
    db: &mut PgConnection,
    node: &Node,
    now: Millis,
    before: Option<Millis>,
) -> Result<(usize, Vec<Span>), sqlx::Error> {
    let dead: Vec<(String, Millis)> = sqlx::query_as(BURY_GONE).bind(&node.id).fetch_all(&mut *db).await?;
    let (_, served): (Option<Millis>, bool) =
        sqlx::query_as(SERVING).bind(&node.id).fetch_one(&mut *db).await?;
    let stopped: Option<Millis> = sqlx::query_scalar(STOPPED).bind(&node.id).fetch_one(&mut *db).await?;
    let last = dead.iter().map(|(_, beat_ms)| *beat_ms).chain(stopped).chain(before).max();
    if let Some(last) = last.filter(|last| !served && (1..now).contains(last)) {
        add_downtimes(db, &[(last, now)], true).await?;
    }
    free(db, &dead).await?;
    sqlx::query(BEGIN).bind(&node.id).bind(now).execute(&mut *db).await?;
    let all = sqlx::query_as(ALL_DOWNTIMES).fetch_all(db).await?;
    Ok((dead.len(), all))
}

/// Writes a heartbeat. If nodes have died, the times at which turns became visible are left for the next one: a transaction
/// waits for rows of matches in one statement only. Returns the number of nodes that have died since the last heartbeat,
/// whose matches are now free; and the downtimes that any node has found recently.
pub(super) async fn write_heartbeat(
    db: &mut PgConnection,
    node: &Node,
    beat: &Heartbeat,
) -> Result<(usize, Vec<Span>), sqlx::Error> {
    sqlx::query(BEAT).bind(&node.id).bind(beat.at_ms).bind(beat.stopping).execute(&mut *db).await?;
    if !beat.downtimes.is_empty() {
        add_downtimes(db, &beat.downtimes, false).await?;
    }
    if beat.stopping {
        // The rows of dead nodes show until when a node served. A node that serves deletes them.
        write_shown(db, beat).await?;
        return Ok((0, Vec::new()));
    }
    let dead = bury(db, node, beat.at_ms).await?;
    if dead == 0 {
        write_shown(db, beat).await?;
    }
    let new = sqlx::query_as(NEW_DOWNTIMES).bind(beat.at_ms.saturating_sub(RECENT)).fetch_all(db).await?;
    Ok((dead, new))
}

/// Writes when turns became visible.
async fn write_shown(db: &mut PgConnection, beat: &Heartbeat) -> Result<(), sqlx::Error> {
    if beat.shown.is_empty() {
        return Ok(());
    }
    let ids: Vec<&str> = beat.shown.iter().map(|(id, ..)| id.as_str()).collect();
    let seqs: Vec<i32> = beat.shown.iter().map(|(_, seq, _)| seq.cast_signed()).collect();
    let times: Vec<Millis> = beat.shown.iter().map(|(.., at_ms)| *at_ms).collect();
    sqlx::query(SHOWN).bind(ids).bind(seqs).bind(times).execute(db).await.map(drop)
}

/// Frees the matches of dead nodes. If all living nodes began to serve only after the last of the dead ones, there was
/// a downtime in between. The living nodes did not know of it when they began: the dead one's lease had not expired
/// yet.
async fn bury(db: &mut PgConnection, node: &Node, now: Millis) -> Result<usize, sqlx::Error> {
    let found: Vec<(String, Millis, i64)> = sqlx::query_as(BURY).bind(&node.id).fetch_all(&mut *db).await?;
    if found.is_empty() {
        return Ok(0);
    }
    let silent: Vec<_> = found.iter().map(|(id, _, silent_ms)| (id.clone(), *silent_ms)).collect();
    cut_off::remember_dead(db, &silent, now).await?;
    let dead: Vec<(String, Millis)> = found.into_iter().map(|(id, beat_ms, _)| (id, beat_ms)).collect();
    let Some(last) = dead.iter().map(|(_, beat_ms)| *beat_ms).max() else { return Ok(0) };
    free(db, &dead).await?;
    let (since, _): (Option<Millis>, bool) =
        sqlx::query_as(SERVING).bind(&node.id).fetch_one(&mut *db).await?;
    if let Some(since) = since.filter(|since| (1..*since).contains(&last)) {
        add_downtimes(db, &[(last, since)], true).await?;
    }
    Ok(dead.len())
}

async fn add_downtimes(db: &mut PgConnection, spans: &[Span], whole: bool) -> Result<(), sqlx::Error> {
    let (from, to): (Vec<Millis>, Vec<Millis>) = spans.iter().copied().unzip();
    sqlx::query(ADD_DOWNTIMES).bind(from).bind(to).bind(whole).execute(db).await.map(drop)
}

async fn free(db: &mut PgConnection, dead: &[(String, Millis)]) -> Result<(), sqlx::Error> {
    if dead.is_empty() {
        return Ok(());
    }
    let (ids, beats): (Vec<String>, Vec<Millis>) = dead.iter().cloned().unzip();
    sqlx::query(FREE).bind(ids).bind(beats).execute(db).await.map(drop)
}
