//! The wall clock that protects the machine: it advances the engine's epoch while a program runs, and sleeps when none does.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Thread};
use std::time::Duration;

use wasmtime::Engine;

/// The length of an epoch.
const TICK: Duration = Duration::from_millis(10);

/// Counts the running programs, and wakes the thread that ticks.
#[derive(Clone)]
pub(crate) struct Ticker {
    running: Arc<AtomicUsize>,
    thread: Thread,
}

impl Ticker {
    /// Starts the thread. It ends with the engine.
    pub(crate) fn start(engine: &Engine) -> io::Result<Self> {
        let running = Arc::new(AtomicUsize::new(0));
        let engine = engine.weak();
        let count = Arc::clone(&running);
        let thread = thread::Builder::new().name("sandbox-ticks".to_owned()).stack_size(64 * 1024).spawn(
            move || {
                loop {
                    if count.load(Ordering::Acquire) == 0 {
                        // A longer wait would let the thread outlive its engine.
                        thread::park_timeout(Duration::from_secs(60));
                    } else {
                        thread::sleep(TICK);
                    }
                    let Some(engine) = engine.upgrade() else { return };
                    engine.increment_epoch();
                }
            },
        )?;
        Ok(Self { running, thread: thread.thread().clone() })
    }

    /// Ticks until the value is dropped.
    pub(crate) fn run(&self) -> TickGuard<'_> {
        if self.running.fetch_add(1, Ordering::AcqRel) == 0 {
            self.thread.unpark();
        }
        TickGuard(self)
    }
}

/// A program is running.
pub(crate) struct TickGuard<'t>(&'t Ticker);

impl Drop for TickGuard<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::AcqRel);
    }
}
