//! The program `kibitz`: reads its arguments and hands over. Everything it does stands in the library.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use kibitz::{admin, arena, config, healthcheck, server, verify};

/// Hosts bots for board and card games.
#[derive(Parser)]
#[command(version, about)]
struct Program {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Answer move requests.
    Serve(config::ServeArgs),
    /// Play matches between engines, programs and servers.
    Arena(arena::ArenaArgs),
    /// Check the record of a match: exit code 0 when all of it is true.
    Verify(verify::VerifyArgs),
    /// Administer a running server, or a database file.
    Admin(admin::AdminArgs),
    /// Ask a running server whether it is well: exit code 0 when it is.
    Healthcheck(healthcheck::HealthcheckArgs),
}

fn main() -> ExitCode {
    match Program::parse().command {
        Command::Serve(args) => server::run(args),
        Command::Arena(args) => arena::run(args),
        Command::Verify(args) => verify::run(&args),
        Command::Admin(args) => admin::run(&args),
        Command::Healthcheck(args) => healthcheck::run(&args),
    }
}
