//! What a bot is started from: a command, or `wasm:FILE`, a program that runs in the sandbox of this process.

use super::bot_process::BotProcess;
#[cfg(feature = "programs")]
use super::program_thread::SeatedProgram;
use crate::dialogue::answer::Failure;
use std::ffi::OsString;

/// The bot of a seat.
pub(super) enum BotSource {
    Command(Vec<OsString>),
    #[cfg(feature = "programs")]
    Program(SeatedProgram),
}

impl BotSource {
    /// The bot that these words name. A program is read and compiled.
    ///
    /// # Errors
    /// When it is no program, or when this build runs none.
    pub(super) fn of(command: &[OsString]) -> Result<Self, Failure> {
        match program_file(command) {
            Some(file) => program(file),
            None => Ok(Self::Command(command.to_vec())),
        }
    }

    /// Starts a process of it, without the `hidden` variables.
    ///
    /// # Errors
    /// When the system cannot.
    pub(super) fn start(&self, hidden: &[&str]) -> std::io::Result<BotProcess> {
        match self {
            Self::Command(command) => BotProcess::start(command, hidden),
            #[cfg(feature = "programs")]
            Self::Program(program) => BotProcess::start_program(program),
        }
    }
}

/// The file of the program, if the bot is one.
pub(crate) fn program_file(command: &[OsString]) -> Option<&str> {
    match command {
        [only] => only.to_str()?.strip_prefix("wasm:"),
        _ => None,
    }
}

#[cfg(feature = "programs")]
fn program(file: &str) -> Result<BotSource, Failure> {
    SeatedProgram::load(file).map(BotSource::Program).map_err(Failure::setup)
}

#[cfg(not(feature = "programs"))]
fn program(_: &str) -> Result<BotSource, Failure> {
    Err(Failure::setup("this build runs no programs: build it with --features programs"))
}
