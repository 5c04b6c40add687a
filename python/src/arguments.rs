//! Arguments of Python's calls that several classes take: seeds, seats, levels, settings.

use std::time::Duration;

use engines::erased::RefusalCode;
use engines::game::{Seat, Viewer};
use engines::protocol::Settings;
use engines::rng::Seed;
use engines::search::Level;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyInt, PyString};

use crate::error::CallError;
use crate::json::type_name;

/// The longest thinking time, in seconds.
const LONGEST: f64 = 24.0 * 3600.0;

/// A seed: a whole number below 2^256, a text as the API takes it, or 32 bytes. `None`: a random one.
///
/// # Errors
/// `bad_value`.
pub(crate) fn seed(object: Option<&Bound<'_, PyAny>>) -> Result<Seed, CallError> {
    let bad = || {
        CallError::bad_value(
            "a seed is a whole number from 0 to 2**256 - 1, 64 hexadecimal digits, or 32 bytes",
        )
    };
    let Some(object) = object.filter(|object| !object.is_none()) else { return random_seed() };
    if let Ok(text) = object.cast::<PyString>() {
        return text.to_str()?.parse().map_err(|_| bad());
    }
    if let Ok(bytes) = object.cast::<PyBytes>() {
        return bytes.as_bytes().try_into().map(Seed).map_err(|_| bad());
    }
    let index = object.call_method0("__index__").map_err(|_| bad())?;
    if !index.is_instance_of::<PyInt>() || object.is_instance_of::<PyBool>() {
        return Err(bad());
    }
    let bytes = index.call_method1("to_bytes", (32, "little")).map_err(|_| bad())?;
    bytes.extract::<[u8; 32]>().map(Seed).map_err(|_| bad())
}

/// A seed from the random numbers of the system.
fn random_seed() -> Result<Seed, CallError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        CallError::Refused("internal", format!("the system gives no random numbers: {error}"))
    })?;
    Ok(Seed(bytes))
}

/// A seat of a match with this many.
///
/// # Errors
/// `bad_value`.
pub(crate) fn seat(object: &Bound<'_, PyAny>, seats: u8) -> Result<Seat, CallError> {
    let number = if object.is_instance_of::<PyBool>() { None } else { object.extract::<u8>().ok() };
    let last = seats.saturating_sub(1);
    number.filter(|number| *number <= last).map(Seat).ok_or_else(|| {
        let given = object.repr().map_or_else(|_| type_name(object), |text| text.to_string());
        CallError::bad_value(format!("{} is no seat of this match: it has seats 0 to {last}", head(&given)))
    })
}

/// A viewer: a seat, or `None` for spectators.
///
/// # Errors
/// `bad_value`.
pub(crate) fn viewer(object: Option<&Bound<'_, PyAny>>, seats: u8) -> Result<Viewer, CallError> {
    match object.filter(|object| !object.is_none()) {
        None => Ok(Viewer::Spectator),
        Some(object) => seat(object, seats).map(Viewer::Seat),
    }
}

/// A level.
///
/// # Errors
/// `bad_value`.
pub(crate) fn level(text: &str) -> Result<Level, CallError> {
    head(text).parse().map_err(CallError::bad_value)
}

/// A time in seconds.
///
/// # Errors
/// `bad_value`, also for more than a day.
pub(crate) fn time(name: &str, seconds: f64) -> Result<Duration, CallError> {
    if (0.0..=LONGEST).contains(&seconds) {
        return Ok(Duration::from_secs_f64(seconds));
    }
    Err(CallError::bad_value(format!("{name} is a number of seconds from 0 to {LONGEST}")))
}

/// Settings of one side of a dialogue: names and values, which are texts or numbers.
///
/// # Errors
/// `bad_options`.
pub(crate) fn settings(given: Option<&Bound<'_, PyDict>>) -> Result<Settings, CallError> {
    let mut settings = Settings::default();
    for (name, value) in given.iter().flat_map(|given| given.iter()) {
        let bad = || CallError::refused(RefusalCode::BadOptions, "settings are texts or numbers by name");
        if !value.is_instance_of::<PyString>() && !value.is_instance_of::<PyInt>() {
            return Err(bad());
        }
        let value = value.str().and_then(|text| text.extract::<String>()).map_err(|_| bad())?;
        settings.0.insert(name.extract().map_err(|_| bad())?, value);
    }
    Ok(settings)
}

/// The beginning of a text, for messages.
pub(crate) fn head(text: &str) -> String {
    text.chars().take(100).collect()
}
