//! The log file of a match: its dialogue, times, and what the bot wrote to standard error. It must never stop a match.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::Instant;

/// What a line of the log is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogMark {
    /// A line that the bot reads.
    Read,
    /// A line that the bot printed.
    Printed,
    /// A line of the bot on standard error.
    Error,
    /// The end of the bot's input.
    InputEnd,
    /// A remark of the server or of this program.
    Remark,
}

impl LogMark {
    const fn text(self) -> &'static str {
        match self {
            Self::Read => "<",
            Self::Printed => ">",
            Self::Error => "!",
            Self::InputEnd => ".",
            Self::Remark => "#",
        }
    }
}

/// The open log file of a match.
#[derive(Debug)]
pub struct MatchLog {
    file: File,
    began: Instant,
    /// Why nothing more is written; taken by the first who asks.
    failure: Option<io::Error>,
    has_failed: bool,
}

impl MatchLog {
    /// Opens `DIR/MATCH.log`, and appends to it if it exists: a bot may join again.
    ///
    /// # Errors
    /// When the folder or the file cannot be made.
    pub fn open(folder: &Path, id: &str, now: Instant) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let file = File::options().create(true).append(true).open(folder.join(format!("{id}.log")))?;
        Ok(Self { file, began: now, failure: None, has_failed: false })
    }

    /// Writes a line with the seconds since the log was opened. After a failure, such as a full disk, it writes nothing more.
    pub fn write(&mut self, mark: LogMark, text: &str, now: Instant) {
        if self.has_failed {
            return;
        }
        let seconds = now.saturating_duration_since(self.began).as_secs_f64();
        let space = if text.is_empty() { "" } else { " " };
        let line = format!("{seconds:.3} {}{space}{text}\n", mark.text());
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            self.has_failed = true;
            self.failure = Some(error);
        }
    }

    /// Why it cannot be written, once.
    pub fn take_failure(&mut self) -> Option<io::Error> {
        self.failure.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn lines_have_a_time_and_a_mark() {
        let folder = std::env::temp_dir().join(format!("kibitz-match-log-{}", std::process::id()));
        let now = Instant::now();
        for text in ["30000", ""] {
            let mut log = MatchLog::open(&folder, "m1", now).unwrap();
            log.write(LogMark::Read, text, now);
            log.write(LogMark::Error, "depth 9", now + Duration::from_millis(1250));
            log.write(LogMark::InputEnd, "", now + Duration::from_millis(1250));
            assert!(log.take_failure().is_none());
        }
        let written = fs::read_to_string(folder.join("m1.log")).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(written, "0.000 < 30000\n1.250 ! depth 9\n1.250 .\n0.000 <\n1.250 ! depth 9\n1.250 .\n");
    }
}
