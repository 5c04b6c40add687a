//! The classic text format of Prometheus (version 0.0.4), which programs without OpenMetrics read. It is written from the text
//! in OpenMetrics: of the metrics of this server the two formats differ only in the name of the family of a counter, which has
//! the ending `_total` in the classic format, and in lines that only OpenMetrics has.

/// The text in the classic format. `open`: the text in OpenMetrics 1.0.
pub(super) fn of(open: &str) -> String {
    let mut classic = String::with_capacity(open.len() + open.len() / 16);
    // A counter has its help before its type.
    let mut help = None;
    for line in open.lines() {
        if let Some(text) = line.strip_prefix("# HELP ") {
            help = text.split_once(' ');
        } else if let Some((name, kind)) = line.strip_prefix("# TYPE ").and_then(|text| text.split_once(' '))
        {
            let ending = if kind == "counter" { "_total" } else { "" };
            if let Some((of, help)) = help.take()
                && of == name
            {
                push(&mut classic, &["# HELP ", name, ending, " ", help]);
            }
            push(&mut classic, &["# TYPE ", name, ending, " ", kind]);
        } else if !line.starts_with('#') {
            push(&mut classic, &[line]);
        }
    }
    classic
}

fn push(text: &mut String, parts: &[&str]) {
    text.extend(parts.iter().copied());
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_have_their_whole_name() {
        let open = "# HELP moves Moves.\n# TYPE moves counter\nmoves_total{by=\"engine\"} 3\n\
                    # HELP wait_seconds Time waited.\n# TYPE wait_seconds histogram\n# UNIT wait_seconds seconds\n\
                    wait_seconds_bucket{le=\"+Inf\"} 0\n# HELP open Open.\n# TYPE open gauge\nopen 1\n# EOF\n";
        let classic = "# HELP moves_total Moves.\n# TYPE moves_total counter\nmoves_total{by=\"engine\"} 3\n\
                       # HELP wait_seconds Time waited.\n# TYPE wait_seconds histogram\nwait_seconds_bucket{le=\"+Inf\"} 0\n\
                       # HELP open Open.\n# TYPE open gauge\nopen 1\n";
        assert_eq!(of(open), classic);
    }
}
