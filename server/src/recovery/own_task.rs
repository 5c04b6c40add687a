//! Work that goes on although its future rests.

use std::future::pending;
use std::panic::resume_unwind;

use tokio_util::task::AbortOnDropHandle;

/// Does this work in a task of its own. Dropping the future ends the work; a panic of the work goes on here.
///
/// A future that rests while its owner does something else, such as a branch of a `select!` in a loop, must not wait for one of few
/// connections for reading itself: it would keep the connection that it is given while it rests, and its owner may be waiting for
/// one.
pub(crate) async fn in_own_task<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    match AbortOnDropHandle::new(tokio::spawn(work)).await {
        Ok(result) => result,
        Err(e) if e.is_panic() => resume_unwind(e.into_panic()),
        // The server stops.
        Err(_) => pending().await,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use futures_util::FutureExt;
    use tokio::sync::Semaphore;

    use super::*;

    #[tokio::test]
    async fn work_that_rests_keeps_nothing_from_others() {
        let few = Arc::new(Semaphore::new(1));
        let taken = Arc::clone(&few).acquire_owned().await.unwrap();
        let waiting = Arc::clone(&few);
        let mut resting = Box::pin(in_own_task(async move { waiting.acquire().await.is_ok() }));
        assert_eq!(resting.as_mut().now_or_never(), None);
        tokio::task::yield_now().await;
        drop(taken);
        // A future that waited for itself would have been given the permit and would keep it.
        drop(few.acquire().await.unwrap());
        assert!(resting.await);
    }

    #[tokio::test]
    async fn dropped_work_ends() {
        let (tell, told) = tokio::sync::oneshot::channel::<()>();
        let mut work = Box::pin(in_own_task(async move {
            let _tell = tell;
            pending::<()>().await;
        }));
        assert_eq!(work.as_mut().now_or_never(), None);
        drop(work);
        told.await.unwrap_err();
    }

    #[tokio::test]
    #[should_panic(expected = "it broke")]
    async fn panic_goes_on() {
        in_own_task(async { panic!("it broke") }).await
    }
}
