//! Splits bytes into lines. Pure: it must not read, write or interpret anything.

/// Longest accepted line, in bytes. Official lines are much shorter.
pub(crate) const LONGEST_LINE: usize = 64 * 1024;

/// A line longer than [`LONGEST_LINE`].
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooLong;

/// Splits a stream of bytes into lines. Reads may end anywhere.
#[derive(Debug, Default)]
pub(crate) struct Splitter {
    /// The beginning of a line whose end has not arrived.
    partial: Vec<u8>,
}

impl Splitter {
    /// Takes the bytes of one read and passes on every line that is now complete.
    pub(crate) fn push(&mut self, bytes: &[u8], mut line: impl FnMut(&str)) -> Result<(), TooLong> {
        let mut pieces = bytes.split(|&byte| byte == b'\n');
        let last = pieces.next_back().unwrap_or_default();
        for piece in pieces {
            self.grow(piece)?;
            line(&text(&self.partial));
            self.partial.clear();
        }
        self.grow(last)
    }

    /// At the end of input: passes on the last line, which may lack its line break.
    pub(crate) fn finish(&mut self, line: impl FnOnce(&str)) {
        if !self.partial.is_empty() {
            line(&text(&self.partial));
            self.partial.clear();
        }
    }

    fn grow(&mut self, piece: &[u8]) -> Result<(), TooLong> {
        if self.partial.len() + piece.len() > LONGEST_LINE {
            return Err(TooLong);
        }
        self.partial.extend_from_slice(piece);
        Ok(())
    }
}

/// A line without its carriage return. Invalid UTF-8 is replaced, so that it does not end a match.
fn text(line: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&[u8]]) -> Vec<String> {
        let mut splitter = Splitter::default();
        let mut out = Vec::new();
        for chunk in chunks {
            splitter.push(chunk, |line| out.push(line.to_owned())).unwrap();
        }
        splitter.finish(|line| out.push(line.to_owned()));
        out
    }

    #[test]
    fn reads_may_end_at_any_byte() {
        assert_eq!(lines(&[b"1 2", b" 3\r", b"\n4\n\n5"]), ["1 2 3", "4", "", "5"]);
        assert_eq!(lines(&[]), [""; 0]);
        assert_eq!(lines(&[b"7\n"]), ["7"]);
    }

    #[test]
    fn split_characters_are_joined_and_invalid_bytes_replaced() {
        let spade = "♠".as_bytes();
        assert_eq!(lines(&[&spade[..1], &spade[1..], b"\n"]), ["♠"]);
        assert_eq!(lines(&[b"\xff!\n"]), ["\u{fffd}!"]);
    }

    #[test]
    fn too_long_line_is_an_error() {
        let mut splitter = Splitter::default();
        assert_eq!(splitter.push(&[b'x'; LONGEST_LINE], |_| ()), Ok(()));
        assert_eq!(splitter.push(b"x", |_| ()), Err(TooLong));
    }
}
