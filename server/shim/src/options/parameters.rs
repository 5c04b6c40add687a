//! The query of a session: what the user asks of the server, in its words.

use super::time;
use crate::games::Facts;
use std::time::Duration;

/// The query, each key once: what is said later holds.
#[derive(Default)]
pub struct Parameters(Vec<(String, String)>);

impl Parameters {
    fn set(&mut self, key: &str, value: String) {
        match self.0.iter_mut().find(|(known, _)| known == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key.to_owned(), value)),
        }
    }

    /// Sets a key that is not set yet.
    pub fn set_default(&mut self, key: &str, value: &str) {
        if self.get(key).is_none() {
            self.set(key, value.to_owned());
        }
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// Cuts a thinking time that the contest's limit does not allow; what to tell the user.
    pub fn cut_thinking(&mut self, facts: &Facts) -> Option<String> {
        let (ms, note) = facts.cut(self.get("think_ms")?.parse().ok()?)?;
        self.set("think_ms", ms.to_string());
        Some(note)
    }

    /// The longest that a move is thought about.
    pub fn thinking_time(&self, facts: &Facts) -> Duration {
        let asked = self.get("think_ms").and_then(|ms| ms.parse().ok());
        let counted = self.get("nodes").and(facts.longest_ms);
        Duration::from_millis(asked.or(counted).unwrap_or(facts.think_ms))
    }

    /// Numbers and times are checked here, where the user's own word for them is known; the server checks the rest.
    pub fn set_checked(&mut self, key: &str, value: String, said: &str) -> Result<(), String> {
        let value = match key {
            "think_ms" => time::milliseconds(&value, said)?.to_string(),
            "nodes" => number(&value, said)?.to_string(),
            _ => value,
        };
        self.set(key, value);
        Ok(())
    }

    /// Sets what `KEY=VALUE` says.
    pub fn set_pair(&mut self, pair: &str, said: &str) -> Result<(), String> {
        match pair.split_once('=') {
            Some((key, value)) if !key.is_empty() => {
                self.set(key, value.to_owned());
                Ok(())
            }
            _ => Err(format!("{said} wants KEY=VALUE, not {pair:?}")),
        }
    }

    /// The keys and values, in the order in which they were first set.
    pub fn into_pairs(self) -> Vec<(String, String)> {
        self.0
    }
}

fn number(text: &str, said: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("{said} must be a whole number, not {text:?}"))
}
