//! Games: facts, schemas, and the ways to begin a match. Every game of the registry, none by name.

use engines::erased::{AnyGame, RefusalCode, StartPosition};
use engines::games::GAMES;
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::{Value, json};

use crate::arguments;
use crate::error::{CallError, guarded};
use crate::json::{from_python, to_python};
use crate::match_start::MatchOrigin;
use crate::matches::PyMatch;
use crate::moves::{PyMove, answer};
use crate::session::PySession;
use crate::view::PyView;

/// A game: its facts, and the ways to begin a match of it. It cannot be changed.
#[pyclass(frozen, name = "Game", module = "kibitz._native")]
pub(crate) struct PyGame(pub(crate) &'static dyn AnyGame);

/// The game of this short name.
///
/// # Errors
/// `unknown_game`, with the names of the games.
pub(crate) fn find(name: &str) -> Result<&'static dyn AnyGame, CallError> {
    engines::games::find(name).ok_or_else(|| {
        let names: Vec<_> = GAMES.iter().map(|game| game.info().slug).collect();
        let detail = format!("{:?} is none of {}", arguments::head(name), names.join(", "));
        CallError::Refused("unknown_game", detail)
    })
}

/// The short names of all games.
#[pyfunction]
pub(crate) fn game_names() -> Vec<&'static str> {
    GAMES.iter().map(|game| game.info().slug).collect()
}

impl PyGame {
    /// The options of a deal: those given, or those for this number of seats.
    fn options(&self, seats: Option<u8>, options: Option<&Bound<'_, PyAny>>) -> Result<Value, CallError> {
        let given = options.filter(|options| !options.is_none());
        match (seats, given) {
            (Some(_), Some(_)) => {
                Err(CallError::refused(RefusalCode::BadOptions, "give seats or options, not both"))
            }
            (None, None) => Ok(json!({})),
            (None, Some(options)) => from_python(options, RefusalCode::BadOptions),
            (Some(seats), None) => guarded(|| {
                let info = self.0.info();
                self.0.options_for(seats).ok_or_else(|| {
                    let (least, most) = (info.min_seats, info.max_seats);
                    let detail =
                        format!("{} is played with {least} to {most} seats, not with {seats}", info.title);
                    CallError::refused(RefusalCode::BadOptions, detail)
                })
            }),
        }
    }
}

#[pymethods]
impl PyGame {
    /// The game of this short name.
    #[new]
    fn new(name: &str) -> PyResult<Self> {
        Ok(Self(find(name)?))
    }

    /// The short name, such as `azul`.
    #[getter]
    fn name(&self) -> &'static str {
        self.0.info().slug
    }

    /// The name that people use.
    #[getter]
    fn title(&self) -> &'static str {
        self.0.info().title
    }

    /// The numbers of seats with which it can be played, rising.
    #[getter]
    fn seat_counts(&self) -> PyResult<Vec<u8>> {
        let info = self.0.info();
        Ok(guarded(|| {
            Ok((info.min_seats..=info.max_seats)
                .filter(|seats| self.0.options_for(*seats).is_some())
                .collect())
        })?)
    }

    /// The fixed facts, with the names of the API.
    #[getter]
    fn info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, self.0.info())
    }

    /// JSON Schemas (draft 2020-12) of `options`, `view` and `move`.
    #[getter]
    fn schemas<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.schemas())
    }

    /// The layout of observations and actions: `version`, `observation` and `actions`, with `observation_len` and `action_count`.
    /// `None`: the game has none.
    #[getter]
    fn encoding<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(encoding) = self.0.encoding() else { return Ok(None) };
        let layout = to_python(py, encoding)?;
        layout.set_item("observation_len", encoding.observation_len())?;
        layout.set_item("action_count", encoding.action_count())?;
        Ok(Some(layout))
    }

    /// The engines, the default first, with the names of the API.
    #[getter]
    fn engines<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.0.engines())
    }

    /// Begins a match. The same options and seed give the same deal everywhere.
    #[pyo3(signature = (*, seats=None, options=None, seed=None))]
    fn deal(
        &self,
        seats: Option<u8>,
        options: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyMatch> {
        let (options, seed) = (self.options(seats, options)?, arguments::seed(seed)?);
        Ok(PyMatch::begin(self.0, MatchOrigin::Deal { options, seed })?)
    }

    /// The options of a deal for this many seats.
    fn options_for<'py>(&self, py: Python<'py>, seats: u8) -> PyResult<Bound<'py, PyAny>> {
        to_python(py, &self.options(Some(seats), None)?)
    }

    /// Begins a match with a state, as `Match.state` gives it.
    fn restore(&self, state: &Bound<'_, PyAny>) -> PyResult<PyMatch> {
        let state = from_python(state, RefusalCode::BadState)?;
        Ok(PyMatch::begin(self.0, MatchOrigin::State { state })?)
    }

    /// Begins a match with what one seat knows. The seed draws what that seat does not know.
    #[expect(clippy::wrong_self_convention, reason = "Python's name for it")]
    #[pyo3(signature = (position, *, options=None, seed=None))]
    fn from_position(
        &self,
        position: &Bound<'_, PyAny>,
        options: Option<&Bound<'_, PyAny>>,
        seed: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyMatch> {
        let view = match position.cast::<PyView>() {
            Ok(view) => view.get().position.to_json(),
            Err(_) => from_python(position, RefusalCode::BadPosition)?,
        };
        let given = options.filter(|options| !options.is_none());
        let options = given.map(|options| from_python(options, RefusalCode::BadOptions)).transpose()?;
        let seed = arguments::seed(seed)?;
        let start = guarded(|| Ok(self.0.start(&StartPosition::View { view }, options.as_ref(), &seed)?))?;
        Ok(PyMatch::begin(self.0, MatchOrigin::State { state: start.table.state_json() })?)
    }

    /// Reads a view, the `position` of the API.
    fn view(&self, position: &Bound<'_, PyAny>) -> PyResult<PyView> {
        let json = from_python(position, RefusalCode::BadPosition)?;
        Ok(PyView::new(self.0, guarded(|| Ok(self.0.position(&json)?))?))
    }

    /// Reads a move: a notation, or JSON as the API has it. It need not be legal anywhere.
    fn read_move(&self, value: &Bound<'_, PyAny>) -> PyResult<PyMove> {
        Ok(PyMove::of(self.0, crate::moves::read(self.0, value)?))
    }

    /// A bot's side of the official dialogue.
    #[pyo3(signature = (settings=None))]
    fn session(&self, settings: Option<&Bound<'_, PyDict>>) -> PyResult<PySession> {
        let settings = arguments::settings(settings)?;
        Ok(PySession::new(self.0, guarded(|| Ok(self.0.session(&settings)?))?))
    }

    fn __repr__(&self) -> String {
        format!("Game('{}')", self.0.info().slug)
    }

    fn __richcmp__(&self, py: Python<'_>, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let other = other.cast::<Self>().ok();
        answer(py, other.map(|other| other.get().0.info().slug == self.0.info().slug), op)
    }

    fn __hash__<'py>(&self, py: Python<'py>) -> PyResult<isize> {
        pyo3::types::PyString::new(py, self.0.info().slug).hash()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (&'static str,)) {
        (slf.get_type().into_any(), (slf.get().0.info().slug,))
    }
}
