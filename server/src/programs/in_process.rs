//! Runs programs in this process. To be replaced by the process that runs them.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engines::arena::{ProgramHost, SandboxProcess, SandboxSeat, SandboxState, SandboxStep};
use engines::rng::{Rng, Seed};
use kibitz_sandbox::{
    Ending, Instance, Pause, PrivateFiles, Program, ProgramLimits, Sandbox, fuel_of, time_of,
};

use crate::domain::ProgramHash;
use crate::programs::ProgramRunner;

/// Compiled programs by the hash of their module.
pub struct InProcess {
    sandbox: Sandbox,
    compiled: Mutex<HashMap<String, Program>>,
}

impl InProcess {
    /// No program yet.
    ///
    /// # Errors
    /// When the machine cannot run programs.
    pub fn new() -> io::Result<Self> {
        Ok(Self { sandbox: Sandbox::new(ProgramLimits::default())?, compiled: Mutex::default() })
    }
}

impl ProgramRunner for InProcess {
    fn is_off(&self) -> Option<String> {
        None
    }

    fn compile(&self, module: &[u8]) -> Result<(), String> {
        let program = self.sandbox.compile(module).map_err(|e| e.to_string())?;
        let hash = ProgramHash::of(module).to_string();
        self.compiled.lock().unwrap_or_else(PoisonError::into_inner).insert(hash, program);
        Ok(())
    }
}

impl ProgramHost for InProcess {
    fn seat(&self, file: &str, seed: [u8; 32]) -> Result<Box<dyn SandboxSeat>, String> {
        let compiled = self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        let program = compiled.get(file).cloned().ok_or("it is not compiled")?;
        Ok(Box::new(Seated {
            program,
            seed,
            processes: 0,
            files: PrivateFiles::new(16 << 20),
            used: Arc::default(),
        }))
    }
}

struct Seated {
    program: Program,
    seed: [u8; 32],
    processes: u64,
    files: PrivateFiles,
    used: Arc<AtomicU64>,
}

impl SandboxSeat for Seated {
    fn start(&mut self) -> Box<dyn SandboxProcess> {
        let seed = Rng::stream(&Seed(self.seed), self.processes).seed().0;
        self.processes += 1;
        let used = Arc::clone(&self.used);
        let before = used.load(Ordering::Relaxed);
        Box::new(Running { instance: Instance::start(&self.program, seed, self.files.clone(), before), used })
    }
}

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

    fn run(&mut self, time: Option<Duration>) -> SandboxStep {
        let step = self.instance.resume(time.map_or(u64::MAX, fuel_of), Duration::from_secs(60));
        self.used.fetch_add(step.fuel, Ordering::Relaxed);
        let state = match step.state {
            Ok(Pause::Wrote) => SandboxState::Wrote,
            Ok(Pause::Waits) => SandboxState::Waits,
            Err(Ending::OutOfFuel) => SandboxState::OutOfTime,
            Err(Ending::LineTooLong) => SandboxState::TooLong,
            Err(ending) => SandboxState::Over(format!("{ending:?}")),
        };
        let lines = step.lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect();
        SandboxStep { state, lines, errors: step.errors, taken: time_of(step.fuel), fuel: step.fuel }
    }
}
