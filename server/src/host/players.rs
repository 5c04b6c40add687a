//! Players: people and bots with a name of their own here, held by a token.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::event::{Millis, PlayerRef};
use super::hall::Retry;
use super::house::refused_by_store;
use super::token::{KeyHash, Token, TokenKind};
use crate::error::{Code, Error};
use crate::store::{Player, RequestKey, Store, StoreError};

/// How long a name may be, in characters.
const NAME: std::ops::RangeInclusive<usize> = 2..=32;

/// Players remembered at most; then all are looked up again.
const REMEMBERED: usize = 1 << 16;

/// The players whose tokens were shown lately, so that not each of their requests reads the database. A token is never
/// taken back, so what is remembered stays true.
#[derive(Default)]
pub struct Players(Mutex<HashMap<[u8; 32], PlayerRef>>);

/// What making a player came to.
#[derive(Serialize, Deserialize)]
struct Answer {
    id: String,
    name: String,
}

impl Players {
    /// The player whose token has this hash.
    ///
    /// # Errors
    /// `bad_token`, `store_unavailable`.
    pub async fn by_token(&self, store: &dyn Store, key: KeyHash) -> Result<PlayerRef, Error> {
        if let Some(player) = self.lock().get(&key.0) {
            return Ok(player.clone());
        }
        let player = store.player_by_key(key).await.map_err(|e| refused_by_store(&e))?;
        let player = player.ok_or_else(|| Error::new(Code::BadToken, "no player has this token"))?;
        let mut players = self.lock();
        if players.len() >= REMEMBERED {
            players.clear();
        }
        players.insert(key.0, player.clone());
        Ok(player)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<[u8; 32], PlayerRef>> {
        // Nothing that holds it can fail half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Makes a player; the token is theirs and told only here. The same request again gives the same again.
/// `charge`: counts the creation; it is not called for a request that was answered before.
///
/// # Errors
/// What `charge` refuses; `bad_field`, `name_taken`, `idempotency_key_reused`, `store_unavailable`.
pub async fn register(
    store: &dyn Store,
    name: String,
    retry: Option<Retry>,
    now: Millis,
    charge: impl FnOnce() -> Result<(), Error>,
) -> Result<(PlayerRef, Token), Error> {
    check(&name)?;
    let key = retry.as_ref().map(|retry| {
        KeyHash(Sha256::new_with_prefix(b"player").chain_update(retry.key.as_bytes()).finalize().into())
    });
    if let (Some(retry), Some(key)) = (&retry, key)
        && let Some(before) = registered(store, retry, key).await?
    {
        return Ok(before);
    }
    charge()?;
    let who = PlayerRef { id: uuid::Uuid::now_v7().hyphenated().to_string(), name };
    let token = match &retry {
        Some(retry) => derived(store, retry, &who),
        None => Token::fresh(TokenKind::Player)
            .map_err(|e| Error::new(Code::Internal, format!("no randomness: {e}")))?,
    };
    let request = retry.as_ref().zip(key).map(|(retry, key)| {
        let answer = Answer { id: who.id.clone(), name: who.name.clone() };
        let answer = serde_json::to_string(&answer).expect("plain values with text keys");
        RequestKey { key, asked: retry.asked, answer }
    });
    match store.add_player(who.clone(), token.hash(), now, request).await {
        Ok(()) => Ok((who, token)),
        Err(StoreError::Conflict) => {
            // The same request may have been faster on another connection.
            if let (Some(retry), Some(key)) = (&retry, key)
                && let Some(before) = registered(store, retry, key).await?
            {
                return Ok(before);
            }
            Err(Error::new(Code::NameTaken, format!("name: {:?} is another player's", who.name)))
        }
        Err(e) => Err(refused_by_store(&e)),
    }
}

/// What the same request has come to before.
async fn registered(
    store: &dyn Store,
    retry: &Retry,
    key: KeyHash,
) -> Result<Option<(PlayerRef, Token)>, Error> {
    let Some(found) = store.request(key).await.map_err(|e| refused_by_store(&e))? else { return Ok(None) };
    if found.asked != retry.asked {
        let detail = "this Idempotency-Key was used for another request; use a fresh one";
        return Err(Error::new(Code::IdempotencyKeyReused, detail));
    }
    let unread = |_| Error::new(Code::Internal, "the stored answer to a request cannot be read");
    let Answer { id, name } = serde_json::from_str(&found.answer).map_err(unread)?;
    let who = PlayerRef { id, name };
    let token = derived(store, retry, &who);
    Ok(Some((who, token)))
}

fn derived(store: &dyn Store, retry: &Retry, who: &PlayerRef) -> Token {
    Token::derived(TokenKind::Player, store.pepper(), &retry.key, &format!("player {}", who.id))
}

/// A name stands in paths and lists as it is, so it is plain.
fn check(name: &str) -> Result<(), Error> {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
    let first = name.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric());
    if first && NAME.contains(&name.len()) && name.bytes().all(plain) {
        return Ok(());
    }
    let detail = format!(
        "name: must be {} to {} of A-Z a-z 0-9 - _ . and begin with a letter or a digit",
        NAME.start(),
        NAME.end()
    );
    Err(Error::new(Code::BadField, detail))
}

/// The player of this name, whatever its case.
///
/// # Errors
/// `no_such_player`, `store_unavailable`.
pub async fn find(store: &dyn Store, name: &str) -> Result<Player, Error> {
    // No other name can be anybody's.
    let player = match check(name) {
        Ok(()) => store.player(name.to_owned()).await.map_err(|e| refused_by_store(&e))?,
        Err(_) => None,
    };
    player.ok_or_else(|| Error::new(Code::NoSuchPlayer, "no player has this name"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain() {
        for name in ["ab", "A-1_b.c", "0x", &"a".repeat(32)] {
            assert!(check(name).is_ok(), "{name}");
        }
        for name in ["", "a", "-a", ".a", "a b", "a/b", "äb", "a\n", &"a".repeat(33)] {
            assert_eq!(check(name).unwrap_err().code(), Code::BadField, "{name}");
        }
    }
}
