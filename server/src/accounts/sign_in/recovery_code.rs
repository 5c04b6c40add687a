//! Recovery codes: what a player writes down to sign in without a device. Each works once; only hashes are stored.

use std::fmt;

use sha2::{Digest, Sha256};

use crate::domain::token::{self, KeyHash};

/// How many codes a player has.
pub(super) const RECOVERY_CODES: usize = 10;

/// Letters and digits that are hard to confuse (Crockford's base 32). Each is worth five bits.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The letters of a code, which are worth 100 bits: a hash without salt cannot be searched.
const LENGTH: usize = 20;
const GROUP: usize = 5;

/// A code in the clear, in lower case and without its hyphens.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct RecoveryCode(String);

impl RecoveryCode {
    /// A random code.
    ///
    /// # Errors
    /// If the system gives no random numbers.
    pub(super) fn fresh() -> Result<Self, getrandom::Error> {
        let bytes = token::random()?;
        // 256 is a multiple of 32, so each letter is as likely.
        Ok(Self(bytes[..LENGTH].iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect()))
    }

    /// Reads a code as a person writes it; `None` if it cannot be one.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut code = String::with_capacity(LENGTH);
        for c in text.chars().filter(|c| !c.is_whitespace() && *c != '-') {
            let c = match c.to_ascii_lowercase() {
                'o' => '0',
                'i' | 'l' => '1',
                c => c,
            };
            if code.len() == LENGTH || !LETTERS.contains(&u8::try_from(c).ok()?) {
                return None;
            }
            code.push(c);
        }
        (code.len() == LENGTH).then_some(Self(code))
    }

    /// The text, to be shown to its player once.
    pub(super) fn reveal(&self) -> String {
        let groups: Vec<&str> = (0..LENGTH).step_by(GROUP).map(|at| &self.0[at..at + GROUP]).collect();
        groups.join("-")
    }

    /// The hash that is stored.
    pub(super) fn hash(&self) -> KeyHash {
        KeyHash(Sha256::new_with_prefix("recovery code ").chain_update(&self.0).finalize().into())
    }
}

impl fmt::Debug for RecoveryCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecoveryCode(hidden)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_read_as_people_write_it() {
        let code = RecoveryCode::fresh().unwrap();
        let text = code.reveal();
        assert_eq!(text.len(), 23, "{text}");
        for written in [text.clone(), text.to_uppercase(), format!(" {} ", text.replace('-', " "))] {
            let read = RecoveryCode::parse(&written).unwrap();
            assert_eq!((&read, read.hash()), (&code, code.hash()), "{written}");
        }
        assert_eq!(
            RecoveryCode::parse("OIL00-00000-00000-00000"),
            RecoveryCode::parse("01100-00000-00000-00000")
        );
        for wrong in
            ["", "00000-00000-00000-0000", "00000-00000-00000-000000", "u0000-00000-00000-00000", "é"]
        {
            assert_eq!(RecoveryCode::parse(wrong), None, "{wrong}");
        }
        assert!(!format!("{code:?}").contains(&text[..5]));
        assert_ne!(code, RecoveryCode::fresh().unwrap());
    }
}
