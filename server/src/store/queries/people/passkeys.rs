//! Passkeys, recovery codes, and sign-ins with them.

use crate::domain::PlayerRef;
use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::store::data::sign_in::{ListedPasskey, NewPasskey, SignInChange, SignInProof, StoredPasskey};
use crate::store::database::{Connection, Readers, Row, Statement, query};
use crate::store::database_error::DatabaseError;
use crate::store::queries::people::tokens;
use crate::store::{NewToken, StoreError};

const ADD: Statement = Statement::new(
    "INSERT INTO passkeys (id, player, name, credential_id, credential, created_ms, challenge_ms)
    SELECT $1, $2, $3, $4, $5, CAST($6 AS BIGINT), CAST($7 AS BIGINT)
    WHERE EXISTS (SELECT 1 FROM players WHERE id = $2 AND deleted_ms IS NULL)
        AND (SELECT count(*) FROM passkeys WHERE player = $2) < CAST($8 AS BIGINT)",
);
const RENAME: Statement = Statement::new("UPDATE passkeys SET name = $3 WHERE player = $1 AND id = $2");
const REMOVE: Statement = Statement::new("DELETE FROM passkeys WHERE player = $1 AND id = $2");
const USE: Statement = Statement::new(
    "UPDATE passkeys SET credential = $3, used_ms = $4, challenge_ms = $5
    WHERE player = $1 AND id = $2 AND challenge_ms < $5",
);
const LIST: Statement = Statement::new(
    "SELECT id, name, credential_id, created_ms, used_ms FROM passkeys WHERE player = $1 ORDER BY id",
);
const FIND: Statement = Statement::new(
    "SELECT k.id, k.credential, p.id, p.name, p.owner
    FROM passkeys k JOIN players p ON p.id = k.player
    WHERE k.credential_id = $1 AND p.deleted_ms IS NULL",
);
const FORGET: Statement = Statement::new("DELETE FROM passkeys WHERE player = $1");
const ADD_CODE: Statement = Statement::new(
    "INSERT INTO recovery_codes (key, player)
    SELECT $1, $2 WHERE EXISTS (SELECT 1 FROM players WHERE id = $2 AND deleted_ms IS NULL)",
);
const USE_CODE: Statement = Statement::new("DELETE FROM recovery_codes WHERE player = $1 AND key = $2");
const CODES: Statement = Statement::new("SELECT count(*) FROM recovery_codes WHERE player = $1");
const HOLDER: Statement = Statement::new(
    "SELECT p.id, p.name, p.owner FROM recovery_codes c JOIN players p ON p.id = c.player
    WHERE c.key = $1 AND p.deleted_ms IS NULL",
);
/// Replacing the account's own token waits for this transaction.
const OWN_TOKEN: Statement = Statement::of_each(
    "SELECT id FROM players WHERE id = $1 AND key = $2 AND deleted_ms IS NULL",
    "SELECT id FROM players WHERE id = $1 AND key = $2 AND deleted_ms IS NULL FOR SHARE",
);
const FORGET_CODES: Statement = Statement::new("DELETE FROM recovery_codes WHERE player = $1");

/// All of them, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store) const STATEMENTS: &[Statement] = &[
    ADD,
    RENAME,
    REMOVE,
    USE,
    LIST,
    FIND,
    FORGET,
    ADD_CODE,
    USE_CODE,
    CODES,
    HOLDER,
    OWN_TOKEN,
    FORGET_CODES,
];

/// The passkeys of a player, the oldest first.
pub(in crate::store) async fn passkeys(db: &Readers, player: &str) -> Result<Vec<ListedPasskey>, StoreError> {
    let read = |row: &Row| {
        Ok(ListedPasskey {
            id: row.get(0)?,
            name: row.get(1)?,
            credential_id: row.get(2)?,
            created_ms: row.get(3)?,
            used_ms: row.get(4)?,
        })
    };
    db.fetch_all(query(LIST).bind(player)).await?.iter().map(read).collect()
}

