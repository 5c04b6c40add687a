//! A decision that a dialogue asks for, with its time limits and its seed.

use std::time::Duration;

use serde_json::Value;

use super::Position;
use crate::dialogue::CountedTime;
use crate::rng::{Rng, Seed};

/// A decision that a dialogue asks for.
pub struct DecisionRequest {
    /// The view of the seat to move.
    pub position: Box<dyn Position>,
    /// Time left for all further decisions of the match, if the dialogue gives it.
    pub clock: Option<Duration>,
    /// The official limit for one decision, if there is one.
    pub limit: Option<Duration>,
    /// The kind of time that the official limits count.
    pub counts: CountedTime,
    /// Thinking time if the caller asks for no other.
    pub usual: Duration,
}

impl DecisionRequest {
    /// The longest time that the answer may take: the official limits, less a margin for the way to the referee and for
    /// other work on the machine. `None`: there is no limit.
    pub fn longest(&self) -> Option<Duration> {
        [self.limit, self.clock].into_iter().flatten().map(usable).min()
    }

    /// The thinking time: the time that the caller `asked` for, else the clock's share, else the usual time of the game.
    /// It is never so long that the decision could miss an official limit.
    pub fn thinking_time(&self, asked: Option<Duration>) -> Duration {
        let wanted = match (asked, self.clock) {
            (Some(asked), _) => asked,
            (None, Some(clock)) => self.position.allot(clock),
            (None, None) => self.usual,
        };
        self.longest().map_or(wanted, |longest| wanted.min(longest))
    }

    /// The seed of this decision in a dialogue with that seed. Each position has a different one. On any machine, a
    /// dialogue continued from its transcript has the same one again.
    pub fn seed(&self, dialogue: &Seed) -> Seed {
        let mut text = String::new();
        write_canonical(&self.position.to_json(), &mut text);
        // FNV-1a, 64 bits (Fowler, Noll, Vo): the same on every machine.
        let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Rng::stream(dialogue, hash).seed()
    }
}

/// Writes JSON without spaces, the keys of every object sorted. The text of [`Value`] itself keeps the order in which keys
/// were inserted if any dependency turns on that feature of `serde_json`.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<(&str, &Value)> =
                map.iter().map(|(key, value)| (key.as_str(), value)).collect();
            write_fields(&mut fields, out);
        }
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

/// Writes an object with sorted keys.
fn write_fields(fields: &mut [(&str, &Value)], out: &mut String) {
    fields.sort_unstable_by_key(|(key, _)| *key);
    out.push('{');
    for (i, (key, value)) in fields.iter().enumerate() {
        if i > 0 {
            out.push(',');
        }
        out.push_str(&Value::from(*key).to_string());
        out.push(':');
        write_canonical(value, out);
    }
    out.push('}');
}

/// The usable part of an official limit: all but a margin for the way to the referee and for a busy machine.
pub fn usable(limit: Duration) -> Duration {
    limit - margin(limit)
}

/// The unused margin of an official limit.
fn margin(limit: Duration) -> Duration {
    (limit / 10).clamp(Duration::from_millis(20), Duration::from_millis(500)).min(limit / 2)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::game::{Seat, Viewer};

    #[test]
    fn canonical_text_does_not_depend_on_the_order_of_keys() {
        let (one, list, nested) = (json!(1), json!([true, null, "é\"", 0.5]), json!({"b": {}, "a": []}));
        let mut fields = [("z", &one), ("a\"", &list), ("m", &nested)];
        let mut text = String::new();
        write_fields(&mut fields, &mut text);
        assert_eq!(text, r#"{"a\"":[true,null,"é\"",0.5],"m":{"a":[],"b":{}},"z":1}"#);
    }

    /// Seeds do not change: earlier versions used the text of [`Value`], whose keys are sorted here.
    #[test]
    fn canonical_text_is_that_of_sorted_json() {
        for game in crate::games::GAMES {
            let table = game.deal(&json!({}), &Seed::from(1)).unwrap();
            let view = table.view(Viewer::Seat(Seat(0))).to_json();
            let mut text = String::new();
            write_canonical(&view, &mut text);
            assert_eq!(text, view.to_string());
        }
    }
}
