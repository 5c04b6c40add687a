//! Seeds in requests and responses: a number, or 64 hexadecimal digits.

use std::borrow::Cow;
use std::fmt;
use std::hash::{BuildHasher, RandomState};

use engines::rng::Seed;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::{Serialize, Serializer};

/// The largest integer that every JSON reader represents exactly.
const MAX_EXACT: u64 = (1 << 53) - 1;

/// A seed in a request or a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SeedText(pub Seed);

impl SeedText {
    /// An unpredictable seed, short enough to be copied by hand.
    pub(crate) fn fresh() -> Self {
        // The standard library keys each of these from the system's randomness and a counter.
        Self((RandomState::new().hash_one(std::process::id()) & MAX_EXACT).into())
    }
}

impl Serialize for SeedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (low, high) = self.0.0.split_at(8);
        let number = low.iter().rev().fold(0, |n, byte| n << 8 | u64::from(*byte));
        if number <= MAX_EXACT && high.iter().all(|byte| *byte == 0) {
            serializer.serialize_u64(number)
        } else {
            serializer.collect_str(&self.0)
        }
    }
}

impl<'de> Deserialize<'de> for SeedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SeedVisitor)
    }
}

struct SeedVisitor;

impl Visitor<'_> for SeedVisitor {
    type Value = SeedText;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number from 0 on, or a text of 64 hexadecimal digits")
    }

    fn visit_u64<E: de::Error>(self, n: u64) -> Result<SeedText, E> {
        Ok(SeedText(n.into()))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<SeedText, E> {
        text.parse().map(SeedText).map_err(E::custom)
    }
}

impl JsonSchema for SeedText {
    fn schema_name() -> Cow<'static, str> {
        "Seed".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number, or a text of 64 hexadecimal digits.",
            "oneOf": [
                { "type": "integer", "minimum": 0 },
                { "type": "string", "pattern": "^([0-9]{1,20}|[0-9a-fA-F]{64})$" },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_written_as_they_are_read() {
        let back = |json: &str| {
            let seed: SeedText = serde_json::from_str(json).unwrap();
            serde_json::to_string(&seed).unwrap()
        };
        assert_eq!(back("7"), "7");
        assert_eq!(back("\"7\""), "7");
        assert_eq!(back("9007199254740991"), "9007199254740991");
        let long = format!("\"{}\"", "ab".repeat(32));
        assert_eq!(back(&long), long);
        assert_eq!(back("9007199254740992").len(), 66, "too large for some readers of JSON");
        for bad in ["-1", "1.5", "\"\"", "\"xyz\"", "true", "18446744073709551616"] {
            assert!(serde_json::from_str::<SeedText>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn fresh_seeds_differ() {
        assert_ne!(SeedText::fresh(), SeedText::fresh());
    }
}
