//! The query of the request to the server: the user's wishes, in the server's words.

use super::{Environment, time};
use crate::games::GameFacts;
use std::time::Duration;

/// The query. Each key occurs once; a later value replaces an earlier one.
#[derive(Default)]
pub(crate) struct QueryParameters(Vec<(String, String)>);

impl QueryParameters {
    fn set(&mut self, key: &str, value: String) {
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// Sets a key that is not set yet.
    pub(super) fn set_default(&mut self, key: &str, value: &str) {
        if self.get(key).is_none() {
            self.set(key, value.to_owned());
        }
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// Shortens a thinking time beyond the contest's limit, and returns the note for the user.
    pub(super) fn cut_thinking(&mut self, facts: &GameFacts) -> Option<String> {
        let (ms, note) = facts.cut(self.get("think_ms")?.parse().ok()?)?;
        self.set("think_ms", ms.to_string());
        Some(note)
    }

    /// The longest thinking time of a move.
    pub(super) fn thinking_time(&self, facts: &GameFacts) -> Duration {
        let asked = self.get("think_ms").and_then(|ms| ms.parse().ok());
        let counted = self.get("nodes").and(facts.longest_ms);
        Duration::from_millis(asked.or(counted).unwrap_or(facts.think_ms))
    }

    /// Sets a key. Checks numbers and times here, where errors can use the user's `name` for them; the server checks
    /// the rest.
    pub(super) fn set_checked(&mut self, key: &str, value: String, name: &str) -> Result<(), String> {
        let value = match key {
            "think_ms" => time::milliseconds(&value, name)?.to_string(),
            "nodes" => number(&value, name)?.to_string(),
            _ => value,
        };
        self.set(key, value);
        Ok(())
    }

    /// The pairs `K=V,K=V` of a variable.
    pub(crate) fn of_variable(environment: &Environment<'_>, name: &str) -> Result<Self, String> {
        let mut parameters = Self::default();
        parameters.set_pairs(&environment.text(name)?.unwrap_or_default(), name)?;
        Ok(parameters)
    }

    /// Sets the keys and values of `K=V,K=V`.
    pub(super) fn set_pairs(&mut self, pairs: &str, name: &str) -> Result<(), String> {
        pairs.split(',').filter(|pair| !pair.is_empty()).try_for_each(|pair| self.set_pair(pair, name))
    }

    /// Sets the key and value of `KEY=VALUE`.
    pub(crate) fn set_pair(&mut self, pair: &str, name: &str) -> Result<(), String> {
        match pair.split_once('=') {
            Some((key, value)) if !key.is_empty() => {
                self.set(key, value.to_owned());
                Ok(())
            }
            _ => Err(format!("{name} needs KEY=VALUE, not {pair:?}")),
        }
    }

    /// The keys and values, in the order in which they were first set.
    pub(crate) fn into_pairs(self) -> Vec<(String, String)> {
        self.0
    }
}

fn number(text: &str, name: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{name} must be a whole number, not {text:?}"))
}
