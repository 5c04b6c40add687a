//! How many cores are free: each thread that decides needs one, the rest is lent to searches that can use more.

use std::sync::atomic::{AtomicUsize, Ordering};

use engines::cores::Cores;

/// The cores of the pool.
#[derive(Debug)]
pub struct FreeCores {
    all: usize,
    busy: AtomicUsize,
    lent: AtomicUsize,
}

impl FreeCores {
    /// So many, all free.
    pub fn new(all: usize) -> Self {
        Self { all, busy: AtomicUsize::new(0), lent: AtomicUsize::new(0) }
    }

    /// One of the pool's own threads has work, as long as the guard lives. Where that is too much, what is lent comes
    /// back.
    pub fn occupy(&self) -> Busy<'_> {
        self.busy.fetch_add(1, Ordering::Relaxed);
        Busy(self)
    }

    fn left(&self, lent: usize) -> usize {
        self.all.saturating_sub(self.busy.load(Ordering::Relaxed) + lent)
    }
}

/// A thread at work.
pub struct Busy<'a>(&'a FreeCores);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Cores for FreeCores {
    fn take(&self) -> bool {
        let more = |lent| (self.left(lent) > 0).then_some(lent + 1);
        self.lent.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    fn may_keep(&self) -> bool {
        self.busy.load(Ordering::Relaxed) + self.lent.load(Ordering::Relaxed) <= self.all
    }

    fn give_back(&self) {
        self.lent.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_needs_is_lent_until_somebody_does() {
        let cores = FreeCores::new(3);
        let first = cores.occupy();
        assert!(cores.take() && cores.take() && !cores.take());
        assert!(cores.may_keep());
        let second = cores.occupy();
        assert!(!cores.may_keep());
        cores.give_back();
        assert!(cores.may_keep() && !cores.take());
        cores.give_back();
        drop((first, second));
        assert!((0..3).all(|_| cores.take()) && !cores.take());
    }
}
