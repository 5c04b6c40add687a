//! Idle cores: the host that owns the machine's threads lends them to a search that can use more than one. The search
//! gives them back as soon as there is other work for them.

use std::fmt::Debug;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Maximum number of additional cores that a search uses.
pub const MOST_HELPERS: usize = 3;

/// A lender of cores, called from many threads.
pub trait Cores: Debug + Send + Sync {
    /// Takes a core if one is free. Each core that was taken is given back once.
    fn take(&self) -> bool;
    /// Whether a taken core may still be used. Cheap enough to be called every few microseconds.
    fn may_keep(&self) -> bool;
    /// Gives one back.
    fn give_back(&self);
}

/// A taken core; dropping it gives it back, also after a panic.
struct TakenCore<'a>(&'a dyn Cores);

impl Drop for TakenCore<'_> {
    fn drop(&mut self) {
        self.0.give_back();
    }
}

/// The permission of a helper to go on, which it checks between two pieces of its work.
pub struct CorePermit<'a> {
    core: TakenCore<'a>,
    over: &'a AtomicBool,
}

impl CorePermit<'_> {
    /// Whether to go on. False once the main search is done or the core is needed elsewhere; the helper then ends.
    pub fn go_on(&self) -> bool {
        !self.over.load(Ordering::Relaxed) && self.core.0.may_keep()
    }
}

/// Runs `own` here and `help` on each free core, on at most `most`, until `own` is done. `help` gets the number of the
/// helper, from 0. Returns all results, in order.
///
/// # Panics
/// If `own` or a helper panics.
pub fn together<A, B: Send>(
    cores: Option<&dyn Cores>,
    most: usize,
    help: impl Fn(usize, &CorePermit<'_>) -> B + Sync,
    own: impl FnOnce() -> A,
) -> (A, Vec<B>) {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let taken = (0..most).map_while(|_| cores.filter(|cores| cores.take()).map(TakenCore));
        let mut helpers = Vec::new();
        for (number, core) in taken.enumerate() {
            let (permit, help) = (CorePermit { core, over: &over }, &help);
            // If the system cannot start a thread, the search goes on without it.
            match thread::Builder::new().spawn_scoped(scope, move || help(number, &permit)) {
                Ok(helper) => helpers.push(helper),
                Err(_) => break,
            }
        }
        // The guard also works if `own` panics, so that the helpers end and the scope does not wait for ever.
        let done = EndOnDrop(&over);
        let found = own();
        drop(done);
        let all = helpers.into_iter().map(|helper| helper.join().unwrap_or_else(|e| resume_unwind(e)));
        (found, all.collect())
    })
}

/// Ends the helpers when it is dropped.
struct EndOnDrop<'a>(&'a AtomicBool);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::{Condvar, Mutex};
    use std::time::Duration;

    use super::*;

    /// A number that threads change and wait for.
    #[derive(Debug, Default)]
    struct SharedCount(Mutex<usize>, Condvar);

    impl SharedCount {
        fn get(&self) -> usize {
            *self.0.lock().unwrap()
        }

        fn change(&self, change: impl FnOnce(usize) -> usize) {
            let mut count = self.0.lock().unwrap();
            *count = change(*count);
            self.1.notify_all();
        }

        /// Waits until the number is as large as this; a test that waits for a minute has failed.
        fn reaches(&self, least: usize) {
            let count = self.0.lock().unwrap();
            let (count, waited) =
                self.1.wait_timeout_while(count, Duration::from_secs(60), |count| *count < least).unwrap();
            assert!(!waited.timed_out(), "still at {count}, not at {least}");
        }
    }

    /// Lends a number of cores, which may be kept while `calm`.
    #[derive(Debug)]
    struct CoreLender {
        free: SharedCount,
        calm: AtomicBool,
    }

    impl CoreLender {
        fn of(free: usize) -> Self {
            let lender = Self { free: SharedCount::default(), calm: AtomicBool::new(true) };
            lender.free.change(|_| free);
            lender
        }
    }

    impl Cores for CoreLender {
        fn take(&self) -> bool {
            let mut taken = false;
            self.free.change(|free| {
                taken = free > 0;
                free.saturating_sub(1)
            });
            taken
        }
        fn may_keep(&self) -> bool {
            self.calm.load(Ordering::SeqCst)
        }
        fn give_back(&self) {
            self.free.change(|free| free + 1);
        }
    }

    #[test]
    fn free_cores_help_until_the_work_is_done() {
        for (free, most, expected) in [(2, 3, 2), (5, 3, 3), (0, 3, 0)] {
            let lender = CoreLender::of(free);
            let started = SharedCount::default();
            let help = |number, permit: &CorePermit<'_>| {
                started.change(|n| n + 1);
                while permit.go_on() {
                    thread::yield_now();
                }
                number
            };
            let own = || {
                started.reaches(expected);
                assert_eq!(lender.free.get(), free - expected);
                "own"
            };
            let (own, others) = together(Some(&lender), most, help, own);
            assert_eq!((own, others), ("own", (0..expected).collect()));
            assert_eq!(lender.free.get(), free, "all were given back");
        }
        let alone = together(None, 3, |_, _| (), || 1);
        assert_eq!(alone, (1, vec![]));
    }

    #[test]
    fn core_that_is_needed_elsewhere_is_given_back_at_once() {
        let lender = CoreLender::of(1);
        let help = |_, permit: &CorePermit<'_>| {
            while permit.go_on() {
                thread::yield_now();
            }
        };
        together(Some(&lender), 1, help, || {
            lender.calm.store(false, Ordering::SeqCst);
            lender.free.reaches(1);
        });
    }

    #[test]
    fn panic_ends_all_helpers_and_gives_every_core_back() {
        let lender = CoreLender::of(2);
        let rounds = AtomicUsize::new(0);
        let help = |_, permit: &CorePermit<'_>| {
            while permit.go_on() {
                rounds.fetch_add(1, Ordering::Relaxed);
            }
        };
        let own = || -> () { panic!("on purpose") };
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            together(Some(&lender), 2, help, own);
        }));
        assert!(caught.is_err());
        assert_eq!(lender.free.get(), 2);
    }
}
