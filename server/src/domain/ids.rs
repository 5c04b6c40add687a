//! The ids of matches and tournaments.

use serde::{Deserialize, Serialize};

/// Defines a type of ids with this documentation and name. `$not`: the error for any other text.
macro_rules! id_type {
    ($(#[$doc:meta])* $Id:ident, $not:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $Id(String);

        impl $Id {
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

        impl TryFrom<String> for $Id {
            type Error = &'static str;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                Self::parse(&text).ok_or($not)
            }
        }

        impl From<$Id> for String {
            fn from(id: $Id) -> Self {
                id.0
            }
        }

        impl std::fmt::Display for $Id {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id_type! {
    /// The id of a match: a UUID of version 7, which sorts by creation time, in its usual text form.
    MatchId, "not the id of a match"
}

impl MatchId {
    /// The least id that a match can have that was created at this time, in milliseconds since 1970, or later.
    pub fn least_at(ms: i64) -> Self {
        let ms = ms.clamp(0, (1 << 48) - 1);
        Self(format!("{:08x}-{:04x}-7000-8000-000000000000", ms >> 16, ms & 0xffff))
    }
}

id_type! {
    /// The id of a tournament: a UUID of version 7, which sorts by creation time, in its usual text form.
    TournamentId, "not the id of a tournament"
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
