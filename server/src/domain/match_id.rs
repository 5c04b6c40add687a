//! The id of a match.

use serde::{Deserialize, Serialize};

/// The id of a match: a UUID of version 7, which sorts by creation time, in its usual text form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct MatchId(String);

impl MatchId {
    /// A fresh id.
    pub fn fresh() -> Self {
        Self(uuid::Uuid::now_v7().hyphenated().to_string())
    }

    /// Reads an id; `None` if the text is not a UUID in lower case.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = text.len() == 36 && !text.bytes().any(|b| b.is_ascii_uppercase());
        (plain && uuid::Uuid::try_parse(text).is_ok()).then(|| Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for MatchId {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or("not the id of a match")
    }
}

impl From<MatchId> for String {
    fn from(id: MatchId) -> Self {
        id.0
    }
}

impl std::fmt::Display for MatchId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
