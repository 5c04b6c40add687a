//! Tokens: the secrets of seats, players, private matches, creators, invitations and the operator. They are random,
//! shown once, stored as a hash, compared in constant time, and never printed.

use std::fmt;
use std::net::IpAddr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The purpose of a token. Its text begins with a prefix for the kind, so that a found token can be recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// For a seat of one match: `kbs_...`.
    Seat,
    /// For a player, the account's own: `kbp_...`.
    Player,
    /// For a player, with a scope: `kbt_...`.
    Scoped,
    /// For a private match: `kbm_...`.
    Match,
    /// For the creator of a match who has no seat in it: `kbc_...`.
    Creator,
    /// For the operator of the server: `kba_...`.
    Admin,
    /// For one who may create a player: `kbi_...`.
    Invitation,
}

impl TokenKind {
    const ALL: [Self; 7] =
        [Self::Seat, Self::Player, Self::Scoped, Self::Match, Self::Creator, Self::Admin, Self::Invitation];

    const fn prefix(self) -> &'static str {
        match self {
            Self::Seat => "kbs_",
            Self::Player => "kbp_",
            Self::Scoped => "kbt_",
            Self::Match => "kbm_",
            Self::Creator => "kbc_",
            Self::Admin => "kba_",
            Self::Invitation => "kbi_",
        }
    }
}

/// A key of an address, by which its matches can be counted together. The address cannot be recovered from it without
/// `pepper`, the database's own secret.
pub fn address_key(pepper: &[u8], network: IpAddr) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(pepper).expect("HMAC takes keys of any length");
    mac.update(b"address ");
    mac.update(network.to_string().as_bytes());
    hex(&mac.finalize().into_bytes()[..16])
}

/// A name for the bucket of a rate limit, from which the address in it cannot be read.
pub fn bucket_key(pepper: &[u8], bucket: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(pepper).expect("HMAC takes keys of any length");
    mac.update(b"bucket ");
    mac.update(bucket.as_bytes());
    hex(&mac.finalize().into_bytes()[..16])
}

/// A secret in the clear. It has no `Display`, and its `Debug` hides it: code that sends it calls [`Token::reveal`].
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// Length of a token's random part, in characters: 32 bytes in base 64.
const LENGTH: usize = 43;

impl Token {
    /// A random token.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub fn fresh(kind: TokenKind) -> Result<Self, getrandom::Error> {
        Ok(Self::of(kind, &random()?))
    }

    /// The token derived from a client's own key (an `Idempotency-Key`): the same request gives the same token again
    /// although only its hash is stored. `pepper` is the database's own secret. `context` says what the token is for;
    /// no two tokens of a database share one.
    pub fn derived(kind: TokenKind, pepper: &[u8], key: &str, context: &str) -> Self {
        let mut mac = Hmac::<Sha256>::new_from_slice(pepper).expect("HMAC takes keys of any length");
        for part in [kind.prefix(), key, context] {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part.as_bytes());
        }
        Self::of(kind, &mac.finalize().into_bytes().into())
    }

    fn of(kind: TokenKind, bytes: &[u8; 32]) -> Self {
        Self(format!("{}{}", kind.prefix(), URL_SAFE_NO_PAD.encode(bytes)))
    }

    /// Reads a token and its kind; `None` if the text is not one.
    pub fn parse(text: &str) -> Option<(TokenKind, Self)> {
        let kind = TokenKind::ALL.into_iter().find(|kind| text.starts_with(kind.prefix()))?;
        let rest = &text[kind.prefix().len()..];
        let fits =
            rest.len() == LENGTH && rest.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_".contains(&b));
        fits.then(|| (kind, Self(text.to_owned())))
    }

    /// The text, to be sent to the token's owner only.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The hash that is stored.
    pub fn hash(&self) -> KeyHash {
        KeyHash(Sha256::digest(self.0.as_bytes()).into())
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(hidden)")
    }
}

