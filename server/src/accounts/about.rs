//! A player's description of itself.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::text::alters_display;
use crate::error::{Code, Error};

/// The longest description, version and link, in characters.
const MAX_DESCRIPTION: usize = 500;
const MAX_VERSION: usize = 40;
const MAX_SOURCE: usize = 200;

/// A player's description of itself; each part may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// A description, at most 500 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 500))]
    pub description: Option<String>,
    /// Of a bot: its version, at most 40 characters. A rating follows a new version as its matches come in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 40))]
    pub version: Option<String>,
    /// A link to the source code or a home page: http or https, at most 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 200), regex(pattern = r"^https?://[^/?#\s@]+([/?#]\S*)?$"))]
    pub source: Option<String>,
}

impl About {
    /// Checks the caller's values, and returns them as JSON to be stored.
    ///
    /// # Errors
    /// `bad_field`.
    pub fn stored(&self) -> Result<String, Error> {
        let parts = [
            ("description", &self.description, MAX_DESCRIPTION),
            ("version", &self.version, MAX_VERSION),
            ("source", &self.source, MAX_SOURCE),
        ];
        for (name, text, most) in parts {
            let Some(text) = text else { continue };
            if text.chars().count() > most {
                return Err(bad(name, &format!("must have at most {most} characters")));
            }
            // Line breaks are fine in a description.
            if text.chars().any(|c| alters_display(c) && !(c == '\n' && name == "description")) {
                return Err(bad(
                    name,
                    "must not have control characters or marks that change the direction of text",
                ));
            }
        }
        let is_link = |text: &String| {
            let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
            // A user name before an @ can look like the host.
            rest.is_some_and(|rest| {
                let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
                !host.is_empty()
                    && !host.contains('@')
                    && !rest.contains(|c: char| c.is_whitespace() || c == '\\')
            })
        };
        if self.source.as_ref().is_some_and(|source| !is_link(source)) {
            return Err(bad(
                "source",
                "must be a link that begins with https:// or http:// and names no user",
            ));
        }
        Ok(serde_json::to_string(self).expect("texts are JSON"))
    }

    /// The stored description; empty if a later version of the program wrote something that this one cannot read.
    pub fn read(stored: Option<&str>) -> Self {
        stored.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }
}

fn bad(name: &str, what: &str) -> Error {
    Error::new(Code::BadField, format!("about.{name}: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_checked() {
        let about = |description: &str, source: &str| About {
            description: Some(description.into()),
            version: None,
            source: Some(source.into()),
        };
        let good = about("Plays well.\nMostly.", "https://example.org/@bot");
        assert_eq!(About::read(Some(&good.stored().unwrap())), good);
        assert_eq!(About::default().stored().unwrap(), "{}");
        for (description, source) in [
            ("\u{7}", "https://example.org"),
            (&*"x".repeat(501), "https://example.org"),
            ("", "javascript:alert(1)"),
            ("", "https://"),
            ("", "https://a b"),
            ("", "example.org"),
            ("", "https://example.org:pass@evil.example/"),
            ("", "https://example.org\\@evil.example/"),
            ("", "https:///example.org"),
            ("a\u{202e}b", "https://example.org"),
            ("a\u{2066}b", "https://example.org"),
        ] {
            assert!(about(description, source).stored().is_err(), "{description:.9} {source}");
        }
    }
}
