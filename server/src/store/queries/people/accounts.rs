//! Accounts: names, keys of names, names that are held for a while, and the deletion of an account. A change to an account
//! increases a version, by which other nodes on the database learn of it.

use crate::domain::names::NameKey;
use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;
use crate::store::queries::history::chat;
use crate::store::queries::people::{blocks, moderation, passkeys, players, tokens};
use crate::store::queries::{bot_faults, lobby, programs, push, puzzles, ratings, vacations};
use crate::store::{FormerName, StoreError};

const KEY: Statement = Statement::new("UPDATE players SET key = $1 WHERE id = $2 AND deleted_ms IS NULL");
const RENAME: Statement = Statement::new(
    "UPDATE players SET name = $1, folded_name = $2, skeleton = $3, renamed_ms = $4
    WHERE id = $5 AND deleted_ms IS NULL
        AND NOT EXISTS (SELECT 1 FROM players p WHERE p.id <> $5 AND (p.folded_name = $2 OR p.skeleton = $3))
        AND NOT EXISTS (SELECT 1 FROM held_names h
            WHERE (h.folded_name = $6 OR h.skeleton = $7) AND h.until_ms > $4)",
);
const NAME_KEY: Statement =
    Statement::new("SELECT folded_name, skeleton FROM players WHERE id = $1 AND deleted_ms IS NULL");
/// Names that were given up are kept as hashes.
const HOLD: Statement = Statement::new(
    "INSERT INTO held_names (folded_name, skeleton, until_ms) VALUES ($1, $2, $3)
    ON CONFLICT (folded_name) DO UPDATE SET until_ms = excluded.until_ms",
);
const DELETE: Statement = Statement::new(
    "UPDATE players SET name = '', folded_name = 'deleted:' || id, skeleton = '', key = 'deleted:' || id,
        about = NULL, renamed_ms = $2, deleted_ms = $2
    WHERE id = $1 AND deleted_ms IS NULL",
);
const ERASE_LATER: Statement = Statement::new(
    "INSERT INTO erasures (player, at_ms, match_nr) VALUES ($1, $2, 0)
    ON CONFLICT (player) DO NOTHING",
);
const FORGET_RESULTS: Statement = Statement::new("DELETE FROM results WHERE player = $1");
const FREE_NAMES: Statement = Statement::new("DELETE FROM held_names WHERE until_ms <= $1");
const VERSION: Statement =
    Statement::new("SELECT CAST(value AS BIGINT) FROM settings WHERE name = 'accounts'");
const TAKEN: Statement = Statement::new(
    "SELECT EXISTS (SELECT 1 FROM players WHERE folded_name = $1 OR skeleton = $2)
    OR EXISTS (SELECT 1 FROM held_names WHERE (folded_name = $4 OR skeleton = $5) AND until_ms > $3)",
);
const COUNT_UP: Statement = Statement::of_each(
    "INSERT INTO settings (name, value) VALUES ('accounts', '1')
    ON CONFLICT (name) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)",
    "INSERT INTO settings (name, value) VALUES ('accounts', '1')
    ON CONFLICT (name) DO UPDATE SET value = (settings.value::bigint + 1)::text",
);
/// The requests that created an account.
const FORGET_REQUESTS: Statement = Statement::of_each(
    "DELETE FROM requests WHERE answer ->> '$.id' = $1",
    "DELETE FROM requests WHERE made = $1",
);
const FORMER: Statement = Statement::of_each(
    "SELECT id, iif(deleted_ms IS NULL, name, NULL) FROM players INDEXED BY players_renamed
    WHERE renamed_ms IS NOT NULL",
    "SELECT id, CASE WHEN deleted_ms IS NULL THEN name END FROM players
    WHERE renamed_ms IS NOT NULL",
);

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[
    KEY,
    RENAME,
    NAME_KEY,
    HOLD,
    DELETE,
    ERASE_LATER,
    FORGET_RESULTS,
    FREE_NAMES,
    VERSION,
    TAKEN,
    COUNT_UP,
    FORGET_REQUESTS,
    FORMER,
];

/// Replaces the account's own token, and ends the sign-ins that were made with it. `end_others`: also ends the player's other tokens.
/// `by`: the token of the request, which stays valid if it is of such a sign-in.
pub(in crate::store) async fn replace_token(
    db: &mut Connection<'_>,
    player: &str,
    key: KeyHash,
    end_others: bool,
    by: Option<KeyHash>,
) -> Result<u64, DatabaseError> {
    // At first: a sign-in that is under way ends before, and is found then.
    let rows = db.execute(query(KEY).bind(key.to_string()).bind(player)).await?;
    if end_others {
        tokens::revoke_all(db, player).await?;
    } else {
        tokens::end_key_sign_ins(db, player, by).await?;
    }
    Ok(rows)
}

