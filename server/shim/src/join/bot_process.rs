//! The bot's process: its pipes, which never block, and its process group, which it does not outlive. A program in the sandbox is one
//! too.

#[cfg(feature = "programs")]
use super::program_thread::{ProgramThread, SeatedProgram};
use crate::dialogue::lines::Splitter;
use crate::network::backoff::Backoff;
use kibitz_bot_output::{EndedProcess, ProcessUsage, reap};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// Bytes to read at once.
const READ_BUFFER: usize = 16 * 1024;

/// How many times to read standard error in a row: a bot that floods it must not keep this program from the match.
const ERROR_READS: usize = 4;

/// How long a process may take to exit after its output has ended, or after it was asked to.
const EXIT_TIMEOUT: Duration = Duration::from_millis(250);

/// The signals that ask a process to end. A service manager sends them to all processes of a service that it stops.
const END_REQUESTS: [Signal; 3] = [Signal::TERM, Signal::INT, Signal::HUP];

/// What a shell adds to the number of a signal in its exit status.
const SHELL_SIGNAL_STATUS: i32 = 128;

/// First and longest pause between two checks whether a process has ended.
const SHORTEST_PAUSE: Duration = Duration::from_micros(200);
const LONGEST_PAUSE: Duration = Duration::from_millis(5);

/// What runs behind the pipes.
enum Runs {
    /// A process of the system.
    Child(Child),
    /// A program in the sandbox; `None`: its end was taken.
    #[cfg(feature = "programs")]
    Program(Option<ProgramThread>),
}

/// A running process of the bot.
pub(super) struct BotProcess {
    runs: Runs,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    /// `None`: it has ended.
    stderr: Option<ChildStderr>,
    splitter: Splitter,
    /// Bytes for its input that do not fit into the pipe yet.
    unwritten: Vec<u8>,
    /// Whether its input ends after these bytes.
    input_ends: bool,
    /// Whether it was waited for: the system may then give its process id to another process.
    reaped: bool,
}

/// The state of the output after a read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BotOutput {
    /// More may come.
    Open,
    Ended,
    /// A line is longer than allowed.
    TooLong,
}

/// How a process ended.
#[derive(Debug)]
pub(super) struct ProcessEnd {
    /// The end in words.
    pub how: String,
    /// Whether a signal asked it to end, which may have been sent to this program as well.
    pub requested: bool,
    /// The resources that it has used.
    pub usage: Option<ProcessUsage>,
}

