//! The id of the request for which code runs. The task or thread that works for a request has it, so that the log can name it
//! wherever something happens: it goes along with a message to the actor of a match, with a search to a thread or a worker.

use std::fmt;
use std::sync::Arc;

/// The id of a request, as its answer has it in the header `X-Request-Id`. Clones share it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestId(Arc<str>);

tokio::task_local! {
    static CURRENT: Option<RequestId>;
}

impl RequestId {
    /// The id of the request for which this code runs, if it runs for one.
    pub fn current() -> Option<Self> {
        CURRENT.try_with(Clone::clone).ok().flatten()
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id of the message with this number on the connection that this request opened.
    pub fn of_message(&self, number: u64) -> Self {
        Self(format!("{}.{number}", self.0).into())
    }
}

impl From<&str> for RequestId {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Does this work for the request with this id, on any thread.
pub fn run_for<T>(id: Option<RequestId>, work: impl FnOnce() -> T) -> T {
    CURRENT.sync_scope(id, work)
}

/// Lets this future work for the request with this id.
pub fn work_for<F: Future>(id: Option<RequestId>, work: F) -> impl Future<Output = F::Output> {
    CURRENT.scope(id, work)
}

/// Lets this future work for the request for which this code runs: for a task of its own.
pub fn carry<F: Future>(work: F) -> impl Future<Output = F::Output> {
    work_for(RequestId::current(), work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn id_goes_along_and_does_not_stay() {
        let current = || RequestId::current().map(|id| id.to_string());
        assert_eq!(current(), None);
        let seen = work_for(Some("a".into()), async {
            tokio::task::yield_now().await;
            let inner = run_for(Some("b".into()), current);
            let other = tokio::spawn(carry(async move { current() })).await.unwrap();
            let forgetful = tokio::spawn(async move { current() }).await.unwrap();
            (current(), inner, other, forgetful)
        });
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(seen.await, (text("a"), text("b"), text("a"), None));
        assert_eq!(current(), None);
        assert_eq!(RequestId::from("a").of_message(3).as_str(), "a.3");
    }
}
