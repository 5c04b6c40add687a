//! `kibitz-shim`: a bot for a contest's referee that asks a kibitz server for every answer, or a client that runs a bot
//! in a hosted match, keeps it online for many matches, lists its faults, or uploads a program. It forwards lines and keeps a transcript. It must know no
//! game, and must write only the protocol to standard output.

mod answerers;
mod dialogue;
mod faults;
mod games;
mod invocation;
mod join;
mod network;
mod online;
mod options;
mod upload;

use dialogue::answer::{Answerer, Failure};
use dialogue::{last_answer, memory, notes, pipe};
use invocation::Invocation;
use options::{Environment, PlayOptions};
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
            notes::write_last(&failure.reason);
            ExitCode::from(failure.status)
        }
    }
}

fn run() -> Result<(), Failure> {
    match invocation()? {
        Invocation::Play(options) => play(options),
        Invocation::Join(options) => join::run(options),
        Invocation::Online(options) => online::run(options),
        Invocation::Faults(options) => print(&faults::run(&options)?),
        Invocation::Upload(options) => upload(&options),
        Invocation::Help(text) => print(&text),
        Invocation::Version => print(concat!("kibitz-shim ", env!("CARGO_PKG_VERSION"), "\n")),
    }
}

/// Uploads a program, and prints the report of its check.
fn upload(options: &upload::UploadOptions) -> Result<(), Failure> {
    let (report, can_play) = upload::run(options)?;
    print(&report)?;
    match can_play {
        true => Ok(()),
        false => Err(Failure { status: 1, reason: "the program cannot play".to_owned() }),
    }
}

/// Reads arguments and environment.
fn invocation() -> Result<Invocation, Failure> {
    let mut args = std::env::args_os();
    let called: Option<PathBuf> = args.next().map(PathBuf::from);
    // The name by which it was started, then the file's own name: some referees resolve links.
    let program: Vec<_> = called.into_iter().chain(std::env::current_exe()).collect();
    let environment = Environment {
        env: &|key| std::env::var_os(key),
        built_game: option_env!("KIBITZ_GAME"),
        built_server: option_env!("KIBITZ_SERVER"),
        program: &program,
    };
    invocation::parse(args, &environment).map_err(Failure::setup)
}

fn play(options: PlayOptions) -> Result<(), Failure> {
    last_answer::prepare(options.pass);
    last_answer::settle(run_dialogue(options))
}

fn run_dialogue(mut options: PlayOptions) -> Result<(), Failure> {
    exit_on_signals()?;
    let mut notes = notes::Notes::new(options.verbose);
    for note in &options.notes {
        notes.write(note);
    }
    let memory = memory::Memory::open(options.memory.take(), options.server.to_string());
    memory.note().iter().for_each(|note| notes.write(note));
    options.fill_in(&memory.settings());
    let pipe = pipe::Pipe::new(options.patience, options.longest_wait, notes, memory);
    pipe.run(answerer(&options)?.as_mut())
}

/// The source of answers: the built-in engine, or a server with the engine as fallback.
#[cfg(feature = "embedded")]
fn answerer(options: &PlayOptions) -> Result<Box<dyn Answerer>, Failure> {
    let engine = answerers::engine::EngineAnswerer::new(options)?;
    if options.offline {
        return Ok(Box::new(engine));
    }
    Ok(Box::new(answerers::fallback::FallbackAnswerer::new(
        answerers::remote::RemoteAnswerer::new(options, Instant::now())?,
        engine,
    )))
}

/// The source of answers: a server.
#[cfg(not(feature = "embedded"))]
fn answerer(options: &PlayOptions) -> Result<Box<dyn Answerer>, Failure> {
    if options.offline && games::find(&options.game).is_none() {
        return Err(Failure::setup(games::unknown(&options.game)));
    }
    if options.offline {
        let reason = "this build has no engine to play offline: build it with --features embedded";
        return Err(Failure::setup(reason));
    }
    Ok(Box::new(answerers::remote::RemoteAnswerer::new(options, Instant::now())?))
}

/// Exits with status 0 on SIGINT and SIGTERM, with which referees end a match. There is nothing to clean up: every
/// answer was printed when it arrived, and the server loses nothing by a closed connection.
fn exit_on_signals() -> Result<(), Failure> {
    let always = Arc::new(AtomicBool::new(true));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 0, always.clone())
            .map_err(|error| Failure::setup(format!("cannot catch signals: {error}")))?;
    }
    Ok(())
}

/// Prints help or version, the only text on standard output besides the protocol.
fn print(text: &str) -> Result<(), Failure> {
    let written = io::stdout().write_all(text.as_bytes());
    written.map_err(|error| Failure::setup(format!("cannot write to standard output: {error}")))
}
