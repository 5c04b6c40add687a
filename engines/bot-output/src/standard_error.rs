//! The lines that a bot writes to standard error: how long one may be, and how many of them a server gets. Pure.

/// The longest part of a line that is kept, in bytes.
const LONGEST_LINE: usize = 1000;

/// How much of one move, and of one match, the server gets, in bytes.
const MOST_OF_MOVE: usize = 4 * 1024;
const MOST_OF_MATCH: usize = 256 * 1024;

/// The mark at the end of a line that was cut.
const CUT: &str = "...";

/// Splits bytes into lines. A line of any length costs the memory of 1,000 bytes.
#[derive(Debug, Default)]
pub struct ErrorLines {
    /// The beginning of a line whose end has not arrived.
    partial: Vec<u8>,
    /// Whether more of this line has arrived than is kept.
    is_cut: bool,
}

impl ErrorLines {
    /// Takes the bytes of one read and passes on every line that is now complete.
    pub fn push(&mut self, bytes: &[u8], mut line: impl FnMut(&str)) {
        let mut pieces = bytes.split(|&byte| byte == b'\n');
        let last = pieces.next_back().unwrap_or_default();
        for piece in pieces {
            self.grow(piece);
            self.complete(&mut line);
        }
        self.grow(last);
    }

    /// Passes on the last line, which may lack its line break.
    pub fn finish(&mut self, line: impl FnMut(&str)) {
        if !self.partial.is_empty() {
            self.complete(line);
        }
    }

    fn grow(&mut self, piece: &[u8]) {
        let room = LONGEST_LINE - self.partial.len();
        self.is_cut |= piece.len() > room;
        self.partial.extend_from_slice(&piece[..piece.len().min(room)]);
    }

    fn complete(&mut self, mut line: impl FnMut(&str)) {
        let bytes = self.partial.strip_suffix(b"\r").unwrap_or(&self.partial);
        let mut text: String = String::from_utf8_lossy(bytes).chars().map(printable).collect();
        if std::mem::take(&mut self.is_cut) {
            text += CUT;
        }
        self.partial.clear();
        line(&text);
    }
}

/// The character, or a mark in its place: control characters change how a terminal or a page shows what follows.
fn printable(char: char) -> char {
    if char.is_control() && char != '\t' { char::REPLACEMENT_CHARACTER } else { char }
}

/// What happens to a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Admission {
    /// The server gets it.
    Sent,
    /// The server does not get it, and must be told so.
    FirstLeftOut,
    /// The server does not get it, and knows that lines of this move are missing.
    LeftOut,
}

/// How much the server may still get.
#[derive(Debug, Default)]
pub struct OutputBudget {
    of_move: usize,
    of_match: usize,
    is_cut: bool,
}

impl OutputBudget {
    /// Begins the next move.
    pub fn next_move(&mut self) {
        self.of_move = 0;
        self.is_cut = false;
    }

    /// Decides about a line of this length in bytes, without its line break, which counts too.
    pub fn admit(&mut self, length: usize) -> Admission {
        let length = length + 1;
        let fits = self.of_move + length <= MOST_OF_MOVE && self.of_match + length <= MOST_OF_MATCH;
        if fits && !self.is_cut {
            self.of_move += length;
            self.of_match += length;
            return Admission::Sent;
        }
        match std::mem::replace(&mut self.is_cut, true) {
            false => Admission::FirstLeftOut,
            true => Admission::LeftOut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&[u8]]) -> Vec<String> {
        let mut split = ErrorLines::default();
        let mut out = Vec::new();
        for chunk in chunks {
            split.push(chunk, |line| out.push(line.to_owned()));
        }
        split.finish(|line| out.push(line.to_owned()));
        out
    }

    #[test]
    fn reads_may_end_at_any_byte() {
        assert_eq!(lines(&[b"a", b"b\r", b"\nc\n\nd"]), ["ab", "c", "", "d"]);
        assert_eq!(lines(&[&"♠".as_bytes()[..1], &"♠".as_bytes()[1..], b"\n"]), ["♠"]);
    }

    #[test]
    fn long_line_is_cut_once_and_costs_no_memory() {
        let megabyte = vec![b'x'; 1 << 20];
        let cut = lines(&[&megabyte, &megabyte, b"\nnext\n", &megabyte]);
        assert_eq!(cut.len(), 3);
        assert_eq!(cut[0], format!("{}...", "x".repeat(LONGEST_LINE)));
        assert_eq!(cut[1], "next");
        assert_eq!(cut[2], cut[0]);
    }

    #[test]
    fn binary_bytes_and_control_characters_are_replaced() {
        assert_eq!(lines(&[b"\xff\x00\x1b[2J\tx\n"]), ["\u{fffd}\u{fffd}\u{fffd}[2J\tx"]);
    }

    #[test]
    fn budget_is_for_each_move_and_for_the_match() {
        let mut budget = OutputBudget::default();
        assert_eq!(budget.admit(MOST_OF_MOVE - 1), Admission::Sent);
        assert_eq!(budget.admit(0), Admission::FirstLeftOut);
        assert_eq!(budget.admit(0), Admission::LeftOut, "what follows a gap is left out too");
        for _ in 1..MOST_OF_MATCH / MOST_OF_MOVE {
            budget.next_move();
            assert_eq!(budget.admit(MOST_OF_MOVE - 1), Admission::Sent);
        }
        budget.next_move();
        assert_eq!(budget.admit(1), Admission::FirstLeftOut);
        assert_eq!(budget.admit(1), Admission::LeftOut);
    }
}
