//! The bot's process: its pipes, which never block, and its process group, which it does not outlive.

use crate::backoff::Backoff;
use crate::lines::Splitter;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Bytes to read at once.
const READ_BUFFER: usize = 16 * 1024;

/// How long a process may take to exit after its output has ended, or after it was asked to.
const EXIT_TIMEOUT: Duration = Duration::from_millis(250);

/// The signals that ask a process to end. A service manager sends them to all processes of a service that it stops.
const END_REQUESTS: [Signal; 3] = [Signal::TERM, Signal::INT, Signal::HUP];

/// What a shell adds to the number of a signal in its exit status.
const SHELL_SIGNAL_STATUS: i32 = 128;

/// First and longest pause between two checks whether a process has ended.
const SHORTEST_PAUSE: Duration = Duration::from_micros(200);
const LONGEST_PAUSE: Duration = Duration::from_millis(5);

/// A running process of the bot.
pub(super) struct BotProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
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
}

impl BotProcess {
    /// Starts `command` in its own process group and without the `hidden` variables.
    pub(super) fn start(command: &[OsString], hidden: &[&str]) -> io::Result<Self> {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).process_group(0);
        for name in hidden {
            command.env_remove(name);
        }
        let mut child = command.spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let process = Self {
            child,
            stdin: Some(stdin),
            stdout,
            splitter: Splitter::default(),
            unwritten: Vec::new(),
            input_ends: false,
            reaped: false,
        };
        // From here on, dropping the value kills the process.
        if let Some(stdin) = &process.stdin {
            rustix::io::ioctl_fionbio(stdin, true)?;
        }
        rustix::io::ioctl_fionbio(&process.stdout, true)?;
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

    /// Waits for its end after the end of its output.
    pub(super) fn how_it_ended(mut self) -> ProcessEnd {
        let by_itself = self.exits_within(EXIT_TIMEOUT);
        match self.kill() {
            Ok(status) if by_itself => {
                let code = status.code().map(|code| code - SHELL_SIGNAL_STATUS);
                let signal = status.signal().or(code);
                let requested = END_REQUESTS.iter().any(|request| signal == Some(request.as_raw()));
                ProcessEnd { how: status.to_string(), requested }
            }
            _ => ProcessEnd { how: "it closed its output and ran on".to_owned(), requested: false },
        }
    }

    /// Stops the process after the match: the end of input, then SIGINT, then SIGKILL for the whole group.
    pub(super) fn stop(mut self) {
        self.end_input();
        self.write();
        if !self.exits_within(EXIT_TIMEOUT) {
            self.signal(Signal::INT);
            self.stdin = None;
            self.exits_within(EXIT_TIMEOUT);
        }
    }

    /// Waits for the end of the process, and reads its output so that no full pipe blocks it. `false`: it still runs.
    fn exits_within(&mut self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        let mut backoff = Backoff::new(SHORTEST_PAUSE, LONGEST_PAUSE);
        while !self.has_ended() {
            if Instant::now() >= deadline {
                return false;
            }
            self.write();
            self.read(|_| ());
            std::thread::sleep(backoff.next());
        }
        true
    }

    /// Whether the process has ended. Does not reap it, so that the system does not reuse its id, which is also the
    /// group's, before the group is killed.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(Pid::from_child(&self.child)), options), Ok(None))
    }

    /// Kills the whole group, then reaps the process. In this order, since the system may reuse the id of a reaped
    /// process.
    fn kill(&mut self) -> io::Result<ExitStatus> {
        self.signal(Signal::KILL);
        self.reaped = true;
        self.child.wait()
    }

    fn signal(&self, signal: Signal) {
        // The group may have ended already; ignore the error.
        let _ = kill_process_group(Pid::from_child(&self.child), signal);
    }
}

impl Drop for BotProcess {
    fn drop(&mut self) {
        if !self.reaped {
            // An error means that there is no process to wait for.
            let _ = self.kill();
        }
    }
}
