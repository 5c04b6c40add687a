//! The tokens of players.

use crate::domain::PlayerRef;
use crate::domain::scope::TokenScope;
use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::store::StoreError;
use crate::store::data::row::broken;
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;

const HOLDER: Statement = Statement::new(
    "SELECT id, name, owner, 'account', NULL, NULL, NULL FROM players WHERE key = $1
    UNION ALL
    SELECT p.id, p.name, p.owner, t.scope, t.id, t.expires_ms, t.used_ms
    FROM tokens t JOIN players p ON p.id = coalesce(t.bot, t.player)
    WHERE t.key = $1 AND p.deleted_ms IS NULL",
);
const LIST: Statement = Statement::new(
    "SELECT t.id, t.name, t.scope, b.name, t.created_ms, t.expires_ms, t.used_ms
    FROM tokens t LEFT JOIN players b ON b.id = t.bot WHERE t.player = $1 ORDER BY t.id",
);
const ADD: Statement = Statement::new(
    "INSERT INTO tokens (id, key, player, bot, name, scope, created_ms, expires_ms)
    SELECT $1, $2, $3, $4, $5, $6, CAST($7 AS BIGINT), CAST($8 AS BIGINT)
    WHERE EXISTS (SELECT 1 FROM players WHERE id = $3 AND deleted_ms IS NULL)
        AND (CAST($4 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM players WHERE id = $4 AND deleted_ms IS NULL))
        AND (SELECT count(*) FROM tokens WHERE player = $3 AND scope <> 'account') < CAST($9 AS BIGINT)",
);
const SIGN_IN: Statement = Statement::new(
    "INSERT INTO tokens (id, key, player, name, scope, created_ms, expires_ms, with_key)
    SELECT $1, $2, $3, $4, $5, CAST($6 AS BIGINT), CAST($7 AS BIGINT), $8
    WHERE EXISTS (SELECT 1 FROM players WHERE id = $3 AND deleted_ms IS NULL)",
);
/// Keeps the sign-ins that were used last.
const END_SIGN_INS: Statement = Statement::new(
    "DELETE FROM tokens WHERE player = $1 AND scope = 'account' AND id NOT IN (
        SELECT id FROM tokens WHERE player = $1 AND scope = 'account'
        ORDER BY coalesce(used_ms, created_ms) DESC, id DESC LIMIT $2)",
);
/// Those with the account's own token but one.
const END_KEY_SIGN_INS: Statement =
    Statement::new("DELETE FROM tokens WHERE player = $1 AND with_key AND key <> $2");
const DROP_EXPIRED: Statement = Statement::new("DELETE FROM tokens WHERE player = $1 AND expires_ms <= $2");
const REVOKE: Statement = Statement::new("DELETE FROM tokens WHERE player = $1 AND id = $2");
const REVOKE_ALL: Statement = Statement::new("DELETE FROM tokens WHERE player = $1 OR bot = $1");
const USED: Statement =
    Statement::new("UPDATE tokens SET used_ms = $2 WHERE id = $1 AND (used_ms IS NULL OR used_ms < $2)");

/// Those of the hashes in a JSON array that are of tokens, each with its player.
const KNOWN: Statement = Statement::of_each(
    "SELECT key, id, name, owner FROM players WHERE key IN (SELECT value FROM json_each($1))
    UNION ALL
    SELECT t.key, p.id, p.name, p.owner FROM tokens t JOIN players p ON p.id = coalesce(t.bot, t.player)
        WHERE t.key IN (SELECT value FROM json_each($1)) AND p.deleted_ms IS NULL",
    "SELECT key, id, name, owner FROM players WHERE key IN (SELECT jsonb_array_elements_text($1::text::jsonb))
    UNION ALL
    SELECT t.key, p.id, p.name, p.owner FROM tokens t JOIN players p ON p.id = coalesce(t.bot, t.player)
        WHERE t.key IN (SELECT jsonb_array_elements_text($1::text::jsonb)) AND p.deleted_ms IS NULL",
);

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[
    HOLDER,
    LIST,
    ADD,
    SIGN_IN,
    END_SIGN_INS,
    END_KEY_SIGN_INS,
    DROP_EXPIRED,
    REVOKE,
    REVOKE_ALL,
    USED,
    KNOWN,
];

/// The player for whom a token acts.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`scope` says all")]
pub struct TokenHolder {
    /// The player; for a token of a bot, the bot.
    pub who: PlayerRef,
    pub scope: TokenScope,
    /// The id of the token; `None`: it is the account's own.
    pub id: Option<String>,
    /// The time at which it expires; `None`: never.
    pub expires_ms: Option<Millis>,
    /// The time of its last use, accurate to about a minute; `None`: never used, or the account's own.
    pub used_ms: Option<Millis>,
}

/// A token to add.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`id`, `name` and `scope` say all")]
pub struct NewToken {
    pub id: String,
    /// Its hash.
    pub key: KeyHash,
    /// The id of the player who owns it.
    pub player: String,
    /// The id of the bot for which it acts, if its scope is that.
    pub bot: Option<String>,
    pub name: String,
    pub scope: TokenScope,
    /// The time of its creation.
    pub created_ms: Millis,
    /// The time at which it expires; `None`: never.
    pub expires_ms: Option<Millis>,
    /// The most tokens of the player: of sign-ins, or of all others.
    pub most: u32,
}

