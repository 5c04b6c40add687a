//! Engines: one search, without Python's lock while it runs. Ctrl-C stops it.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use engines::erased::{EngineDecision, decision_seed};
use engines::search::{Host, Limits};
use pyo3::prelude::*;

use crate::arguments;
use crate::error::{CallError, guarded};
use crate::json::to_python;
use crate::view::PyView;

/// How often a search looks for signals.
const SIGNALS_EVERY: Duration = Duration::from_millis(20);

/// Most ranked moves in a decision.
const MOST_CANDIDATES: usize = 1000;

/// Lets a search run until its deadline or until Python has a signal to handle.
pub(crate) struct SignalHost {
    deadline: Option<Instant>,
    next_look: Cell<Instant>,
    /// The exception that a signal raised.
    raised: RefCell<Option<PyErr>>,
}

impl SignalHost {
    /// A host from now on for this long; `None`: without an end.
    pub(crate) fn new(time: Option<Duration>) -> Self {
        let now = Instant::now();
        let deadline = time.and_then(|time| now.checked_add(time));
        Self { deadline, next_look: Cell::new(now + SIGNALS_EVERY), raised: RefCell::new(None) }
    }

    /// The exception of a signal that has stopped the search.
    ///
    /// # Errors
    /// That exception.
    pub(crate) fn finish(self) -> Result<(), CallError> {
        self.raised.into_inner().map_or(Ok(()), |raised| Err(CallError::Raised(raised)))
    }
}

impl Host for SignalHost {
    fn go_on(&self) -> bool {
        let now = Instant::now();
        if self.raised.borrow().is_some() || self.deadline.is_some_and(|deadline| now >= deadline) {
            return false;
        }
        if now >= self.next_look.get() {
            self.next_look.set(now + SIGNALS_EVERY);
            if let Err(raised) = Python::attach(|py| py.check_signals()) {
                self.raised.replace(Some(raised));
                return false;
            }
        }
        true
    }

    fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

/// The decision of an engine, with the names of the API. `time`: in seconds; without time and nodes the game's usual time. The same
/// view, seed, nodes and level give the same decision everywhere.
#[pyfunction]
#[pyo3(signature = (view, *, engine=None, level="max", nodes=None, time=None, seed=None, candidates=1))]
#[expect(clippy::too_many_arguments, reason = "they are keywords of one call in Python")]
pub(crate) fn decide<'py>(
    py: Python<'py>,
    view: &Bound<'py, PyView>,
    engine: Option<&str>,
    level: &str,
    nodes: Option<u64>,
    time: Option<f64>,
    seed: Option<&Bound<'py, PyAny>>,
    candidates: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let view = view.get();
    let level = arguments::level(level)?;
    let time = time.map(|seconds| arguments::time("time", seconds)).transpose()?;
    let given = arguments::seed(seed)?;
    if candidates > MOST_CANDIDATES {
        return Err(CallError::bad_value(format!("candidates: at most {MOST_CANDIDATES}")).into());
    }
    let decision: EngineDecision = py.detach(|| {
        let seed = decision_seed(&*view.position, &given);
        let limits = Limits { nodes, seed, level, candidates };
        let usual = nodes.is_none().then(|| view.game.info().think);
        let host = SignalHost::new(time.or(usual));
        let decision = guarded(|| Ok(view.position.think(engine, limits, &host)?));
        host.finish()?;
        decision
    })?;
    to_python(py, &decision)
}
