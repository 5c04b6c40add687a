//! Gives each line that a bot writes to standard error the turn and the time at which it came, and keeps the log file of the match.

use crate::match_log::{LogMark, MatchLog};
use crate::standard_error::ErrorLines;
use std::io;
use std::time::Instant;

/// A line of standard error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CapturedLine {
    /// The last turn of the bot, as moves made before it; 0 before its first one.
    pub ply: u32,
    /// The time since that turn began, in milliseconds.
    pub ms: u64,
    /// The line, without its line break and without control characters; of a long one the beginning.
    pub text: String,
}

/// The turn of a bot, and its standard error up to now.
pub struct TurnCapture {
    ply: u32,
    turn_began: Instant,
    lines: ErrorLines,
    log: Option<MatchLog>,
}

impl TurnCapture {
    /// Before the first turn. `log`: gets each line too.
    pub fn new(log: Option<MatchLog>, now: Instant) -> Self {
        Self { ply: 0, turn_began: now, lines: ErrorLines::default(), log }
    }

    /// The last turn of the bot, as moves made before it.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// Begins a turn of the bot.
    pub fn begin_turn(&mut self, ply: u32, now: Instant) {
        self.ply = ply;
        self.turn_began = now;
    }

    /// Takes bytes that the bot wrote to standard error, and passes on the lines that are complete now.
    pub fn wrote(&mut self, bytes: &[u8], now: Instant, mut keep: impl FnMut(CapturedLine)) {
        let mut lines = Vec::new();
        self.lines.push(bytes, |line| lines.push(line.to_owned()));
        lines.into_iter().for_each(|text| keep(self.captured(text, now)));
    }

    /// Passes on the last line, which may lack its line break: the process has ended, or will write no more for this turn.
    pub fn ended(&mut self, now: Instant, mut keep: impl FnMut(CapturedLine)) {
        let mut last = None;
        self.lines.finish(|line| last = Some(line.to_owned()));
        if let Some(text) = last {
            keep(self.captured(text, now));
        }
    }

    fn captured(&mut self, text: String, now: Instant) -> CapturedLine {
        self.log(LogMark::Error, &text, now);
        let ms = now.saturating_duration_since(self.turn_began).as_millis();
        CapturedLine { ply: self.ply, ms: ms.try_into().unwrap_or(u64::MAX), text }
    }

    /// Writes a line to the log file, if there is one.
    pub fn log(&mut self, mark: LogMark, text: &str, now: Instant) {
        if let Some(log) = &mut self.log {
            log.write(mark, text, now);
        }
    }

    /// Why nothing more is written to the log file, once.
    pub fn take_failure(&mut self) -> Option<io::Error> {
        self.log.as_mut()?.take_failure()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn line_belongs_to_the_turn_in_which_it_ends() {
        let now = Instant::now();
        let mut capture = TurnCapture::new(None, now);
        let mut kept = Vec::new();
        capture.wrote(b"hello\nhalf", now, |line| kept.push(line));
        capture.begin_turn(4, now);
        capture.wrote(b" a line\nlast", now + Duration::from_millis(7), |line| kept.push(line));
        capture.ended(now, |line| kept.push(line));
        capture.ended(now, |line| kept.push(line));
        let line = |ply, ms, text: &str| CapturedLine { ply, ms, text: text.to_owned() };
        assert_eq!(kept, [line(0, 0, "hello"), line(4, 7, "half a line"), line(4, 0, "last")]);
    }
}
