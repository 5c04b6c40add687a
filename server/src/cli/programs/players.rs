//! Programs as players of the arena.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engines::arena::{ProgramHost, SandboxProcess, SandboxSeat, SandboxState, SandboxStep, process_seed};
use kibitz_sandbox::runner::FILES;
use kibitz_sandbox::{
    Ending, Instance, Pause, PrivateFiles, Program, Progress, Sandbox, fuel_of, time_of, wall_of,
};

use super::{load, sandbox};

/// The programs of a run; each file is read and compiled once.
pub(crate) struct SandboxPlayers {
    sandbox: Sandbox,
    compiled: Mutex<HashMap<String, Program>>,
}

impl SandboxPlayers {
    /// No program yet.
    ///
    /// # Errors
    /// When the machine cannot run programs.
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { sandbox: sandbox()?, compiled: Mutex::default() })
    }

    /// The program of this file.
    ///
    /// # Errors
    /// Why it is none, as a sentence.
    pub(crate) fn program(&self, file: &str) -> Result<Program, String> {
        let mut compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = compiled.get(file) {
            return Ok(program.clone());
        }
        let program = load(&self.sandbox, Path::new(file))?;
        compiled.insert(file.to_owned(), program.clone());
        Ok(program)
    }
}

impl ProgramHost for SandboxPlayers {
    fn seat(&self, file: &str, seed: [u8; 32]) -> Result<Box<dyn SandboxSeat>, String> {
        Ok(Box::new(Seated {
            program: self.program(file)?,
            seed,
            processes: 0,
            files: PrivateFiles::new(FILES),
            used: Arc::default(),
        }))
    }
}

/// A program in its seat.
struct Seated {
    program: Program,
    seed: [u8; 32],
    /// How many processes it has had.
    processes: u64,
    files: PrivateFiles,
    /// The fuel that its processes have used.
    used: Arc<AtomicU64>,
}

impl SandboxSeat for Seated {
    fn start(&mut self) -> Box<dyn SandboxProcess> {
        let seed = process_seed(self.seed, self.processes);
        self.processes += 1;
        let used = Arc::clone(&self.used);
        let before = used.load(Ordering::Relaxed);
        Box::new(Running { instance: Instance::start(&self.program, seed, self.files.clone(), before), used })
    }
}

/// A process of it.
struct Running {
    instance: Instance,
    used: Arc<AtomicU64>,
}

impl SandboxProcess for Running {
    fn say(&mut self, line: &str) {
        self.instance.say(line);
    }

    fn end_input(&mut self) {
        self.instance.end_input();
    }

    fn run(&mut self, time: Option<Duration>, may_go_on: &dyn Fn() -> bool) -> SandboxStep {
        let mut progress = self.instance.begin(time.map_or(u64::MAX, fuel_of), wall_of(time));
        let step = loop {
            match progress {
                Progress::Rests(step) => break step,
                Progress::Runs if may_go_on() => progress = self.instance.go_on(),
                Progress::Runs => return SandboxStep::without_output(SandboxState::Stopped),
            }
        };
        self.used.fetch_add(step.fuel, Ordering::Relaxed);
        let state = match step.state {
            Ok(Pause::Wrote) => SandboxState::Wrote,
            Ok(Pause::Waits) => SandboxState::Waits,
            Err(Ending::OutOfFuel) => SandboxState::OutOfTime,
            Err(Ending::LineTooLong) => SandboxState::TooLong,
            Err(Ending::NoRoom) => SandboxState::Lost(Ending::NoRoom.to_string()),
            Err(ending) => SandboxState::Over(ending.to_string()),
        };
        let lines = step.lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect();
        SandboxStep { state, lines, errors: step.errors, taken: time_of(step.fuel), fuel: step.fuel }
    }
}
