//! What the service needs of the process that runs programs.

use engines::arena::{NoPrograms, ProgramHost, SandboxSeat};

/// Compiles and runs the modules of programs, outside of the server's process.
pub trait ProgramRunner: ProgramHost + Send {
    /// Why no programs run here; `None`: they do.
    fn is_off(&self) -> Option<String>;
    /// Compiles a module, and keeps it: [`ProgramHost::seat`] finds it by its hash. Blocks.
    ///
    /// # Errors
    /// Why it is no program, in one sentence for its author.
    fn compile(&self, module: &[u8]) -> Result<(), String>;
}

/// Where no programs run.
pub struct NoRunner;

impl ProgramHost for NoRunner {
    fn seat(&self, file: &str, seed: [u8; 32]) -> Result<Box<dyn SandboxSeat>, String> {
        NoPrograms.seat(file, seed)
    }
}

impl ProgramRunner for NoRunner {
    fn is_off(&self) -> Option<String> {
        Some("this server runs no programs".to_owned())
    }

    fn compile(&self, _: &[u8]) -> Result<(), String> {
        Err("this server runs no programs".to_owned())
    }
}
