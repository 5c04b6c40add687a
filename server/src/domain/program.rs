//! Programs of bots: uploaded modules, each in one version.

use std::fmt::{self, Display};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::domain::token::hex;

/// The largest module, in bytes.
pub const MAX_MODULE_BYTES: usize = 16 << 20;

/// The stage of a program's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProgramState {
    /// It waits for its check, or is being checked.
    Checking,
    /// It has passed its check, and has never been active.
    Ready,
    /// It plays for the bot. A bot has at most one active program of a game.
    Active,
    /// It was active.
    Retired,
    /// It has failed its check.
    Refused,
}

impl ProgramState {
    const ALL: [Self; 5] = [Self::Checking, Self::Ready, Self::Active, Self::Retired, Self::Refused];

    /// As the API and the database write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Checking => "checking",
            Self::Ready => "ready",
            Self::Active => "active",
            Self::Retired => "retired",
            Self::Refused => "refused",
        }
    }

    /// The state of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Whether a program in this state can become active.
    pub const fn may_become_active(self) -> bool {
        matches!(self, Self::Ready | Self::Retired)
    }
}

/// The hash of a module: SHA-256, in 64 hexadecimal digits. It names the module everywhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProgramHash(String);

impl ProgramHash {
    /// The hash of a module.
    pub fn of(module: &[u8]) -> Self {
        let bytes: [u8; 32] = Sha256::digest(module).into();
        Self(hex(&bytes))
    }

    /// Reads a hash; `None` if the text is none.
    pub fn parse(text: &str) -> Option<Self> {
        let digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
        (text.len() == 64 && text.bytes().all(digit)).then(|| Self(text.to_owned()))
    }

    /// The 64 digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Display for ProgramHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_states_are_read_back() {
        for state in ProgramState::ALL {
            assert_eq!(ProgramState::parse(state.name()), Some(state));
            assert_eq!(serde_json::to_value(state).unwrap(), state.name());
        }
        assert_eq!(ProgramState::parse("on"), None);
    }

    #[test]
    fn hash_is_read_back() {
        let hash = ProgramHash::of(b"module");
        assert_eq!(ProgramHash::parse(hash.as_str()), Some(hash.clone()));
        for wrong in [&hash.as_str()[1..], &hash.as_str().to_uppercase(), "", &"g".repeat(64)] {
            assert_eq!(ProgramHash::parse(wrong), None, "{wrong}");
        }
    }
}
