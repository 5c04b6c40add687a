//! The check of a text that should be a record, in one line.

use crate::matches::record::{Record, check, replay};

/// Checks a text as a record: `Ok`, its summary in one line.
///
/// # Errors
/// The first thing in it that is wrong.
pub fn verdict(text: &[u8]) -> Result<String, String> {
    let record = Record::read(text).map_err(|unreadable| match unreadable.event {
        Some(place) => plain(&format!("event {place}: {}", unreadable.what)),
        None => plain(&unreadable.what),
    })?;
    check(&record).map_err(|wrong| plain(&wrong.to_string()))?;
    Ok(plain(&replay::summary(&record)))
}

/// Escapes the content of a file, so that a terminal and programs that read lines can show it safely.
pub fn plain(text: &str) -> String {
    // Marks that reverse the direction of writing could make a line look like another one.
    let hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().flat_map(|c| if hidden(c) { c.escape_unicode().collect() } else { vec![c] }).collect()
}
