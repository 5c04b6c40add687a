//! The processes of a runner: those at rest, and the private directories of their seats.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::runner::wire::{Answer, ModuleHash, Order, RestState, RestedStep};
use crate::{Ending, Instance, Pause, PrivateFiles, Program, ProgramRefusal, Progress, Sandbox, Step};

/// What the files of a seat may hold together, in bytes.
pub const FILES: usize = 16 << 20;

/// The modules and the processes of a runner.
pub(super) struct Processes {
    sandbox: Sandbox,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    programs: HashMap<ModuleHash, Program>,
    resting: HashMap<u64, Resting>,
    files: HashMap<u64, PrivateFiles>,
    /// Counts the steps of all processes.
    steps: u64,
}

/// A process at rest.
struct Resting {
    instance: Instance,
    /// The step in which it was used last.
    used: u64,
    /// The id of the request for which it ran last.
    request: Option<String>,
}

impl Resting {
    fn for_request(&mut self, run: impl FnOnce(&mut Instance) -> Progress) -> Progress {
        let Self { instance, request, .. } = self;
        for_request(request.as_deref(), || run(instance))
    }
}

thread_local! {
    static REQUEST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The id of the request for which this thread runs a program, if it does so for one.
pub fn current_request() -> Option<String> {
    REQUEST.with_borrow(Clone::clone)
}

/// Does this work for a request. After a panic the thread keeps the id, so that the panic hook can print it.
fn for_request<T>(id: Option<&str>, work: impl FnOnce() -> T) -> T {
    REQUEST.set(id.map(str::to_owned));
    let done = work();
    REQUEST.set(None);
    done
}

impl Processes {
    pub(super) fn new(sandbox: Sandbox) -> Self {
        Self { sandbox, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does what an order says; returns the answer, if it has one.
    pub(super) fn carry_out(&self, order: Order) -> Option<Answer> {
        match order {
            Order::Compile { hash, bytes } => {
                let refusal = self.compile(hash, &bytes).err().map(|refusal| refusal.to_string());
                return Some(Answer::Compiled { hash, refusal });
            }
            Order::Run { process, lines, end_input, fuel, wall_ms, request } => {
                return Some(self.run(process, |resting| {
                    resting.request = request;
                    lines.iter().for_each(|line| resting.instance.say(line));
                    if end_input {
                        resting.instance.end_input();
                    }
                    resting.for_request(|instance| instance.begin(fuel, Duration::from_millis(wall_ms)))
                }));
            }
            Order::GoOn { process } => {
                return Some(self.run(process, |resting| resting.for_request(Instance::go_on)));
            }
            Order::Forget { hash } => drop(self.lock().programs.remove(&hash)),
            Order::Start { process, hash, seat, seed, before } => {
                self.start(process, &hash, seat, seed, before);
            }
            Order::End { process } => drop(self.lock().resting.remove(&process)),
            Order::Leave { seat } => drop(self.lock().files.remove(&seat)),
        }
        None
    }

    fn compile(&self, hash: ModuleHash, bytes: &[u8]) -> Result<(), ProgramRefusal> {
        let program = self.sandbox.compile(bytes)?;
        self.lock().programs.insert(hash, program);
        Ok(())
    }

    fn start(&self, process: u64, hash: &ModuleHash, seat: u64, seed: [u8; 32], before: u64) {
        let mut state = self.lock();
        let Some(program) = state.programs.get(hash).cloned() else { return };
        let files = state.files.entry(seat).or_insert_with(|| PrivateFiles::new(FILES)).clone();
        let instance = Instance::start(&program, seed, files, before);
        let resting = Resting { instance, used: state.steps, request: None };
        state.resting.insert(process, resting);
    }

    /// Lets a process run; it is no one's to end meanwhile.
    fn run(&self, process: u64, run: impl FnOnce(&mut Resting) -> Progress) -> Answer {
        let Some(mut resting) = self.lock().resting.remove(&process) else { return Answer::Gone { process } };
        let progress = run(&mut resting);
        let mut state = self.lock();
        state.steps += 1;
        resting.used = state.steps;
        match progress {
            Progress::Runs => {
                state.resting.insert(process, resting);
                Answer::Runs { process }
            }
            Progress::Rests(step) => {
                if step.state.is_ok() {
                    state.resting.insert(process, resting);
                } else if step.state == Err(Ending::NoRoom) {
                    state.make_room();
                }
                Answer::Rests { process, step: rested(step) }
            }
        }
    }
}

impl State {
    /// Ends the half of the processes that has rested longest. The parent starts them again when it needs them.
    fn make_room(&mut self) {
        let mut used: Vec<u64> = self.resting.values().map(|resting| resting.used).collect();
        used.sort_unstable();
        if let Some(middle) = used.get(used.len() / 2).copied() {
            self.resting.retain(|_, resting| resting.used > middle);
        }
    }
}

fn rested(step: Step) -> RestedStep {
    let state = match step.state {
        Ok(Pause::Wrote) => RestState::Wrote,
        Ok(Pause::Waits) => RestState::Waits,
        Err(Ending::OutOfFuel) => RestState::OutOfFuel,
        Err(Ending::LineTooLong) => RestState::LineTooLong,
        Err(Ending::NoRoom) => RestState::NoRoom,
        Err(ending) => RestState::Over(ending.to_string()),
    };
    let lines = step.lines.iter().map(|line| String::from_utf8_lossy(line).into_owned()).collect();
    RestedStep { state, lines, errors: step.errors, fuel: step.fuel }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_knows_its_request_until_the_work_is_done() {
        assert_eq!(for_request(Some("a"), current_request).as_deref(), Some("a"));
        assert_eq!((for_request(None, current_request), current_request()), (None, None));
        let panicked = std::panic::catch_unwind(|| for_request(Some("b"), || panic!("a test")));
        assert!(panicked.is_err());
        assert_eq!(current_request().as_deref(), Some("b"), "the panic hook can name the request");
    }
}
