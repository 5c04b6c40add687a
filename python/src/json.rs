//! JSON values from Python's objects and back. It accepts what `json.dumps` does, and numbers of NumPy.

use engines::erased::RefusalCode;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use serde::Serialize;
use serde_json::{Map, Number, Value};

use crate::error::CallError;

/// The deepest nesting of a value, as in `serde_json`. A list that contains itself is deeper.
const DEEPEST: usize = 128;

/// The JSON value of a Python object.
///
/// # Errors
/// This code, when the object or a part of it has no form in JSON.
pub(crate) fn from_python(object: &Bound<'_, PyAny>, code: RefusalCode) -> Result<Value, CallError> {
    value_of(object, DEEPEST).map_err(|error| match error {
        ValueError::Unsuitable(detail) => CallError::refused(code, detail),
        ValueError::Raised(raised) => CallError::Raised(raised),
    })
}

/// The Python object of a value that serde can write.
///
/// # Errors
/// When Python has no memory left.
pub(crate) fn to_python<'py, T: Serialize>(py: Python<'py>, value: &T) -> PyResult<Bound<'py, PyAny>> {
    Ok(pythonize::pythonize(py, value)?)
}

/// The reason why an object is no JSON value.
enum ValueError {
    Unsuitable(String),
    Raised(PyErr),
}

impl From<PyErr> for ValueError {
    fn from(raised: PyErr) -> Self {
        Self::Raised(raised)
    }
}

fn unsuitable<T>(text: impl Into<String>) -> Result<T, ValueError> {
    Err(ValueError::Unsuitable(text.into()))
}

fn value_of(object: &Bound<'_, PyAny>, depth: usize) -> Result<Value, ValueError> {
    if depth == 0 {
        return unsuitable(format!("a value is nested more than {DEEPEST} deep"));
    }
    if object.is_none() {
        return Ok(Value::Null);
    }
    if object.is_instance_of::<PyBool>() {
        return Ok(Value::Bool(object.extract()?));
    }
    if let Ok(text) = object.cast::<PyString>() {
        return match text.to_str() {
            Ok(text) => Ok(Value::String(text.to_owned())),
            Err(_) => unsuitable("a text contains surrogates, which have no form in UTF-8"),
        };
    }
    if let Ok(map) = object.cast::<PyDict>() {
        return object_of(map, depth);
    }
    if let Ok(list) = object.cast::<PyList>() {
        return list
            .iter()
            .map(|item| value_of(&item, depth - 1))
            .collect::<Result<_, _>>()
            .map(Value::Array);
    }
    if let Ok(tuple) = object.cast::<PyTuple>() {
        return tuple
            .iter()
            .map(|item| value_of(&item, depth - 1))
            .collect::<Result<_, _>>()
            .map(Value::Array);
    }
    number_of(object)
}

fn object_of(map: &Bound<'_, PyDict>, depth: usize) -> Result<Value, ValueError> {
    let mut fields = Map::new();
    for (key, item) in map.iter() {
        let Ok(key) = key.extract::<String>() else {
            return unsuitable(format!("a key is a text, not {}", type_name(&key)));
        };
        fields.insert(key, value_of(&item, depth - 1)?);
    }
    Ok(Value::Object(fields))
}

/// A whole number, also one of NumPy, or a fraction.
fn number_of(object: &Bound<'_, PyAny>) -> Result<Value, ValueError> {
    if object.is_instance_of::<PyFloat>() {
        let number = Number::from_f64(object.extract()?);
        return number.map_or_else(|| unsuitable("a number is infinite or not a number"), |n| Ok(n.into()));
    }
    let Ok(index) = object.call_method0("__index__") else {
        return unsuitable(format!("{} has no form in JSON", type_name(object)));
    };
    if !index.is_instance_of::<PyInt>() {
        return unsuitable(format!("{} has no form in JSON", type_name(object)));
    }
    match (index.extract::<i64>(), index.extract::<u64>()) {
        (Ok(number), _) => Ok(number.into()),
        (_, Ok(number)) => Ok(number.into()),
        _ => unsuitable("a whole number needs more than 64 bits"),
    }
}

/// The name of an object's type, for messages.
pub(crate) fn type_name(object: &Bound<'_, PyAny>) -> String {
    object.get_type().name().map_or_else(|_| "an object".to_owned(), |name| name.to_string())
}
