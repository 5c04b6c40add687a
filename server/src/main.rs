//! kibitz.

mod arena;

use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
#[command(name = "kibitz", version)]
enum Command {
    /// Play matches between engines, programs and servers
    Arena(arena::ArenaArgs),
}

fn main() -> ExitCode {
    match Command::parse() {
        Command::Arena(args) => arena::run(args),
    }
}
