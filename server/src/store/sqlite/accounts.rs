//! Changes to accounts, bans and old matches.

use sqlx::{SqliteConnection, SqlitePool};

use crate::store::account_sql::account_access;
use crate::store::sqlite::{chat, erasure, lobby, moderation, ratings, tokens, tournaments};

const FORGET_REQUESTS: &str = "DELETE FROM requests WHERE answer ->> '$.id' = $1";
const EXPIRE: &str = "DELETE FROM matches WHERE nr IN (
        SELECT nr FROM matches INDEXED BY matches_ended
        WHERE ended_ms < $1 AND nr < (SELECT max(nr) FROM matches)
            AND nr <> (SELECT match_nr FROM events ORDER BY position DESC LIMIT 1)
        ORDER BY ended_ms LIMIT $2)";
const COUNT_UP: &str = "INSERT INTO settings (name, value) VALUES ('accounts', '1')
    ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)";
const FORMER: &str = "SELECT id, iif(deleted_ms IS NULL, name, NULL) FROM players INDEXED BY players_renamed
    WHERE renamed_ms IS NOT NULL";
const UNFINISHED_KEYS: &str = "SELECT id, name FROM players WHERE skeleton IS NULL";
const FINISH_KEY: &str = "UPDATE players SET skeleton = $1 WHERE id = $2";

/// Leaves a row without content, since the numbers of the newest match must not be used again.
const EMPTY_MATCH: &str =
    "UPDATE matches SET id = 'deleted:' || nr, game = '', private = 1, rematch_of = NULL,
        summary = '', players = '[]', shown_seq = NULL, shown_ms = NULL
    WHERE id = $1 AND stage = 'over'";
/// The first event stays, so that the number of the match is taken, and the last one of the database, without content.
const EMPTIED_MATCH: &str = "UPDATE events SET body = '{}' WHERE match_nr IN (SELECT nr FROM matches WHERE game = '' AND id >= 'deleted:');
    DELETE FROM events WHERE match_nr IN (SELECT nr FROM matches WHERE game = '' AND id >= 'deleted:') AND seq > 0
        AND position < (SELECT max(position) FROM events);
    DELETE FROM match_players WHERE match_id = $1;
    DELETE FROM requests WHERE answer ->> '$.id' = $1;
    DELETE FROM chat WHERE match_id = $1;
    DELETE FROM reports WHERE subject = $1;
    DELETE FROM matches WHERE id >= 'deleted:' AND id < 'deleted:~' AND nr < (SELECT max(nr) FROM matches)
        AND nr <> (SELECT match_nr FROM events ORDER BY position DESC LIMIT 1);";

/// Names of old versions are in the clear.
const CLEAR_NAMES: &str = "SELECT folded, skeleton FROM held_names WHERE length(folded) < 64";
const HASH_NAME: &str = "UPDATE OR REPLACE held_names SET folded = $2, skeleton = $3 WHERE folded = $1";

/// For the test that prepares all statements.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 10] = [
    FORGET_REQUESTS,
    EXPIRE,
    COUNT_UP,
    FORMER,
    UNFINISHED_KEYS,
    FINISH_KEY,
    EMPTY_MATCH,
    EMPTIED_MATCH,
    CLEAR_NAMES,
    HASH_NAME,
];

account_access!(SqliteConnection, SqlitePool, FORGET_REQUESTS, EXPIRE, COUNT_UP, FORMER);

/// Deletes a match that is over; returns 0 if there is none.
async fn delete_match(db: &mut SqliteConnection, id: &MatchId) -> Result<u64, sqlx::Error> {
    let rows = sqlx::query(EMPTY_MATCH).bind(id.as_str()).execute(&mut *db).await?.rows_affected();
    if rows > 0 {
        sqlx::query(EMPTIED_MATCH).bind(id.as_str()).execute(db).await?;
    }
    Ok(rows)
}

/// Hashes the names that were given up when they were still kept in the clear, and computes the keys of names that are older
/// than the column for them.
pub(super) async fn finish_keys(db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let clear: Vec<(String, String)> = sqlx::query_as(CLEAR_NAMES).fetch_all(&mut *db).await?;
    for (folded, skeleton) in clear {
        let held = NameKey { folded: folded.clone(), skeleton }.held();
        let query = sqlx::query(HASH_NAME).bind(folded).bind(held.folded).bind(held.skeleton);
        query.execute(&mut *db).await?;
    }
    let players: Vec<(String, String)> = sqlx::query_as(UNFINISHED_KEYS).fetch_all(&mut *db).await?;
    for (id, name) in players {
        let skeleton = NameKey::of(&name).skeleton;
        sqlx::query(FINISH_KEY).bind(skeleton).bind(id).execute(&mut *db).await?;
    }
    Ok(())
}
