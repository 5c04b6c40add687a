//! A hash of JSON values that is the same on every machine, in every build and in every version. It protects nothing: values with
//! equal fingerprints can be made on purpose.

use serde_json::Value;

/// The hash of a value: FNV-1a (Fowler, Noll, Vo) with 64 bits, of its text without spaces and with sorted keys.
pub fn fingerprint(value: &Value) -> u64 {
    let mut text = String::new();
    write_canonical(value, &mut text);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::game::{Seat, Viewer};
    use crate::rng::Seed;

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

    /// Files of the arena hold fingerprints, and seeds of decisions follow from them.
    #[test]
    fn fingerprints_never_change() {
        assert_eq!(fingerprint(&json!({"b": "x", "a": [1, null]})), 0xe95a_6df4_9db7_2e6e);
    }
}
