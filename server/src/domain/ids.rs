//! The ids of matches, tournaments and puzzles.

use std::fmt;
use std::marker::PhantomData;

use serde::{Deserialize, Serialize};

/// The kind of thing that an id names.
pub trait IdKind {
    /// The error for any other text.
    const NOT_ITS_ID: &'static str;
}

/// Ids of matches are of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OfMatch;

impl IdKind for OfMatch {
    const NOT_ITS_ID: &'static str = "not the id of a match";
}

/// Ids of tournaments are of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OfTournament;

impl IdKind for OfTournament {
    const NOT_ITS_ID: &'static str = "not the id of a tournament";
}

/// Ids of puzzles are of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OfPuzzle;

impl IdKind for OfPuzzle {
    const NOT_ITS_ID: &'static str = "not the id of a puzzle";
}

/// An id: a UUID of version 7, which sorts by creation time, in its usual text form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String", bound = "K: IdKind + Clone")]
pub struct Id<K> {
    text: String,
    kind: PhantomData<K>,
}

/// Sorts matches by the time of their creation.
pub type MatchId = Id<OfMatch>;

/// Sorts tournaments by the time of their creation.
pub type TournamentId = Id<OfTournament>;

/// Sorts puzzles by the time at which they were made.
pub type PuzzleId = Id<OfPuzzle>;

impl<K> Id<K> {
    fn of(text: String) -> Self {
        Self { text, kind: PhantomData }
    }

    /// A fresh id.
    pub fn fresh() -> Self {
        Self::of(uuid::Uuid::now_v7().hyphenated().to_string())
    }

    /// Reads an id; `None` if the text is not a UUID in lower case.
    pub fn parse(text: &str) -> Option<Self> {
        let plain = text.len() == 36 && !text.bytes().any(|b| b.is_ascii_uppercase());
        (plain && uuid::Uuid::try_parse(text).is_ok()).then(|| Self::of(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl<K: IdKind> TryFrom<String> for Id<K> {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text).ok_or(K::NOT_ITS_ID)
    }
}

impl<K> From<Id<K>> for String {
    fn from(id: Id<K>) -> Self {
        id.text
    }
}

impl<K> fmt::Display for Id<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl MatchId {
    /// The least id that a match can have that was created at this time, in milliseconds since 1970, or later.
    pub fn least_at(ms: i64) -> Self {
        let ms = ms.clamp(0, (1 << 48) - 1);
        Self::of(format!("{:08x}-{:04x}-7000-8000-000000000000", ms >> 16, ms & 0xffff))
    }
}

impl PuzzleId {
    /// The places of puzzles are below this number.
    pub const PLACES: u64 = 1 << 32;

    /// The place of the puzzle in a random order: the last 32 bits of its id, which are random.
    pub fn place(&self) -> i64 {
        // An id is 36 characters, of which these are hexadecimal digits.
        i64::from_str_radix(&self.text[28..], 16).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn least_id_of_a_time_divides_the_ids_made_before_and_after_it() {
        let id = MatchId::fresh();
        let ms = i64::from_str_radix(&id.as_str().replace('-', "")[..12], 16).unwrap();
        assert!(MatchId::least_at(ms) < id && id < MatchId::least_at(ms + 1), "{id}");
        assert_eq!(MatchId::parse(MatchId::least_at(ms).as_str()), Some(MatchId::least_at(ms)));
        assert!(MatchId::least_at(i64::MIN) < MatchId::least_at(i64::MAX));
    }
}
