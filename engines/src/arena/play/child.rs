//! A program as a child process: lines in, lines out, with the time of each. It can neither block its host nor outlive it:
//! threads of their own serve the pipes, buffers are bounded, and its whole process group is killed.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use kibitz_bot_output::ProcessUsage;

use super::decision::Interruption;
use super::output::{ErrorPipe, SeatOutput};
use super::running::{ProgramOutput, RunningProgram};

/// Longest line that is read, in bytes; the official dialogues' longest are far below.
pub(super) const LONGEST_LINE: usize = 16 * 1024;
/// Maximum number of buffered lines; the program then blocks on its pipe.
const LINES_KEPT: usize = 64;
/// How often a wait looks at the stop flag.
const LOOK: Duration = Duration::from_millis(50);
/// The time that a line may need from its reader thread to the thread that waits for it.
const HANDOVER: Duration = Duration::from_millis(10);
/// How long a program may run after its match, to read its last lines and exit.
const LEAVE: Duration = Duration::from_millis(60);
/// How long it may run after each of the two requests to exit: the interrupt and the end of its input.
const GRACE: Duration = Duration::from_millis(200);

/// A line with its time; `None`: it was too long.
type TimedLine = (Option<String>, Instant);

/// A running program.
pub(super) struct Child {
    process: std::process::Child,
    input: Option<Sender<Vec<u8>>>,
    output: Receiver<TimedLine>,
    errors: Arc<ErrorPipe>,
    status: Option<ExitStatus>,
    reaped: bool,
    peak_kib: Cell<u64>,
    usage: ProcessUsage,
}

impl Child {
    /// Starts the program, the first of `words`, in a process group of its own. `errors`: gets its standard error.
    ///
    /// # Errors
    /// When it cannot be started, by fault of the machine or of the command.
    pub(super) fn start(words: &[String], errors: &Arc<SeatOutput>) -> io::Result<Self> {
        let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut process = command.spawn()?;
        let (input, lines) = mpsc::channel();
        let (said, output) = mpsc::sync_channel(LINES_KEPT);
        let missing = || io::Error::other("a pipe to the program is missing");
        let stderr = process.stderr.take().ok_or_else(missing);
        let errors = match stderr.and_then(|stderr| ErrorPipe::new(stderr, errors.clone())) {
            Ok(errors) => Arc::new(errors),
            Err(e) => {
                // It may have ended already, which is fine.
                let _ = process.kill().and_then(|()| process.wait());
                return Err(e);
            }
        };
        let pipes = (process.stdin.take(), process.stdout.take());
        // From here on dropping `child` cleans up after any failure.
        let child = Self {
            process,
            input: Some(input),
            output,
            errors: errors.clone(),
            status: None,
            reaped: false,
            peak_kib: Cell::new(0),
            usage: ProcessUsage::default(),
        };
        let (Some(stdin), Some(stdout)) = pipes else { return Err(missing()) };
        let named = |name: &str| thread::Builder::new().name(name.to_owned()).stack_size(128 * 1024);
        named("bot-stdin").spawn(move || write_all(stdin, &lines))?;
        named("bot-stdout").spawn(move || read_lines(stdout, &said))?;
        named("bot-stderr").spawn(move || errors.follow())?;
        Ok(child)
    }

    /// Waits until the program has ended, at most this long, and reads on so that no full pipe blocks it.
    fn wait(&mut self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        let mut pause = Duration::from_micros(200);
        loop {
            while self.output.try_recv().is_ok() {}
            if self.has_ended() {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
    }

    /// Whether the process has ended. It is left unreaped if the system can, so that its number, which is also its group's,
    /// stays taken until the group is killed.
    #[cfg(unix)]
    fn has_ended(&mut self) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        if self.status.is_some() {
            return true;
        }
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let Some(found) = waitid(WaitId::Pid(Pid::from_child(&self.process)), options).transpose() else {
            return false;
        };
        if let Ok(found) = found {
            use std::os::unix::process::ExitStatusExt;
            let code = found.exit_status().map(|code| (code & 0xff) << 8);
            let signal = found.terminating_signal();
            self.status = code.or(signal).map(ExitStatus::from_raw);
        }
        true
    }

    #[cfg(not(unix))]
    fn has_ended(&mut self) -> bool {
        self.status = self.status.or_else(|| self.process.try_wait().ok().flatten());
        self.status.is_some()
    }

    #[cfg(unix)]
    fn signal(&self, sign: Sign) {
        use rustix::process::{Pid, Signal, kill_process_group};
        let signal = match sign {
            Sign::Interrupt => Signal::INT,
            Sign::Kill => Signal::KILL,
        };
        // The group may have ended already, which is fine.
        let _ = kill_process_group(Pid::from_child(&self.process), signal);
    }

    #[cfg(not(unix))]
    fn signal(&mut self, sign: Sign) {
        if matches!(sign, Sign::Kill) {
            // It may have ended already, which is fine.
            let _ = self.process.kill();
        }
    }

    /// Kills the whole group and reaps the process. The group comes first: until the process is reaped, no other process can
    /// get its number.
    fn kill(&mut self) {
        self.signal(Sign::Kill);
        self.reaped = true;
        // It was killed, so the wait is short; an error means that there is no process to wait for.
        #[cfg(unix)]
        if let Ok(ended) = kibitz_bot_output::reap(&mut self.process) {
            self.usage = ended.usage;
        }
        #[cfg(not(unix))]
        let _ = self.process.wait();
    }
}

impl RunningProgram for Child {
    fn say(&mut self, lines: &[String]) {
        if let Some(input) = &self.input
            && !lines.is_empty()
        {
            let text: String = lines.iter().flat_map(|l| [l.as_str(), "\n"]).collect();
            // An error means that the program closed its input or ended; its missing answer will count as its mistake.
            let _ = input.send(text.into_bytes());
        }
    }

