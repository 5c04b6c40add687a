//! Keys of names in databases of old versions.

use sqlx::SqliteConnection;

use crate::domain::names::NameKey;

/// Names of old versions are in the clear.
const CLEAR_NAMES: &str = "SELECT folded_name, skeleton FROM held_names WHERE length(folded_name) < 64";
const HASH_NAME: &str =
    "UPDATE OR REPLACE held_names SET folded_name = $2, skeleton = $3 WHERE folded_name = $1";
const UNFINISHED_KEYS: &str = "SELECT id, name FROM players WHERE skeleton IS NULL";
const FINISH_KEY: &str = "UPDATE players SET skeleton = $1 WHERE id = $2";

/// For the test that prepares all statements.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 4] = [CLEAR_NAMES, HASH_NAME, UNFINISHED_KEYS, FINISH_KEY];

/// Hashes the names that were given up when they were still kept in the clear, and computes the keys of names that are older
/// than the column for them.
pub(super) async fn finish(db: &mut SqliteConnection) -> Result<(), sqlx::Error> {
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
