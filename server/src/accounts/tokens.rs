//! Tokens with a scope. A player makes one for each program, so that the program has no more rights than it needs and can
//! lose them alone.

use std::ops::RangeInclusive;

use crate::domain::PlayerRef;
use crate::domain::scope::{ShownToken, TokenScope};
use crate::domain::text::alters_display;
use crate::domain::time::Millis;
use crate::domain::token::{Token, TokenKind};
use crate::error::{Code, Error};
use crate::store::{NewToken, Store, StoreChange, StoredToken, refused_by_store};

/// The most tokens of a player, those that have expired and sign-ins left out.
pub const MOST_TOKENS: u32 = 50;

/// The longest name of a token, in characters.
pub const MAX_NAME: usize = 40;

/// The time for which a token may be valid, in milliseconds: a second to ten years.
pub const LIFETIME_MS: RangeInclusive<u64> = 1_000..=315_576_000_000;

/// A token that a player wants.
#[derive(Debug)]
pub struct WantedToken {
    /// Its name, not yet checked.
    pub name: String,
    /// The rights that it will give.
    pub scope: TokenScope,
    /// The player's bot for which it acts, if its scope is that.
    pub bot: Option<PlayerRef>,
    /// How long it is valid, in milliseconds, not yet checked; `None`: without end.
    pub lifetime_ms: Option<u64>,
}

/// Reads the scope of a request: `read`, `play`, `manage`, or `bot:NAME` with the name of a bot.
///
/// # Errors
/// `bad_field`.
pub fn read_scope(text: &str) -> Result<(TokenScope, Option<&str>), Error> {
    let (name, bot) = text.split_once(':').map_or((text, None), |(name, bot)| (name, Some(bot)));
    match (TokenScope::parse(name), bot) {
        (Some(TokenScope::Bot), Some(bot)) => Ok((TokenScope::Bot, Some(bot))),
        (Some(scope @ (TokenScope::Read | TokenScope::Play | TokenScope::Manage)), None) => Ok((scope, None)),
        _ => Err(Error::new(
            Code::BadField,
            "scope: must be read, play, manage, or bot:NAME with your bot's name",
        )),
    }
}

/// Makes a token for its owner. The secret cannot be read again. `by`: the token of the request; the new one expires with it
/// at the latest.
///
/// # Errors
/// `bad_field`, `not_a_person`, `too_many`, `no_such_player`, `store_unavailable`.
pub async fn create(
    store: &dyn Store,
    owner: &PlayerRef,
    by: Option<ShownToken>,
    wanted: WantedToken,
    now: Millis,
) -> Result<(StoredToken, Token), Error> {
    if owner.owner.is_some() {
        let detail = "a bot makes no tokens; its owner makes one of the scope bot:NAME";
        return Err(Error::new(Code::NotAPerson, detail));
    }
    let WantedToken { name, scope, bot, lifetime_ms } = wanted;
    check_name(&name)?;
    let expires_ms = expiry(lifetime_ms, by.and_then(|by| by.expires_ms), now)?;
    let known = store.tokens(owner.id.clone()).await.map_err(|e| refused_by_store(&e))?;
    let valid = known.iter().filter(|token| {
        token.scope != TokenScope::Account && token.expires_ms.is_none_or(|expires_ms| expires_ms > now)
    });
    if valid.count() >= MOST_TOKENS as usize {
        return Err(too_many());
    }
    let token = Token::fresh(TokenKind::Scoped)
        .map_err(|e| Error::new(Code::Internal, format!("no randomness: {e}")))?;
    let id = uuid::Uuid::now_v7().hyphenated().to_string();
    let (bot_id, bot) = bot.map(|bot| (bot.id, bot.name)).unzip();
    let new = NewToken {
        id: id.clone(),
        key: token.hash(),
        player: owner.id.clone(),
        bot: bot_id,
        name: name.clone(),
        scope,
        created_ms: now,
        expires_ms,
        most: MOST_TOKENS,
    };
    match store.change(StoreChange::AddToken(new)).await.map_err(|e| refused_by_store(&e))? {
        // Another request was faster, or the player or the bot was deleted meanwhile.
        0 => Err(too_many()),
        _ => Ok((StoredToken { id, name, scope, bot, created_ms: now, expires_ms, used_ms: None }, token)),
    }
}

fn too_many() -> Error {
    Error::new(Code::TooMany, format!("a player can have {MOST_TOKENS} tokens: revoke one first"))
}

/// Checks a name that a player gives a token, a passkey or a sign-in.
pub(super) fn check_name(name: &str) -> Result<(), Error> {
    let length = name.chars().count();
    if (1..=MAX_NAME).contains(&length) && name.trim() == name && !name.chars().any(alters_display) {
        return Ok(());
    }
    let detail = format!(
        "name: must have 1 to {MAX_NAME} characters, no spaces at its ends, and no control characters or marks that change \
         the direction of text"
    );
    Err(Error::new(Code::BadField, detail))
}

/// The time at which a token expires. `latest`: the time at which the token expires that makes it.
fn expiry(lifetime_ms: Option<u64>, latest: Option<Millis>, now: Millis) -> Result<Option<Millis>, Error> {
    if lifetime_ms.is_some_and(|lifetime| !LIFETIME_MS.contains(&lifetime)) {
        let detail = format!("lifetime_ms: must be from {} to {}", LIFETIME_MS.start(), LIFETIME_MS.end());
        return Err(Error::new(Code::BadField, detail));
    }
    let wanted = lifetime_ms.map(|lifetime| now.saturating_add_unsigned(lifetime));
    Ok(wanted.into_iter().chain(latest).min())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read() {
        assert_eq!(read_scope("play").unwrap(), (TokenScope::Play, None));
        assert_eq!(read_scope("bot:robo").unwrap(), (TokenScope::Bot, Some("robo")));
        for bad in ["", "account", "bot", "play:robo", "Play", "play manage"] {
            assert_eq!(read_scope(bad).unwrap_err().code(), Code::BadField, "{bad}");
        }
    }

    #[test]
    fn names_are_short_texts_that_can_be_read() {
        for good in ["x", "my laptop", "Ă„Ö 日本", &*"x".repeat(40)] {
            assert!(check_name(good).is_ok(), "{good}");
        }
        for bad in ["", " ", " x", "x\n", "a\u{202e}b", &*"x".repeat(41)] {
            assert!(check_name(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn token_lives_no_longer_than_the_one_that_makes_it() {
        assert_eq!(expiry(None, None, 5).unwrap(), None);
        assert_eq!(expiry(Some(1_000), None, 5).unwrap(), Some(1_005));
        assert_eq!(expiry(Some(1_000), Some(700), 5).unwrap(), Some(700));
        assert_eq!(expiry(None, Some(700), 5).unwrap(), Some(700));
        for bad in [0, 999, LIFETIME_MS.end() + 1, u64::MAX] {
            assert!(expiry(Some(bad), None, 5).is_err(), "{bad}");
        }
    }
}
