//! The interface between the pipe and the source of answers. It must not read or write anything.

use crate::dialogue::transcript::Transcript;
use std::os::fd::BorrowedFd;
use std::time::Instant;

/// A source of answers to a referee's lines. The pipe drives it on its own thread: it may compute there, but must not
/// wait.
pub(crate) trait Answerer {
    /// Handles the new parts of the transcript and of its own connections, and appends the resulting actions in order.
    fn turn(&mut self, now: Instant, transcript: &Transcript, actions: &mut Vec<PipeAction>);

    /// The file descriptor to poll for, if any.
    fn poll_target(&self) -> Option<PollTarget<'_>>;

    /// The latest time of the next turn, if the file descriptor causes none before.
    fn wake_at(&self) -> Option<Instant>;

    /// Whether it can answer at present; an unreachable server cannot.
    fn can_answer(&self) -> bool;
}

/// A file descriptor, and the events to wait for on it.
#[derive(Debug)]
pub(crate) struct PollTarget<'a> {
    /// The descriptor; the poll always waits for input on it.
    pub fd: BorrowedFd<'a>,
    /// Whether to wait for room to write as well.
    pub write: bool,
}

/// An action that an [`Answerer`] asks the pipe to execute.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum PipeAction {
    /// Print these lines to the referee, at once and together.
    Print(Vec<String>),
    /// Handle a remark of the server.
    Remark(String),
    /// Show that the referee sent something that our rules forbid; the dialogue continues.
    Warning(String),
    /// Show a note for people.
    Note(String),
    /// End the program: the dialogue is over.
    Over,
    /// End the program: the dialogue cannot continue.
    Failed(Failure),
}

/// The reason why the program ends without success.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    /// The exit status: 1 for a fault in the dialogue, 2 for wrong arguments or settings.
    pub status: u8,
    /// The error and its remedy, in one line.
    pub reason: String,
}

impl Failure {
    /// The dialogue cannot continue.
    pub(crate) fn dialogue(reason: impl Into<String>) -> Self {
        Self { status: 1, reason: reason.into() }
    }

    /// The user must change arguments or settings.
    pub(crate) fn setup(reason: impl Into<String>) -> Self {
        Self { status: 2, reason: reason.into() }
    }
}