impl BotProcess {
    /// Starts `command` in its own process group and without the `hidden` variables.
    pub(super) fn start(command: &[OsString], hidden: &[&str]) -> io::Result<Self> {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0);
        for name in hidden {
            command.env_remove(name);
        }
        let mut child = command.spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let process = Self {
            stdin: Some(stdin),
            stdout,
            stderr: child.stderr.take(),
            runs: Runs::Child(child),
            splitter: Splitter::default(),
            unwritten: Vec::new(),
            input_ends: false,
            reaped: false,
        };
        process.prepared()
    }

    /// Starts a process of a program in the sandbox.
    #[cfg(feature = "programs")]
    pub(super) fn start_program(program: &SeatedProgram) -> io::Result<Self> {
        let (thread, pipes) = ProgramThread::start(program)?;
        let process = Self {
            stdin: Some(pipes.stdin),
            stdout: pipes.stdout,
            stderr: Some(pipes.stderr),
            runs: Runs::Program(Some(thread)),
            splitter: Splitter::default(),
            unwritten: Vec::new(),
            input_ends: false,
            reaped: false,
        };
        process.prepared()
    }

    /// Lets no pipe block. Dropping the value kills the process.
    fn prepared(self) -> io::Result<Self> {
        let process = self;
        if let Some(stdin) = &process.stdin {
            rustix::io::ioctl_fionbio(stdin, true)?;
        }
        rustix::io::ioctl_fionbio(&process.stdout, true)?;
        if let Some(stderr) = &process.stderr {
            rustix::io::ioctl_fionbio(stderr, true)?;
        }
        Ok(process)
    }

    /// Queues a line for its input; never waits.
    pub(super) fn send_line(&mut self, line: &str) {
        if self.stdin.is_some() {
            self.unwritten.extend_from_slice(line.as_bytes());
            self.unwritten.push(b'\n');
        }
    }

    /// Ends its input after the queued lines.
    pub(super) fn end_input(&mut self) {
        self.input_ends = true;
    }

    /// Writes as much as fits into the pipe.
    pub(super) fn write(&mut self) {
        while let Some(stdin) = self.stdin.as_ref().filter(|_| !self.unwritten.is_empty()) {
            match rustix::io::write(stdin, &self.unwritten) {
                Ok(count) => {
                    self.unwritten.drain(..count);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // It has closed its input or ended; its missing answer will count as its fault.
                Err(_) => {
                    self.unwritten.clear();
                    self.stdin = None;
                }
            }
        }
        if self.input_ends {
            self.stdin = None;
        }
    }

    /// Its input, if there is something to write.
    pub(super) fn input(&self) -> Option<&ChildStdin> {
        self.stdin.as_ref().filter(|_| !self.unwritten.is_empty())
    }

    pub(super) fn output(&self) -> &ChildStdout {
        &self.stdout
    }

    /// Its standard error, until that ends.
    pub(super) fn errors(&self) -> Option<&ChildStderr> {
        self.stderr.as_ref()
    }

    /// Reads what it has written to standard error, but not without end.
    pub(super) fn read_errors(&mut self, mut take: impl FnMut(&[u8])) {
        let mut buffer = [0; READ_BUFFER];
        for _ in 0..ERROR_READS {
            let Some(stderr) = &self.stderr else { return };
            match rustix::io::read(stderr, &mut buffer) {
                Ok(count) if count > 0 => take(buffer.get(..count).unwrap_or_default()),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                Ok(_) | Err(_) => self.stderr = None,
            }
        }
    }

    /// The resources that it has used so far.
    pub(super) fn usage(&self) -> Option<ProcessUsage> {
        match &self.runs {
            Runs::Child(child) => ProcessUsage::of_process(child.id()),
            #[cfg(feature = "programs")]
            Runs::Program(thread) => thread.as_ref().map(ProgramThread::usage),
        }
    }

    /// Reads once, and passes each line to `line`. The last line may lack its line break.
    pub(super) fn read(&mut self, mut line: impl FnMut(&str)) -> BotOutput {
        let mut buffer = [0; READ_BUFFER];
        match rustix::io::read(self.stdout.as_fd(), &mut buffer) {
            Ok(count) if count > 0 => {
                let bytes = buffer.get(..count).unwrap_or_default();
                match self.splitter.push(bytes, line) {
                    Ok(()) => BotOutput::Open,
                    Err(_) => BotOutput::TooLong,
                }
            }
            Err(Errno::INTR | Errno::AGAIN) => BotOutput::Open,
            Ok(_) | Err(_) => {
                self.splitter.finish(&mut line);
                BotOutput::Ended
            }
        }
    }

    /// Waits for its end after the end of its output. `errors`: takes what it still wrote to standard error.
    pub(super) fn how_it_ended(mut self, mut errors: impl FnMut(&[u8])) -> ProcessEnd {
        let by_itself = self.exits_within(EXIT_TIMEOUT, &mut errors);
        match self.kill() {
            Ok(end) if by_itself => end,
            killed => ProcessEnd {
                how: "it closed its output and ran on".to_owned(),
                requested: false,
                usage: killed.ok().and_then(|end| end.usage),
            },
        }
    }

    /// Stops the process after the match: the end of input, then SIGINT, then SIGKILL for the whole group. `errors`: takes
    /// what it still wrote to standard error.
    pub(super) fn stop(mut self, mut errors: impl FnMut(&[u8])) {
        self.end_input();
        self.write();
        if !self.exits_within(EXIT_TIMEOUT, &mut errors) {
            self.signal(Signal::INT);
            self.stdin = None;
            self.exits_within(EXIT_TIMEOUT, &mut errors);
        }
    }

    /// Waits for the end of the process, and reads its output so that no full pipe blocks it. `false`: it still runs.
    fn exits_within(&mut self, time: Duration, errors: &mut impl FnMut(&[u8])) -> bool {
        let deadline = Instant::now() + time;
        let mut backoff = Backoff::new(SHORTEST_PAUSE, LONGEST_PAUSE);
        while !self.has_ended() {
            if Instant::now() >= deadline {
                return false;
            }
            self.write();
            self.read(|_| ());
            self.read_errors(&mut *errors);
            std::thread::sleep(backoff.next());
        }
        self.read_errors(errors);
        true
    }

    /// Whether the process has ended. Does not reap it, so that the system does not reuse its id, which is also the
    /// group's, before the group is killed.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        match &self.runs {
            Runs::Child(child) => !matches!(waitid(WaitId::Pid(Pid::from_child(child)), options), Ok(None)),
            #[cfg(feature = "programs")]
            Runs::Program(thread) => thread.as_ref().is_none_or(ProgramThread::has_ended),
        }
    }

    /// Kills the whole group, then reaps the process. In this order, since the system may reuse the id of a reaped
    /// process.
    fn kill(&mut self) -> io::Result<ProcessEnd> {
        self.signal(Signal::KILL);
        self.reaped = true;
        // A process that waits for the end of its input must get it.
        self.stdin = None;
        match &mut self.runs {
            Runs::Child(child) => reap(child).map(process_end),
            #[cfg(feature = "programs")]
            Runs::Program(thread) => {
                let thread = thread.take().ok_or(io::ErrorKind::NotFound)?;
                let usage = Some(thread.usage());
                // One that still writes ends when this side drops its pipes; nothing waits for that.
                let how = match thread.has_ended() {
                    true => thread.how_it_ended(),
                    false => "it was stopped".to_owned(),
                };
                Ok(ProcessEnd { how, requested: false, usage })
            }
        }
    }

    fn signal(&self, signal: Signal) {
        match &self.runs {
            // The group may have ended already; ignore the error.
            Runs::Child(child) => drop(kill_process_group(Pid::from_child(child), signal)),
            #[cfg(feature = "programs")]
            Runs::Program(thread) => thread.iter().for_each(ProgramThread::stop),
        }
    }
}

/// How a process of the system has ended.
fn process_end(EndedProcess { status, usage }: EndedProcess) -> ProcessEnd {
    let code = status.code().map(|code| code - SHELL_SIGNAL_STATUS);
    let signal = status.signal().or(code);
    let requested = END_REQUESTS.iter().any(|request| signal == Some(request.as_raw()));
    ProcessEnd { how: status.to_string(), requested, usage: Some(usage) }
}

impl Drop for BotProcess {
    fn drop(&mut self) {
        if !self.reaped {
            // An error means that there is no process to wait for.
            let _ = self.kill();
        }
    }
}
