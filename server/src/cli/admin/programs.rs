//! The commands about programs of bots.

use clap::Subcommand;
use serde_json::{Value, json};

use crate::cli::admin::client::{AdminClient, encoded};
use crate::cli::admin::command::{print, text};
use crate::cli::console;
use crate::domain::time::iso;

#[derive(Clone, Debug, Subcommand)]
pub(super) enum ProgramCommand {
    /// List the programs of all bots.
    List {
        /// Begin after this program.
        #[arg(long, value_name = "PLACE")]
        after: Option<String>,
    },
    /// Show all programs of a module with the reports of their checks, and whether it is disabled.
    Show {
        /// The SHA-256 of the module.
        hash: String,
    },
    /// Disable a module: its programs stop playing, and it cannot be uploaded.
    Disable {
        /// The SHA-256 of the module.
        hash: String,
        /// Why: the owners of its bots see it.
        #[arg(long, default_value = "")]
        reason: String,
    },
    /// Enable a module again.
    Enable {
        /// The SHA-256 of the module.
        hash: String,
    },
}

/// Carries out a command.
pub(super) fn programs(client: &AdminClient, command: &ProgramCommand, json: bool) -> Result<(), String> {
    match command {
        ProgramCommand::List { after } => {
            let after = after.iter().map(|after| format!("?after={}", encoded(after)));
            let path = "programs".to_owned() + &after.collect::<String>();
            print(&client.get(&path)?, "programs", json, program_line)
        }
        ProgramCommand::Show { hash } => {
            let found = client.get(&format!("programs?hash={}", encoded(hash)))?;
            if json {
                return console::print_line(&found);
            }
            for disabled in found["disabled"].as_array().into_iter().flatten() {
                let since = iso(disabled["created_ms"].as_i64().unwrap_or_default());
                console::print_line(format_args!("disabled since {since}: {}", text(&disabled["reason"])))?;
            }
            for program in found["programs"].as_array().into_iter().flatten() {
                console::print_line(program_line(program))?;
                for line in program["report"]["lines"].as_array().into_iter().flatten() {
                    console::print_line(format_args!("  {}", text(line)))?;
                }
            }
            Ok(())
        }
        ProgramCommand::Disable { hash, reason } => {
            client.put(&format!("programs/{}/ban", encoded(hash)), &json!({ "reason": reason }))?;
            console::print_line(format_args!("{hash} disabled"))
        }
        ProgramCommand::Enable { hash } => {
            client.delete(&format!("programs/{}/ban", encoded(hash)))?;
            console::print_line(format_args!("{hash} enabled"))
        }
    }
}

/// Bot, owner, number, game, state, time, size, hash, note.
fn program_line(program: &Value) -> String {
    let [bot, owner, number, game, size, hash] =
        ["bot", "owner", "number", "game", "size", "hash"].map(|field| text(&program[field]));
    let state = if program["disabled"].is_string() { "disabled".to_owned() } else { text(&program["state"]) };
    let at = iso(program["created_ms"].as_i64().unwrap_or_default());
    let note = text(&program["note"]);
    format!("{bot}\t{owner}\t{number}\t{game}\t{state}\t{at}\t{size}\t{hash}\t{note}")
}
