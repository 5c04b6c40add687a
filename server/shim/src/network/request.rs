//! One request to the server and its response, for the commands that are no dialogue. It tries again while the server cannot be
//! reached.

use crate::dialogue::answer::Failure;
use crate::dialogue::pipe::timespec;
use crate::dialogue::transcript::Transcript;
use crate::network::address::ServerAddress;
use crate::network::connect::{ConnectError, classify};
use crate::network::http::{HttpRequest, HttpResponse};
use crate::network::link::{Link, LinkEvent};
use rustix::event::{PollFd, PollFlags, poll};
use std::path::Path;
use std::time::Instant;

/// A server, and what to say about its refusals.
pub(crate) struct Requester<'a> {
    pub server: &'a ServerAddress,
    /// A file with certificates to trust instead of the system's.
    pub ca: Option<&'a Path>,
    /// The end of the sentence about a refusal: what the user can check.
    pub hint: &'static str,
}

impl Requester<'_> {
    /// Sends the request. Returns a response that is no refusal.
    ///
    /// # Errors
    /// The refusal, or that the server did not answer until the deadline.
    pub(crate) fn send(&self, request: HttpRequest, deadline: Instant) -> Result<HttpResponse, Failure> {
        let Self { server, ca, hint } = self;
        let mut link = Link::new(server, *ca, request, Instant::now())?;
        let (nothing, mut events) = (Transcript::default(), Vec::new());
        let mut last = String::new();
        while Instant::now() < deadline {
            link.turn(Instant::now(), &nothing, &mut events);
            for event in events.drain(..) {
                match event {
                    LinkEvent::Response(response) if (200..300).contains(&response.status) => {
                        return Ok(response);
                    }
                    LinkEvent::Response(response) => {
                        return Err(match classify(response, hint) {
                            ConnectError::Permanent(failure) => failure,
                            ConnectError::Temporary { reason, .. } => {
                                Failure::setup(format!("{server}: {reason}"))
                            }
                        });
                    }
                    LinkEvent::Failed(failure) => return Err(failure),
                    LinkEvent::Note(note) => last = note,
                    LinkEvent::Opened | LinkEvent::Text(_) | LinkEvent::Closed(..) => {}
                }
            }
            wait(&link, deadline)?;
        }
        Err(Failure::setup(format!("{server} does not answer: {last}")))
    }
}

/// The text for a terminal: without control characters.
pub(crate) fn printable(text: &str) -> String {
    let printable = |char: char| match char {
        '\n' | '\t' => char,
        char if char.is_control() => char::REPLACEMENT_CHARACTER,
        char => char,
    };
    text.chars().map(printable).collect()
}

/// Waits for the server or the clock.
fn wait(link: &Link, deadline: Instant) -> Result<(), Failure> {
    let mut fds = Vec::new();
    if let Some(target) = link.poll_target() {
        let room = if target.write { PollFlags::OUT } else { PollFlags::empty() };
        fds.push(PollFd::from_borrowed_fd(target.fd, PollFlags::IN | room));
    }
    let until = link.wake_at().map_or(deadline, |at| at.min(deadline));
    let timeout = timespec(until.saturating_duration_since(Instant::now()));
    match poll(&mut fds, Some(&timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(Failure::setup(format!("cannot wait for the server: {error}"))),
    }
}
