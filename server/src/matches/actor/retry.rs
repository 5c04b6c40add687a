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

/// The attempts at something until no other node is first. Each decides anew, from the state after the events of the others.
pub(super) struct Attempts(u32);

impl Attempts {
    /// None so far.
    pub(super) const fn new() -> Self {
        Self(0)
    }

    /// Notes that another node was first.
    ///
    /// # Errors
    /// `internal` if that was the last attempt.
    pub(super) fn overtaken(&mut self) -> Result<(), Error> {
        self.0 += 1;
        if self.0 < ATTEMPTS {
            return Ok(());
        }
        Err(Error::new(Code::Internal, "other nodes were first at every attempt"))
    }
}

impl MatchActor {
    /// Whether a request is to be decided once more: it was refused, and other nodes have appended events since that are applied
    /// now. If the log cannot be read, the refusal may be wrong, and the answer becomes `store_unavailable`.
    pub(super) async fn is_refused_from_old_state<T>(&mut self, answer: &mut Result<T, Error>) -> bool {
        match answer {
            Err(e) if !matches!(e.code(), Code::StoreUnavailable | Code::Internal) => {
                match self.catch_up().await {
                    Ok(news) => news,
                    Err(unread) => {
                        *answer = Err(unread.into());
                        false
                    }
                }
            }
            _ => false,
        }
    }
}
