//! Changes to accounts, bans and old matches.

use sqlx::{SqliteConnection, SqlitePool};

use crate::store::account_sql::account_access;
use crate::store::sqlite::{chat, ratings, tokens, tournaments};

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

/// For the test that prepares all statements.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 6] =
    [FORGET_REQUESTS, EXPIRE, COUNT_UP, FORMER, UNFINISHED_KEYS, FINISH_KEY];

account_access!(SqliteConnection, SqlitePool, FORGET_REQUESTS, EXPIRE, COUNT_UP, FORMER);

/// Computes the keys of names that are older than the column for them.
pub(super) async fn finish_keys(db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
    let players: Vec<(String, String)> = sqlx::query_as(UNFINISHED_KEYS).fetch_all(&mut *db).await?;
    for (id, name) in players {
        let skeleton = NameKey::of(&name).skeleton;
        sqlx::query(FINISH_KEY).bind(skeleton).bind(id).execute(&mut *db).await?;
    }
    Ok(())
}
