//! The encryption of a message for one browser (RFC 8291), in the content encoding `aes128gcm` (RFC 8188). The push service learns
//! the length of the message, which is padded, and nothing of what it says.

use aes_gcm::aead::{Aead, KeyInit};
use aes_gcm::{Aes128Gcm, Nonce};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hkdf::Hkdf;
use p256::{PublicKey, SecretKey};
use sha2::Sha256;

use crate::error::Error;
use crate::notifications::{fresh_secret, random};
use crate::store::PushTarget;

/// The bytes of the secret that a browser makes for a server.
const SECRET: usize = 16;

/// The bytes of a public key, uncompressed.
const PUBLIC_KEY: usize = 65;

/// The size of a record, which the header names: a message is one record, and push services take at most this much.
const RECORD: u32 = 4_096;

/// Messages are padded to a multiple of this many bytes.
const PADDED_TO: usize = 512;

/// The longest message that fits into a record, in bytes. Titles and bodies are far shorter.
#[cfg(test)]
pub(super) const MAX_MESSAGE: usize = 3_500;

pub(super) struct BrowserKeys {
    public: PublicKey,
    secret: [u8; SECRET],
}

impl BrowserKeys {
    /// The keys of a subscription; `None`: they are no keys.
    pub(super) fn read(target: &PushTarget) -> Option<Self> {
        let public = URL_SAFE_NO_PAD.decode(&target.public_key).ok().filter(|key| key.len() == PUBLIC_KEY)?;
        let secret = URL_SAFE_NO_PAD.decode(&target.secret).ok()?;
        Some(Self { public: PublicKey::from_sec1_bytes(&public).ok()?, secret: secret.try_into().ok()? })
    }

    /// Encrypts a message, which must fit into a record.
    ///
    /// # Errors
    /// `internal` if the system gives no random numbers.
    pub(super) fn encrypt(&self, message: &[u8]) -> Result<Vec<u8>, Error> {
        let mut padded = message.to_vec();
        // The mark of the last record, then the padding.
        padded.push(2);
        padded.resize(padded.len().next_multiple_of(PADDED_TO), 0);
        Ok(self.encrypt_with(&padded, &fresh_secret()?, random()?))
    }

    /// Encrypts a padded record with this key of the server, made for this message alone, and this salt.
    fn encrypt_with(&self, record: &[u8], ours: &SecretKey, salt: [u8; 16]) -> Vec<u8> {
        let (theirs_public, ours_public) = (self.public.to_sec1_bytes(), ours.public_key().to_sec1_bytes());
        let shared = ours.diffie_hellman(&self.public);
        let info = [b"WebPush: info\0", &*theirs_public, &*ours_public].concat();
        let input: [u8; 32] = derived(&self.secret, shared.raw_secret_bytes(), &info);
        let key: [u8; 16] = derived(&salt, &input, b"Content-Encoding: aes128gcm\0");
        let nonce: [u8; 12] = derived(&salt, &input, b"Content-Encoding: nonce\0");
        let cipher = Aes128Gcm::new(&key.into());
        let sealed = cipher.encrypt(&Nonce::from(nonce), record).expect("a short record can be encrypted");
        let mut message = Vec::with_capacity(21 + PUBLIC_KEY + sealed.len());
        message.extend(salt);
        message.extend(RECORD.to_be_bytes());
        message.push(PUBLIC_KEY as u8);
        message.extend(&*ours_public);
        message.extend(sealed);
        message
    }
}

/// HKDF with SHA-256.
fn derived<const N: usize>(salt: &[u8], input: &[u8], info: &[u8]) -> [u8; N] {
    let mut output = [0; N];
    Hkdf::<Sha256>::new(Some(salt), input).expand(info, &mut output).expect("it is a short output");
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(text: &str) -> Vec<u8> {
        URL_SAFE_NO_PAD.decode(text).unwrap()
    }

    fn target(public_key: &str, secret: &str) -> PushTarget {
        PushTarget { endpoint: String::new(), public_key: public_key.to_owned(), secret: secret.to_owned() }
    }

    const THEIRS: &str =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const SECRET: &str = "BTBZMqHH6r4Tts7J_aSIgg";

    /// The example of RFC 8291, section 5 and appendix A.
    #[test]
    fn example_of_the_standard_is_encrypted_as_it_says() {
        let keys = BrowserKeys::read(&target(THEIRS, SECRET)).unwrap();
        let ours = SecretKey::from_slice(&bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")).unwrap();
        let salt = bytes("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap();
        let record = [&b"When I grow up, I want to be a watermelon"[..], &[2]].concat();
        let wanted = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        assert_eq!(URL_SAFE_NO_PAD.encode(keys.encrypt_with(&record, &ours, salt)), wanted);
    }

    #[test]
    fn length_of_a_message_tells_little() {
        let keys = BrowserKeys::read(&target(THEIRS, SECRET)).unwrap();
        let length = |message: usize| keys.encrypt(&vec![b'x'; message]).unwrap().len();
        assert_eq!(length(1), length(500));
        assert!(length(MAX_MESSAGE) <= RECORD as usize);
    }

    #[test]
    fn keys_must_be_a_point_and_sixteen_bytes() {
        let off_curve = format!("{}A", &THEIRS[..THEIRS.len() - 1]);
        for (public, secret) in
            [("", SECRET), (&off_curve, SECRET), (&THEIRS[2..], SECRET), (THEIRS, ""), (THEIRS, THEIRS)]
        {
            assert!(BrowserKeys::read(&target(public, secret)).is_none(), "{public} {secret}");
        }
    }
}
