//! What a running program and the side that resumes it exchange while the program is paused.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::instance::Pause;

/// The longest line that a program may write to its output, in bytes.
pub(crate) const LONGEST_LINE: usize = 64 * 1024;

/// The most that is kept of what a program writes to standard error between two pauses, in bytes.
const MOST_ERRORS: usize = 64 * 1024;

/// Both ends of the exchange.
#[derive(Clone, Default)]
pub(crate) struct Channel(Arc<Mutex<Exchange>>);

/// The exchange itself.
#[derive(Default)]
pub(crate) struct Exchange {
    /// What the program has not read yet.
    pub(crate) input: VecDeque<u8>,
    /// Whether nothing follows this input.
    pub(crate) input_ends: bool,
    /// The fuel that the program may use until it pauses; taken by the program when it goes on.
    pub(crate) grant: Option<u64>,
    /// The time of the machine until then.
    pub(crate) wall: WallClock,
    /// Why it has paused.
    pub(crate) pause: Option<Pause>,
    /// The fuel that it has used since it was resumed, when it pauses.
    pub(crate) used: u64,
    /// Complete lines that it has written.
    pub(crate) lines: Vec<Vec<u8>>,
    /// The line that it has begun.
    pub(crate) begun: Vec<u8>,
    /// What it has written to standard error.
    pub(crate) errors: Vec<u8>,
    /// How many bytes of standard error were left out.
    pub(crate) errors_cut: u64,
}

/// The time of the machine that a program uses until it pauses.
#[derive(Default)]
pub(crate) struct WallClock {
    /// What it may use.
    allowed: Duration,
    /// What it used in slices that have ended.
    used: Duration,
    /// When the slice that runs began.
    pub(crate) since: Option<Instant>,
}

impl WallClock {
    /// Begins again, with this much.
    pub(crate) fn restart(&mut self, allowed: Duration) {
        *self = Self { allowed, ..Self::default() };
    }

    /// A slice has ended.
    pub(crate) fn stop(&mut self) {
        self.used = self.now();
        self.since = None;
    }

    fn now(&self) -> Duration {
        self.used + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Whether the program has used more than it may.
    pub(crate) fn is_over(&self) -> bool {
        self.now() > self.allowed
    }
}

impl Channel {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Exchange> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Exchange {
    /// Takes output of the program. `false`: a line is too long.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> bool {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            match part.strip_suffix(b"\n") {
                Some(rest) => {
                    self.begun.extend_from_slice(rest);
                    let mut line = std::mem::take(&mut self.begun);
                    line.pop_if(|last| *last == b'\r');
                    self.lines.push(line);
                }
                None => self.begun.extend_from_slice(part),
            }
        }
        self.begun.len().max(self.lines.last().map_or(0, Vec::len)) <= LONGEST_LINE
    }

    /// Takes standard error of the program.
    pub(crate) fn write_error(&mut self, bytes: &[u8]) {
        let kept = bytes.len().min(MOST_ERRORS.saturating_sub(self.errors.len()));
        self.errors.extend_from_slice(bytes.get(..kept).unwrap_or_default());
        self.errors_cut += (bytes.len() - kept) as u64;
    }
}
