//! A fence around a game's protocol: a panic there ends one dialogue, not the connection's task or more.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::{Code, Error};

/// Does `work`. A panic becomes an error; `refused` turns the protocol's own refusal into one.
///
/// What `work` borrows may be half changed after a panic, so the caller must not use it any more.
///
/// # Errors
/// `internal` after a panic, else what `refused` makes.
pub(crate) fn fenced<T, E>(
    work: impl FnOnce() -> Result<T, E>,
    refused: impl FnOnce(E) -> Error,
) -> Result<T, Error> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(refused),
        Err(_) => Err(Error::new(Code::Internal, "a protocol panicked")),
    }
}

#[cfg(test)]
mod tests {
    use engines::erased::Refusal;

    use super::*;

    #[test]
    fn panic_becomes_an_internal_error() {
        let panics = || -> Result<(), Refusal> { panic!("on purpose") };
        assert_eq!(fenced(panics, Error::from).unwrap_err().code(), Code::Internal);
        assert_eq!(fenced(|| Ok::<_, Refusal>(7), Error::from).unwrap(), 7);
    }
}