/// Renames a player; returns 0 if the name looks like another player's, or was given up too recently.
pub(in crate::store) async fn rename(
    db: &mut Connection<'_>,
    player: &str,
    name: &str,
    at_ms: Millis,
    held_until_ms: Millis,
) -> Result<u64, DatabaseError> {
    let (key, held) = (NameKey::of(name), NameKey::of(name).held());
    let before = name_key(db, player).await?;
    db.execute(query(FREE_NAMES).bind(at_ms)).await?;
    let rename = query(RENAME).bind(name).bind(&key.folded).bind(&key.skeleton);
    let rename = rename.bind(at_ms).bind(player).bind(held.folded).bind(held.skeleton);
    let rows = db.execute(rename).await?;
    if let Some(before) = before.filter(|before| rows > 0 && before.folded != key.folded) {
        hold(db, &before, held_until_ms).await?;
    }
    Ok(rows)
}

/// Deletes an account, and those of the player's bots.
pub(in crate::store) async fn delete_with_bots(
    db: &mut Connection<'_>,
    player: &str,
    at_ms: Millis,
    held_until_ms: Millis,
) -> Result<u64, DatabaseError> {
    for bot in players::bots_of(db, player).await? {
        delete(db, &bot, at_ms, held_until_ms).await?;
    }
    delete(db, player, at_ms, held_until_ms).await
}

async fn delete(
    db: &mut Connection<'_>,
    player: &str,
    at_ms: Millis,
    held_until_ms: Millis,
) -> Result<u64, DatabaseError> {
    let Some(before) = name_key(db, player).await? else { return Ok(0) };
    hold(db, &before, held_until_ms).await?;
    let rows = db.execute(query(DELETE).bind(player).bind(at_ms)).await?;
    db.execute(query(ERASE_LATER).bind(player).bind(at_ms)).await?;
    db.execute(query(FORGET_RESULTS).bind(player)).await?;
    blocks::forget_blocks(db, player).await?;
    bot_faults::forget(db, player).await?;
    programs::forget(db, player).await?;
    tokens::revoke_all(db, player).await?;
    passkeys::forget(db, player).await?;
    push::forget(db, player).await?;
    vacations::forget(db, player).await?;
    db.execute(query(FORGET_REQUESTS).bind(player)).await?;
    chat::unsay_all(db, player).await?;
    lobby::forget_reasons(db, player).await?;
    moderation::forget(db, player).await?;
    ratings::unlist(db, player).await?;
    puzzles::forget_player(db, player).await?;
    Ok(rows)
}

/// The key of the player's name; `None`: there is no such account.
async fn name_key(db: &mut Connection<'_>, player: &str) -> Result<Option<NameKey>, DatabaseError> {
    let Some(row) = db.fetch_optional(query(NAME_KEY).bind(player)).await? else { return Ok(None) };
    let skeleton: Option<String> = row.get(1)?;
    Ok(Some(NameKey { folded: row.get(0)?, skeleton: skeleton.unwrap_or_default() }))
}

async fn hold(db: &mut Connection<'_>, name: &NameKey, until_ms: Millis) -> Result<(), DatabaseError> {
    let NameKey { folded, skeleton } = name.held();
    db.execute(query(HOLD).bind(folded).bind(skeleton).bind(until_ms)).await.map(drop)
}

/// Increases the version of accounts and bans.
pub(in crate::store) async fn count_up(db: &mut Connection<'_>) -> Result<(), DatabaseError> {
    db.execute(query(COUNT_UP)).await.map(drop)
}

/// Increases with every change to an account or a ban.
pub(in crate::store) async fn version(db: &Readers) -> Result<i64, StoreError> {
    Ok(db.fetch_optional(query(VERSION)).await?.map_or(Ok(0), |row| row.get(0))?)
}

/// Players whose names in older events are out of date: the id, and the current name; `None`: deleted.
pub(in crate::store) async fn former_names(db: &Readers) -> Result<Vec<FormerName>, StoreError> {
    let read = |row: &Row| Ok((row.get(0)?, row.get(1)?));
    db.fetch_all(query(FORMER)).await?.iter().map(read).collect()
}

/// Whether a player has a name that looks like this one, or gave such a name up a short time ago.
pub(in crate::store) async fn is_taken(db: &Readers, key: &NameKey, now: Millis) -> Result<bool, StoreError> {
    let held = key.held();
    let query = query(TAKEN).bind(&key.folded).bind(&key.skeleton).bind(now);
    Ok(db.fetch_one(query.bind(held.folded).bind(held.skeleton)).await?.get(0)?)
}
