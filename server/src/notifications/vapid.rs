//! VAPID (RFC 8292): how this server proves to a push service that it is the one for which the browser has subscribed.

use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::SecretKey;
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::json;

use crate::domain::time::Millis;
use crate::error::Error;
use crate::notifications::fresh_secret;

/// How long a token of ours is valid, in seconds. A push service allows a day at most.
const LIFETIME_S: Millis = 12 * 3_600;

/// Where push services can reach the operator: `mailto:` or `https:`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VapidContact(String);

impl FromStr for VapidContact {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_plain = text.len() <= 200 && text.bytes().all(|b| b.is_ascii_graphic());
        let known =
            ["mailto:", "https://"].iter().any(|start| text.len() > start.len() && text.starts_with(start));
        if is_plain && known { Ok(Self(text.to_owned())) } else { Err("must begin with mailto: or https://") }
    }
}

/// The key by which push services know the servers of this database.
pub(super) struct VapidKey {
    signer: SigningKey,
    public: String,
    contact: Option<VapidContact>,
}

impl VapidKey {
    /// A new private key, as the database keeps it.
    ///
    /// # Errors
    /// `internal` if the system gives no random numbers.
    pub(super) fn fresh() -> Result<String, Error> {
        Ok(URL_SAFE_NO_PAD.encode(fresh_secret()?.to_bytes()))
    }

    /// The key in a text that [`Self::fresh`] has made.
    pub(super) fn read(text: &str, contact: Option<VapidContact>) -> Option<Self> {
        let secret = SecretKey::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()?;
        let public = URL_SAFE_NO_PAD.encode(secret.public_key().to_sec1_bytes());
        Some(Self { signer: SigningKey::from(&secret), public, contact })
    }

    /// The public key, in URL-safe base 64.
    pub(super) fn public(&self) -> &str {
        &self.public
    }

    /// The value of the header `Authorization` of a request to the push service at this origin.
    pub(super) fn authorization(&self, origin: &str, now: Millis) -> String {
        let mut claims = json!({ "aud": origin, "exp": now / 1_000 + LIFETIME_S });
        if let Some(VapidContact(contact)) = &self.contact {
            claims["sub"] = contact.as_str().into();
        }
        let encode = |part: &serde_json::Value| URL_SAFE_NO_PAD.encode(part.to_string());
        let signed = format!("{}.{}", encode(&json!({ "typ": "JWT", "alg": "ES256" })), encode(&claims));
        let signature: Signature = self.signer.sign(signed.as_bytes());
        format!("vapid t={signed}.{}, k={}", URL_SAFE_NO_PAD.encode(signature.to_bytes()), self.public)
    }
}

#[cfg(test)]
mod tests {
    use p256::ecdsa::VerifyingKey;
    use p256::ecdsa::signature::Verifier;

    use super::*;

    #[test]
    fn token_is_signed_for_one_origin_and_half_a_day() {
        let key = VapidKey::read(&VapidKey::fresh().unwrap(), "https://a.example".parse().ok()).unwrap();
        let header = key.authorization("https://push.example", 5_000);
        let (token, public) = header.strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
        let (signed, signature) = token.rsplit_once('.').unwrap();
        let bytes = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
        let public = VerifyingKey::from_sec1_bytes(&bytes(public)).unwrap();
        public.verify(signed.as_bytes(), &Signature::from_slice(&bytes(signature)).unwrap()).unwrap();
        let claims: serde_json::Value =
            serde_json::from_slice(&bytes(signed.split_once('.').unwrap().1)).unwrap();
        let wanted =
            json!({ "aud": "https://push.example", "exp": 5 + 12 * 3_600, "sub": "https://a.example" });
        assert_eq!(claims, wanted);
    }

    #[test]
    fn contact_is_an_address_of_mail_or_of_the_web() {
        for good in ["mailto:ann@a.example", "https://a.example"] {
            assert!(good.parse::<VapidContact>().is_ok(), "{good}");
        }
        for bad in ["", "mailto:", "ann@a.example", "http://a.example", "https://a b"] {
            assert!(bad.parse::<VapidContact>().is_err(), "{bad}");
        }
    }
}
