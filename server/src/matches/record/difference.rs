//! Finds the first difference between two JSON values.

use serde_json::Value;

/// The first place at which two values differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The place, as `times.think_us` or `seats[1].name`; `.` for the whole.
    pub path: String,
    /// The first value there, as short JSON, or `nothing`.
    pub there: String,
    /// The second value there.
    pub other: String,
}

/// The first difference between `there` and `other`. Fields of objects are compared in the order of their names.
pub fn difference(there: &Value, other: &Value) -> Option<Difference> {
    let mut path = String::new();
    let (there, other) = differ(Some(there), Some(other), &mut path)?;
    let path = if path.is_empty() { ".".to_owned() } else { path.trim_start_matches('.').to_owned() };
    Some(Difference { path, there: shown(there), other: shown(other) })
}

type Pair<'a> = (Option<&'a Value>, Option<&'a Value>);

fn differ<'a>(a: Option<&'a Value>, b: Option<&'a Value>, path: &mut String) -> Option<Pair<'a>> {
    let before = path.len();
    match (a, b) {
        (Some(Value::Object(x)), Some(Value::Object(y))) => {
            let mut names: Vec<&String> = x.keys().chain(y.keys()).collect();
            names.sort_unstable();
            names.dedup();
            names.into_iter().find_map(|name| {
                path.truncate(before);
                path.push('.');
                path.push_str(name);
                differ(x.get(name), y.get(name), path)
            })
        }
        (Some(Value::Array(x)), Some(Value::Array(y))) => (0..x.len().max(y.len())).find_map(|i| {
            path.truncate(before);
            path.push_str(&format!("[{i}]"));
            differ(x.get(i), y.get(i), path)
        }),
        (a, b) => (a != b).then_some((a, b)),
    }
}

/// The longest JSON that is shown whole, in characters.
const SHOWN: usize = 120;

fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "nothing".to_owned() };
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn difference_names_the_first_path_and_both_values() {
        let a = json!({"b": [1, {"c": "x"}], "d": 1, "long": "y".repeat(500)});
        let found = |b: Value| difference(&a, &b).map(|d| (d.path, d.there, d.other));
        let is = |path: &str, there: &str, other: &str| Some((path.into(), there.into(), other.into()));
        let mut b = a.clone();
        assert_eq!(found(b.clone()), None);
        b["long"] = json!(0);
        assert_eq!(found(b.clone()).unwrap().1.len(), SHOWN + 3);
        b["d"] = Value::Null;
        assert_eq!(found(b.clone()), is("d", "1", "null"), "the first by name");
        b["b"][1]["c"] = json!("y");
        assert_eq!(found(b.clone()), is("b[1].c", "\"x\"", "\"y\""));
        b["b"] = json!([1]);
        assert_eq!(found(b.clone()), is("b[1]", "{\"c\":\"x\"}", "nothing"));
        b["a"] = json!({});
        assert_eq!(found(b), is("a", "nothing", "{}"));
        assert_eq!(found(json!(7)).unwrap().0, ".");
    }
}
