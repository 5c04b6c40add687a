//! Ceremonies: the exchanges in which a device makes a passkey or proves that it has one. Any server of the database can end a
//! ceremony that another one began, and none keeps it meanwhile: its state travels through the browser with a seal that only these
//! servers can make. What keeps an answer from being used twice is in the store.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use crate::domain::time::Millis;
use crate::error::{Code, Error};

/// How long a ceremony may take, in milliseconds: ten minutes, twice as long as browsers wait for a device.
const LIFETIME_MS: Millis = 600_000;

/// What a ceremony is for. The seal of one is no seal of another.
#[derive(Clone, Copy, Debug)]
pub(super) enum CeremonyPurpose<'a> {
    /// A new passkey of the player with this id.
    NewPasskey(&'a str),
    SignIn,
}

#[derive(Serialize, Deserialize)]
struct Sealed<S> {
    made_ms: Millis,
    state: S,
}

/// The state of a ceremony as a text for the browser. `secret`: the database's own.
pub(super) fn seal(
    secret: &[u8],
    purpose: CeremonyPurpose<'_>,
    state: &impl Serialize,
    now: Millis,
) -> Result<String, Error> {
    let sealed = serde_json::to_vec(&Sealed { made_ms: now, state });
    let sealed = sealed.map_err(|e| Error::new(Code::Internal, format!("the state of a ceremony: {e}")))?;
    let text = URL_SAFE_NO_PAD.encode(sealed);
    let seal = URL_SAFE_NO_PAD.encode(mac(secret, purpose, &text).finalize().into_bytes());
    Ok(format!("{text}.{seal}"))
}

/// The state in a text that [`seal`] has made for the same purpose, and when it was made.
///
/// # Errors
/// `ceremony_over`: it is too old, or has another seal.
pub(super) fn open<S: DeserializeOwned>(
    secret: &[u8],
    purpose: CeremonyPurpose<'_>,
    text: &str,
    now: Millis,
) -> Result<(S, Millis), Error> {
    let read = || {
        let (text, seal) = text.split_once('.')?;
        mac(secret, purpose, text).verify_slice(&URL_SAFE_NO_PAD.decode(seal).ok()?).ok()?;
        let sealed: Sealed<S> = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        // A server whose clock is a little ahead may have made it.
        (now.saturating_sub(sealed.made_ms) < LIFETIME_MS).then_some((sealed.state, sealed.made_ms))
    };
    read().ok_or_else(|| {
        Error::new(Code::CeremonyOver, "ceremony: it has expired, or is for something else; begin again")
    })
}

fn mac(secret: &[u8], purpose: CeremonyPurpose<'_>, text: &str) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
    let (what, player) = match purpose {
        CeremonyPurpose::NewPasskey(player) => ("new passkey", player),
        CeremonyPurpose::SignIn => ("sign in", ""),
    };
    for part in ["ceremony", what, player, text] {
        mac.update(&(part.len() as u64).to_le_bytes());
        mac.update(part.as_bytes());
    }
    mac
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_is_read_only_with_its_seal_for_its_purpose_and_in_time() {
        let of = |player| CeremonyPurpose::NewPasskey(player);
        let text = seal(b"secret", of("ann"), &[7, 8], 1_000).unwrap();
        let read = |secret: &[u8], purpose, text: &str, now| open::<[u8; 2]>(secret, purpose, text, now).ok();
        assert_eq!(read(b"secret", of("ann"), &text, 2_000), Some(([7, 8], 1_000)));
        assert_eq!(read(b"secret", of("ann"), &text, 900), Some(([7, 8], 1_000)), "another clock");
        assert_eq!(read(b"secret", of("ann"), &text, 1_000 + LIFETIME_MS), None, "too late");
        assert_eq!(read(b"other", of("ann"), &text, 2_000), None, "of another database");
        assert_eq!(read(b"secret", of("ben"), &text, 2_000), None, "of another player");
        assert_eq!(read(b"secret", CeremonyPurpose::SignIn, &text, 2_000), None, "for something else");
        let (state, seal) = text.split_once('.').unwrap();
        let forged = URL_SAFE_NO_PAD.encode(r#"{"made_ms":1000,"state":[7,9]}"#);
        for wrong in [format!("{forged}.{seal}"), format!("{state}."), state.to_owned(), String::new()] {
            assert_eq!(read(b"secret", of("ann"), &wrong, 2_000), None, "{wrong}");
        }
    }
}
