//! Cores that nobody needs at the moment: lent by whoever owns the machine's threads to a search that can use more than
//! one, and given back as soon as somebody else has work for them.

use std::fmt::Debug;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Who lends cores. Asked from many threads.
pub trait Cores: Debug + Send + Sync {
    /// Takes a core, if one is free. Each one that was taken is given back once.
    fn take(&self) -> bool;
    /// Whether a core that was taken may still be used. Cheap enough to be asked every few microseconds.
    fn may_keep(&self) -> bool;
    /// Gives one back.
    fn give_back(&self);
}

/// A core that was taken; given back when it is dropped, whatever happens.
struct Taken<'a>(&'a dyn Cores);

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.0.give_back();
    }
}

/// What a helper asks between two pieces of its work: may it go on?
pub struct Leave<'a> {
    core: Taken<'a>,
    over: &'a AtomicBool,
}

impl Leave<'_> {
    /// No as soon as the one who is helped is done, or the core is needed elsewhere. Once no, a helper ends.
    pub fn go_on(&self) -> bool {
        !self.over.load(Ordering::Relaxed) && self.core.0.may_keep()
    }
}

/// Does `own` here and `help` on as many cores more as are free, `most` at most, until `own` is done. `help` gets the
/// number of the helper, from 0. Gives what each of them found, in order.
///
/// # Panics
/// Where `own` or a helper does.
pub fn together<A, B: Send>(
    cores: Option<&dyn Cores>,
    most: usize,
    help: impl Fn(usize, &Leave<'_>) -> B + Sync,
    own: impl FnOnce() -> A,
) -> (A, Vec<B>) {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        let taken = (0..most).map_while(|_| cores.filter(|cores| cores.take()).map(Taken));
        let mut helpers = Vec::new();
        for (number, core) in taken.enumerate() {
            let (leave, help) = (Leave { core, over: &over }, &help);
            // Where the system gives no thread the search goes on without.
            match thread::Builder::new().spawn_scoped(scope, move || help(number, &leave)) {
                Ok(helper) => helpers.push(helper),
                Err(_) => break,
            }
        }
        // Also where `own` panics, so that the helpers end and nobody waits for them for ever.
        let done = Done(&over);
        let found = own();
        drop(done);
        let all = helpers.into_iter().map(|helper| helper.join().unwrap_or_else(|e| resume_unwind(e)));
        (found, all.collect())
    })
}

/// Ends the helpers when it is dropped.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::time::{Duration, Instant};

    use super::*;

    /// Far more than anything here takes; only a hang lasts as long.
    const HANG: Duration = Duration::from_secs(60);

    /// Waits until the condition holds; panics instead of waiting for ever.
    fn wait_until(condition: impl Fn() -> bool) {
        let began = Instant::now();
        while !condition() {
            assert!(began.elapsed() < HANG, "the condition does not become true");
            thread::yield_now();
        }
    }

    /// Lends so many; those that are lent may be kept while `calm`.
    #[derive(Debug)]
    struct Lender {
        free: AtomicUsize,
        calm: AtomicBool,
    }

    impl Lender {
        fn of(free: usize) -> Self {
            Self { free: AtomicUsize::new(free), calm: AtomicBool::new(true) }
        }
    }

    impl Cores for Lender {
        fn take(&self) -> bool {
            self.free.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1)).is_ok()
        }
        fn may_keep(&self) -> bool {
            self.calm.load(Ordering::SeqCst)
        }
        fn give_back(&self) {
            self.free.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn as_many_help_as_are_free_until_the_work_is_done() {
        for (free, most, expected) in [(2, 3, 2), (5, 3, 3), (0, 3, 0)] {
            let lender = Lender::of(free);
            let started = AtomicUsize::new(0);
            let help = |number, leave: &Leave<'_>| {
                started.fetch_add(1, Ordering::SeqCst);
                wait_until(|| !leave.go_on());
                number
            };
            let own = || {
                wait_until(|| started.load(Ordering::SeqCst) >= expected);
                assert_eq!(lender.free.load(Ordering::SeqCst), free - expected);
                "own"
            };
            let (own, others) = together(Some(&lender), most, help, own);
            assert_eq!((own, others), ("own", (0..expected).collect()));
            assert_eq!(lender.free.load(Ordering::SeqCst), free, "all were given back");
        }
        let alone = together(None, 3, |_, _| (), || 1);
        assert_eq!(alone, (1, vec![]));
    }

    #[test]
    fn a_core_that_is_needed_elsewhere_is_given_back_at_once() {
        let lender = Lender::of(1);
        let help = |_, leave: &Leave<'_>| wait_until(|| !leave.go_on());
        together(Some(&lender), 1, help, || {
            lender.calm.store(false, Ordering::SeqCst);
            wait_until(|| lender.free.load(Ordering::SeqCst) > 0);
        });
    }

    #[test]
    fn a_panic_ends_all_and_keeps_nothing() {
        let lender = Lender::of(2);
        let help = |_, leave: &Leave<'_>| wait_until(|| !leave.go_on());
        let own = || -> () { panic!("on purpose") };
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            together(Some(&lender), 2, help, own);
        }));
        assert!(caught.is_err());
        assert_eq!(lender.free.load(Ordering::SeqCst), 2);
    }
}
