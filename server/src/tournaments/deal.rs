//! The seeds of a tournament's deals. They follow from its secret alone, so that anyone can check them after the end.

use engines::rng::Seed;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::domain::token;

/// The seed of a deal: HMAC-SHA256 of `deal N`, where N is the number of the deal, with the secret as the key.
pub fn seed_of(secret: &[u8; 32], deal: u64) -> Seed {
    Seed(mac(secret, &format!("deal {deal}")))
}

/// The idempotency key with which the match of a game is created in this attempt. Only the server can know it.
pub fn creation_key(secret: &[u8; 32], tournament: &str, game: usize, attempt: u32) -> String {
    let of = format!("tournament {tournament} game {game} attempt {attempt}");
    format!("tournament-{}", token::hex(&mac(secret, &of)))
}

fn mac(secret: &[u8; 32], text: &str) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("HMAC takes keys of any length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Computed with `printf 'deal 3' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0707...07`.
    #[test]
    fn seed_is_what_other_programs_compute() {
        assert_eq!(seed_of(&[7; 32], 3).to_string(), OPENSSL);
        assert_ne!(seed_of(&[7; 32], 4), seed_of(&[7; 32], 3));
        assert_ne!(seed_of(&[8; 32], 3), seed_of(&[7; 32], 3));
        let key = creation_key(&[7; 32], "t", 1, 2);
        assert!(key.len() <= 200 && key != creation_key(&[7; 32], "t", 1, 3));
    }

    const OPENSSL: &str = "295ac42219cbf60bc483946b5a0e206a515ec7d850a77e9c3c90f643215abbeb";
}
