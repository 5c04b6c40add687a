//! A running program.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use wasmtime::{Store, Trap, WasmBacktrace};

use crate::channel::{Channel, Grant};
use crate::host::{Host, Stop};
use crate::program::Program;
use crate::ticker::{Ticker, ticks};
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this exit code.
    Exited(u32),
    /// By a fault of its own, in words: "unreachable code, in choose_move, called by main".
    Trapped(String),
    /// It has used up the fuel that it was given.
    OutOfFuel,
    /// It has used more time of the machine than its fuel can account for.
    TookTooLong,
    /// It has written a line longer than 64 KiB.
    LineTooLong,
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

/// A program at rest, between two steps. Dropping it ends the program.
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
        let host = Host::new(channel.clone(), files, seed, before, &compiled.limits);
        let linked = compiled.linked.clone();
        let run = async move {
            let grant = host.channel.lock().grant.take();
            let mut store = Store::new(linked.module().engine(), host);
            store.limiter(|host| &mut host.limits);
            let result = async {
                let Grant { fuel, wall } = grant.unwrap_or(Grant { fuel: 0, wall: Duration::ZERO });
                store.data_mut().resumes(fuel);
                store.set_fuel(fuel)?;
                store.set_epoch_deadline(ticks(wall));
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
        let run = match &mut self.run {
            Ok(run) => run,
            Err(ending) => {
                let state = Err(ending.clone());
                return self.take(state, 0);
            }
        };
        self.channel.lock().grant = Some(Grant { fuel, wall });
        let _ticks = self.ticker.run();
        match run.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => {
                let (pause, used) = {
                    let mut exchange = self.channel.lock();
                    (exchange.pause.take(), exchange.used)
                };
                self.take(Ok(pause.unwrap_or(Pause::Waits)), used)
            }
            Poll::Ready((store, result)) => {
                let used = store.data().used(store.get_fuel().unwrap_or(0));
                let ending = ending(result);
                self.run = Err(ending.clone());
                self.take(Err(ending), used)
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