/// A token in its owner's list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`id`, `name` and `scope` say all")]
pub struct StoredToken {
    pub id: String,
    pub name: String,
    pub scope: TokenScope,
    /// The name of the bot for which it acts.
    pub bot: Option<String>,
    /// The time of its creation.
    pub created_ms: Millis,
    /// The time at which it expires; `None`: never.
    pub expires_ms: Option<Millis>,
    /// The time of its last use, accurate to about a minute; `None`: never used.
    pub used_ms: Option<Millis>,
}

/// The player for whom the token with this hash acts.
pub(in crate::store) async fn token_holder(
    db: &Readers,
    key: KeyHash,
) -> Result<Option<TokenHolder>, StoreError> {
    let Some(row) = db.fetch_optional(query(HOLDER).bind(key.to_string())).await? else { return Ok(None) };
    Ok(Some(TokenHolder {
        who: PlayerRef { id: row.get(0)?, name: row.get(1)?, owner: row.get(2)? },
        scope: TokenScope::parse(row.get(3)?).ok_or_else(broken)?,
        id: row.get(4)?,
        expires_ms: row.get(5)?,
        used_ms: row.get(6)?,
    }))
}

/// Those of these hashes that are of tokens of players, each with the player for whom the token acts.
pub(in crate::store) async fn known_keys(
    db: &Readers,
    keys: &[KeyHash],
) -> Result<Vec<(KeyHash, PlayerRef)>, StoreError> {
    let keys = serde_json::to_string(keys).expect("texts are JSON");
    let read = |row: &Row| {
        let key = KeyHash::try_from(row.get::<String>(0)?).map_err(|_| broken())?;
        Ok((key, PlayerRef { id: row.get(1)?, name: row.get(2)?, owner: row.get(3)? }))
    };
    db.fetch_all(query(KNOWN).bind(keys)).await?.iter().map(read).collect()
}

/// The tokens of a player besides the account's own, the oldest first.
pub(in crate::store) async fn tokens(db: &Readers, player: &str) -> Result<Vec<StoredToken>, StoreError> {
    let read = |row: &Row| {
        Ok(StoredToken {
            id: row.get(0)?,
            name: row.get(1)?,
            scope: TokenScope::parse(row.get(2)?).ok_or_else(broken)?,
            bot: row.get(3)?,
            created_ms: row.get(4)?,
            expires_ms: row.get(5)?,
            used_ms: row.get(6)?,
        })
    };
    db.fetch_all(query(LIST).bind(player)).await?.iter().map(read).collect()
}

/// Adds a token, and removes those of the player that have expired. Returns 0 if the player has too many, or if the player
/// or the bot was deleted.
pub(in crate::store) async fn add(db: &mut Connection<'_>, token: &NewToken) -> Result<u64, DatabaseError> {
    db.execute(query(DROP_EXPIRED).bind(&token.player).bind(token.created_ms)).await?;
    let query = query(ADD).bind(&token.id).bind(token.key.to_string());
    let query = query.bind(&token.player).bind(&token.bot).bind(&token.name);
    let query = query.bind(token.scope.name()).bind(token.created_ms).bind(token.expires_ms);
    db.execute(query.bind(i64::from(token.most))).await
}

/// Adds the token of a sign-in, and removes the player's tokens that have expired, and the sign-ins beyond the limit that were used
/// longest ago. `with_key`: it ends when the account's own token is replaced. Returns 0 if the player was deleted.
pub(in crate::store) async fn add_sign_in(
    db: &mut Connection<'_>,
    token: &NewToken,
    with_key: bool,
) -> Result<u64, DatabaseError> {
    db.execute(query(DROP_EXPIRED).bind(&token.player).bind(token.created_ms)).await?;
    let others = i64::from(token.most) - 1;
    db.execute(query(END_SIGN_INS).bind(&token.player).bind(others)).await?;
    let query = query(SIGN_IN).bind(&token.id).bind(token.key.to_string()).bind(&token.player);
    let query = query.bind(&token.name).bind(token.scope.name());
    db.execute(query.bind(token.created_ms).bind(token.expires_ms).bind(with_key)).await
}

/// Ends the sign-ins of a player that were made with the account's own token. `keep`: the token of one that goes on.
pub(in crate::store) async fn end_key_sign_ins(
    db: &mut Connection<'_>,
    player: &str,
    keep: Option<KeyHash>,
) -> Result<u64, DatabaseError> {
    let keep = keep.map(|key| key.to_string()).unwrap_or_default();
    db.execute(query(END_KEY_SIGN_INS).bind(player).bind(keep)).await
}

/// Removes a token of a player.
pub(in crate::store) async fn revoke(
    db: &mut Connection<'_>,
    player: &str,
    id: &str,
) -> Result<u64, DatabaseError> {
    db.execute(query(REVOKE).bind(player).bind(id)).await
}

/// Removes the tokens that a player owns, and those that act for the player.
pub(in crate::store) async fn revoke_all(
    db: &mut Connection<'_>,
    player: &str,
) -> Result<u64, DatabaseError> {
    db.execute(query(REVOKE_ALL).bind(player)).await
}

/// Records the use of a token.
pub(in crate::store) async fn record_use(
    db: &mut Connection<'_>,
    id: &str,
    at_ms: Millis,
) -> Result<u64, DatabaseError> {
    db.execute(query(USED).bind(id).bind(at_ms)).await
}