/// Replaces the tokens in a text, whole or partial, for messages that repeat what a client sent.
pub fn hidden(text: String) -> String {
    /// No ordinary word has this many such characters after a prefix.
    const TELLING: usize = 8;
    let secret = |b: &u8| b.is_ascii_alphanumeric() || b"-_".contains(b);
    let mut shown = String::new();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("kb") {
        let (before, from) = rest.split_at(at);
        let kind = TokenKind::ALL.into_iter().find(|kind| from.starts_with(kind.prefix()));
        let length = kind.map_or(2, |kind| kind.prefix().len());
        let random = from.bytes().skip(length).take_while(secret).count();
        let (seen, skipped) = if kind.is_some() && random >= TELLING { ("...", random) } else { ("", 0) };
        shown.extend([before, &from[..length], seen]);
        rest = &from[length + skipped..];
    }
    if shown.is_empty() { text } else { shown + rest }
}

/// The SHA-256 of a token, compared in constant time; its text is hexadecimal.
#[derive(Clone, Copy, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct KeyHash(pub [u8; 32]);

impl PartialEq for KeyHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Display for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(hidden)")
    }
}

impl From<KeyHash> for String {
    fn from(hash: KeyHash) -> Self {
        hash.to_string()
    }
}

impl TryFrom<String> for KeyHash {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        unhex(&text).map(Self).ok_or("a hash is 64 hexadecimal digits")
    }
}

/// 32 random bytes from the system.
///
/// # Errors
/// If the system gives none.
pub fn random() -> Result<[u8; 32], getrandom::Error> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

/// The commitment to a seed: SHA-256 of the salt's bytes followed by the seed's, in hexadecimal.
pub fn commitment(salt: &[u8; 32], seed: &engines::rng::Seed) -> String {
    hex(&Sha256::new().chain_update(salt).chain_update(seed.0).finalize())
}

/// The bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |text, b| text + &format!("{b:02x}"))
}

/// Reads 32 bytes from 64 hexadecimal digits.
pub fn unhex(text: &str) -> Option<[u8; 32]> {
    // The seed's text has the same form.
    if text.len() == 64 { text.parse::<engines::rng::Seed>().ok().map(|seed| seed.0) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_read_back_and_not_printed() {
        for kind in TokenKind::ALL {
            let token = Token::fresh(kind).unwrap();
            let (read, same) = Token::parse(token.reveal()).unwrap();
            assert_eq!((read, &same), (kind, &token));
            assert_eq!(same.hash(), token.hash());
            assert!(!format!("{token:?} {:?}", token.hash()).contains(&token.reveal()[4..]));
        }
        assert_ne!(Token::fresh(TokenKind::Seat).unwrap(), Token::fresh(TokenKind::Seat).unwrap());
        for bad in ["", "kbs_", "kbx_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "kbs_ä"] {
            assert!(Token::parse(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn tokens_are_hidden_anywhere_in_a_text() {
        let [seat, player] = [TokenKind::Seat, TokenKind::Player].map(|kind| Token::fresh(kind).unwrap());
        let text = format!(
            "kb of {} and \"{}\", kbs_short {}",
            seat.reveal(),
            player.reveal(),
            &seat.reveal()[..20]
        );
        assert_eq!(hidden(text), "kb of kbs_... and \"kbp_...\", kbs_short kbs_...");
        for plain in ["", "nothing", "ä kb", "kbs_", "kbz_aaaaaaaaaaaaaaaaaaaa"] {
            assert_eq!(hidden(plain.to_owned()), plain);
        }
    }

    #[test]
    fn derived_tokens_differ_in_every_part() {
        let token = |pepper: &[u8], key, context| Token::derived(TokenKind::Seat, pepper, key, context);
        let first = token(b"p", "key", "match 0");
        assert_eq!(first, token(b"p", "key", "match 0"));
        for other in
            [token(b"q", "key", "match 0"), token(b"p", "kex", "match 0"), token(b"p", "key", "match 1")]
        {
            assert_ne!(first, other);
        }
        // Parts do not run into each other.
        assert_ne!(token(b"p", "ab", "c"), token(b"p", "a", "bc"));
    }

    #[test]
    fn commitment_is_the_standard_digest() {
        // From `printf '%064d' 0 | cat - <(printf '%064d' 0) | xxd -r -p | sha256sum`: 64 zero bytes.
        let zeros = commitment(&[0; 32], &engines::rng::Seed([0; 32]));
        assert_eq!(zeros, "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b");
    }
}
