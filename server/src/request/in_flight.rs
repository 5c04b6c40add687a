//! Counts the requests of a connection that are being answered, until the system has taken the last byte of the answer. When
//! the server stops, a connection without one waits for the rest of a request that may never come.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::sync::Notify;

/// The number of requests of a connection that are being answered.
#[derive(Default)]
pub(crate) struct InFlight {
    requests: AtomicUsize,
    /// Whether a request has come at all.
    any: AtomicBool,
    begun: Notify,
    finished: Notify,
    /// Whether bytes of an answer wait for the other side to accept them.
    blocked: AtomicBool,
}

/// Counts one request until it is dropped.
pub(crate) struct RequestGuard(Arc<InFlight>);

impl InFlight {
    /// Counts a request.
    pub(crate) fn begin(self: &Arc<Self>) -> RequestGuard {
        self.requests.fetch_add(1, Ordering::AcqRel);
        self.any.store(true, Ordering::Release);
        self.begun.notify_waiters();
        RequestGuard(Arc::clone(self))
    }

    /// Waits for the first request of the connection, at most for this long; does not wait if it has come before.
    pub(crate) async fn first_within(&self, time: Duration) {
        let begun = self.begun.notified();
        if !self.any.load(Ordering::Acquire) {
            let _late = tokio::time::timeout(time, begun).await;
        }
    }

    /// Notes whether bytes of an answer wait for the other side to accept them.
    pub(crate) fn blocked(&self, blocked: bool) {
        self.blocked.store(blocked, Ordering::Release);
    }

    /// Waits until no request has been answered for this long.
    pub(crate) async fn none_for(&self, time: Duration) {
        loop {
            let finished = self.finished.notified();
            if self.requests.load(Ordering::Acquire) > 0 {
                finished.await;
                continue;
            }
            tokio::time::sleep(time).await;
            if self.requests.load(Ordering::Acquire) == 0 && !self.blocked.load(Ordering::Acquire) {
                return;
            }
        }
    }
}

impl Drop for RequestGuard {
    fn drop(&mut self) {
        self.0.requests.fetch_sub(1, Ordering::AcqRel);
        self.0.finished.notify_waiters();
    }
}

/// The body of an answer, which counts as long as it exists.
pub(crate) struct CountedBody {
    pub body: Body,
    /// Counts its request.
    pub _answering: Option<RequestGuard>,
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
