//! A program in the sandbox as a bot: it runs in a thread of this process, between pipes as another process would. Its time is that
//! of the machine, as for every bot that is joined from outside.

use kibitz_bot_output::ProcessUsage;
use kibitz_sandbox::{
    Ending, Instance, Pause, PrivateFiles, Program, ProgramLimits, Progress, Sandbox, Step,
};
use std::collections::HashMap;
use std::io::{self, BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::os::fd::OwnedFd;
use std::process::{ChildStderr, ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tungstenite::handshake::client::generate_key;

/// What the files of a program may hold together, in bytes.
const FILES: usize = 16 << 20;

/// The time after which a decision is ended that the server does not end.
const LONGEST_DECISION: Duration = Duration::from_secs(24 * 3600);

/// The programs that were compiled, by file. A bot that is online keeps its program.
static PROGRAMS: LazyLock<Mutex<HashMap<String, Program>>> = LazyLock::new(Mutex::default);

/// What compiles them; it never ends.
static SANDBOX: LazyLock<Result<Sandbox, String>> =
    LazyLock::new(|| Sandbox::new(ProgramLimits::default()).map_err(|e| e.to_string()));

/// The program of a seat in one match. Its processes share a private directory.
pub(super) struct SeatedProgram {
    program: Program,
    files: PrivateFiles,
}

impl SeatedProgram {
    /// Reads and compiles the program in a file.
    ///
    /// # Errors
    /// Why it is none, as a sentence that names the file.
    pub(super) fn load(file: &str) -> Result<Self, String> {
        let files = PrivateFiles::new(FILES);
        let mut programs = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = programs.get(file) {
            return Ok(Self { program: program.clone(), files });
        }
        let sandbox = SANDBOX.as_ref().map_err(|e| format!("programs cannot run here: {e}"))?;
        let limit = ProgramLimits::default().module_bytes as u64;
        let mut bytes = Vec::new();
        let read = std::fs::File::open(file).and_then(|open| open.take(limit + 1).read_to_end(&mut bytes));
        let program = match read {
            Ok(_) => sandbox.compile(&bytes).map_err(|e| format!("the program {file}: {e}"))?,
            Err(e) => {
                return Err(format!(
                    "the program {file} cannot be read: {}",
                    crate::network::connect::brief(&e)
                ));
            }
        };
        programs.insert(file.to_owned(), program.clone());
        Ok(Self { program, files })
    }
}

/// The ends of the pipes of a program that are on this side.
pub(super) struct ProgramPipes {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

/// A running program.
pub(super) struct ProgramThread {
    stop: Arc<AtomicBool>,
    /// How long it has computed, in microseconds.
    worked_us: Arc<AtomicU64>,
    thread: JoinHandle<Option<Ending>>,
}

impl ProgramThread {
    /// Starts a process of the program.
    ///
    /// # Errors
    /// When the system has no thread or no pipe.
    pub(super) fn start(seated: &SeatedProgram) -> io::Result<(Self, ProgramPipes)> {
        let (input, stdin) = io::pipe()?;
        let (stdout, output) = io::pipe()?;
        let (stderr, errors) = io::pipe()?;
        let (stop, worked_us) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let running = RunningProgram {
            instance: Instance::start(&seated.program, random_seed(), seated.files.clone(), 0),
            input: BufReader::new(input),
            output,
            errors,
            stop: Arc::clone(&stop),
            worked_us: Arc::clone(&worked_us),
        };
        let thread = std::thread::Builder::new().name("program".to_owned()).spawn(move || running.run())?;
        let pipes = ProgramPipes {
            stdin: OwnedFd::from(stdin).into(),
            stdout: OwnedFd::from(stdout).into(),
            stderr: OwnedFd::from(stderr).into(),
        };
        Ok((Self { stop, worked_us, thread }, pipes))
    }

    /// The time that it has computed.
    pub(super) fn usage(&self) -> ProcessUsage {
        let cpu = Duration::from_micros(self.worked_us.load(Ordering::Relaxed));
        ProcessUsage { cpu, peak_kib: 0 }
    }

    pub(super) fn has_ended(&self) -> bool {
        self.thread.is_finished()
    }

    /// Lets it end soon. It may still wait for its pipes.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// How it has ended, in words, once it has.
    pub(super) fn how_it_ended(self) -> String {
        match self.thread.join() {
            Ok(Some(ending)) => ending.to_string(),
            Ok(None) => "it was stopped".to_owned(),
            Err(_) => "the sandbox failed".to_owned(),
        }
    }
}

/// A program in its thread.
struct RunningProgram {
    instance: Instance,
    input: BufReader<PipeReader>,
    output: PipeWriter,
    errors: PipeWriter,
    stop: Arc<AtomicBool>,
    worked_us: Arc<AtomicU64>,
}

impl RunningProgram {
    /// Runs it until it ends; `None`: it was stopped.
    fn run(mut self) -> Option<Ending> {
        loop {
            let step = self.step()?;
            // Standard error may be closed; that does not concern the program.
            let _ = self.errors.write_all(&step.errors);
            for line in &step.lines {
                self.output.write_all(&[line, &b"\n"[..]].concat()).ok()?;
            }
            match step.state {
                Ok(Pause::Wrote) => {}
                Ok(Pause::Waits) => self.read_line(),
                Err(ending) => return Some(ending),
            }
        }
    }

    /// Lets it compute until it pauses.
    fn step(&mut self) -> Option<Step> {
        let began = Instant::now();
        let mut progress = self.instance.begin(u64::MAX, LONGEST_DECISION);
        loop {
            if let Progress::Rests(step) = progress {
                let worked = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
                self.worked_us.fetch_add(worked, Ordering::Relaxed);
                return Some(step);
            }
            if self.stop.load(Ordering::Relaxed) {
                return None;
            }
            progress = self.instance.go_on();
        }
    }

    fn read_line(&mut self) {
        let mut line = Vec::new();
        match self.input.read_until(b'\n', &mut line) {
            Ok(read) if read > 0 => {
                line.pop_if(|last| *last == b'\n');
                self.instance.say(&String::from_utf8_lossy(&line));
            }
            _ => self.instance.end_input(),
        }
    }
}

/// Other random numbers in each process: only a match whose clock counts fuel is meant to be played again in the same way.
fn random_seed() -> [u8; 32] {
    let text = [generate_key(), generate_key()].concat();
    let mut seed = [0; 32];
    seed.iter_mut().zip(text.bytes()).for_each(|(byte, from)| *byte = from);
    seed
}
