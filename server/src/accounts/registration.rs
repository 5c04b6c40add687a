//! The creation of accounts, and the search for them by name.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::accounts::About;
use crate::domain::names::NameKey;
use crate::domain::time::Millis;
use crate::domain::token::{KeyHash, Token, TokenKind};
use crate::domain::{EnginePlayer, IdempotencyKey, PlayerRef, names};
use crate::error::{Code, Error};
use crate::store::{
    NewBot, NodeStore, PlayerProfile, PlayerStore, Store, StoreError, StoredRequest, refused_by_store,
};

/// How long a name that was given up cannot be taken by another player, in milliseconds: 30 days.
pub(super) const NAME_HELD_MS: Millis = 30 * 24 * 3_600_000;

/// The stored result of a request to create a player. Contains no secret.
#[derive(Serialize, Deserialize)]
struct StoredPlayer {
    id: String,
    name: String,
}

/// An account to create.
pub struct NewAccount<'a> {
    /// The name, not yet checked.
    pub name: String,
    /// Of a bot: the values that only bots have.
    pub bot: Option<BotOf<'a>>,
    /// The hash of the invitation that it needs.
    pub invitation: Option<KeyHash>,
}

/// The values that only bots have.
pub struct BotOf<'a> {
    /// The person to whom the bot will belong.
    pub owner: &'a PlayerRef,
    /// The bot's description of itself.
    pub about: About,
    /// The most bots of one owner.
    pub most: u32,
}

/// Creates a player and their token, which cannot be read again. The same request sent again gets the same result.
/// `charge`: counts the creation; not called for a request that was answered before.
///
/// # Errors
/// The refusals of `charge`; `bad_field`, `name_taken`, `idempotency_key_reused`, `bad_invitation`, `store_unavailable`; for a
/// bot also `not_a_person` and `too_many`.
pub async fn register(
    store: &dyn Store,
    NewAccount { name, bot, invitation }: NewAccount<'_>,
    retry: Option<IdempotencyKey>,
    now: Millis,
    engines: &[NameKey],
    charge: impl AsyncFnOnce() -> Result<(), Error>,
) -> Result<(PlayerRef, Token), Error> {
    let name = free_name(&name, engines)?;
    let about = bot.as_ref().map(|bot| bot.about.stored()).transpose()?.unwrap_or_default();
    if bot.as_ref().is_some_and(|bot| bot.owner.owner.is_some()) {
        return Err(Error::new(Code::NotAPerson, "a bot cannot own bots"));
    }
    let kind = bot.as_ref().map_or_else(|| "player".to_owned(), |bot| format!("bot of {} ", bot.owner.id));
    let key = retry.as_ref().map(|retry| {
        KeyHash(Sha256::new_with_prefix(&kind).chain_update(retry.key.as_bytes()).finalize().into())
    });
    if let (Some(retry), Some(key)) = (&retry, key)
        && let Some(before) = registered(store, retry, key).await?
    {
        return Ok(before);
    }
    if let Some(bot) = &bot {
        bot.check_count(store).await?;
    }
    charge().await?;
    let who = PlayerRef {
        owner: bot.as_ref().map(|bot| bot.owner.id.clone()),
        ..PlayerRef::new(uuid::Uuid::now_v7().hyphenated().to_string(), name)
    };
    let token = match &retry {
        Some(retry) => derived(store, retry, &who),
        None => Token::fresh(TokenKind::Player)
            .map_err(|e| Error::new(Code::Internal, format!("no randomness: {e}")))?,
    };
    let request = retry.as_ref().zip(key).map(|(retry, key)| {
        let answer = StoredPlayer { id: who.id.clone(), name: who.name.clone() };
        let answer = serde_json::to_string(&answer).expect("plain values with text keys");
        StoredRequest { key, request_hash: retry.request_hash, answer }
    });
    let added = match &bot {
        Some(BotOf { most, .. }) => {
            let (who, key, most) = (who.clone(), token.hash(), *most);
            store.add_bot(NewBot { who, key, created_ms: now, about, most, request }).await.map(|()| true)
        }
        None => match invitation {
            Some(invitation) => {
                store.add_invited_player(who.clone(), token.hash(), now, request, invitation).await
            }
            None => store.add_player(who.clone(), token.hash(), now, request).await.map(|()| true),
        },
    };
    match added {
        Ok(true) => Ok((who, token)),
        Ok(false) => Err(bad_invitation()),
        Err(StoreError::Conflict) => {
            // The same request may have arrived on another connection and been faster.
            if let (Some(retry), Some(key)) = (&retry, key)
                && let Some(before) = registered(store, retry, key).await?
            {
                return Ok(before);
            }
            if let Some(bot) = &bot {
                bot.check_count(store).await?;
            }
            Err(name_taken(&who.name))
        }
        Err(e) => Err(refused_by_store(&e)),
    }
}

