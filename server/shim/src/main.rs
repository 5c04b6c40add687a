//! `kibitz-shim`: sits where a contest's referee expects a bot, and asks a kibitz server for every answer; or runs a bot
//! that has a seat in a hosted match. A byte pipe with a transcript: it must know no game, and write nothing to standard
//! output but the protocol.

mod answer;
mod dial;
#[cfg(feature = "embedded")]
mod engine;
#[cfg(feature = "embedded")]
mod fallback;
mod games;
mod join;
mod last_answer;
mod lines;
mod link;
mod memory;
mod notes;
mod options;
mod pipe;
mod remote;
mod server;
mod session;
mod stream;
#[cfg(feature = "tls")]
mod tls;
mod transcript;
mod upgrade;

use answer::{Answerer, Failure};
use options::{Command, Options, Surroundings};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            notes::last_words(&failure.reason);
            ExitCode::from(failure.status)
        }
    }
}

fn run() -> Result<(), Failure> {
    match command()? {
        Command::Play(options) => play(options),
        Command::Join(options) => join::run(options),
        Command::Help(text) => tell(&text),
        Command::Version => tell(concat!("kibitz-shim ", env!("CARGO_PKG_VERSION"), "\n")),
    }
}

/// Reads what the program was asked to do.
fn command() -> Result<Command, Failure> {
    let mut args = std::env::args_os();
    let called: Option<PathBuf> = args.next().map(PathBuf::from);
    // The name it was called by, then the file's own: some referees resolve one into the other.
    let program: Vec<_> = called.into_iter().chain(std::env::current_exe()).collect();
    let surroundings = Surroundings {
        env: &|key| std::env::var_os(key),
        built_game: option_env!("KIBITZ_GAME"),
        built_server: option_env!("KIBITZ_SERVER"),
        program: &program,
    };
    options::parse(args, &surroundings).map_err(Failure::setup)
}

fn play(options: Options) -> Result<(), Failure> {
    last_answer::prepare(options.pass);
    last_answer::settle(converse(options))
}

fn converse(mut options: Options) -> Result<(), Failure> {
    end_quietly_on_signals()?;
    let mut notes = notes::Notes::new(options.verbose);
    for note in &options.notes {
        notes.say(note);
    }
    let memory = memory::Memory::recall(options.memory.take());
    options.fill_in(memory.settings());
    let pipe = pipe::Pipe::new(options.patience, options.longest_wait, notes, memory);
    pipe.run(answerer(&options)?.as_mut())
}

/// Who answers: a server, and where an engine is built in, that engine alone or in the server's stead.
#[cfg(feature = "embedded")]
fn answerer(options: &Options) -> Result<Box<dyn Answerer>, Failure> {
    let engine = engine::Engine::new(options)?;
    if options.offline {
        return Ok(Box::new(engine));
    }
    Ok(Box::new(fallback::Fallback::new(remote::Remote::new(options, Instant::now())?, engine)))
}

/// Who answers: a server.
#[cfg(not(feature = "embedded"))]
fn answerer(options: &Options) -> Result<Box<dyn Answerer>, Failure> {
    if options.offline && games::find(&options.game).is_none() {
        return Err(Failure::setup(games::unknown(&options.game)));
    }
    if options.offline {
        let reason = "there is no engine in this build to play offline: build it with --features embedded";
        return Err(Failure::setup(reason));
    }
    Ok(Box::new(remote::Remote::new(options, Instant::now())?))
}

/// SIGINT and SIGTERM are how referees end a match: status 0, at once, from wherever the program is. Every answer
/// was printed when it came and the server holds nothing that a closed connection would lose, so there is nothing
/// to tidy up.
fn end_quietly_on_signals() -> Result<(), Failure> {
    let always = Arc::new(AtomicBool::new(true));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 0, always.clone())
            .map_err(|error| Failure::setup(format!("cannot catch signals: {error}")))?;
    }
    Ok(())
}

/// Answers a question about the program itself, the only case where standard output is not the protocol's.
fn tell(text: &str) -> Result<(), Failure> {
    let written = io::stdout().write_all(text.as_bytes());
    written.map_err(|error| Failure::setup(format!("cannot write to standard output: {error}")))
}
