//! The tokens of players: the statements, which both databases understand, and the functions that run them, written once
//! for both.

use crate::domain::PlayerRef;
use crate::domain::scope::TokenScope;
use crate::domain::time::Millis;
use crate::domain::token::KeyHash;

/// The statements.
pub(super) mod sql {
    pub(in crate::store) const HOLDER: &str =
        "SELECT id, name, owner, 'account', NULL, NULL, NULL FROM players WHERE key = $1
        UNION ALL
        SELECT p.id, p.name, p.owner, t.scope, t.id, t.expires_ms, t.used_ms
        FROM tokens t JOIN players p ON p.id = coalesce(t.bot, t.player)
        WHERE t.key = $1 AND p.deleted_ms IS NULL";
    pub(in crate::store) const LIST: &str =
        "SELECT t.id, t.name, t.scope, b.name, t.created_ms, t.expires_ms, t.used_ms
        FROM tokens t LEFT JOIN players b ON b.id = t.bot WHERE t.player = $1 ORDER BY t.id";
    pub(in crate::store) const ADD: &str =
        "INSERT INTO tokens (id, key, player, bot, name, scope, created_ms, expires_ms)
        SELECT $1, $2, $3, $4, $5, $6, CAST($7 AS BIGINT), CAST($8 AS BIGINT)
        WHERE EXISTS (SELECT 1 FROM players WHERE id = $3 AND deleted_ms IS NULL)
            AND (CAST($4 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM players WHERE id = $4 AND deleted_ms IS NULL))
            AND (SELECT count(*) FROM tokens WHERE player = $3) < CAST($9 AS BIGINT)";
    pub(in crate::store) const DROP_EXPIRED: &str =
        "DELETE FROM tokens WHERE player = $1 AND expires_ms <= $2";
    pub(in crate::store) const REVOKE: &str = "DELETE FROM tokens WHERE player = $1 AND id = $2";
    pub(in crate::store) const REVOKE_ALL: &str = "DELETE FROM tokens WHERE player = $1 OR bot = $1";
    pub(in crate::store) const USED: &str =
        "UPDATE tokens SET used_ms = $2 WHERE id = $1 AND (used_ms IS NULL OR used_ms < $2)";

    /// All of them, for the test that prepares each of them.
    #[cfg(test)]
    pub(in crate::store) const STATEMENTS: [&str; 7] =
        [HOLDER, LIST, ADD, DROP_EXPIRED, REVOKE, REVOKE_ALL, USED];
}

/// The player for whom a token acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenHolder {
    /// The player; for a token of a bot, the bot.
    pub who: PlayerRef,
    /// The scope.
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
pub struct NewToken {
    /// Its id.
    pub id: String,
    /// Its hash.
    pub key: KeyHash,
    /// The id of the player who owns it.
    pub player: String,
    /// The id of the bot for which it acts, if its scope is that.
    pub bot: Option<String>,
    /// Its name.
    pub name: String,
    /// Its scope.
    pub scope: TokenScope,
    /// The time of its creation.
    pub created_ms: Millis,
    /// The time at which it expires; `None`: never.
    pub expires_ms: Option<Millis>,
    /// The most tokens of the player.
    pub most: u32,
}

/// A token in its owner's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredToken {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its scope.
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

