//! `kibitz import`: takes the files of an export into a database, or moves a running club's data from a file to PostgreSQL.

mod exported;

use std::path::Path;
use std::process::ExitCode;

use clap::Args;

use crate::cli::console;
use crate::store::{self, DatabaseAddress, Imported};

/// Settings of `kibitz import`.
#[derive(Clone, Debug, Args)]
pub struct ImportArgs {
    /// What to read: the folder of an export (`kibitz admin export --to FOLDER`), or an SQLite file, which no server uses:
    /// sqlite://kibitz.db.
    #[arg(long, value_name = "FOLDER|URL")]
    from: DatabaseAddress,
    /// The database: for a folder, any; a server may use it. For an SQLite file, an empty PostgreSQL database:
    /// postgres://user@host/database. After an interruption, run the same command again.
    #[arg(long, env = "KIBITZ_DATABASE", value_name = "URL", hide_env_values = true)]
    to: DatabaseAddress,
    /// A name in the export means the player who has it in the database. Without it, that is so only for players whom an import has
    /// added, and matches of others are refused. For a folder.
    #[arg(long)]
    same_players: bool,
}

/// Reads what `--from` names into the database; progress and errors go to standard error. Returns the program's exit code.
pub fn run(args: &ImportArgs) -> ExitCode {
    match carry_out(args) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(e) => {
            console::print_error(e);
            ExitCode::FAILURE
        }
    }
}

/// Returns whether all was taken.
fn carry_out(args: &ImportArgs) -> Result<bool, String> {
    // The store works on other threads while this one checks records, so that no other node takes this one for dead.
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|e| format!("the runtime does not start: {e}"))?;
    match &args.from {
        DatabaseAddress::File(folder) if folder.is_dir() => {
            runtime.block_on(exported::import(folder, &args.to, args.same_players))
        }
        _ if args.same_players => Err("--same-players is for the folder of an export".to_owned()),
        DatabaseAddress::File(file) if !file.exists() => Err(missing(file)),
        from => {
            let mut progress = |line: String| console::print_error(line);
            let copied = runtime.block_on(store::import(from, &args.to, &mut progress))?;
            let Imported { matches, events, players } = copied;
            console::print_line(format_args!(
                "{matches} matches with {events} events and {players} players copied and compared"
            ))?;
            Ok(true)
        }
    }
}

fn missing(file: &Path) -> String {
    format!("{}: the file does not exist", file.display())
}
