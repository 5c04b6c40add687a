//! What the programs of a seat write to standard error, by turn, and what they use. Bounded, and read at once, so that no full
//! pipe blocks a program.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::process::ChildStderr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use kibitz_bot_output::{CapturedLine, LogMark, MatchLog, TurnCapture};

use crate::arena::record::ErrorLine;

/// How much of the last lines is kept, in bytes.
const LINES_KEPT: usize = 4 * 1024;
/// How often the pipe is read in a row: a program that floods it must not keep the match waiting.
#[cfg(unix)]
const READS: usize = 4;
const READ_BUFFER: usize = 16 * 1024;

/// The standard error of a seat in one match.
pub(super) struct SeatOutput(Mutex<KeptOutput>);

struct KeptOutput {
    turn: TurnCapture,
    lines: VecDeque<ErrorLine>,
    bytes: usize,
}

impl KeptOutput {
    fn keep(lines: &mut VecDeque<ErrorLine>, bytes: &mut usize, line: CapturedLine) {
        let CapturedLine { ply, ms, text } = line;
        *bytes += text.len() + 1;
        lines.push_back(ErrorLine { ply, ms, text });
        while *bytes > LINES_KEPT
            && let Some(first) = lines.pop_front()
        {
            *bytes -= first.text.len() + 1;
        }
    }
}

impl SeatOutput {
    /// `log`: the folder and the name of the log file, if there is to be one.
    ///
    /// # Errors
    /// When the log file cannot be opened.
    pub(super) fn new(log: Option<(&Path, &str)>) -> io::Result<Arc<Self>> {
        let now = Instant::now();
        let log = log.map(|(folder, name)| MatchLog::open(folder, name, now)).transpose()?;
        let kept = KeptOutput { turn: TurnCapture::new(log, now), lines: VecDeque::new(), bytes: 0 };
        Ok(Arc::new(Self(Mutex::new(kept))))
    }

    fn kept(&self) -> MutexGuard<'_, KeptOutput> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a turn of the seat, at this time.
    pub(super) fn begin_turn(&self, ply: u32, now: Instant) {
        let mut kept = self.kept();
        kept.turn.begin_turn(ply, now);
        kept.turn.log(LogMark::Remark, &format!("ply {ply}"), now);
    }

    /// Takes what a program wrote to standard error up to this time.
    pub(super) fn wrote(&self, new: &[u8], now: Instant) {
        let mut kept = self.kept();
        let KeptOutput { turn, lines, bytes } = &mut *kept;
        turn.wrote(new, now, |line| KeptOutput::keep(lines, bytes, line));
    }

    /// Writes lines to the log file, if there is one.
    pub(super) fn log(&self, mark: LogMark, lines: &[String]) {
        let now = Instant::now();
        let mut kept = self.kept();
        lines.iter().for_each(|line| kept.turn.log(mark, line, now));
    }

    /// Why the log file is not complete, once.
    pub(super) fn take_log_failure(&self) -> Option<String> {
        self.kept().turn.take_failure().map(|error| error.to_string())
    }

    /// The last lines since the last call of [`SeatOutput::take_lines`], also one without its line break.
    pub(super) fn lines(&self) -> Vec<ErrorLine> {
        let mut kept = self.kept();
        let KeptOutput { turn, lines, bytes } = &mut *kept;
        turn.ended(Instant::now(), |line| KeptOutput::keep(lines, bytes, line));
        lines.iter().cloned().collect()
    }

    /// The same, which are then forgotten.
    pub(super) fn take_lines(&self) -> Vec<ErrorLine> {
        let lines = self.lines();
        let mut kept = self.kept();
        kept.lines.clear();
        kept.bytes = 0;
        lines
    }
}

/// The pipe of one program's standard error.
pub(super) struct ErrorPipe {
    #[cfg(unix)]
    pipe: ChildStderr,
    #[cfg(not(unix))]
    pipe: Mutex<ChildStderr>,
    output: Arc<SeatOutput>,
}

#[cfg(unix)]
impl ErrorPipe {
    pub(super) fn new(pipe: ChildStderr, output: Arc<SeatOutput>) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(Self { pipe, output })
    }

    /// Reads what is there. `false`: it has ended.
    pub(super) fn read(&self) -> bool {
        use rustix::io::{Errno, read};
        let mut buffer = [0; READ_BUFFER];
        // Locked while it reads: bytes of an earlier read must not come after those of a later one.
        let mut kept = self.output.kept();
        let KeptOutput { turn, lines, bytes } = &mut *kept;
        for _ in 0..READS {
            match read(&self.pipe, &mut buffer) {
                Ok(count) if count > 0 => {
                    let new = buffer.get(..count).unwrap_or_default();
                    turn.wrote(new, Instant::now(), |line| KeptOutput::keep(lines, bytes, line));
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return true,
                Ok(_) | Err(_) => return false,
            }
        }
        true
    }

    /// Reads until the pipe ends.
    pub(super) fn follow(&self) {
        use rustix::event::{PollFd, PollFlags, poll};
        loop {
            match poll(&mut [PollFd::new(&self.pipe, PollFlags::IN)], None) {
                Ok(_) if self.read() => {}
                Err(rustix::io::Errno::INTR) => {}
                Ok(_) | Err(_) => return,
            }
        }
    }
}

#[cfg(not(unix))]
impl ErrorPipe {
    pub(super) fn new(pipe: ChildStderr, output: Arc<SeatOutput>) -> io::Result<Self> {
        Ok(Self { pipe: Mutex::new(pipe), output })
    }

    /// Only the thread of [`ErrorPipe::follow`] reads, since a read blocks.
    pub(super) fn read(&self) -> bool {
        true
    }

    /// Reads until the pipe ends.
    pub(super) fn follow(&self) {
        use std::io::Read;
        let mut buffer = [0; READ_BUFFER];
        let mut pipe = self.pipe.lock().unwrap_or_else(PoisonError::into_inner);
        while let Ok(count @ 1..) = pipe.read(&mut buffer) {
            let mut kept = self.output.kept();
            let KeptOutput { turn, lines, bytes } = &mut *kept;
            turn.wrote(&buffer[..count], Instant::now(), |line| KeptOutput::keep(lines, bytes, line));
        }
    }
}
