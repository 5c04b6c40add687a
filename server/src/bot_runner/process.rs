//! One process that runs programs, here or on another machine: orders to it, and who waits for its answers.

use std::collections::HashMap;
use std::io::{self, BufReader, Read, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use kibitz_sandbox::runner::wire::{Answer, ModuleHash, Order, read_frame, write_frame};

use crate::bot_runner::LoadFailure;
use crate::bot_runner::pipes::RunnerPipes;

/// How long the process may take to be ready.
const STARTS_WITHIN: Duration = Duration::from_secs(30);

/// How long a module may take to compile before the process is ended. The sandbox refuses before that what takes more than some
/// seconds of the processor, so only a hang takes as long, also on a busy machine.
const COMPILES_WITHIN: Duration = Duration::from_secs(300);

/// How long the process may take for an answer about a program, which runs for some milliseconds at a time, before it is ended.
const ANSWERS_WITHIN: Duration = Duration::from_secs(30);

/// The most modules that the process keeps. The one that was not used for longest goes.
const MOST_MODULES: usize = 256;

pub(super) struct RunnerProcess {
    end: Box<dyn Fn() + Send + Sync>,
    /// Where it runs, for the log.
    place: String,
    orders: Mutex<Box<dyn Write + Send>>,
    waiting: Arc<Waiting>,
    next_number: AtomicU64,
    /// The modules that it has, each with the number at its last use.
    modules: Mutex<HashMap<ModuleHash, u64>>,
}

/// Who waits for answers.
#[derive(Default)]
struct Waiting {
    ended: AtomicBool,
    processes: Mutex<HashMap<u64, Sender<Answer>>>,
    modules: Mutex<HashMap<ModuleHash, Vec<Sender<Option<String>>>>>,
}

/// Nothing can panic while such a lock is held that would leave the value half-changed.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RunnerProcess {
    /// Waits until the process at the other ends of these pipes is ready.
    ///
    /// # Errors
    /// When it is not.
    pub(super) fn start(pipes: RunnerPipes) -> io::Result<Self> {
        let RunnerPipes { orders, answers, end, place } = pipes;
        let waiting = Arc::new(Waiting::default());
        let (ready, is_ready) = mpsc::channel();
        let heard = Arc::clone(&waiting);
        thread::Builder::new().name("bots".to_owned()).spawn(move || hear(answers, &heard, &ready))?;
        let this = Self {
            end,
            place: place.clone(),
            orders: Mutex::new(orders),
            waiting,
            next_number: AtomicU64::new(1),
            modules: Mutex::default(),
        };
        match is_ready.recv_timeout(STARTS_WITHIN) {
            Ok(missing) => {
                tracing::info!(place, "a process runs the programs of bots");
                for what in missing {
                    tracing::warn!(what, place, "the process that runs bots is not fully confined");
                }
                Ok(this)
            }
            Err(_) => {
                this.kill();
                Err(io::Error::other("`kibitz bots` ended before it was ready, or is not ready in time"))
            }
        }
    }

    pub(super) fn is_alive(&self) -> bool {
        !self.waiting.ended.load(Ordering::Acquire)
    }

    /// Ends the process. Whoever waits for it is told.
    pub(super) fn kill(&self) {
        (self.end)();
    }

    /// Where it runs, for the log.
    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// A number for a process or a seat that no other one has.
    pub(super) fn number(&self) -> u64 {
        self.next_number.fetch_add(1, Ordering::Relaxed)
    }

    /// Whether it has this module.
    pub(super) fn has(&self, hash: &ModuleHash) -> bool {
        locked(&self.modules).contains_key(hash)
    }

    /// Has a module compiled, unless it has it.
    pub(super) fn load(&self, hash: ModuleHash, module: &[u8]) -> Result<(), LoadFailure> {
        if self.use_module(&hash) {
            return Ok(());
        }
        let (told, compiled) = mpsc::channel();
        let is_first = {
            let mut waiting = locked(&self.waiting.modules);
            let waiters = waiting.entry(hash).or_default();
            waiters.push(told);
            waiters.len() == 1
        };
        if is_first {
            self.order(&Order::Compile { hash, bytes: module.to_vec() }).map_err(LoadFailure::NoRunner)?;
        }
        match compiled.recv_timeout(COMPILES_WITHIN) {
            Ok(None) => {
                self.keep_module(hash);
                Ok(())
            }
            Ok(Some(refusal)) => Err(LoadFailure::Refused(refusal)),
            Err(RecvTimeoutError::Timeout) => {
                self.kill();
                let seconds = COMPILES_WITHIN.as_secs();
                Err(LoadFailure::Refused(format!("the module takes longer than {seconds} s to compile")))
            }
            Err(RecvTimeoutError::Disconnected) => Err(LoadFailure::NoRunner(ended())),
        }
    }

    /// Notes a use of a module; `false`: it does not have it.
    fn use_module(&self, hash: &ModuleHash) -> bool {
        let number = self.number();
        let mut modules = locked(&self.modules);
        let Some(used) = modules.get_mut(hash) else { return false };
        *used = number;
        true
    }

    fn keep_module(&self, hash: ModuleHash) {
        let number = self.number();
        let mut modules = locked(&self.modules);
        modules.insert(hash, number);
        if modules.len() > MOST_MODULES
            && let Some(oldest) = modules.iter().min_by_key(|(_, used)| **used).map(|(hash, _)| *hash)
        {
            modules.remove(&oldest);
            drop(modules);
            // If the pipe fails, the process has ended.
            let _ = self.order(&Order::Forget { hash: oldest });
        }
    }

    /// Opens a channel for the answers about a process.
    pub(super) fn listen(&self, process: u64) -> Receiver<Answer> {
        let (told, answers) = mpsc::channel();
        locked(&self.waiting.processes).insert(process, told);
        if !self.is_alive() {
            locked(&self.waiting.processes).clear();
        }
        answers
    }

    /// Closes the channel of a process that is over.
    pub(super) fn forget(&self, process: u64) {
        locked(&self.waiting.processes).remove(&process);
    }

    /// Sends an order.
    ///
    /// # Errors
    /// The process has ended; in words.
    pub(super) fn order(&self, order: &Order) -> Result<(), String> {
        write_frame(&mut *locked(&self.orders), order).map_err(|_| ended())
    }

    /// Waits for an answer about a program.
    ///
    /// # Errors
    /// The process has ended, or hangs and was ended; in words.
    pub(super) fn wait(&self, answers: &Receiver<Answer>) -> Result<Answer, String> {
        answers.recv_timeout(ANSWERS_WITHIN).map_err(|e| {
            if e == RecvTimeoutError::Timeout {
                self.kill();
            }
            ended()
        })
    }
}

