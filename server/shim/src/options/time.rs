//! Parses times as users write them.

/// The longest accepted time: a day, in milliseconds.
const LONGEST_MS: f64 = 86_400_000.0;

/// The milliseconds of `500`, `500ms`, `2s` or `1.5s`. `name`: the option or variable as the user wrote it.
///
/// # Errors
/// One sentence, if the text is not a time, not a whole number of milliseconds, or more than a day.
pub(crate) fn milliseconds(text: &str, name: &str) -> Result<u64, String> {
    let wrong = || format!("{name} must be a time such as 500, 500ms or 1.5s, not {text:?}");
    let (number, unit) = match (text.strip_suffix("ms"), text.strip_suffix('s')) {
        (Some(number), _) => (number, 1.0),
        (None, Some(number)) => (number, 1000.0),
        (None, None) => return text.parse().map_err(|_| wrong()),
    };
    if !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return Err(wrong());
    }
    let ms = number.parse::<f64>().map_err(|_| wrong())? * unit;
    if (ms - ms.round()).abs() > 1e-6 || ms > LONGEST_MS {
        return Err(format!("{name} must be whole milliseconds and at most a day, not {text:?}"));
    }
    // The checks above make it whole, not negative, and at most a day.
    Ok(ms.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_milliseconds_or_have_a_unit() {
        for (text, ms) in
            [("500", 500), ("500ms", 500), ("2s", 2000), ("1.5s", 1500), ("0.001s", 1), ("0", 0)]
        {
            assert_eq!(milliseconds(text, "--think"), Ok(ms), "{text}");
        }
        for bad in
            ["", "s", "ms", "-1", "-1s", "1.5", "1.5ms", "0.0001s", "1e3s", "infs", "90000s", "2 s", "2m"]
        {
            let sentence = milliseconds(bad, "--think").expect_err(bad);
            assert!(sentence.starts_with("--think "), "{sentence}");
        }
    }
}
