//! `kibitz import`: moves a running club's data from a file to PostgreSQL.

use std::process::ExitCode;

use clap::Args;

use crate::cli::console;
use crate::store::{self, DatabaseAddress, Imported};

/// Settings of `kibitz import`.
#[derive(Clone, Debug, Args)]
pub struct ImportArgs {
    /// The SQLite file, which no server uses: sqlite://kibitz.db.
    #[arg(long, value_name = "URL")]
    from: DatabaseAddress,
    /// The empty PostgreSQL database: postgres://user@host/database. After an interruption, run the same command again.
    #[arg(long, env = "KIBITZ_DATABASE", value_name = "URL", hide_env_values = true)]
    to: DatabaseAddress,
}

/// Copies the database; progress and errors go to standard error. Returns the program's exit code.
pub fn run(args: &ImportArgs) -> ExitCode {
    match carry_out(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            console::print_error(e);
            ExitCode::FAILURE
        }
    }
}

fn carry_out(args: &ImportArgs) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|e| format!("the runtime does not start: {e}"))?;
    let mut progress = |line: String| console::print_error(line);
    let Imported { matches, events, players } =
        runtime.block_on(store::import(&args.from, &args.to, &mut progress))?;
    console::print_line(format_args!(
        "{matches} matches with {events} events and {players} players copied and compared"
    ))
}
