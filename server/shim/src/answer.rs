//! The seam between the pipe and whoever answers: what one asks of the other. No input, no output.

use crate::transcript::Transcript;
use std::os::fd::BorrowedFd;
use std::time::Instant;

/// Whoever finds the answers to a referee's lines. Driven by the pipe, on its thread: it may think there, but never waits.
pub trait Answerer {
    /// Looks at what is new in the transcript and in its own world, and tells what came of it, in order.
    fn turn(&mut self, now: Instant, transcript: &Transcript, news: &mut Vec<News>);

    /// The file descriptor that wakes it, if any.
    fn watch(&self) -> Option<Watch<'_>>;

    /// When it wants a turn at the latest, if nothing wakes it before.
    fn wake_at(&self) -> Option<Instant>;

    /// Whether it is in a state to answer at all; a server that cannot be reached is not.
    fn in_touch(&self) -> bool;
}

/// What to wait for on a file descriptor.
#[derive(Debug)]
pub struct Watch<'a> {
    /// The descriptor; input on it is always waited for.
    pub fd: BorrowedFd<'a>,
    /// Whether to wait for room to write as well.
    pub write: bool,
}

/// What an [`Answerer`] tells the pipe.
#[derive(Debug, PartialEq, Eq)]
pub enum News {
    /// Lines for the referee, to be printed at once and together.
    Print(Vec<String>),
    /// A remark of the server.
    Remark(String),
    /// The referee told what our rules forbid, and the dialogue goes on.
    Warning(String),
    /// A note for people.
    Note(String),
    /// The session is over.
    Over,
    /// There is no way to go on.
    Failed(Failure),
}

/// Why the program ends without having done its work.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    /// The exit status: 1 for what went wrong in the dialogue, 2 for what somebody must set right first.
    pub status: u8,
    /// What happened and what to do about it, in one line.
    pub reason: String,
}

impl Failure {
    /// The dialogue cannot go on.
    pub fn dialogue(reason: impl Into<String>) -> Self {
        Self { status: 1, reason: reason.into() }
    }

    /// The program was called or set up wrongly.
    pub fn setup(reason: impl Into<String>) -> Self {
        Self { status: 2, reason: reason.into() }
    }
}
