//! The memory of programs: what each may have, and what all may have together.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use wasmtime::ResourceLimiter;

use crate::host::Stop;
use crate::program::ProgramLimits;

/// What all programs of a sandbox may have together. Clones share it.
#[derive(Clone)]
pub(crate) struct MemoryBudget {
    taken: Arc<AtomicUsize>,
    most: usize,
}

impl MemoryBudget {
    /// Nothing taken of this many bytes.
    pub(crate) fn new(most: usize) -> Self {
        Self { taken: Arc::default(), most }
    }

    /// The bytes that programs have.
    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: usize) -> bool {
        let more = |taken: usize| taken.checked_add(bytes).filter(|taken| *taken <= self.most);
        self.taken.try_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.taken.fetch_sub(bytes, Ordering::Relaxed);
    }
}

/// What one program may have, and what it has of the budget of all.
pub(crate) struct MemoryLimits {
    bytes: usize,
    elements: usize,
    budget: MemoryBudget,
    taken: usize,
}

impl MemoryLimits {
    /// Of a program that begins.
    pub(crate) fn new(limits: &ProgramLimits, budget: MemoryBudget) -> Self {
        Self { bytes: limits.memory_bytes, elements: limits.table_elements, budget, taken: 0 }
    }
}

impl Drop for MemoryLimits {
    fn drop(&mut self) {
        self.budget.give_back(self.taken);
    }
}

impl ResourceLimiter for MemoryLimits {
    /// What a program may have is the same everywhere, and it sees the refusal; what all have together is not, so it ends.
    fn memory_growing(&mut self, now: usize, wanted: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        if wanted > self.bytes {
            return Ok(false);
        }
        let more = wanted.saturating_sub(now);
        if !self.budget.take(more) {
            return Err(Stop::NoRoom.into());
        }
        self.taken += more;
        Ok(true)
    }

    fn table_growing(&mut self, _: usize, wanted: usize, _: Option<usize>) -> wasmtime::Result<bool> {
        Ok(wanted <= self.elements)
    }

    fn instances(&self) -> usize {
        1
    }

    fn memories(&self) -> usize {
        1
    }
}
