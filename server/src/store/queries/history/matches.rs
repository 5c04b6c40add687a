//! Reads of single matches and their events.

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::store::data::row::broken;
use crate::store::database::{Readers, Row, Statement, query};
use crate::store::{StoreError, StoredEvent, StoredRequest};

const LOG: Statement = Statement::new(
    "SELECT at_ms, body FROM events
    WHERE match_nr = (SELECT nr FROM matches WHERE id = $1) AND seq >= $2 ORDER BY seq",
);
/// The events before sequence number $2.
const BEGINNING: Statement = Statement::new(
    "SELECT at_ms, body FROM events
    WHERE match_nr = (SELECT nr FROM matches WHERE id = $1) AND seq < $2 ORDER BY seq",
);
const SHOWN: Statement =
    Statement::new("SELECT shown_seq, shown_ms FROM matches WHERE id = $1 AND shown_seq IS NOT NULL");
const REMATCH: Statement = Statement::new("SELECT id FROM matches WHERE rematch_of = $1");
const REQUEST: Statement = Statement::new("SELECT request_hash, answer FROM requests WHERE key = $1");
const PLAYING: Statement = Statement::new(
    "SELECT match_id FROM match_players WHERE player = $1 AND stage <> 'over' ORDER BY match_id",
);
/// Matches that are due and not held, except those of dead nodes.
const DUE: Statement = Statement::of_each(
    "SELECT id FROM matches INDEXED BY matches_due WHERE wake_ms <= $1 ORDER BY wake_ms LIMIT $2",
    "SELECT id FROM matches WHERE wake_ms <= $1 ORDER BY wake_ms LIMIT $2",
);

/// For the test that prepares all statements.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[PLAYING];
/// Those that answer requests, for the tests of their plans.
#[cfg(test)]
pub(in crate::store) const READS: &[Statement] = &[LOG, BEGINNING, SHOWN, REMATCH, REQUEST, DUE];

/// The events of a match from sequence number `from` on.
pub(in crate::store) async fn log(
    db: &Readers,
    id: &MatchId,
    from: u32,
) -> Result<Vec<StoredEvent>, StoreError> {
    db.fetch_all(query(LOG).bind(id.as_str()).bind(i64::from(from))).await?.iter().map(read_event).collect()
}

/// The events of each of these matches before sequence number `upto`.
pub(in crate::store) async fn beginnings(
    db: &Readers,
    ids: &[MatchId],
    upto: u32,
) -> Result<Vec<Vec<StoredEvent>>, StoreError> {
    let mut all = Vec::new();
    for id in ids {
        let events = db.fetch_all(query(BEGINNING).bind(id.as_str()).bind(i64::from(upto))).await?;
        all.push(events.iter().map(read_event).collect::<Result<_, _>>()?);
    }
    Ok(all)
}

fn read_event(row: &Row) -> Result<StoredEvent, StoreError> {
    Ok(StoredEvent { at_ms: row.get(0)?, body: row.get(1)? })
}

/// The event whose turn became visible late, and the time at which it did.
pub(in crate::store) async fn shown_at(
    db: &Readers,
    id: &MatchId,
) -> Result<Option<(u32, Millis)>, StoreError> {
    let Some(row) = db.fetch_optional(query(SHOWN).bind(id.as_str())).await? else { return Ok(None) };
    Ok(Some((row.get::<i32>(0)?.cast_unsigned(), row.get(1)?)))
}

/// The rematch of a match.
pub(in crate::store) async fn rematch(db: &Readers, of: &MatchId) -> Result<Option<MatchId>, StoreError> {
    db.fetch_optional(query(REMATCH).bind(of.as_str())).await?.as_ref().map(read_id).transpose()
}

/// The request stored under this key.
pub(in crate::store) async fn request(
    db: &Readers,
    key: KeyHash,
) -> Result<Option<StoredRequest>, StoreError> {
    let Some(row) = db.fetch_optional(query(REQUEST).bind(key.to_string())).await? else { return Ok(None) };
    let request_hash = KeyHash::try_from(row.get::<String>(0)?).map_err(|_| broken())?;
    Ok(Some(StoredRequest { key, request_hash, answer: row.get(1)? }))
}

/// The unfinished matches of a player.
pub(in crate::store) async fn playing(db: &Readers, player: &str) -> Result<Vec<MatchId>, StoreError> {
    db.fetch_all(query(PLAYING).bind(player)).await?.iter().map(read_id).collect()
}

/// Matches that the database lists as due.
pub(in crate::store) async fn due(db: &Readers, now: Millis, limit: i64) -> Result<Vec<MatchId>, StoreError> {
    db.fetch_all(query(DUE).bind(now).bind(limit)).await?.iter().map(read_id).collect()
}

/// The id in the first column.
fn read_id(row: &Row) -> Result<MatchId, StoreError> {
    MatchId::parse(row.get(0)?).ok_or_else(broken)
}
