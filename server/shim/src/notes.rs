//! What the program says to people, on standard error, within what every referee bears. It must never touch
//! standard output.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, Write};

/// One of the referees keeps only lines that begin like this.
const PREFIX: &str = "kibitz shim: ";

/// Bytes of a line, its line break included.
const LONGEST: usize = 200;

/// Bytes between two answers. One of the referees empties the pipe only once a turn.
const BUDGET: usize = 1000;

/// Part of the budget that is kept for the one line that says why the program ends.
const RESERVE: usize = LONGEST;

/// Standard error, rationed.
#[derive(Debug)]
pub struct Notes {
    left: usize,
    verbose: bool,
}

impl Notes {
    /// `verbose` lets the server's remarks through as well.
    pub fn new(verbose: bool) -> Self {
        Self { left: BUDGET, verbose }
    }

    /// An answer was printed: the ration begins anew.
    pub fn answered(&mut self) {
        self.left = BUDGET;
    }

    /// A note on the course of things, dropped when the ration is used up.
    pub fn say(&mut self, text: &str) {
        let line = line(text);
        if self.take(line.len()) {
            write(&line);
        }
    }

    /// Takes a line's bytes out of the ration, if they are still there.
    fn take(&mut self, bytes: usize) -> bool {
        let enough = bytes + RESERVE <= self.left;
        if enough {
            self.left -= bytes;
        }
        enough
    }

    /// A remark of the server.
    pub fn remark(&mut self, text: &str) {
        if self.verbose {
            self.say(text);
        }
    }
}

/// The one line before the program ends in failure.
pub fn last_words(text: &str) {
    write(&line(text));
}

/// One line as the referees bear it: the prefix, no `%` (one of them formats with it), no control characters,
/// cut to size.
fn line(text: &str) -> String {
    let mut line = String::from(PREFIX);
    for char in text.chars() {
        let char = match char {
            '%' => '_',
            char if char.is_control() => ' ',
            char => char,
        };
        if line.len() + char.len_utf8() + 1 > LONGEST {
            break;
        }
        line.push(char);
    }
    line.push('\n');
    line
}

/// Writes only what fits without waiting: a referee that does not read its bot's notes must not stop the bot.
fn write(line: &str) {
    let stderr = io::stderr();
    let mut ready = [PollFd::new(&stderr, PollFlags::OUT)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    if poll(&mut ready, Some(&now)).is_ok_and(|ready| ready > 0) {
        // Nobody is left to be told when the notes themselves cannot be written.
        let _ = stderr.lock().write_all(line.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_prefixed_clean_and_short() {
        assert_eq!(line("50% of\nit"), "kibitz shim: 50_ of it\n");
        let long = line(&"♠".repeat(300));
        assert!(long.len() <= LONGEST && long.ends_with("♠\n"), "{long}");
    }

    #[test]
    fn the_ration_leaves_room_for_the_last_words() {
        let mut notes = Notes::new(false);
        assert!(notes.take(BUDGET - RESERVE));
        assert!(!notes.take(1));
        notes.answered();
        assert!(notes.take(LONGEST));
    }
}
