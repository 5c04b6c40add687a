//! Standard input and output, the transcript of both, and the only place that waits. It must not know where the answers
//! come from.

use crate::dialogue::answer::{Answerer, Failure, PipeAction};
use crate::dialogue::last_answer;
use crate::dialogue::lines::{LONGEST_LINE, Splitter};
use crate::dialogue::memory::Memory;
use crate::dialogue::notes::Notes;
use crate::dialogue::transcript::Transcript;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io;
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// Bytes to read from the referee at once.
const READ_BUFFER: usize = 16 * 1024;

/// Longest dialogue, in bytes of transcript, so that a referee cannot fill the memory. A thousand matches of the longest
/// game take a tenth of it.
pub(crate) const LONGEST_DIALOGUE: usize = 8 << 20;

/// Connects a referee on standard input and output with an answerer.
pub(crate) struct Pipe {
    transcript: Transcript,
    splitter: Splitter,
    /// The time at which the input ended.
    input_ended: Option<Instant>,
    patience: Duration,
    longest_wait: Option<Duration>,
    notes: Notes,
    memory: Memory,
}

impl Pipe {
    /// A dialogue that has not begun. After the end of input it waits for `patience` if the answerer cannot answer, and
    /// for `longest_wait` (`None`: without limit) if it can.
    pub(crate) fn new(
        patience: Duration,
        longest_wait: Option<Duration>,
        notes: Notes,
        memory: Memory,
    ) -> Self {
        Self {
            transcript: Transcript::default(),
            splitter: Splitter::default(),
            input_ended: None,
            patience,
            longest_wait,
            notes,
            memory,
        }
    }

    /// Runs the dialogue until it is over or the referee has disconnected.
    pub(crate) fn run(mut self, answerer: &mut dyn Answerer) -> Result<(), Failure> {
        let mut actions = Vec::new();
        loop {
            let now = Instant::now();
            answerer.turn(now, &self.transcript, &mut actions);
            let printed = actions.iter().any(|action| matches!(action, PipeAction::Print(_)));
            for action in actions.drain(..) {
                if self.execute(action)?.is_break() {
                    return Ok(());
                }
            }
            if printed {
                // The answerer may have to read the printed lines in the transcript.
                continue;
            }
            let give_up = self.gives_up_at(answerer.can_answer());
            if give_up.is_some_and(|give_up| now >= give_up) {
                let why =
                    if answerer.can_answer() { "gave no answer" } else { "stayed out of reach, no answer" };
                return Err(Failure::dialogue(format!("the server {why}")));
            }
            let wake_at = answerer.wake_at().into_iter().chain(give_up).min();
            if self.wait(answerer, wake_at)?.is_break() {
                return Ok(());
            }
        }
    }

    /// The time at which to give up after the end of input.
    fn gives_up_at(&self, can_answer: bool) -> Option<Instant> {
        let wait = if can_answer { self.longest_wait? } else { self.patience };
        self.input_ended?.checked_add(wait)
    }

    /// Waits for the referee, the answerer or the clock, and reads the referee's lines. Breaks if the referee has
    /// disconnected.
    fn wait(
        &mut self,
        answerer: &dyn Answerer,
        wake_at: Option<Instant>,
    ) -> Result<ControlFlow<()>, Failure> {
        let (stdin, stdout) = (io::stdin(), io::stdout());
        // No requested event: the poll always reports a closed pipe.
        let mut fds = vec![PollFd::new(&stdout, PollFlags::empty())];
        if let Some(target) = answerer.poll_target() {
            let room = if target.write { PollFlags::OUT } else { PollFlags::empty() };
            fds.push(PollFd::from_borrowed_fd(target.fd, PollFlags::IN | room));
        }
        if self.input_ended.is_none() {
            fds.push(PollFd::new(&stdin, PollFlags::IN));
        }
        let timeout = wake_at.map(|wake_at| timespec(wake_at.saturating_duration_since(Instant::now())));
        match poll(&mut fds, timeout.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(Failure::dialogue(format!("cannot wait for input: {error}"))),
        }
        let closed = PollFlags::ERR | PollFlags::HUP;
        if fds.first().is_some_and(|stdout| stdout.revents().intersects(closed)) {
            return Ok(ControlFlow::Break(()));
        }
        let readable = fds.last().is_some_and(|stdin| !stdin.revents().is_empty());
        if self.input_ended.is_none() && readable {
            self.read()?;
        }
        Ok(ControlFlow::Continue(()))
    }

    fn read(&mut self) -> Result<(), Failure> {
        let mut buffer = [0; READ_BUFFER];
        let transcript = &mut self.transcript;
        let take = |line: &str| {
            if !line.trim().is_empty() {
                last_answer::is_due();
            }
            transcript.read(line);
        };
        match rustix::io::read(io::stdin().as_fd(), &mut buffer) {
            Ok(count) if count > 0 => {
                let bytes = buffer.get(..count).unwrap_or_default();
                if self.splitter.push(bytes, take).is_err() {
                    let reason = format!("the referee wrote a line of more than {LONGEST_LINE} bytes");
                    return Err(Failure::dialogue(reason));
                }
                if transcript.len() > LONGEST_DIALOGUE {
                    return Err(Failure::dialogue(format!(
                        "the dialogue is longer than {LONGEST_DIALOGUE} bytes"
                    )));
                }
            }
            Err(Errno::INTR | Errno::AGAIN) => {}
            // An input that cannot be read counts as ended.
            Ok(_) | Err(_) => {
                self.splitter.finish(take);
                transcript.end();
                self.input_ended = Some(Instant::now());
            }
        }
        Ok(())
    }

    /// Executes an action. Breaks if the dialogue is over.
    fn execute(&mut self, action: PipeAction) -> Result<ControlFlow<()>, Failure> {
        match action {
            PipeAction::Print(lines) => return self.print(&lines),
            PipeAction::Remark(text) if self.memory.handle(&text) => {}
            PipeAction::Remark(text) => self.notes.remark(&text),
            PipeAction::Note(text) | PipeAction::Warning(text) => self.notes.write(&text),
            PipeAction::Over => return Ok(ControlFlow::Break(())),
            PipeAction::Failed(failure) => return Err(failure),
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Prints lines at once, and adds them to the transcript. Breaks if the referee reads no more.
    fn print(&mut self, lines: &[String]) -> Result<ControlFlow<()>, Failure> {
        last_answer::is_given();
        let text: String = lines.iter().flat_map(|line| [line, "\n"]).collect();
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            // Not through the standard library's buffer, which would write the lines one by one.
            match rustix::io::write(io::stdout().as_fd(), rest) {
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => wait_for_room()?,
                // The referee has closed the pipe.
                Err(Errno::PIPE | Errno::CONNRESET) => return Ok(ControlFlow::Break(())),
                Err(error) => return Err(Failure::dialogue(format!("cannot write the answer: {error}"))),
            }
        }
        for line in lines {
            self.transcript.printed(line);
        }
        self.notes.answered();
        Ok(ControlFlow::Continue(()))
    }
}

/// Waits for room in a non-blocking standard output.
fn wait_for_room() -> Result<(), Failure> {
    let stdout = io::stdout();
    match poll(&mut [PollFd::new(&stdout, PollFlags::OUT)], None) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(Failure::dialogue(format!("cannot write the answer: {error}"))),
    }
}

/// A timeout as `poll` takes it.
pub(crate) fn timespec(duration: Duration) -> Timespec {
    Timespec {
        tv_sec: duration.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: duration.subsec_nanos().into(),
    }
}