/// The passkey with this id on its device.
pub(in crate::store) async fn passkey(
    db: &Readers,
    credential_id: &str,
) -> Result<Option<StoredPasskey>, StoreError> {
    let Some(row) = db.fetch_optional(query(FIND).bind(credential_id)).await? else { return Ok(None) };
    let who = PlayerRef { id: row.get(2)?, name: row.get(3)?, owner: row.get(4)? };
    Ok(Some(StoredPasskey { id: row.get(0)?, who, credential: row.get(1)? }))
}

/// How many recovery codes a player has left.
pub(in crate::store) async fn recovery_codes(db: &Readers, player: &str) -> Result<i64, StoreError> {
    Ok(db.fetch_one(query(CODES).bind(player)).await?.get(0)?)
}

/// The player whose recovery code has this hash.
pub(in crate::store) async fn recovery_code_holder(
    db: &Readers,
    key: KeyHash,
) -> Result<Option<PlayerRef>, StoreError> {
    let Some(row) = db.fetch_optional(query(HOLDER).bind(key.to_string())).await? else { return Ok(None) };
    Ok(Some(PlayerRef { id: row.get(0)?, name: row.get(1)?, owner: row.get(2)? }))
}

/// Carries out a change; returns the number of rows that it changed.
pub(in crate::store) async fn carry_out(
    db: &mut Connection<'_>,
    change: &SignInChange,
) -> Result<u64, DatabaseError> {
    match change {
        SignInChange::AddPasskey(passkey) => add(db, passkey).await,
        SignInChange::RenamePasskey { player, id, name } => {
            db.execute(query(RENAME).bind(player).bind(id).bind(name)).await
        }
        SignInChange::RemovePasskey { player, id } => db.execute(query(REMOVE).bind(player).bind(id)).await,
        SignInChange::ReplaceRecoveryCodes { player, keys } => replace_codes(db, player, keys).await,
        SignInChange::Forget { player } => forget(db, player).await,
        SignInChange::SignIn { proof, token } => sign_in(db, proof, token).await,
    }
}

async fn add(db: &mut Connection<'_>, new: &NewPasskey) -> Result<u64, DatabaseError> {
    let query = query(ADD).bind(&new.id).bind(&new.player).bind(&new.name);
    let query = query.bind(&new.credential_id).bind(&new.credential);
    db.execute(query.bind(new.created_ms).bind(new.challenge_ms).bind(i64::from(new.most))).await
}

async fn replace_codes(
    db: &mut Connection<'_>,
    player: &str,
    keys: &[KeyHash],
) -> Result<u64, DatabaseError> {
    db.execute(query(FORGET_CODES).bind(player)).await?;
    let mut added = 0;
    for key in keys {
        added += db.execute(query(ADD_CODE).bind(key.to_string()).bind(player)).await?;
    }
    Ok(added)
}

/// Removes all passkeys and recovery codes of a player.
pub(in crate::store) async fn forget(db: &mut Connection<'_>, player: &str) -> Result<u64, DatabaseError> {
    let passkeys = db.execute(query(FORGET).bind(player)).await?;
    Ok(passkeys + db.execute(query(FORGET_CODES).bind(player)).await?)
}

async fn sign_in(
    db: &mut Connection<'_>,
    proof: &SignInProof,
    token: &NewToken,
) -> Result<u64, DatabaseError> {
    let now: Millis = token.created_ms;
    let used = match proof {
        SignInProof::Passkey { id, credential, challenge_ms } => {
            let query = query(USE).bind(&token.player).bind(id).bind(credential);
            db.execute(query.bind(now).bind(*challenge_ms)).await?
        }
        SignInProof::RecoveryCode(key) => {
            db.execute(query(USE_CODE).bind(&token.player).bind(key.to_string())).await?
        }
        SignInProof::Token(key) => {
            let own = query(OWN_TOKEN).bind(&token.player).bind(key.to_string());
            u64::from(db.fetch_optional(own).await?.is_some())
        }
    };
    let with_key = matches!(proof, SignInProof::Token(_));
    if used == 0 { Ok(0) } else { tokens::add_sign_in(db, token, with_key).await }
}
