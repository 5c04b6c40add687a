//! The bot's program: its pipes, which never block, and its process group, of which nothing survives.

use crate::lines::Splitter;
use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::ffi::OsString;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Bytes taken at once.
const READ: usize = 16 * 1024;

/// How long a program may take to leave once its output has ended, or once it was told to.
const LEAVE: Duration = Duration::from_millis(250);

/// A running bot.
pub struct Program {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: ChildStdout,
    splitter: Splitter,
    /// What it has not taken yet.
    unwritten: Vec<u8>,
    /// Whether its input ends behind that.
    input_ends: bool,
    /// Whether it is off the system's table: its number may be somebody else's then.
    reaped: bool,
}

/// What reading came to.
#[derive(Debug, PartialEq, Eq)]
pub enum Output {
    /// More may come.
    Open,
    /// It ended.
    Ended,
    /// A line is longer than any may be.
    TooLong,
}

impl Program {
    /// Starts the program, the first of `command`, in a process group of its own and without `hidden` variables.
    pub fn start(command: &[OsString], hidden: &[&str]) -> io::Result<Self> {
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
        let program = Self {
            child,
            stdin: Some(stdin),
            stdout,
            splitter: Splitter::default(),
            unwritten: Vec::new(),
            input_ends: false,
            reaped: false,
        };
        // From here on dropping the program kills it.
        if let Some(stdin) = &program.stdin {
            rustix::io::ioctl_fionbio(stdin, true)?;
        }
        rustix::io::ioctl_fionbio(&program.stdout, true)?;
        Ok(program)
    }

    /// Gives it a line to read; never waits for it.
    pub fn say(&mut self, line: &str) {
        if self.stdin.is_some() {
            self.unwritten.extend_from_slice(line.as_bytes());
            self.unwritten.push(b'\n');
        }
    }

    /// Ends its input, behind all that was said.
    pub fn end_input(&mut self) {
        self.input_ends = true;
    }

    /// Writes what the pipe takes.
    pub fn write(&mut self) {
        while let Some(stdin) = self.stdin.as_ref().filter(|_| !self.unwritten.is_empty()) {
            match rustix::io::write(stdin, &self.unwritten) {
                Ok(count) => {
                    self.unwritten.drain(..count);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return,
                // It has closed its input or is gone: that shows, and counts, when its answer is missing.
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

    /// Its input, while there is something to write to it.
    pub fn input(&self) -> Option<&ChildStdin> {
        self.stdin.as_ref().filter(|_| !self.unwritten.is_empty())
    }

    /// Its output.
    pub fn output(&self) -> &ChildStdout {
        &self.stdout
    }

    /// Reads once; each line goes to `line`. The last one counts without a line break, too.
    pub fn read(&mut self, mut line: impl FnMut(&str)) -> Output {
        let mut buffer = [0; READ];
        match rustix::io::read(self.stdout.as_fd(), &mut buffer) {
            Ok(count) if count > 0 => {
                let bytes = buffer.get(..count).unwrap_or_default();
                match self.splitter.push(bytes, line) {
                    Ok(()) => Output::Open,
                    Err(_) => Output::TooLong,
                }
            }
            Err(Errno::INTR | Errno::AGAIN) => Output::Open,
            Ok(_) | Err(_) => {
                self.splitter.finish(&mut line);
                Output::Ended
            }
        }
    }

    /// How it ended, in words, after its output has.
    pub fn how_it_ended(mut self) -> String {
        let by_itself = self.leaves_within(LEAVE);
        match self.kill() {
            Ok(status) if by_itself => status.to_string(),
            _ => "it closed its output and ran on".to_owned(),
        }
    }

    /// The match is over: time to leave by itself, an interrupt, and then the signal that nothing survives.
    pub fn dismiss(mut self) {
        self.end_input();
        self.write();
        if !self.leaves_within(LEAVE) {
            self.signal(Signal::INT);
            self.stdin = None;
            self.leaves_within(LEAVE);
        }
    }

    /// Waits until it has ended, reading on so that no full pipe holds it up.
    fn leaves_within(&mut self, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        let mut pause = Duration::from_micros(200);
        while !self.has_ended() {
            if Instant::now() >= deadline {
                return false;
            }
            self.write();
            self.read(|_| ());
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(5));
        }
        true
    }

    /// Whether the process has ended. It is left unreaped, so that its number, which is also its group's, stays taken
    /// until the group is killed.
    fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(Pid::from_child(&self.child)), options), Ok(None))
    }

    /// Kills the whole group and takes the process off the system's table. The group first: while the process is not
    /// taken off, no other can get its number.
    fn kill(&mut self) -> io::Result<ExitStatus> {
        self.signal(Signal::KILL);
        self.reaped = true;
        self.child.wait()
    }

    fn signal(&self, signal: Signal) {
        // The group may be gone already, which is what is wanted.
        let _ = kill_process_group(Pid::from_child(&self.child), signal);
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if !self.reaped {
            // It was killed; a failure means that nothing is left to wait for.
            let _ = self.kill();
        }
    }
}
