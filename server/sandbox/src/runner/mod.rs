//! A process that does nothing but run programs for its parent, from which it has a pipe for each direction. It knows no game and
//! no match, only lines and fuel. It gives up every right that it does not need before it reads the first order.

mod confine;
mod processes;
pub mod wire;

use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

pub use processes::{FILES, current_request};

use crate::{ProgramLimits, Sandbox};
use processes::Processes;
use wire::{Answer, Order, read_frame, write_frame};

/// The stack of a thread that runs programs, in bytes. Programs have stacks of their own.
const STACK: usize = 1 << 20;

/// The stack of the thread that compiles, in bytes.
const COMPILER_STACK: usize = 16 << 20;

/// What a runner may use.
#[derive(Clone, Copy, Debug)]
pub struct RunnerLimits {
    /// The programs that run at a time.
    pub threads: NonZeroUsize,
    /// The memory of all programs together, in bytes.
    pub memory_bytes: usize,
}

/// Reads orders and answers them until the input ends. It confines this process for good, and is for a process that does nothing
/// else.
///
/// # Errors
/// When programs cannot run here, a thread cannot start, or a pipe fails; then nothing is left to do.
pub fn serve<O: Write + Send + 'static>(
    mut orders: impl Read,
    answers: O,
    limits: &RunnerLimits,
) -> io::Result<()> {
    let mut missing = confine::give_up_files(limits.memory_bytes);
    let limits_of_programs =
        ProgramLimits { all_memory_bytes: limits.memory_bytes, ..ProgramLimits::default() };
    let processes = Arc::new(Processes::new(Sandbox::new(limits_of_programs)?));
    let answers = Arc::new(Mutex::new(answers));
    let (runs, run_orders) = mpsc::channel();
    let run_orders = Arc::new(Mutex::new(run_orders));
    for n in 0..limits.threads.get() {
        spawn(&format!("programs-{n}"), STACK, &processes, &run_orders, &answers)?;
    }
    let (compiles, compile_orders) = mpsc::channel();
    spawn("compiler", COMPILER_STACK, &processes, &Arc::new(Mutex::new(compile_orders)), &answers)?;
    missing.extend(confine::give_up_calls());
    write_answer(&answers, &Answer::Ready { missing })?;
    while let Some(order) = read_frame::<Order>(&mut orders)? {
        match order {
            Order::Compile { .. } => hand_over(&compiles, order)?,
            Order::Run { .. } | Order::GoOn { .. } => hand_over(&runs, order)?,
            // Quick, and in order with what follows.
            _ => drop(processes.carry_out(order)),
        }
    }
    Ok(())
}

fn hand_over(queue: &Sender<Order>, order: Order) -> io::Result<()> {
    queue.send(order).map_err(|_| io::Error::other("the threads have ended"))
}

type Orders = Arc<Mutex<Receiver<Order>>>;

/// Starts a thread that carries out orders.
fn spawn<O: Write + Send + 'static>(
    name: &str,
    stack: usize,
    processes: &Arc<Processes>,
    orders: &Orders,
    answers: &Arc<Mutex<O>>,
) -> io::Result<()> {
    let (processes, orders, answers) = (Arc::clone(processes), Arc::clone(orders), Arc::clone(answers));
    thread::Builder::new().name(name.to_owned()).stack_size(stack).spawn(move || {
        loop {
            // Only one thread waits at a time; the others wait for the lock.
            let order = orders.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(order) = order else { return };
            let Some(answer) = processes.carry_out(order) else { continue };
            if write_answer(&answers, &answer).is_err() {
                // The parent is gone.
                return;
            }
        }
    })?;
    Ok(())
}

fn write_answer(answers: &Mutex<impl Write>, answer: &Answer) -> io::Result<()> {
    write_frame(&mut *answers.lock().unwrap_or_else(PoisonError::into_inner), answer)
}