/// The refusal of an invitation.
pub fn bad_invitation() -> Error {
    let detail = "invitation: it does not exist, has expired, or was used; ask the operator for another one";
    Error::new(Code::BadInvitation, detail)
}

impl BotOf<'_> {
    /// Checks that the owner may have one more bot.
    async fn check_count(&self, store: &dyn PlayerStore) -> Result<(), Error> {
        let bots = store.bots(self.owner.id.clone()).await.map_err(|e| refused_by_store(&e))?;
        if bots.len() < self.most as usize {
            return Ok(());
        }
        let detail = format!(
            "{:?} has {} bots, which is the limit (--max-bots-per-player)",
            self.owner.name, self.most
        );
        Err(Error::new(Code::TooMany, detail))
    }
}

/// The result of the same request, if it was sent before.
async fn registered(
    store: &dyn Store,
    retry: &IdempotencyKey,
    key: KeyHash,
) -> Result<Option<(PlayerRef, Token)>, Error> {
    let Some(found) = store.request(key).await.map_err(|e| refused_by_store(&e))? else { return Ok(None) };
    if found.request_hash != retry.request_hash {
        let detail = "this Idempotency-Key was used for another request; use a fresh one";
        return Err(Error::new(Code::IdempotencyKeyReused, detail));
    }
    let unread = |_| Error::new(Code::Internal, "the stored answer to a request cannot be read");
    let StoredPlayer { id, name } = serde_json::from_str(&found.answer).map_err(unread)?;
    let who = PlayerRef::new(id, name);
    let token = derived(store, retry, &who);
    Ok(Some((who, token)))
}

fn derived(store: &dyn NodeStore, retry: &IdempotencyKey, who: &PlayerRef) -> Token {
    Token::derived(TokenKind::Player, store.pepper(), &retry.key, &format!("player {}", who.id))
}

/// Checks the form of a player's name and returns it in NFC. Does not query the database.
///
/// # Errors
/// `bad_field`; `name_taken` if an engine has the name.
pub(super) fn free_name(name: &str, engines: &[NameKey]) -> Result<String, Error> {
    let name = names::player(name)
        .map_err(|rule| Error::new(Code::BadField, format!("name: a player's name {rule}")))?;
    let key = NameKey::of(&name);
    if engines.iter().any(|engine| engine.is_like(&key)) || key.is_like_deleted() {
        return Err(name_taken(&name));
    }
    Ok(name)
}

/// The refusal of a name that another player has, had lately, or that looks like one of those.
pub(super) fn name_taken(name: &str) -> Error {
    let detail = format!("name: {name:?} is, or looks like, the name of another player or an engine");
    Error::new(Code::NameTaken, detail)
}

/// The longest name that is looked up, in bytes. No player has a longer one.
const MAX_NAME: usize = 256;

/// The player with this name, in any case. Engines are players, too.
///
/// # Errors
/// `no_such_player`, `store_unavailable`.
pub async fn find(store: &dyn PlayerStore, name: &str) -> Result<PlayerProfile, Error> {
    // A name that is not allowed belongs to no person or bot.
    let is_possible =
        name.len() <= MAX_NAME && (names::player(name).is_ok() || EnginePlayer::parse(name).is_some());
    let player = match is_possible {
        true => store.player(name.to_owned()).await.map_err(|e| refused_by_store(&e))?,
        false => None,
    };
    player.ok_or_else(|| Error::new(Code::NoSuchPlayer, "no player has this name"))
}
