//! Notes for people on standard error, within the limits of every referee. It must never write to standard output.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Write};

/// The beginning of each line. One of the referees keeps only lines that begin with `kibitz `.
const PREFIX: &str = "kibitz shim: ";

/// Longest line in bytes, with its line break.
const LONGEST_NOTE: usize = 200;

/// The end of a line that was too long.
const CUT: &str = "...";

/// Most bytes between two answers. One of the referees empties the pipe only once per turn.
const BUDGET: usize = 1000;

/// The part of the budget for the last line, which says why the program ends.
const RESERVE: usize = LONGEST_NOTE;

/// Standard error with a budget of bytes.
#[derive(Debug)]
pub(crate) struct Notes {
    left: usize,
    verbose: bool,
}

impl Notes {
    /// `verbose`: whether to write the server's remarks as well.
    pub(crate) fn new(verbose: bool) -> Self {
        Self { left: BUDGET, verbose }
    }

    /// Refills the budget, since an answer was printed.
    pub(crate) fn answered(&mut self) {
        self.left = BUDGET;
    }

    /// Writes a note; drops it if the budget is used up.
    pub(crate) fn write(&mut self, text: &str) {
        let line = line(text);
        if self.take(line.len()) {
            write_line(&line);
        }
    }

    /// Takes a line's bytes from the budget, if enough are left.
    fn take(&mut self, bytes: usize) -> bool {
        let enough = bytes + RESERVE <= self.left;
        if enough {
            self.left -= bytes;
        }
        enough
    }

    /// Writes a remark of the server, if verbose.
    pub(crate) fn remark(&mut self, text: &str) {
        if self.verbose {
            self.write(text);
        }
    }
}

/// Writes a line of the bot for the person who runs it, if standard error has room for it.
pub(crate) fn write_bot_line(text: &str) {
    write_line(&format!("{text}\n"));
}

/// Writes the last line before the program ends.
pub(crate) fn write_last(text: &str) {
    write_line(&line(text));
}

/// Writes a text that may be longer than a line, as several lines.
pub(crate) fn write_in_full(text: &str) {
    let mut row = String::new();
    for word in text.split(' ') {
        if !row.is_empty() && PREFIX.len() + row.len() + word.len() + 2 > LONGEST_NOTE {
            write_line(&line(&std::mem::take(&mut row)));
        }
        row += if row.is_empty() { "" } else { " " };
        row += word;
    }
    write_line(&line(&row));
}

/// One line as all referees accept it: with the prefix, without `%` (one of them uses the line as a format string),
/// without control characters, not too long. Dots show that its end is missing.
fn line(text: &str) -> String {
    let clean = text.chars().map(|char| match char {
        '%' => '_',
        char if char.is_control() => ' ',
        char => char,
    });
    let mut line = String::from(PREFIX);
    line.extend(clean);
    if line.len() >= LONGEST_NOTE {
        line.truncate(line.floor_char_boundary(LONGEST_NOTE - 1 - CUT.len()));
        line += CUT;
    }
    line.push('\n');
    line
}

/// Writes only if the pipe has room: a referee that does not read the notes must not block the bot.
fn write_line(line: &str) {
    let stderr = io::stderr();
    let mut ready = [PollFd::new(&stderr, PollFlags::OUT)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    if poll(&mut ready, Some(&now)).is_ok_and(|ready| ready > 0) {
        // There is no other channel to report this error on.
        let _ = stderr.lock().write_all(line.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_has_a_prefix_no_special_characters_and_a_limit() {
        assert_eq!(line("50% of\nit"), "kibitz shim: 50_ of it\n");
        let long = line(&"♠".repeat(300));
        assert!(long.len() <= LONGEST_NOTE && long.ends_with("♠...\n"), "{long}");
        let fits = "x".repeat(LONGEST_NOTE - 1 - PREFIX.len());
        assert_eq!(line(&fits), format!("{PREFIX}{fits}\n"));
    }

    #[test]
    fn budget_leaves_room_for_the_last_line() {
        let mut notes = Notes::new(false);
        assert!(notes.take(BUDGET - RESERVE));
        assert!(!notes.take(1));
        notes.answered();
        assert!(notes.take(LONGEST_NOTE));
    }
}