fn ended() -> String {
    "the process that runs programs has ended".to_owned()
}

/// Passes answers on until the process ends.
fn hear(answers: impl Read, waiting: &Waiting, ready: &Sender<Vec<String>>) {
    let mut answers = BufReader::new(answers);
    let why = loop {
        match read_frame::<Answer>(&mut answers) {
            Ok(Some(answer)) => waiting.take(answer, ready),
            Ok(None) => break None,
            Err(e) => break Some(e),
        }
    };
    waiting.ended.store(true, Ordering::Release);
    // Their receivers learn that nothing comes any more.
    locked(&waiting.processes).clear();
    locked(&waiting.modules).clear();
    tracing::info!(error = why.map(tracing::field::display), "the process that runs bots has ended");
}

impl Waiting {
    fn take(&self, answer: Answer, ready: &Sender<Vec<String>>) {
        // A receiver may have stopped waiting.
        match answer {
            Answer::Ready { missing } => drop(ready.send(missing)),
            Answer::Compiled { hash, refusal } => {
                for waiter in locked(&self.modules).remove(&hash).unwrap_or_default() {
                    let _ = waiter.send(refusal.clone());
                }
            }
            Answer::Runs { process } | Answer::Rests { process, .. } | Answer::Gone { process } => {
                if let Some(waiter) = locked(&self.processes).get(&process) {
                    let _ = waiter.send(answer);
                }
            }
        }
    }
}
