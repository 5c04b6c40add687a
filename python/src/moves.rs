//! Moves: the official notation, and the JSON form of the API.

use engines::erased::{AnyGame, MoveInput, MoveText, RefusalCode};
use pyo3::basic::CompareOp;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::error::{CallError, guarded};
use crate::game::find;
use crate::json;

/// A move of a game. It cannot be changed. Two moves are equal if their games and notations are.
#[pyclass(frozen, name = "Move", module = "kibitz._native")]
pub(crate) struct PyMove {
    pub(crate) game: &'static dyn AnyGame,
    pub(crate) notation: String,
}

impl PyMove {
    pub(crate) fn of(game: &'static dyn AnyGame, text: MoveText) -> Self {
        Self { game, notation: text.notation }
    }
}

#[pymethods]
impl PyMove {
    /// The move of this notation, in the spelling of the official protocol. It need not be legal anywhere.
    #[new]
    fn new(game: &str, notation: &str) -> PyResult<Self> {
        let game = find(game)?;
        let read = guarded(|| Ok(game.read_move(MoveInput::Notation(notation))?))?;
        Ok(Self::of(game, read.text))
    }

    /// The short name of the game.
    #[getter]
    fn game(&self) -> &'static str {
        self.game.info().slug
    }

    /// The move as the official protocol writes it.
    #[getter]
    fn notation(&self) -> &str {
        &self.notation
    }

    /// The move as JSON, by the game's schema.
    #[getter]
    fn r#move<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let read = guarded(|| Ok(self.game.read_move(MoveInput::Notation(&self.notation))?))?;
        json::to_python(py, &read.text.mv)
    }

    /// Both forms, as the API writes them: `{"move": ..., "notation": ...}`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let both = PyDict::new(py);
        both.set_item("move", self.r#move(py)?)?;
        both.set_item("notation", &self.notation)?;
        Ok(both)
    }

    fn __str__(&self) -> &str {
        &self.notation
    }

    fn __repr__(&self) -> String {
        format!("Move('{}', {:?})", self.game.info().slug, self.notation)
    }

    fn __richcmp__(&self, py: Python<'_>, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let equal = other.cast::<Self>().ok().map(|other| {
            let other = other.get();
            self.game.info().slug == other.game.info().slug && self.notation == other.notation
        });
        answer(py, equal, op)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.game.info().slug, &self.notation).hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (&'static str, String)) {
        let this = slf.get();
        (slf.get_type().into_any(), (this.game.info().slug, this.notation.clone()))
    }
}

/// The result of `==` and `!=`; `NotImplemented` for other comparisons and other types.
pub(crate) fn answer(py: Python<'_>, equal: Option<bool>, op: CompareOp) -> PyResult<Py<PyAny>> {
    let result = match (equal, op) {
        (Some(equal), CompareOp::Eq) => equal,
        (Some(equal), CompareOp::Ne) => !equal,
        _ => return Ok(py.NotImplemented()),
    };
    Ok(result.into_pyobject(py)?.to_owned().into_any().unbind())
}

/// The official notation of a move as callers give it: a [`PyMove`], a notation, or JSON: the move itself, or an object with
/// `notation` or `move` as the API writes it. The move need not be legal.
///
/// # Errors
/// `bad_move`.
pub(crate) fn notation_of(
    game: &'static dyn AnyGame,
    object: &Bound<'_, PyAny>,
) -> Result<String, CallError> {
    match object.cast::<PyMove>() {
        Ok(mv) => Ok(mv.get().notation.clone()),
        Err(_) => Ok(read(game, object)?.notation),
    }
}

/// The same, in both forms.
///
/// # Errors
/// `bad_move`.
pub(crate) fn read(game: &'static dyn AnyGame, object: &Bound<'_, PyAny>) -> Result<MoveText, CallError> {
    if let Ok(mv) = object.cast::<PyMove>() {
        return read_text(game, &mv.get().notation);
    }
    if let Ok(text) = object.cast::<PyString>() {
        let bad = |_| CallError::refused(RefusalCode::BadMove, "the text has no form in UTF-8");
        return read_text(game, text.to_str().map_err(bad)?);
    }
    let value = json::from_python(object, RefusalCode::BadMove)?;
    match (value.get("notation"), value.get("move")) {
        (Some(Value::String(notation)), _) => read_text(game, notation),
        (_, Some(mv)) => read_json(game, mv),
        _ => read_json(game, &value),
    }
}

/// A text is a notation; in some games it can also be the JSON of a move without parts.
fn read_text(game: &'static dyn AnyGame, text: &str) -> Result<MoveText, CallError> {
    let read = guarded(|| Ok(game.read_move(MoveInput::Notation(text))?.text));
    read.or_else(|error| read_json(game, &Value::from(text)).map_err(|_| error))
}

fn read_json(game: &'static dyn AnyGame, mv: &Value) -> Result<MoveText, CallError> {
    guarded(|| Ok(game.read_move(MoveInput::Json(mv))?.text))
}
