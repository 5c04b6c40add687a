//! Counts the requests of a connection that are being answered, up to the last byte of the answer. When the server stops,
//! a connection without one waits for the rest of a request that may never come.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::sync::Notify;

/// The number of requests of a connection that are being answered.
#[derive(Default)]
pub(crate) struct InFlight {
    requests: AtomicUsize,
    finished: Notify,
}

/// Counts one request until it is dropped.
pub(crate) struct Answering(Arc<InFlight>);

impl InFlight {
    /// Counts a request.
    pub(crate) fn begin(self: &Arc<Self>) -> Answering {
        self.requests.fetch_add(1, Ordering::AcqRel);
        Answering(Arc::clone(self))
    }

    /// Waits until no request is being answered.
    pub(crate) async fn none(&self) {
        loop {
            let finished = self.finished.notified();
            if self.requests.load(Ordering::Acquire) == 0 {
                return;
            }
            finished.await;
        }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.requests.fetch_sub(1, Ordering::AcqRel);
        self.0.finished.notify_waiters();
    }
}

/// The body of an answer, which counts as long as it exists.
pub(crate) struct CountedBody {
    /// The body.
    pub body: Body,
    /// Counts its request.
    pub _answering: Option<Answering>,
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
