//! A running program.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use wasmtime::{Store, Trap, UpdateDeadline, WasmBacktrace};

use crate::channel::Channel;
use crate::host::{Host, Stop};
use crate::program::Program;
use crate::ticker::Ticker;
use crate::wasi::files::PrivateFiles;

/// Why a program has paused. It goes on when it is resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pause {
    /// It has written at least one complete line.
    Wrote,
    /// It waits for input, and has read all that there is.
    Waits,
}

/// How a program has ended.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ending {
    /// By itself, with this exit code.
    #[error("exit status: {0}")]
    Exited(u32),
    /// By a fault of its own, in words: "unreachable code, in choose_move, called by main".
    #[error("{0}")]
    Trapped(String),
    /// It has used up the fuel that it was given.
    #[error("it has used up its time")]
    OutOfFuel,
    /// It has used more time of the machine than its fuel can account for.
    #[error("it took far more time of the machine than its instructions account for")]
    TookTooLong,
    /// It has written a line longer than 64 KiB.
    #[error("it wrote a line without an end")]
    LineTooLong,
    /// All programs together need more memory than the machine gives them. It is not this one's fault: started again with the same
    /// input, it would go on.
    #[error("the machine has no memory for it")]
    NoRoom,
}

/// What a program did from one pause to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Why it is at rest: paused, or over.
    pub state: Result<Pause, Ending>,
    /// The complete lines that it has written, without their ends. If it is over, the last one may be incomplete.
    pub lines: Vec<Vec<u8>>,
    /// What it has written to standard error, at most 64 KiB.
    pub errors: Vec<u8>,
    /// How many bytes of standard error are left out.
    pub errors_cut: u64,
    /// The fuel that it has used.
    pub fuel: u64,
}

type Run = Pin<Box<dyn Future<Output = (Store<Host>, wasmtime::Result<()>)> + Send>>;

/// Whether a program has paused or ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// No: it has run for a while, and runs on when [`Instance::go_on`] lets it.
    Runs,
    /// Yes.
    Rests(Step),
}

/// The fuel after which a program lets others run: about 10 ms of a machine of today. It changes no result.
const SLICE: u64 = 80_000_000;

/// A program at rest, or between two slices of a step. Dropping it ends the program.
pub struct Instance {
    channel: Channel,
    ticker: Ticker,
    /// The way it ended, once it is over.
    run: Result<Run, Ending>,
}

impl Instance {
    /// Prepares a program; it runs when it is first resumed. `seed`: of its random numbers. `before`: the fuel that the same seat's
    /// programs have used before in the match, which is where its clock begins.
    pub fn start(program: &Program, seed: [u8; 32], files: PrivateFiles, before: u64) -> Self {
        let compiled = program.compiled();
        let channel = Channel::default();
        let host = Host::new(channel.clone(), files, seed, before, compiled.memory_limits());
        let linked = compiled.linked.clone();
        let run = async move {
            let grant = host.channel.lock().grant.take();
            let mut store = Store::new(linked.module().engine(), host);
            store.limiter(|host| &mut host.limits);
            store.set_epoch_deadline(1);
            store.epoch_deadline_callback(|host| {
                let is_over = host.data().channel.lock().wall.is_over();
                Ok(if is_over { UpdateDeadline::Interrupt } else { UpdateDeadline::Continue(1) })
            });
            let result = async {
                let fuel = grant.unwrap_or(0);
                store.data_mut().resumes(fuel);
                store.fuel_async_yield_interval(Some(SLICE))?;
                store.set_fuel(fuel)?;
                let instance = linked.instantiate_async(&mut store).await?;
                instance.get_typed_func::<(), ()>(&mut store, "_start")?.call_async(&mut store, ()).await
            }
            .await;
            (store, result)
        };
        Self { channel, ticker: compiled.ticker.clone(), run: Ok(Box::pin(run)) }
    }

    /// Queues a line for its input.
    pub fn say(&mut self, line: &str) {
        let mut exchange = self.channel.lock();
        exchange.input.extend(line.as_bytes());
        exchange.input.push_back(b'\n');
    }

    /// Ends its input after the queued lines.
    pub fn end_input(&mut self) {
        self.channel.lock().input_ends = true;
    }

