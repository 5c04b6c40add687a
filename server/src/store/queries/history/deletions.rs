//! The deletion of matches: of one by the operator, and of old ones.

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::store::StoreError;
use crate::store::data::row::broken;
use crate::store::database::{Connection, Dialect, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;

/// How long a deleted match is noted, in milliseconds.
const NOTED_MS: Millis = 3_600_000;

/// In SQLite a row without content stays, since the numbers of the newest match must not be used again.
const DELETE_MATCH: Statement = Statement::of_each(
    "UPDATE matches SET id = 'deleted:' || nr, game = '', private = 1, rematch_of = NULL,
        summary = '', players = '[]', shown_seq = NULL, shown_ms = NULL
    WHERE id = $1 AND stage = 'over'",
    "DELETE FROM matches WHERE id = $1 AND stage = 'over'",
);
/// What follows in SQLite. The first event stays, so that the number of the match is taken, and the last one of the database,
/// without content.
const DELETE_CONTENT: &[Statement] = &[
    Statement::new(
        "UPDATE events SET body = '{}' WHERE match_nr IN (SELECT nr FROM matches WHERE game = '' AND id >= 'deleted:')",
    ),
    Statement::new(
        "DELETE FROM events WHERE match_nr IN (SELECT nr FROM matches WHERE game = '' AND id >= 'deleted:') AND seq > 0
        AND position < (SELECT max(position) FROM events)",
    ),
    Statement::new("DELETE FROM match_players WHERE match_id = $1"),
    Statement::new("DELETE FROM requests WHERE answer ->> '$.id' = $1"),
    Statement::new("DELETE FROM chat WHERE match_id = $1"),
    Statement::new("DELETE FROM bot_output WHERE match_id = $1"),
    Statement::new("DELETE FROM bot_faults WHERE match_id = $1"),
    Statement::new("DELETE FROM reports WHERE subject = $1"),
    Statement::new("DELETE FROM analyses WHERE match_id = $1"),
    Statement::new(
        "DELETE FROM matches WHERE id >= 'deleted:' AND id < 'deleted:~' AND nr < (SELECT max(nr) FROM matches)
        AND nr <> (SELECT match_nr FROM events ORDER BY position DESC LIMIT 1)",
    ),
];
const NOTE_DELETED: Statement =
    Statement::new("INSERT INTO deleted_matches (id, at_ms) VALUES ($1, $2) ON CONFLICT DO NOTHING");
const FORGET_DELETED: Statement = Statement::new("DELETE FROM deleted_matches WHERE at_ms < $1");
const DELETED: Statement = Statement::new("SELECT id FROM deleted_matches");
/// Matches that ended before a time. The newest stays, because its numbers must not be used again.
const EXPIRE: Statement = Statement::of_each(
    "DELETE FROM matches WHERE nr IN (
        SELECT nr FROM matches INDEXED BY matches_ended
        WHERE ended_ms < $1 AND nr < (SELECT max(nr) FROM matches)
            AND nr <> (SELECT match_nr FROM events ORDER BY position DESC LIMIT 1)
        ORDER BY ended_ms LIMIT $2)",
    "DELETE FROM matches WHERE nr IN (
        SELECT nr FROM matches WHERE ended_ms < $1 AND id < (SELECT max(id) FROM matches)
        ORDER BY ended_ms LIMIT $2)",
);

/// All that both databases run, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] =
    &[DELETE_MATCH, NOTE_DELETED, FORGET_DELETED, DELETED, EXPIRE];
/// Those of SQLite alone.
#[cfg(test)]
pub(in crate::store) const SQLITE_STATEMENTS: &[Statement] = DELETE_CONTENT;

/// Deletes a match that is over, and notes it for an hour, so that every node on which it is live learns of it. Returns 0 if
/// there is none.
pub(in crate::store) async fn delete_match(
    db: &mut Connection<'_>,
    id: &MatchId,
    at_ms: Millis,
) -> Result<u64, DatabaseError> {
    let rows = db.execute(query(DELETE_MATCH).bind(id.as_str())).await?;
    if rows == 0 {
        return Ok(0);
    }
    if db.dialect() == Dialect::Sqlite {
        for statement in DELETE_CONTENT {
            db.execute(query(*statement).bind(id.as_str())).await?;
        }
    }
    db.execute(query(FORGET_DELETED).bind(at_ms - NOTED_MS)).await?;
    db.execute(query(NOTE_DELETED).bind(id.as_str()).bind(at_ms)).await?;
    Ok(rows)
}

/// Deletes at most this many matches that ended before a time.
pub(in crate::store) async fn delete_old(
    db: &mut Connection<'_>,
    ended_before_ms: Millis,
    most: u32,
) -> Result<u64, DatabaseError> {
    db.execute(query(EXPIRE).bind(ended_before_ms).bind(i64::from(most))).await
}

/// The matches that the operator has deleted lately.
pub(in crate::store) async fn deleted_matches(db: &Readers) -> Result<Vec<MatchId>, StoreError> {
    let read = |row: &Row| MatchId::parse(row.get(0)?).ok_or_else(broken);
    db.fetch_all(query(DELETED)).await?.iter().map(read).collect()
}
