//! Views: what one seat, or the spectators, may know of a match.

use std::sync::Arc;

use engines::erased::{AnyGame, Position, Refusal};
use engines::game::{Turn, Viewer};
use numpy::{IntoPyArray, PyArray1, PyArray3, PyArrayMethods};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict};

use crate::arguments;
use crate::error::{CallError, guarded};
use crate::game::{PyGame, find};
use crate::json::to_python;
use crate::match_start::MatchOrigin;
use crate::matches::PyMatch;
use crate::moves::{PyMove, answer, notation_of};
use crate::picture::Pixels;

/// A view: a mapping with the fields of the API's `position`, and the moves that it allows. It cannot be changed.
#[pyclass(frozen, name = "View", module = "kibitz._native", mapping)]
pub(crate) struct PyView {
    pub(crate) game: &'static dyn AnyGame,
    pub(crate) position: Arc<dyn Position>,
    /// The fields, once a caller has asked for one.
    fields: PyOnceLock<Py<PyDict>>,
}

impl PyView {
    pub(crate) fn new(game: &'static dyn AnyGame, position: Box<dyn Position>) -> Self {
        Self { game, position: position.into(), fields: PyOnceLock::new() }
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = self.fields.get_or_try_init(py, || self.to_dict(py).map(Bound::unbind))?;
        Ok(fields.bind(py).clone())
    }
}

#[pymethods]
impl PyView {
    /// The view that this JSON text describes.
    #[staticmethod]
    fn from_json(game: &str, text: &str) -> PyResult<Self> {
        let game = find(game)?;
        let json = serde_json::from_str(text).map_err(|error| {
            CallError::refused(engines::erased::RefusalCode::BadPosition, format!("no JSON: {error}"))
        })?;
        Ok(Self::new(game, guarded(|| Ok(game.position(&json)?))?))
    }

    /// The game that is played.
    #[getter]
    fn game(&self) -> PyGame {
        PyGame(self.game)
    }

    /// The seat that sees this; `None`: the spectators.
    #[getter]
    fn viewer(&self) -> Option<u8> {
        match self.position.viewer() {
            Viewer::Seat(seat) => Some(seat.0),
            Viewer::Spectator => None,
        }
    }

    /// The seat whose decision is awaited; `None` after the end.
    #[getter]
    fn turn(&self) -> Option<u8> {
        match self.position.turn() {
            Turn::Of(seat) => Some(seat.0),
            Turn::Over => None,
        }
    }

    /// The legal moves of the viewer; none when it is not the viewer's turn.
    fn legal_moves(&self) -> PyResult<Vec<PyMove>> {
        let legal = guarded(|| Ok(self.position.legal_notations()))?;
        Ok(legal.into_iter().map(|notation| PyMove { game: self.game, notation }).collect())
    }

    /// The move in the official spelling, if the viewer may play it now.
    fn check(&self, r#move: &Bound<'_, PyAny>) -> PyResult<PyMove> {
        let notation = notation_of(self.game, r#move)?;
        Ok(PyMove::of(self.game, guarded(|| Ok(self.position.check(&notation)?))?))
    }

    /// Whether the viewer may play this move now.
    fn is_legal(&self, r#move: &Bound<'_, PyAny>) -> PyResult<bool> {
        let notation = notation_of(self.game, r#move)?;
        guarded(|| Ok(self.position.check(&notation).is_ok())).map_err(PyErr::from)
    }

    /// A match that could be in this position; what the viewer cannot see is drawn at random.
    #[pyo3(signature = (*, seed=None))]
    fn guess(&self, seed: Option<&Bound<'_, PyAny>>) -> PyResult<PyMatch> {
        let seed = arguments::seed(seed)?;
        let state = guarded(|| Ok(self.position.guess(&seed)?.state_json()))?;
        Ok(PyMatch::begin(self.game, MatchOrigin::State { state })?)
    }

    /// The observation of the viewer as numbers, by the game's `encoding`.
    fn observe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i16>>> {
        let numbers = guarded(|| Ok(self.position.observe().ok_or_else(Refusal::no_encoding)?))?;
        Ok(numbers.into_pyarray(py))
    }

    /// Whether each action is legal; all are false when it is not the viewer's turn.
    fn action_mask<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let mask = guarded(|| Ok(self.position.action_mask().ok_or_else(Refusal::no_encoding)?))?;
        Ok(mask.into_pyarray(py))
    }

    /// The move of an action.
    fn action(&self, index: u32) -> PyResult<PyMove> {
        Ok(PyMove::of(self.game, guarded(|| Ok(self.position.action(index)?))?))
    }

    /// The action of a legal move.
    fn action_index(&self, r#move: &Bound<'_, PyAny>) -> PyResult<u32> {
        let notation = notation_of(self.game, r#move)?;
        Ok(guarded(|| Ok(self.position.action_index(&notation)?))?)
    }

    /// The table as an SVG picture, 1200 by 630; `None` if the game draws none.
    fn svg(&self) -> PyResult<Option<String>> {
        Ok(guarded(|| Ok(self.position.picture()))?)
    }

    /// The picture as a PNG file; `None` if the game draws none. `width`: in pixels.
    #[pyo3(signature = (*, width=1200))]
    fn png<'py>(&self, py: Python<'py>, width: u32) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let Some(svg) = self.svg()? else { return Ok(None) };
        let file = py.detach(|| guarded(|| Pixels::draw(&svg, width)?.png()))?;
        Ok(Some(PyBytes::new(py, &file)))
    }

