//! Programs of bots in the sandbox, for the commands that run them: `kibitz arena wasm:FILE` and `kibitz run FILE`.

mod players;
mod run;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use kibitz_sandbox::{Ending, Program, ProgramLimits, Sandbox};

pub(crate) use players::SandboxPlayers;
pub(crate) use run::{RunArgs, run};

/// What the files of a program may hold together, in bytes.
const FILES: usize = 16 << 20;

/// How much longer than its clock a program may take. A machine is never as slow; instructions that cost much more than others are.
const WALL_FACTOR: u32 = 20;

/// How long a program may take at least, and where nothing limits its clock at most.
const WALL: (Duration, Duration) = (Duration::from_secs(10), Duration::from_secs(24 * 3600));

fn sandbox() -> io::Result<Sandbox> {
    Sandbox::new(ProgramLimits::default())
}

/// Reads and compiles the program in a file.
///
/// # Errors
/// Why it is none, as a sentence that names the file.
fn load(sandbox: &Sandbox, file: &Path) -> Result<Program, String> {
    let limit = ProgramLimits::default().module_bytes;
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|opened| opened.take(limit as u64 + 1).read_to_end(&mut bytes));
    let named = |e: &dyn std::fmt::Display| format!("{}: {e}", file.display());
    read.map_err(|e| named(&e))?;
    sandbox.compile(&bytes).map_err(|e| named(&e))
}

/// The time of the machine in which a program must use this time of its clock.
fn wall(time: Option<Duration>) -> Duration {
    time.map_or(WALL.1, |time| time.saturating_mul(WALL_FACTOR).clamp(WALL.0, WALL.1))
}

/// How a program has ended, as the end of a process is described.
fn in_words(ending: Ending) -> String {
    match ending {
        Ending::Exited(code) => format!("exit status: {code}"),
        Ending::Trapped(words) => words,
        Ending::OutOfFuel => "it has used up its time".to_owned(),
        Ending::TookTooLong => {
            "it took far more time of the machine than its instructions account for".to_owned()
        }
        Ending::LineTooLong => "it wrote a line without an end".to_owned(),
    }
}