    fn close_input(&mut self) {
        self.input = None;
    }

    fn begin(&mut self, _: Instant) {}

    fn hear(&mut self, deadline: Option<Instant>, interruption: Interruption) -> ProgramOutput {
        loop {
            if interruption.is_stopped() {
                return ProgramOutput::Stopped;
            }
            let left = deadline.map(|d| (d + HANDOVER).saturating_duration_since(Instant::now()));
            match self.output.recv_timeout(left.map_or(LOOK, |left| left.min(LOOK))) {
                Ok((_, at)) if deadline.is_some_and(|d| at > d) => return ProgramOutput::Late,
                Ok((Some(line), at)) => return ProgramOutput::Line(line, at),
                Ok((None, _)) => return ProgramOutput::TooLong,
                Err(RecvTimeoutError::Disconnected) => return ProgramOutput::Ended,
                Err(RecvTimeoutError::Timeout) if left.is_some_and(|l| l <= LOOK) => {
                    return ProgramOutput::Late;
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    fn now(&self) -> Instant {
        Instant::now()
    }

    fn fuel(&self) -> Option<u64> {
        None
    }

    fn read_errors(&self) {
        self.errors.read();
    }

    fn id(&self) -> Option<u32> {
        Some(self.process.id())
    }

    fn measure(&self) {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let peak = status.ok().and_then(|status| {
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
            line.split_whitespace().next()?.parse().ok()
        });
        self.peak_kib.set(self.peak_kib.get().max(peak.unwrap_or_default()));
    }

    fn how_it_ended(&mut self) -> String {
        match self.wait(GRACE) {
            true => self.status.map_or_else(|| "it ended".to_owned(), |s| s.to_string()),
            false => "it closed its output and runs on".to_owned(),
        }
    }

    fn end(mut self: Box<Self>) -> ProcessUsage {
        if !self.wait(LEAVE) {
            self.signal(Sign::Interrupt);
            if !self.wait(GRACE) {
                self.close_input();
                self.wait(GRACE);
            }
        }
        self.stop()
    }

    fn stop(mut self: Box<Self>) -> ProcessUsage {
        self.kill();
        self.errors.read();
        ProcessUsage { peak_kib: self.usage.peak_kib.max(self.peak_kib.get()), ..self.usage }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // After `end` the process is reaped, and its number may belong to another process.
        if !self.reaped {
            self.kill();
        }
    }
}

enum Sign {
    Interrupt,
    Kill,
}

fn write_all(mut stdin: impl Write, lines: &Receiver<Vec<u8>>) {
    for text in lines {
        if stdin.write_all(&text).and_then(|()| stdin.flush()).is_err() {
            // The program no longer reads. Later lines are lost, as on any pipe.
            return;
        }
    }
}

fn read_lines(stdout: impl Read, said: &SyncSender<TimedLine>) {
    let mut reader = BufReader::new(stdout);
    loop {
        let mut bytes = Vec::new();
        let read = reader.by_ref().take(LONGEST_LINE as u64 + 1).read_until(b'\n', &mut bytes);
        let at = Instant::now();
        match read {
            Ok(0) | Err(_) => return,
            Ok(_) if bytes.last() != Some(&b'\n') && bytes.len() > LONGEST_LINE => {
                // The receiver may be gone; then the line is not needed.
                let _ = said.send((None, at));
                return;
            }
            Ok(_) => {
                let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
                let text = text.strip_suffix(b"\r").unwrap_or(text);
                if said.send((Some(String::from_utf8_lossy(text).into_owned()), at)).is_err() {
                    return;
                }
            }
        }
    }
}
