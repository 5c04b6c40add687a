//! `kibitz-shim join`: connects an unchanged bot with a seat of a hosted match. The server is the referee. This side starts
//! the bot's program, forwards lines in both directions, and keeps the transcript across connections. It must know no
//! game.

mod bot_process;
mod bot_source;
mod capture;
pub(crate) mod options;
#[cfg(feature = "programs")]
mod program_thread;
pub(crate) mod requests;
mod seated_bot;

use crate::dialogue::answer::Failure;
use crate::dialogue::notes::{Notes, write_last};
use crate::dialogue::pipe::timespec;
use bot_source::{BotSource, program_file};
use options::JoinOptions;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use seated_bot::SeatedBot;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::os::unix::net::UnixStream;
use std::time::Instant;

/// Checks a bot that is a program before it plays. `false`: it is a command.
///
/// # Errors
/// When it cannot run.
pub(crate) fn check_program(command: &[OsString]) -> Result<bool, Failure> {
    let is_program = program_file(command).is_some();
    if is_program {
        BotSource::of(command)?;
    }
    Ok(is_program)
}

/// Runs the bot until the match is over.
pub(crate) fn run(options: JoinOptions) -> Result<(), Failure> {
    let signals = signals()?;
    match play(options, &signals)? {
        Some(result) => {
            write_last(&format!("the match is over: {result}"));
            Ok(())
        }
        None => Err(Failure::dialogue("stopped by a signal; the seat stays taken, join again to continue")),
    }
}

/// Plays one match. Returns its result; `None`: `stop` became readable before, and the seat stays taken.
pub(crate) fn play(options: JoinOptions, stop: &UnixStream) -> Result<Option<String>, Failure> {
    let mut notes = Notes::new(options.verbose);
    let mut bot = SeatedBot::new(options, Instant::now())?;
    loop {
        if let ControlFlow::Break(result) = bot.turn(Instant::now(), &mut notes)? {
            bot.stop();
            return Ok(Some(result));
        }
        if wait(&bot, stop)? {
            return Ok(None);
        }
    }
}

/// A stream that becomes readable on SIGINT and SIGTERM.
pub(crate) fn signals() -> Result<UnixStream, Failure> {
    let register = || {
        let (ours, theirs) = UnixStream::pair()?;
        for signal in [SIGINT, SIGTERM] {
            signal_hook::low_level::pipe::register(signal, theirs.try_clone()?)?;
        }
        Ok(ours)
    };
    register().map_err(|error: std::io::Error| Failure::setup(format!("cannot catch signals: {error}")))
}

/// Waits for the server, the bot or the clock. `true`: `stop` is readable.
fn wait(bot: &SeatedBot, stop: &UnixStream) -> Result<bool, Failure> {
    let mut fds = vec![PollFd::new(stop, PollFlags::IN)];
    if let Some(target) = bot.link().poll_target() {
        let room = if target.write { PollFlags::OUT } else { PollFlags::empty() };
        fds.push(PollFd::from_borrowed_fd(target.fd, PollFlags::IN | room));
    }
    if let Some(process) = bot.process() {
        if let Some(input) = process.input() {
            fds.push(PollFd::new(input, PollFlags::OUT));
        }
        if bot.accepts_output() {
            fds.push(PollFd::new(process.output(), PollFlags::IN));
        }
        if let Some(errors) = process.errors() {
            fds.push(PollFd::new(errors, PollFlags::IN));
        }
    }
    let timeout = bot.wake_at().map(|at| timespec(at.saturating_duration_since(Instant::now())));
    match poll(&mut fds, timeout.as_ref()) {
        Ok(_) | Err(Errno::INTR) => {}
        Err(error) => return Err(Failure::dialogue(format!("cannot wait for input: {error}"))),
    }
    Ok(fds.first().is_some_and(|stop| !stop.revents().is_empty()))
}
