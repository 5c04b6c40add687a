//! The command line of `kibitz`: arguments in, calls of services out.

pub mod admin;
mod analyse;
pub mod arena;
#[cfg(feature = "programs")]
mod bots;
pub mod check_bot;
mod ci;
mod console;
pub mod healthcheck;
pub mod import;
mod manual;
mod month_list;
#[cfg(feature = "programs")]
mod programs;
pub mod replay;
mod runtime;
mod serve;
pub mod suite;
pub mod verify;
pub mod worker;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use crate::process::options::ServeArgs;

/// Hosts bots for board and card games.
#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: CliCommand,
}

#[derive(Subcommand)]
enum CliCommand {
    /// Run a server that answers move requests and hosts matches.
    Serve(Box<ServeArgs>),
    /// Run engines for servers that name the same NATS server.
    Worker(worker::WorkerArgs),
    /// Play matches between engines, programs and servers.
    Arena(arena::ArenaArgs),
    /// Check a bot: play short matches in every seat, and report what its author should know.
    CheckBot(check_bot::CheckBotArgs),
    /// Check the record of a match: exit code 0 if all of it is true.
    Verify(verify::VerifyArgs),
    /// Replay finished matches with a new version of a bot, and compare its answers with the recorded ones.
    Replay(replay::ReplayArgs),
    /// Ask a bot for its move in positions with known good and bad moves, and score its answers.
    Suite(suite::SuiteArgs),
    /// Analyse finished matches: what each decision was worth, and which ones decided it.
    Analyse(analyse::AnalyseArgs),
    /// Run a program of a bot in the sandbox, on standard input and output.
    #[cfg(feature = "programs")]
    Run(programs::RunArgs),
    /// Run the programs of hosted bots for the server that has started this process.
    #[cfg(feature = "programs")]
    Bots(bots::BotsArgs),
    /// Administer a running server, or a database file.
    Admin(admin::AdminArgs),
    /// Take an export's matches and ratings into a database, or copy an SQLite database into an empty PostgreSQL database.
    Import(import::ImportArgs),
    /// Check whether a running server is well: exit code 0 if it is.
    Healthcheck(healthcheck::HealthcheckArgs),
    /// Print the completions of these commands for a shell.
    Completions(manual::CompletionsArgs),
    /// Write the man pages of these commands: for packages.
    #[command(hide = true)]
    ManPages(manual::ManPagesArgs),
}

/// Reads the arguments of the program and does what they say; returns its exit code.
pub fn run() -> ExitCode {
    match Cli::parse().command {
        CliCommand::Serve(args) => serve::run(*args),
        CliCommand::Worker(args) => worker::run(args),
        CliCommand::Arena(args) => arena::run(args),
        CliCommand::CheckBot(args) => check_bot::run(&args),
        CliCommand::Verify(args) => verify::run(&args),
        CliCommand::Replay(args) => replay::run(&args),
        CliCommand::Suite(args) => suite::run(&args),
        CliCommand::Analyse(args) => analyse::run(&args),
        #[cfg(feature = "programs")]
        CliCommand::Run(args) => programs::run(&args),
        #[cfg(feature = "programs")]
        CliCommand::Bots(args) => bots::run(&args),
        CliCommand::Admin(args) => admin::run(&args),
        CliCommand::Import(args) => import::run(&args),
        CliCommand::Healthcheck(args) => healthcheck::run(&args),
        CliCommand::Completions(args) => manual::print_completions(&args, Cli::command()),
        CliCommand::ManPages(args) => manual::write_man_pages(&args, Cli::command()),
    }
}
