//! Players: people and bots with a name of their own here, held by a token.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::domain::PlayerRef;
use crate::domain::names;
use crate::domain::names::NameKey;
use crate::domain::time::Millis;
use crate::domain::token::{KeyHash, Token, TokenKind};
use crate::error::{Code, Error};
use crate::matches::refused_by_store;
use crate::matches::service::IdempotencyKey;
use crate::store::{PlayerProfile, Store, StoreError, StoredRequest};

/// How long nobody else can take a name that was given up, in milliseconds: 30 days.
pub const NAME_HELD_MS: Millis = 30 * 24 * 3_600_000;

/// Players remembered at most; then all are looked up again.
const REMEMBERED: usize = 1 << 16;

/// The players whose tokens were shown lately, so that not each of their requests reads the database. Forgotten whenever
/// an account changes.
#[derive(Default)]
pub struct Players(Mutex<Remembered>);

#[derive(Default)]
struct Remembered {
    players: HashMap<[u8; 32], PlayerRef>,
    /// How often all were forgotten.
    times: u64,
}

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
        let times = {
            let remembered = self.lock();
            if let Some(player) = remembered.players.get(&key.0) {
                return Ok(player.clone());
            }
            remembered.times
        };
        let player = store.player_by_key(key).await.map_err(|e| refused_by_store(&e))?;
        let player = player.ok_or_else(|| Error::new(Code::BadToken, "no player has this token"))?;
        let mut remembered = self.lock();
        // An account may have changed since it was read.
        if remembered.times == times {
            if remembered.players.len() >= REMEMBERED {
                remembered.players.clear();
            }
            remembered.players.insert(key.0, player.clone());
        }
        Ok(player)
    }

    /// Forgets all: some token or name is another now.
    pub fn forget(&self) {
        let mut remembered = self.lock();
        remembered.players.clear();
        remembered.times += 1;
    }

    fn lock(&self) -> MutexGuard<'_, Remembered> {
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
    retry: Option<IdempotencyKey>,
    now: Millis,
    engines: &[NameKey],
    charge: impl FnOnce() -> Result<(), Error>,
) -> Result<(PlayerRef, Token), Error> {
    let name = free_name(&name, engines)?;
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
        StoredRequest { key, asked: retry.asked, answer }
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
            Err(name_taken(&who.name))
        }
        Err(e) => Err(refused_by_store(&e)),
    }
}

/// What the same request has come to before.
async fn registered(
    store: &dyn Store,
    retry: &IdempotencyKey,
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

fn derived(store: &dyn Store, retry: &IdempotencyKey, who: &PlayerRef) -> Token {
    Token::derived(TokenKind::Player, store.pepper(), &retry.key, &format!("player {}", who.id))
}

/// A name in NFC that a player may have, as far as the name alone tells it.
///
/// # Errors
/// `bad_field`; `name_taken` where an engine has it.
pub fn free_name(name: &str, engines: &[NameKey]) -> Result<String, Error> {
    let name = names::player(name)
        .map_err(|rule| Error::new(Code::BadField, format!("name: a player's name {rule}")))?;
    let key = NameKey::of(&name);
    if engines.iter().any(|engine| engine.is_like(&key)) || key.is_like_deleted() {
        return Err(name_taken(&name));
    }
    Ok(name)
}

/// Another player has the name, or one that looks like it, or had it lately.
pub fn name_taken(name: &str) -> Error {
    let detail = format!("name: {name:?} is, or looks like, the name of another player or an engine");
    Error::new(Code::NameTaken, detail)
}

/// The player of this name, whatever its case.
///
/// # Errors
/// `no_such_player`, `store_unavailable`.
pub async fn find(store: &dyn Store, name: &str) -> Result<PlayerProfile, Error> {
    // No other name can be anybody's.
    let player = match names::player(name) {
        Ok(name) => store.player(name).await.map_err(|e| refused_by_store(&e))?,
        Err(_) => None,
    };
    player.ok_or_else(|| Error::new(Code::NoSuchPlayer, "no player has this name"))
}
