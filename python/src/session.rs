//! A bot's side of the official dialogue, line by line.

use std::sync::{Mutex, MutexGuard, PoisonError};

use engines::erased::{AnyGame, AnySession, Awaits, DecisionRequest};
use engines::protocol::Entry;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::error::{CallError, guarded};
use crate::game::PyGame;
use crate::moves::notation_of;
use crate::view::PyView;

/// A dialogue in progress, from the side of the bot: lines in, decisions out.
#[pyclass(frozen, name = "Session", module = "kibitz._native")]
pub(crate) struct PySession {
    game: &'static dyn AnyGame,
    inner: Mutex<Box<dyn AnySession>>,
}

impl PySession {
    pub(crate) fn new(game: &'static dyn AnyGame, session: Box<dyn AnySession>) -> Self {
        Self { game, inner: Mutex::new(session) }
    }

    /// Code of Python must not run while this is held.
    fn session(&self) -> MutexGuard<'_, Box<dyn AnySession>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, entry: Entry) -> Result<(), CallError> {
        guarded(|| {
            self.session().push(vec![entry]);
            Ok(())
        })
    }

    /// What the session waits for, as Python has it.
    fn awaits<'py>(&self, py: Python<'py>, awaits: Awaits) -> PyResult<Bound<'py, PyDict>> {
        let step = PyDict::new(py);
        match awaits {
            Awaits::Entry => step.set_item("kind", "entry")?,
            Awaits::EntryWithin(time) => {
                step.set_item("kind", "entry_within")?;
                step.set_item("seconds", time.as_secs_f64())?;
            }
            Awaits::Nothing => step.set_item("kind", "nothing")?,
            Awaits::Decision(request) => self.decision(&step, request)?,
        }
        Ok(step)
    }

    fn decision(&self, step: &Bound<'_, PyDict>, request: DecisionRequest) -> PyResult<()> {
        step.set_item("kind", "decision")?;
        step.set_item("clock", request.clock.map(|time| time.as_secs_f64()))?;
        step.set_item("limit", request.limit.map(|time| time.as_secs_f64()))?;
        step.set_item("thinking_time", request.thinking_time(None).as_secs_f64())?;
        step.set_item("view", PyView::new(self.game, request.position))
    }
}

#[pymethods]
impl PySession {
    /// The game that is played.
    #[getter]
    fn game(&self) -> PyGame {
        PyGame(self.game)
    }

    /// Adds a line that the bot has read.
    fn read(&self, line: &str) -> PyResult<()> {
        Ok(self.push(Entry::Read(line.trim_end_matches(['\r', '\n']).to_owned()))?)
    }

    /// Adds the end of the bot's input.
    fn end(&self) -> PyResult<()> {
        Ok(self.push(Entry::End)?)
    }

    /// Adds a transcript: `<` before lines that the bot read, `>` before lines that it printed, `.` for the end of input.
    fn transcript(&self, text: &str) -> PyResult<()> {
        Ok(guarded(|| {
            let entries = Entry::parse_all(text).map_err(engines::erased::Refusal::from)?;
            self.session().push(entries);
            Ok(())
        })?)
    }

    /// Uses the entries, up to the first that needs a decision. Returns what the session waits for: `kind` is `entry`,
    /// `entry_within` (with `seconds`), `decision` (with `view`, `clock`, `limit` and `thinking_time`) or `nothing`.
    fn advance<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let awaits = guarded(|| Ok(self.session().advance()?))?;
        self.awaits(py, awaits)
    }

    /// Goes on after no entry came for the time of `entry_within`.
    fn silence<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let awaits = guarded(|| Ok(self.session().silence()))?;
        self.awaits(py, awaits)
    }

    /// Takes the decision that was asked for.
    fn decide<'py>(&self, py: Python<'py>, r#move: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
        let notation = notation_of(self.game, r#move)?;
        let awaits = guarded(|| Ok(self.session().decide(&notation)?))?;
        self.awaits(py, awaits)
    }

    /// The lines to print now, each once.
    fn take_lines(&self) -> PyResult<Vec<String>> {
        Ok(guarded(|| Ok(self.session().take_lines()))?)
    }

    /// What the referee did against the rules since the last call, one sentence each.
    fn take_remarks(&self) -> PyResult<Vec<String>> {
        Ok(guarded(|| Ok(self.session().take_remarks()))?)
    }

    /// Settings that a later process of the same match should be given: name, value, and the value that it replaces.
    fn keep(&self) -> PyResult<Vec<(&'static str, String, Option<String>)>> {
        let kept = guarded(|| Ok(self.session().keep()))?;
        Ok(kept.into_iter().map(|one| (one.name, one.value, one.replaces)).collect())
    }

    /// Whether at least one line that was read made sense.
    #[getter]
    fn has_understood(&self) -> PyResult<bool> {
        Ok(guarded(|| Ok(self.session().has_understood()))?)
    }

    fn __repr__(&self) -> String {
        format!("<Session of {}>", self.game.info().slug)
    }
}
