//! The referee's side: starts the program, writes to it and reads from it.

use crate::LIMIT;
use rustix::process::{Pid, Signal, kill_process};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_kibitz-shim");

/// The program, started by a referee.
pub(crate) struct ShimProcess {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
}

/// The end of the program.
#[derive(Debug)]
pub(crate) struct ShimExit {
    pub status: Option<i32>,
    /// Printed lines that were not read before.
    pub stdout: Vec<String>,
    pub stderr: String,
}

/// A command with an empty environment.
pub(crate) fn command(program: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args).env_clear();
    command
}

/// Starts the program as a bot.
pub(crate) fn bot(args: &[&str]) -> ShimProcess {
    ShimProcess::start(command(Path::new(PROGRAM), args))
}

impl ShimProcess {
    pub(crate) fn start(command: Command) -> Self {
        let (mut bot, stdout) = Self::start_without_reader(command);
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                let _ = sender.send(line.expect("the bot prints UTF-8"));
            }
        });
        bot.lines = lines;
        bot
    }

    /// Starts the program, and leaves its standard output to the caller.
    pub(crate) fn start_without_reader(mut command: Command) -> (Self, ChildStdout) {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().expect("piped");
        let mut stderr = child.stderr.take().expect("piped");
        let stderr = std::thread::spawn(move || {
            let mut text = String::new();
            stderr.read_to_string(&mut text).expect("notes are UTF-8");
            text
        });
        (Self { child, stdin, lines: channel().1, stderr: Some(stderr) }, stdout)
    }

    pub(crate) fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let stdin = self.stdin.as_mut().expect("input has not ended");
        stdin.write_all(bytes.as_ref()).expect("the bot reads");
    }

    pub(crate) fn end_input(&mut self) {
        self.stdin = None;
    }

    /// The next line that the bot prints.
    pub(crate) fn line(&self) -> String {
        self.lines.recv_timeout(LIMIT).expect("the bot prints a line")
    }

    /// Asserts that the program prints nothing for 100 ms.
    pub(crate) fn assert_silent(&self) {
        let printed = self.lines.recv_timeout(Duration::from_millis(100));
        assert_eq!(printed, Err(RecvTimeoutError::Timeout));
    }

    fn notes(&mut self) -> String {
        let notes = self.stderr.take().map(|reader| reader.join().expect("the notes are read"));
        notes.unwrap_or_default()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).expect("the bot is there");
    }

    /// Waits for the program to exit. Its input is still open unless the test ended it. Checks that all notes have the
    /// form that every referee accepts.
    pub(crate) fn end(mut self) -> ShimExit {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("a child can be waited for") {
                break status;
            }
            if start.elapsed() > LIMIT {
                let _ = self.child.kill();
                panic!("the bot does not end; it noted: {:?}", self.notes());
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let stderr = self.notes();
        for line in stderr.lines() {
            assert!(line.starts_with("kibitz shim: ") && line.len() < 200 && !line.contains('%'), "{line:?}");
        }
        ShimExit { status: status.code(), stdout: self.lines.iter().collect(), stderr }
    }
}

impl Drop for ShimProcess {
    /// Kills the process if the test fails.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl ShimExit {
    /// Asserts the status, an empty standard output, and the number of notes.
    pub(crate) fn expect(&self, status: i32, notes: usize) {
        assert_eq!(self.status, Some(status), "{self:?}");
        assert_eq!(self.stdout, [""; 0], "{self:?}");
        assert_eq!(self.stderr.lines().count(), notes, "{self:?}");
    }
}