    /// Lets it run until it pauses or is over. `fuel`: what it may use; without enough it is over. `wall`: the time of the machine
    /// after which it is ended, which protects the machine only, and is far more than the fuel needs. A program that is over
    /// stays so: it uses and writes nothing.
    pub fn resume(&mut self, fuel: u64, wall: Duration) -> Step {
        let mut progress = self.begin(fuel, wall);
        loop {
            match progress {
                Progress::Rests(step) => return step,
                Progress::Runs => progress = self.go_on(),
            }
        }
    }

    /// As [`Self::resume`], for one slice, after which others may run.
    pub fn begin(&mut self, fuel: u64, wall: Duration) -> Progress {
        if let Err(ending) = &self.run {
            return Progress::Rests(self.take(Err(ending.clone()), 0));
        }
        {
            let mut exchange = self.channel.lock();
            exchange.grant = Some(fuel);
            exchange.wall.restart(wall);
        }
        self.go_on()
    }

    /// Runs one more slice of what [`Self::begin`] began.
    pub fn go_on(&mut self) -> Progress {
        let run = match &mut self.run {
            Ok(run) => run,
            Err(ending) => {
                let ending = ending.clone();
                return Progress::Rests(self.take(Err(ending), 0));
            }
        };
        self.channel.lock().wall.since = Some(Instant::now());
        let polled = {
            let _ticks = self.ticker.run();
            run.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        };
        self.channel.lock().wall.stop();
        match polled {
            Poll::Pending => {
                let (pause, used) = {
                    let mut exchange = self.channel.lock();
                    (exchange.pause.take(), exchange.used)
                };
                pause.map_or(Progress::Runs, |pause| Progress::Rests(self.take(Ok(pause), used)))
            }
            Poll::Ready((store, result)) => {
                let used = store.data().used(store.get_fuel().unwrap_or(0));
                let ending = ending(result);
                self.run = Err(ending.clone());
                Progress::Rests(self.take(Err(ending), used))
            }
        }
    }

    fn take(&self, state: Result<Pause, Ending>, fuel: u64) -> Step {
        let mut exchange = self.channel.lock();
        if state.is_err() && !exchange.begun.is_empty() {
            let last = std::mem::take(&mut exchange.begun);
            exchange.lines.push(last);
        }
        Step {
            state,
            lines: std::mem::take(&mut exchange.lines),
            errors: std::mem::take(&mut exchange.errors),
            errors_cut: std::mem::take(&mut exchange.errors_cut),
            fuel,
        }
    }
}

/// How many functions of the stack a message names.
const FRAMES: usize = 4;

fn ending(result: wasmtime::Result<()>) -> Ending {
    let Err(e) = result else { return Ending::Exited(0) };
    let words = match (e.downcast_ref::<Stop>(), e.downcast_ref::<Trap>()) {
        (Some(Stop::Exit(code)), _) => return Ending::Exited(*code),
        (Some(Stop::LineTooLong), _) => return Ending::LineTooLong,
        (Some(Stop::NoRoom), _) => return Ending::NoRoom,
        (Some(Stop::Forbidden(words)), _) => words.clone(),
        (_, Some(Trap::OutOfFuel)) => return Ending::OutOfFuel,
        (_, Some(Trap::Interrupt)) => return Ending::TookTooLong,
        (_, Some(trap)) => trap_words(*trap),
        (None, None) => e.root_cause().to_string(),
    };
    let place = e.downcast_ref::<WasmBacktrace>().map(WasmBacktrace::frames).unwrap_or_default();
    let names: Vec<&str> = place.iter().filter_map(|frame| frame.func_name()).take(FRAMES).collect();
    Ending::Trapped(match names.is_empty() {
        true => words,
        false => format!("{words}, in {}", names.join(", called by ")),
    })
}

/// A trap, in words that a programmer without knowledge of WebAssembly understands.
fn trap_words(trap: Trap) -> String {
    let text = trap.to_string();
    match trap {
        Trap::StackOverflow => "the stack is full: a recursion is too deep",
        Trap::MemoryOutOfBounds => "it read or wrote outside its memory",
        Trap::UnreachableCodeReached => "it aborted: unreachable code was reached",
        Trap::IntegerDivisionByZero => "an integer was divided by zero",
        _ => text.strip_prefix("wasm trap: ").unwrap_or(&text),
    }
    .to_owned()
}
