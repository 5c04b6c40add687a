//! Programs in a sandbox: their clock counts instructions, so it shows the same on every machine. The sandbox itself is outside this
//! crate.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kibitz_bot_output::ProcessUsage;

use super::decision::Interruption;
use super::output::SeatOutput;
use super::running::{ProgramOutput, RunningProgram};
use crate::rng::{Rng, Seed};

/// Runs programs in a sandbox.
pub trait ProgramHost: Sync {
    /// Seats the program of this file. `seed`: of the random numbers of its processes.
    ///
    /// # Errors
    /// Why the file is no program, as a sentence.
    fn seat(&self, file: &str, seed: [u8; 32]) -> Result<Box<dyn SandboxSeat>, String>;
}

/// Where no programs run.
pub struct NoPrograms;

impl ProgramHost for NoPrograms {
    fn seat(&self, _: &str, _: [u8; 32]) -> Result<Box<dyn SandboxSeat>, String> {
        Err("programs in a sandbox cannot run here".to_owned())
    }
}

/// The seed of the random numbers of one process of a seat. `process`: how many the seat had before it.
pub fn process_seed(seat: [u8; 32], process: u64) -> [u8; 32] {
    Rng::stream(&Seed(seat), process).seed().0
}

/// The program of a seat in one match.
pub trait SandboxSeat: Send {
    /// Starts a process of it. The processes of a seat share a private directory, and the clock of one goes on where the last one's
    /// stopped.
    fn start(&mut self) -> Box<dyn SandboxProcess>;
}

/// A process in a sandbox. It runs only during [`SandboxProcess::run`].
pub trait SandboxProcess: Send {
    /// Queues a line for its input.
    fn say(&mut self, line: &str);
    /// Ends its input after all queued lines.
    fn end_input(&mut self);
    /// Lets it run until it has written a line, needs input, or is over. `time`: what it may use of its clock; `may_go_on`: asked from
    /// time to time, and may wait; when it says no, the process is over.
    fn run(&mut self, time: Option<Duration>, may_go_on: &dyn Fn() -> bool) -> SandboxStep;
}

/// What a process did while it ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxStep {
    /// Why it stopped.
    pub state: SandboxState,
    /// The lines that it has written, without their ends.
    pub lines: Vec<String>,
    /// What it has written to standard error.
    pub errors: Vec<u8>,
    /// The time that it has used of its clock.
    pub taken: Duration,
    /// The same, in fuel.
    pub fuel: u64,
}

impl SandboxStep {
    /// A step that has written and used nothing that counts.
    pub fn without_output(state: SandboxState) -> Self {
        Self { state, lines: Vec::new(), errors: Vec::new(), taken: Duration::ZERO, fuel: 0 }
    }
}

/// Why a process in a sandbox does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SandboxState {
    /// It has written lines, and can go on.
    Wrote,
    /// It waits for more input than there is.
    Waits,
    /// It has used up its time, and is over.
    OutOfTime,
    /// It has written a line without an end, and is over.
    TooLong,
    /// It is over, in this way.
    Over(String),
    /// It may not go on.
    Stopped,
    /// The machine has lost it, in this way, and can start it again.
    Lost(String),
}

/// A process in a sandbox, as the arena runs programs.
pub(super) struct SandboxChild {
    process: Box<dyn SandboxProcess>,
    lines: VecDeque<String>,
    /// Why it does not run, when all its lines are read.
    state: SandboxState,
    /// When the decision began, and what its clock and its fuel count since then.
    began: Instant,
    taken: Duration,
    fuel: u64,
    /// What its clock counts since it began.
    total: Duration,
    /// Gets its standard error.
    output: Arc<SeatOutput>,
}

impl SandboxChild {
    pub(super) fn new(process: Box<dyn SandboxProcess>, output: Arc<SeatOutput>) -> Self {
        Self {
            process,
            lines: VecDeque::new(),
            state: SandboxState::Wrote,
            began: Instant::now(),
            taken: Duration::ZERO,
            fuel: 0,
            total: Duration::ZERO,
            output,
        }
    }

    /// Sets its clock to the deadline: it would wait until then.
    fn wait_until(&mut self, deadline: Option<Instant>) -> ProgramOutput {
        if let Some(deadline) = deadline {
            self.taken = self.taken.max(deadline.saturating_duration_since(self.began));
        }
        ProgramOutput::Late
    }

    fn run(&mut self, time: Option<Duration>, interruption: Interruption) {
        let step = self.process.run(time, &|| interruption.may_go_on());
        self.taken += step.taken;
        self.total += step.taken;
        self.fuel += step.fuel;
        self.lines.extend(step.lines);
        self.output.wrote(&step.errors, self.now());
        self.state = step.state;
    }
}

impl RunningProgram for SandboxChild {
    fn say(&mut self, lines: &[String]) {
        lines.iter().for_each(|line| self.process.say(line));
    }

    fn close_input(&mut self) {
        self.process.end_input();
    }

    fn begin(&mut self, at: Instant) {
        (self.began, self.taken, self.fuel) = (at, Duration::ZERO, 0);
    }

    fn hear(&mut self, deadline: Option<Instant>, interruption: Interruption) -> ProgramOutput {
        // A process that waits may have got more to read since; then it runs once more.
        let mut has_run = false;
        loop {
            if interruption.is_stopped() {
                return ProgramOutput::Stopped;
            }
            if let Some(line) = self.lines.pop_front() {
                return ProgramOutput::Line(line, self.now());
            }
            match &self.state {
                SandboxState::Wrote => {}
                SandboxState::Waits if !has_run => {}
                SandboxState::Waits | SandboxState::OutOfTime => return self.wait_until(deadline),
                SandboxState::TooLong => return ProgramOutput::TooLong,
                SandboxState::Over(_) => return ProgramOutput::Ended,
                SandboxState::Stopped => return ProgramOutput::Stopped,
                SandboxState::Lost(how) => return ProgramOutput::Lost(how.clone()),
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(self.now()));
            has_run = true;
            self.run(left, interruption);
        }
    }

    fn now(&self) -> Instant {
        self.began + self.taken
    }

    fn fuel(&self) -> Option<u64> {
        Some(self.fuel)
    }

    fn read_errors(&self) {}

    fn id(&self) -> Option<u32> {
        None
    }

    fn measure(&self) {}

    fn how_it_ended(&mut self) -> String {
        match &self.state {
            SandboxState::Over(how) => how.clone(),
            SandboxState::Wrote | SandboxState::Waits => "it runs on".to_owned(),
            SandboxState::Lost(how) => how.clone(),
            SandboxState::OutOfTime | SandboxState::TooLong | SandboxState::Stopped => {
                "it was stopped".to_owned()
            }
        }
    }

    fn end(self: Box<Self>) -> ProcessUsage {
        self.stop()
    }

    /// Its clock says what it has used.
    fn stop(self: Box<Self>) -> ProcessUsage {
        ProcessUsage { cpu: self.total, peak_kib: 0 }
    }
}
