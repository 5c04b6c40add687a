//! Failures as Python's `kibitz.Error`, which has the code of the API. No panic of Rust leaves this module.

use std::panic::{AssertUnwindSafe, catch_unwind};

use engines::erased::{Refusal, RefusalCode};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// The reason why a call failed.
#[derive(Debug)]
pub(crate) enum CallError {
    /// A code of the API, and the sentence for people.
    Refused(&'static str, String),
    /// An exception of Python, such as a pressed Ctrl-C.
    Raised(PyErr),
}

impl CallError {
    /// The error for a wrong argument that belongs to no game.
    pub(crate) fn bad_value(detail: impl Into<String>) -> Self {
        Self::Refused("bad_value", detail.into())
    }

    /// The error of this kind.
    pub(crate) fn refused(code: RefusalCode, detail: impl Into<String>) -> Self {
        Self::Refused(code.name(), detail.into())
    }
}

impl From<Refusal> for CallError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal.code.name(), refusal.detail)
    }
}

impl From<PyErr> for CallError {
    fn from(raised: PyErr) -> Self {
        Self::Raised(raised)
    }
}

impl From<CallError> for PyErr {
    fn from(error: CallError) -> Self {
        match error {
            CallError::Raised(raised) => raised,
            CallError::Refused(code, detail) => Python::attach(|py| {
                static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
                match CLASS.import(py, "kibitz.errors", "Error") {
                    Ok(class) => PyErr::from_type(class.clone(), (code, detail)),
                    Err(raised) => raised,
                }
            }),
        }
    }
}

/// Runs code of the engines; a panic in it becomes the error `internal`.
///
/// # Errors
/// Those of `body`; `internal`.
pub(crate) fn guarded<T>(body: impl FnOnce() -> Result<T, CallError>) -> Result<T, CallError> {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        Err(CallError::Refused("internal", format!("a fault of kibitz, please report it: {text}")))
    })
}
