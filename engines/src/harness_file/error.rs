//! The error in a file, with its place; and the text of a file.

use std::borrow::Cow;

/// The reason why a file cannot be read, and the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct HarnessFileError {
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong there, in one sentence.
    pub what: String,
}

impl HarnessFileError {
    /// An error at this place.
    pub fn new(line: usize, column: usize, what: impl Into<String>) -> Self {
        Self { line, column, what: what.into() }
    }

    /// An error at this byte of a text.
    pub fn at(text: &str, offset: usize, what: impl Into<String>) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |rest| rest.chars().count()) + 1;
        Self::new(line, column, what)
    }

    /// An error at `part`, which is a part of `text` itself, not of a copy.
    pub fn at_part(text: &str, part: &str, what: impl Into<String>) -> Self {
        Self::at(text, (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize), what)
    }

    /// An error of JSON, without the place at the end of its message.
    pub fn json(e: &serde_json::Error) -> Self {
        Self::new(e.line().max(1), e.column().max(1), json_message(e))
    }
}

/// The message of an error of JSON, without its place.
pub(crate) fn json_message(e: &serde_json::Error) -> String {
    let text = e.to_string();
    text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message).to_owned()
}

/// The text of a file: UTF-8 with or without a byte order mark, or UTF-16 with one, as some shells write it.
///
/// # Errors
/// At the first byte that is no text.
pub fn text_of(bytes: &[u8]) -> Result<Cow<'_, str>, HarnessFileError> {
    let wide = |order: fn([u8; 2]) -> u16, rest: &[u8]| {
        let units: Vec<u16> = rest.chunks_exact(2).map(|pair| order([pair[0], pair[1]])).collect();
        let text = String::from_utf16(&units).ok().filter(|_| rest.len().is_multiple_of(2));
        text.map(Cow::Owned).ok_or_else(|| HarnessFileError::new(1, 1, "this is damaged text in UTF-16"))
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => wide(u16::from_le_bytes, rest),
        [0xfe, 0xff, rest @ ..] => wide(u16::from_be_bytes, rest),
        _ => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            std::str::from_utf8(bytes).map(Cow::Borrowed).map_err(|e| {
                let valid = String::from_utf8_lossy(&bytes[..e.valid_up_to()]);
                HarnessFileError::at(&valid, valid.len(), "this byte is not text in UTF-8")
            })
        }
    }
}