    /// The picture as an array of height, width and the colours red, green and blue; `None` if the game draws none.
    #[pyo3(signature = (*, width=600))]
    fn rgb<'py>(&self, py: Python<'py>, width: u32) -> PyResult<Option<Bound<'py, PyArray3<u8>>>> {
        let Some(svg) = self.svg()? else { return Ok(None) };
        let (height, width, colours) = py.detach(|| guarded(|| Ok(Pixels::draw(&svg, width)?.rgb())))?;
        Ok(Some(colours.into_pyarray(py).reshape([height, width, 3])?))
    }

    /// The fields as a new dictionary: the `position` of the API.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let json = guarded(|| Ok(self.position.to_json()))?;
        to_python(py, &json)?.cast_into::<PyDict>().map_err(PyErr::from)
    }

    /// The fields as JSON text.
    fn to_json(&self) -> PyResult<String> {
        Ok(guarded(|| Ok(self.position.to_raw().get().to_owned()))?)
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.fields(py)?.as_any().get_item(key)
    }

    fn __len__(&self, py: Python<'_>) -> PyResult<usize> {
        Ok(self.fields(py)?.len())
    }

    fn __contains__(&self, py: Python<'_>, key: &Bound<'_, PyAny>) -> PyResult<bool> {
        self.fields(py)?.contains(key)
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(self.fields(py)?.keys().try_iter()?.into_any())
    }

    /// The value of a field, or the default.
    #[pyo3(signature = (key, default=None))]
    fn get<'py>(
        &self,
        py: Python<'py>,
        key: &Bound<'py, PyAny>,
        default: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.fields(py)?.get_item(key)?.or(default))
    }

    /// The names of the fields.
    fn keys<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.fields(py)?.call_method0("keys")
    }

    /// The values of the fields.
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.fields(py)?.call_method0("values")
    }

    /// The names and values of the fields.
    fn items<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.fields(py)?.call_method0("items")
    }

    fn __repr__(&self) -> String {
        let viewer = match self.position.viewer() {
            Viewer::Seat(seat) => format!("seat {seat}"),
            Viewer::Spectator => "spectators".to_owned(),
        };
        format!("<View of {} for {viewer}>", self.game.info().slug)
    }

    fn __richcmp__(&self, py: Python<'_>, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let Ok(other) = other.cast::<Self>() else { return answer(py, None, op) };
        let other = other.get();
        let same_game = self.game.info().slug == other.game.info().slug;
        let equal = guarded(|| Ok(same_game && self.position.to_json() == other.position.to_json()))?;
        answer(py, Some(equal), op)
    }

    fn __hash__(&self) -> PyResult<u64> {
        Ok(guarded(|| Ok(engines::erased::fingerprint(&self.position.to_json())))?)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (&'static str, String))> {
        let this = slf.get();
        Ok((slf.get_type().getattr("from_json")?, (this.game.info().slug, this.to_json()?)))
    }
}
