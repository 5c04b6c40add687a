//! The one place where something in a live match is tried again, and the two reasons for it. Both come from other nodes, which
//! append to the same log: the database lets one node be first.
//!
//! What is tried again elsewhere has other reasons: a message whose actor ended before it took it goes to the next actor
//! ([`MatchRegistry::ask`](crate::matches::registry::MatchRegistry::ask)), and a paused match tries the database again
//! (`pause.rs`).

use crate::error::{Code, Error};
use crate::matches::actor::MatchActor;

/// How often something is tried in all.
const ATTEMPTS: u32 = 16;

/// The outcome of one attempt.
pub(super) enum Attempt<T> {
    /// It is done.
    Done(T),
    /// Another node appended first. Its events are applied now, and all must be decided again.
    Overtaken,
}

impl<T> Attempt<T> {
    /// Changes the result of an attempt that is done.
    pub(super) fn map<U>(self, change: impl FnOnce(T) -> U) -> Attempt<U> {
        match self {
            Self::Done(done) => Attempt::Done(change(done)),
            Self::Overtaken => Attempt::Overtaken,
        }
    }
}

impl MatchActor {
    /// Tries something until no other node is first. Each attempt decides anew, from the state after the events of the others.
    ///
    /// # Errors
    /// Those of an attempt; `internal` if other nodes are first every time.
    pub(super) async fn until_first<T>(
        &mut self,
        mut attempt: impl AsyncFnMut(&mut Self) -> Result<Attempt<T>, Error>,
    ) -> Result<T, Error> {
        for _ in 0..ATTEMPTS {
            if let Attempt::Done(done) = attempt(self).await? {
                return Ok(done);
            }
        }
        Err(Error::new(Code::Internal, "other nodes were first at every attempt"))
    }

    /// Answers a caller. A refusal is given only if it is of the present state: where other nodes have appended events since,
    /// the request is decided once more.
    ///
    /// # Errors
    /// Those of the request; `store_unavailable` if the log cannot be read, since the refusal may then be wrong.
    pub(super) async fn answer_from_present<T>(
        &mut self,
        mut request: impl AsyncFnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let answer = request(self).await;
        match &answer {
            Err(e) if !matches!(e.code(), Code::StoreUnavailable | Code::Internal) => {
                if self.catch_up().await? { request(self).await } else { answer }
            }
            _ => answer,
        }
    }
}
