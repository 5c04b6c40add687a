//! `kibitz-shim join`: a bot, unchanged, takes a seat in a hosted match. The server is the referee; here the bot's program
//! is started, its lines go to the server and the server's to it, and the transcript survives every connection. It must
//! know no game.

pub mod options;
mod program;
mod seat;

use crate::answer::Failure;
use crate::notes::{Notes, last_words};
use options::Options;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use seat::{Fate, Seat};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::os::unix::net::UnixStream;
use std::time::Instant;

/// Keeps the bot in its seat until the match is over.
pub fn run(options: Options) -> Result<(), Failure> {
    let mut signals = signals().map_err(|error| Failure::setup(format!("cannot catch signals: {error}")))?;
    let mut notes = Notes::new(options.verbose);
    let mut seat = Seat::new(options, Instant::now())?;
    loop {
        match seat.turn(Instant::now(), &mut notes)? {
            Fate::Over(result) => {
                seat.dismiss();
                last_words(&format!("the match is over: {result}"));
                return Ok(());
            }
            Fate::GoesOn => {}
        }
        if wait(&seat, &signals)? {
            let _ = std::io::Read::read(&mut signals, &mut [0]);
            return Err(Failure::dialogue("told to stop; the seat stays taken, and joining again goes on"));
        }
    }
}

/// Becomes readable when the program is told to stop.
fn signals() -> std::io::Result<UnixStream> {
    let (ours, theirs) = UnixStream::pair()?;
    for signal in [SIGINT, SIGTERM] {
        signal_hook::low_level::pipe::register(signal, theirs.try_clone()?)?;
    }
    Ok(ours)
}

/// Waits for the server, the bot or the clock; `true`: the program is told to stop.
fn wait(seat: &Seat, signals: &UnixStream) -> Result<bool, Failure> {
    let mut fds = vec![PollFd::new(signals, PollFlags::IN)];
    if let Some(watch) = seat.link().watch() {
        let room = if watch.write { PollFlags::OUT } else { PollFlags::empty() };
        fds.push(PollFd::from_borrowed_fd(watch.fd, PollFlags::IN | room));
    }
    if let Some(program) = seat.program() {
        if let Some(input) = program.input() {
            fds.push(PollFd::new(input, PollFlags::OUT));
        }
        if seat.listens() {
            fds.push(PollFd::new(program.output(), PollFlags::IN));
        }
    }
    let timeout = seat.wake_at().map(|at| {
        let time = at.saturating_duration_since(Instant::now());
        Timespec {
            tv_sec: time.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: time.subsec_nanos().into(),
        }
    });
    match poll(&mut fds, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(Failure::dialogue(format!("cannot wait for input: {error}"))),
    }
    Ok(fds.first().is_some_and(|signals| !signals.revents().is_empty()))
}
