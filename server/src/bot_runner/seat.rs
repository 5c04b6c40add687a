//! A program in a seat, of which every process runs in the runner.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use engines::arena::{SandboxProcess, SandboxSeat, SandboxState, SandboxStep, process_seed};
use kibitz_sandbox::runner::wire::{Answer, ModuleHash, Order, RestState, RestedStep};
use kibitz_sandbox::{fuel_of, time_of, wall_of};

use crate::bot_runner::process::RunnerProcess;
use crate::domain::request_id::RequestId;

/// A program in its seat. It belongs to one process of the runner: if that ends, so does the program.
pub(super) struct RunnerSeat {
    runner: Arc<RunnerProcess>,
    hash: ModuleHash,
    seed: [u8; 32],
    /// Its number in the runner.
    number: u64,
    /// How many processes it has had.
    processes: u64,
    /// The fuel that its processes have used.
    used: Arc<AtomicU64>,
}

impl RunnerSeat {
    pub(super) fn new(runner: Arc<RunnerProcess>, hash: ModuleHash, seed: [u8; 32]) -> Self {
        let number = runner.number();
        Self { runner, hash, seed, number, processes: 0, used: Arc::default() }
    }
}

impl Drop for RunnerSeat {
    fn drop(&mut self) {
        // If the pipe fails, the runner has ended, and everything with it.
        let _ = self.runner.order(&Order::Leave { seat: self.number });
    }
}

impl SandboxSeat for RunnerSeat {
    fn start(&mut self) -> Box<dyn SandboxProcess> {
        let seed = process_seed(self.seed, self.processes);
        self.processes += 1;
        let process = self.runner.number();
        let answers = self.runner.listen(process);
        let start = Order::Start {
            process,
            hash: self.hash,
            seat: self.number,
            seed,
            before: self.used.load(Ordering::Relaxed),
        };
        // If the pipe fails, the first step says so.
        let _ = self.runner.order(&start);
        Box::new(Process {
            runner: Arc::clone(&self.runner),
            number: process,
            answers: Mutex::new(answers),
            lines: Vec::new(),
            end_input: false,
            used: Arc::clone(&self.used),
        })
    }
}

/// A process of a program.
struct Process {
    runner: Arc<RunnerProcess>,
    number: u64,
    answers: Mutex<Receiver<Answer>>,
    /// What it can read from its next step on.
    lines: Vec<String>,
    end_input: bool,
    /// The fuel that the seat has used.
    used: Arc<AtomicU64>,
}

impl Drop for Process {
    fn drop(&mut self) {
        self.runner.forget(self.number);
        let _ = self.runner.order(&Order::End { process: self.number });
    }
}

impl SandboxProcess for Process {
    fn say(&mut self, line: &str) {
        self.lines.push(line.to_owned());
    }

    fn end_input(&mut self) {
        self.end_input = true;
    }

    fn run(&mut self, time: Option<Duration>, may_go_on: &dyn Fn() -> bool) -> SandboxStep {
        let run = Order::Run {
            process: self.number,
            lines: std::mem::take(&mut self.lines),
            end_input: self.end_input,
            fuel: time.map_or(u64::MAX, fuel_of),
            wall_ms: u64::try_from(wall_of(time).as_millis()).unwrap_or(u64::MAX),
            request: RequestId::current().map(|id| id.to_string()),
        };
        let step = self.step(run, may_go_on).unwrap_or_else(SandboxStep::without_output);
        // The process itself keeps no log, so its steps are logged here.
        let (place, process) = (self.runner.place(), self.number);
        tracing::debug!(place, process, fuel = step.fuel, state = ?step.state, "a program has run");
        step
    }
}

impl Process {
    fn step(&self, run: Order, may_go_on: &dyn Fn() -> bool) -> Result<SandboxStep, SandboxState> {
        let answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut order = run;
        loop {
            self.runner.order(&order).map_err(SandboxState::Lost)?;
            match self.runner.wait(&answers).map_err(SandboxState::Lost)? {
                Answer::Runs { .. } if may_go_on() => order = Order::GoOn { process: self.number },
                Answer::Runs { .. } => return Err(SandboxState::Stopped),
                Answer::Rests { step, .. } => return self.rested(step),
                Answer::Gone { .. } => {
                    return Err(SandboxState::Lost("the program was ended to make room".to_owned()));
                }
                Answer::Ready { .. } | Answer::Compiled { .. } => {
                    return Err(SandboxState::Lost("the runner answers what was not asked".to_owned()));
                }
            }
        }
    }

    fn rested(&self, step: RestedStep) -> Result<SandboxStep, SandboxState> {
        self.used.fetch_add(step.fuel, Ordering::Relaxed);
        let state = match step.state {
            RestState::Wrote => SandboxState::Wrote,
            RestState::Waits => SandboxState::Waits,
            RestState::OutOfFuel => SandboxState::OutOfTime,
            RestState::LineTooLong => SandboxState::TooLong,
            RestState::Over(how) => SandboxState::Over(how),
            RestState::NoRoom => {
                return Err(SandboxState::Lost("the machine has no memory for it".to_owned()));
            }
        };
        let (lines, errors, fuel) = (step.lines, step.errors, step.fuel);
        Ok(SandboxStep { state, lines, errors, taken: time_of(fuel), fuel })
    }
}
