//! Counts free cores: each search with a slot needs one; the others are lent to searches that can use several.

use std::sync::atomic::{AtomicUsize, Ordering};

use engines::cores::Cores;

/// The pool's cores.
#[derive(Debug)]
pub(super) struct FreeCores {
    all: usize,
    busy: AtomicUsize,
    lent: AtomicUsize,
}

impl FreeCores {
    /// `all` cores, all free.
    pub(super) fn new(all: usize) -> Self {
        Self { all, busy: AtomicUsize::new(0), lent: AtomicUsize::new(0) }
    }

    /// Sets how many cores the searches with a slot need. If too many are lent, their borrowers give them back.
    pub(super) fn set_busy(&self, busy: usize) {
        self.busy.store(busy, Ordering::Relaxed);
    }

    fn left(&self, lent: usize) -> usize {
        self.all.saturating_sub(self.busy.load(Ordering::Relaxed) + lent)
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
    fn spare_cores_are_lent_until_a_search_needs_them() {
        let cores = FreeCores::new(3);
        cores.set_busy(1);
        assert!(cores.take() && cores.take() && !cores.take());
        assert!(cores.may_keep());
        cores.set_busy(2);
        assert!(!cores.may_keep());
        cores.give_back();
        assert!(cores.may_keep() && !cores.take());
        cores.give_back();
        cores.set_busy(0);
        assert!((0..3).all(|_| cores.take()) && !cores.take());
    }
}
