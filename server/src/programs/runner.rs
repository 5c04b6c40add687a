//! What the service needs of the process that runs programs.

use engines::arena::{NoPrograms, ProgramHost, SandboxSeat};

/// Compiles and runs the modules of programs, outside of the server's process.
pub trait ProgramRunner: ProgramHost + Send {
    /// Why no programs run here; `None`: they do.
    fn is_off(&self) -> Option<String>;
    /// Compiles a module, and keeps it: [`ProgramHost::seat`] finds it by its hash. Blocks.
    ///
    /// # Errors
    /// The reason why it cannot be used.
    fn compile(&self, module: &[u8]) -> Result<(), CompileFailure>;
    /// There is nothing to run for a while: what it holds can go.
    fn rest(&self);
}

/// Why a module cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileFailure {
    /// It is no program: one sentence for its author.
    #[error("{0}")]
    Refused(String),
    /// Programs cannot run now, for a reason that may pass.
    #[error("{0}")]
    ForNow(String),
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

    fn compile(&self, _: &[u8]) -> Result<(), CompileFailure> {
        Err(CompileFailure::ForNow("this server runs no programs".to_owned()))
    }

    fn rest(&self) {}
}

#[cfg(feature = "programs")]
mod of_process {
    use super::{CompileFailure, ProgramRunner};
    use crate::bot_runner::{BotRunner, LoadFailure, ModuleHash};
    use crate::domain::{ProgramHash, token};

    const _: () = assert!(crate::programs::FUEL_PER_SECOND == kibitz_sandbox::FUEL_PER_SECOND);

    /// The bytes of a hash.
    pub(in crate::programs) fn bytes_of(hash: &ProgramHash) -> ModuleHash {
        token::unhex(hash.as_str()).expect("a hash has 64 hexadecimal digits")
    }

    impl ProgramRunner for BotRunner {
        fn is_off(&self) -> Option<String> {
            None
        }

        fn compile(&self, module: &[u8]) -> Result<(), CompileFailure> {
            let hash = bytes_of(&ProgramHash::of(module));
            self.load(hash, module).map_err(|e| match e {
                LoadFailure::Refused(why) => CompileFailure::Refused(why),
                LoadFailure::NoRunner(why) => CompileFailure::ForNow(why),
            })
        }

        fn rest(&self) {
            self.stop();
        }
    }
}

#[cfg(feature = "programs")]
pub(super) use of_process::bytes_of;
