//! Masks values that depend on the time of day, and the name of the node. They are the only differences between two
//! servers that were started on the same match.

/// Always the time of the answer, of the server's start, or the players who were connected at that time.
const NOW: [&str; 3] = ["now_ms", "away_ms", "connected"];

/// Times of events, the host's own after the start.
const AT: [&str; 2] = ["at_ms", "since_ms"];

/// Fields with durations, in events after the start.
const TOOK: [&str; 3] = ["queue_us", "think_us", "commit_us"];

/// The header of responses that are long enough to compress. The digits of times decide on which side of that length a
/// response falls.
const LONG_ENOUGH: &str = "vary: \"accept-encoding\"";

/// The header that names the node. Each of the two servers is one.
const NODE: &str = "x-kibitz-node:";

/// The text with all times after `last_ms` masked, without the parts that depend on their digits or on the node.
pub(super) fn mask_times(text: &str, last_ms: i64) -> String {
    let text = without_presence(text);
    let lines =
        text.split_inclusive('\n').filter(|line| line.trim_end() != LONG_ENOUGH && !line.starts_with(NODE));
    lines.map(|line| mask_line(line, last_ms)).collect()
}

/// The text without the frames that report the connected players: when they come depends on time alone.
fn without_presence(text: &str) -> String {
    let mut lines = text.split_inclusive('\n');
    let mut kept = String::with_capacity(text.len());
    while let Some(line) = lines.next() {
        if line.trim_end() == "event: presence" {
            // A frame of server-sent events ends with an empty line.
            let _ = lines.by_ref().find(|line| line.trim_end().is_empty());
        } else if !line.contains(r#""type":"presence""#) {
            kept.push_str(line);
        }
    }
    kept
}

fn mask_line(line: &str, last_ms: i64) -> String {
    let is_new = |value: &str| value.parse::<i64>().is_ok_and(|ms| ms > last_ms);
    let mut line = line.to_owned();
    // Mask these before the times: the time left on clocks depends on the duration of moves since the start.
    if any(&line, "at_ms", is_new) || any(&line, "since_ms", is_new) {
        for name in TOOK {
            line = replace(&line, name, |_| true);
        }
        line = replace(&line, "left_ms", |_| true);
    }
    for name in NOW {
        line = replace(&line, name, |_| true);
    }
    for name in AT {
        line = replace(&line, name, is_new);
    }
    line
}

/// The places of a field's values in a line of JSON.
fn values(line: &str, name: &str) -> Vec<std::ops::Range<usize>> {
    let field = format!("\"{name}\":");
    let end = |from: usize| {
        let list = line[from..].starts_with('[');
        let length = line[from..].find(if list { &[']'][..] } else { &[',', '}'][..] }).unwrap_or(0);
        from + length + usize::from(list)
    };
    line.match_indices(&field).map(|(at, _)| at + field.len()..end(at + field.len())).collect()
}

fn any(line: &str, name: &str, which: impl Fn(&str) -> bool) -> bool {
    values(line, name).into_iter().any(|place| which(&line[place]))
}

fn replace(line: &str, name: &str, which: impl Fn(&str) -> bool) -> String {
    let mut line = line.to_owned();
    for place in values(&line.clone(), name).into_iter().rev() {
        if which(&line[place.clone()]) {
            line.replace_range(place, "_");
        }
    }
    line
}

#[test]
fn presence_alone_is_left_out() {
    let text =
        "event: presence\ndata: {\"type\":\"presence\"}\n\nevent: moved\ndata: {\"type\":\"moved\"}\n\n";
    assert_eq!(without_presence(text), "event: moved\ndata: {\"type\":\"moved\"}\n\n");
    assert_eq!(without_presence("{\"type\":\"presence\"}\n{\"type\":\"moved\"}\n"), "{\"type\":\"moved\"}\n");
}

#[test]
fn times_alone_are_masked() {
    let old = r#"data: {"type":"moved","times":{"queue_us":1,"think_us":2},"clock":{"left_ms":[5,null],"since_ms":99,"now_ms":99},"at_ms":99}"#;
    let blotted = mask_times(old, 99);
    assert_eq!(blotted, old.replace(r#""now_ms":99"#, r#""now_ms":_"#));
    let new = old.replace("99", "100");
    let blotted = mask_times(&new, 99);
    let left = r#"data: {"type":"moved","times":{"queue_us":_,"think_us":_},"clock":{"left_ms":_,"since_ms":_,"now_ms":_},"at_ms":_}"#;
    assert_eq!(blotted, left);
}