/// The functions of one database. `$Connection`, `$Pool`: its connections and pools; `$KNOWN`: those of the hashes in a JSON
/// array that are of tokens, each with its player.
macro_rules! token_access {
    ($Connection:ty, $Pool:ty, $KNOWN:ident) => {
        use crate::domain::PlayerRef;
        use crate::domain::scope::TokenScope;
        use crate::domain::time::Millis;
        use crate::domain::token::KeyHash;
        use crate::store::row::broken;
        use crate::store::token_sql::sql;
        use crate::store::{NewToken, StoreError, StoredToken, TokenHolder};

        type Holder =
            (String, String, Option<String>, String, Option<String>, Option<Millis>, Option<Millis>);
        type Listed = (String, String, String, Option<String>, Millis, Option<Millis>, Option<Millis>);

        /// The player for whom the token with this hash acts.
        pub(super) async fn holder(db: &$Pool, key: KeyHash) -> Result<Option<TokenHolder>, StoreError> {
            let found: Option<Holder> =
                sqlx::query_as(sql::HOLDER).bind(key.to_string()).fetch_optional(db).await?;
            let Some((player, name, owner, scope, id, expires_ms, used_ms)) = found else { return Ok(None) };
            let scope = TokenScope::parse(&scope).ok_or_else(broken)?;
            let who = PlayerRef { owner, ..PlayerRef::new(player, name) };
            Ok(Some(TokenHolder { who, scope, id, expires_ms, used_ms }))
        }

        /// Those of these hashes that are of tokens of players, each with the player for whom the token acts.
        pub(super) async fn known(
            db: &$Pool,
            keys: &[KeyHash],
        ) -> Result<Vec<(KeyHash, PlayerRef)>, StoreError> {
            let keys = serde_json::to_string(keys).expect("texts are JSON");
            let known: Vec<(String, String, String, Option<String>)> =
                sqlx::query_as($KNOWN).bind(keys).fetch_all(db).await?;
            let player = |(key, id, name, owner): (String, _, _, _)| {
                Ok((KeyHash::try_from(key).map_err(|_| broken())?, PlayerRef { id, name, owner }))
            };
            known.into_iter().map(player).collect()
        }

        /// The tokens of a player besides the account's own, the oldest first.
        pub(super) async fn list(db: &$Pool, player: &str) -> Result<Vec<StoredToken>, StoreError> {
            let rows: Vec<Listed> = sqlx::query_as(sql::LIST).bind(player).fetch_all(db).await?;
            let token = |(id, name, scope, bot, created_ms, expires_ms, used_ms): Listed| {
                let scope = TokenScope::parse(&scope).ok_or_else(broken)?;
                Ok(StoredToken { id, name, scope, bot, created_ms, expires_ms, used_ms })
            };
            rows.into_iter().map(token).collect()
        }

        /// Adds a token, and removes those of the player that have expired. Returns 0 if the player has too many, or if the
        /// player or the bot was deleted.
        pub(super) async fn add(db: &mut $Connection, token: &NewToken) -> Result<u64, sqlx::Error> {
            let expired = sqlx::query(sql::DROP_EXPIRED).bind(&token.player).bind(token.created_ms);
            expired.execute(&mut *db).await?;
            let query = sqlx::query(sql::ADD).bind(&token.id).bind(token.key.to_string());
            let query = query.bind(&token.player).bind(&token.bot).bind(&token.name);
            let query = query.bind(token.scope.name()).bind(token.created_ms).bind(token.expires_ms);
            Ok(query.bind(i64::from(token.most)).execute(db).await?.rows_affected())
        }

        /// Removes a token of a player.
        pub(super) async fn revoke(db: &mut $Connection, player: &str, id: &str) -> Result<u64, sqlx::Error> {
            Ok(sqlx::query(sql::REVOKE).bind(player).bind(id).execute(db).await?.rows_affected())
        }

        /// Removes the tokens that a player owns, and those that act for the player.
        pub(super) async fn revoke_all(db: &mut $Connection, player: &str) -> Result<u64, sqlx::Error> {
            Ok(sqlx::query(sql::REVOKE_ALL).bind(player).execute(db).await?.rows_affected())
        }

        /// Records the use of a token.
        pub(super) async fn used(db: &mut $Connection, id: &str, at_ms: Millis) -> Result<u64, sqlx::Error> {
            Ok(sqlx::query(sql::USED).bind(id).bind(at_ms).execute(db).await?.rows_affected())
        }
    };
}
pub(super) use token_access;
