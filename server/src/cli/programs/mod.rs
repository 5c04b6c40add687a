//! Programs of bots in the sandbox, for the commands that run them: `kibitz arena wasm:FILE` and `kibitz run FILE`.

mod players;
mod prove;
mod run;

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use kibitz_sandbox::{Program, ProgramLimits, Sandbox};

pub(crate) use players::SandboxPlayers;
pub(crate) use prove::prove;
pub(crate) use run::{RunArgs, run};

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
