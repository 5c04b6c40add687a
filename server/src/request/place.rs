//! The place of an error in a JSON body: the path of the wrong field, also where a field decides which others there are.

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

/// A wrong field is looked for only in bodies up to this size, in bytes, and in objects up to this number of fields: each field
/// costs a parse of the body.
const MAX_BODY: usize = 16 << 10;
const MAX_FIELDS: usize = 16;

/// The fields that decide which others an object has. Without them there is always another error, so they are looked at last.
const DECIDING: [&str; 2] = ["kind", "type"];

/// The path of the field because of which these bytes, which are JSON, are no value of this type; `None`: the whole value is wrong.
pub(super) fn wrong_field<T: DeserializeOwned>(bytes: &[u8]) -> Option<String> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let found = serde_path_to_error::deserialize::<_, T>(&mut deserializer).err()?;
    let path = Some(found.path().to_string()).filter(|path| path != ".");
    match field_of_variant::<T>(bytes, found.path()) {
        Some(field) => Some(path.map_or(field.clone(), |path| format!("{path}.{field}"))),
        None => path,
    }
}

/// The wrong field of the object at this path. If a field of an object decides which others there are, the library reads them apart
/// and does not know which of them is wrong: it is the one without which the error is another one.
fn field_of_variant<T: DeserializeOwned>(bytes: &[u8], path: &Path) -> Option<String> {
    if bytes.len() > MAX_BODY {
        return None;
    }
    let error = reason::<T>(bytes)?;
    let body: Value = serde_json::from_slice(bytes).ok()?;
    let fields = object_at(&mut body.clone(), path)?.clone();
    // Any other field could be in the way of the one that is missing.
    if fields.len() > MAX_FIELDS || error.starts_with("missing field") {
        return None;
    }
    let decides = |name: &&String| {
        let mut without = body.clone();
        let removed = object_at(&mut without, path).and_then(|fields| fields.remove(*name));
        let text = removed.and_then(|_| serde_json::to_vec(&without).ok());
        text.is_some_and(|text| reason::<T>(&text).is_none_or(|other| other != error))
    };
    let (last, first): (Vec<_>, Vec<_>) = fields.keys().partition(|name| DECIDING.contains(&name.as_str()));
    first.into_iter().chain(last).find(decides).cloned()
}

/// The error of parsing these bytes, without its line and column.
fn reason<T: DeserializeOwned>(bytes: &[u8]) -> Option<String> {
    let text = serde_json::from_slice::<T>(bytes).err()?.to_string();
    Some(text.split(" at line ").next().unwrap_or_default().to_owned())
}

/// The object at this path.
fn object_at<'a>(body: &'a mut Value, path: &Path) -> Option<&'a mut serde_json::Map<String, Value>> {
    let mut at = body;
    for segment in path {
        at = match segment {
            Segment::Seq { index } => at.get_mut(*index)?,
            Segment::Map { key } => at.get_mut(key)?,
            Segment::Enum { .. } | Segment::Unknown => return None,
        };
    }
    at.as_object_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Order {
        #[serde(rename = "seats")]
        _seats: Vec<Seat>,
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
    enum Seat {
        Open {},
        Engine {
            #[serde(rename = "level")]
            _level: Option<Level>,
            #[serde(rename = "nodes")]
            _nodes: u64,
        },
    }

    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Level {
        Easy,
    }

    #[test]
    fn wrong_field_of_a_variant_is_named() {
        for (seats, path) in [
            (r#"[{"kind":"open"},{"kind":"engine","level":"deep","nodes":1}]"#, Some("seats[1].level")),
            (r#"[{"kind":"engine","level":"easy","nodes":"many"}]"#, Some("seats[0].nodes")),
            (r#"[{"kind":"chair"}]"#, Some("seats[0].kind")),
            (r#"[{"kind":"open","level":"easy"}]"#, Some("seats[0].level")),
            // Which of the two belongs to what is missing, only the sentence of the error says.
            (r#"[{"kind":"engine","level":"easy"}]"#, Some("seats[0]")),
            (r#"[7]"#, Some("seats[0]")),
            (r#"7"#, Some("seats")),
        ] {
            let body = format!(r#"{{"seats":{seats}}}"#);
            assert_eq!(wrong_field::<Order>(body.as_bytes()).as_deref(), path, "{body}");
        }
        assert_eq!(wrong_field::<Order>(b"{}"), None);
        assert!(matches!(Seat::Open {}, Seat::Open {}) && matches!(Level::Easy, Level::Easy));
        let seat = r#"{"kind":"engine","level":"deep","nodes":1}"#;
        let long = format!(r#"{{"seats":[{seat}{}]}}"#, r#",{"kind":"open"}"#.repeat(2000));
        assert_eq!(wrong_field::<Order>(long.as_bytes()).as_deref(), Some("seats[0]"), "too long to look");
    }
}
