//! A fence around the code of games and engines: a panic there costs one dialogue, match or search, not more.

use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::{FutureExt, TryFutureExt};

use crate::error::{Code, Error};

/// The work panicked. The panic hook has logged why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Panicked;

impl From<Panicked> for Error {
    fn from(_: Panicked) -> Self {
        Self::new(Code::Internal, "the code of a game panicked")
    }
}

/// Does `work`. After a panic, the values that it borrows may be half changed, so the caller must not use them any
/// more.
///
/// # Errors
/// After a panic.
pub(crate) fn catch_panic<T>(work: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| Panicked)
}

/// The same for a future. It is no `async fn`: the future of one would hold `work` twice, as its argument and as what it waits for.
///
/// # Errors
/// After a panic.
pub(crate) fn catch_panic_async<T>(
    work: impl Future<Output = T>,
) -> impl Future<Output = Result<T, Panicked>> {
    AssertUnwindSafe(work).catch_unwind().map_err(|_| Panicked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn panic_becomes_an_error() {
        assert_eq!(catch_panic(|| -> u8 { panic!("on purpose") }), Err(Panicked));
        assert_eq!(catch_panic(|| 7), Ok(7));
        assert_eq!(catch_panic_async(async { panic!("on purpose") }).await, Err::<u8, _>(Panicked));
        assert_eq!(catch_panic_async(std::future::ready(7)).await, Ok(7));
    }
}
