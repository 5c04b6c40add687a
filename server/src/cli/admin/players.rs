//! The commands about players.

use std::time::Duration;

use clap::Subcommand;
use serde_json::{Value, json};

use crate::cli::admin::client::{AdminClient, encoded};
use crate::cli::admin::command::{end, ms, print, text};
use crate::cli::console;

#[derive(Clone, Debug, Subcommand)]
pub(super) enum PlayerCommand {
    /// List players in the order of their names.
    List {
        /// Begin after this name.
        #[arg(long, value_name = "NAME")]
        after: Option<String>,
        /// The maximum number, 1 to 1000.
        #[arg(long, default_value_t = 100)]
        limit: u32,
    },
    /// Give a player another name.
    Rename {
        /// The current name.
        name: String,
        /// The new name.
        new: String,
    },
    /// Delete a player's account.
    Remove {
        /// The player.
        name: String,
    },
    /// Delete a player's description.
    ClearAbout {
        /// The player.
        name: String,
    },
    /// Keep a player, and a person's bots, from writing what others read.
    Mute(RestrictionArgs),
    /// Let a muted player write again.
    Unmute {
        /// The player.
        name: String,
    },
    /// Refuse all requests of a player, and of a person's bots.
    Ban(RestrictionArgs),
    /// End the ban of a player.
    Unban {
        /// The player.
        name: String,
    },
    /// List muted and banned players.
    Restricted,
}

#[derive(Clone, Debug, clap::Args)]
pub(super) struct RestrictionArgs {
    /// The player.
    name: String,
    /// Why: the player gets to read it.
    #[arg(long, default_value = "")]
    reason: String,
    /// For how long, as 90m, 12h or 30d. Without it: until it is lifted.
    #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration)]
    how_long: Option<Duration>,
}

/// Carries out a command.
pub(super) fn players(client: &AdminClient, command: &PlayerCommand, json: bool) -> Result<(), String> {
    match command {
        PlayerCommand::List { after, limit } => {
            let after = after.iter().map(|after| format!("&after={}", encoded(after)));
            let path = format!("players?limit={limit}") + &after.collect::<String>();
            print(&client.get(&path)?, "players", json, |player| text(&player["name"]))
        }
        PlayerCommand::Rename { name, new } => {
            client.post(&format!("players/{}/rename", encoded(name)), &json!({ "name": new })).map(drop)
        }
        PlayerCommand::Remove { name } => client.delete(&format!("players/{}", encoded(name))).map(drop),
        PlayerCommand::ClearAbout { name } => {
            client.delete(&format!("players/{}/about", encoded(name))).map(drop)
        }
        PlayerCommand::Mute(args) => restrict(client, "mute", args),
        PlayerCommand::Ban(args) => restrict(client, "ban", args),
        PlayerCommand::Unmute { name } => client.delete(&restriction(name, "mute")).map(drop),
        PlayerCommand::Unban { name } => client.delete(&restriction(name, "ban")).map(drop),
        PlayerCommand::Restricted => print(&client.get("restrictions")?, "restrictions", json, line),
    }
}

fn restriction(name: &str, kind: &str) -> String {
    format!("players/{}/restrictions/{kind}", encoded(name))
}

fn restrict(client: &AdminClient, kind: &str, args: &RestrictionArgs) -> Result<(), String> {
    let body = json!({ "reason": args.reason, "for_ms": args.how_long.map(ms) });
    console::print_line(line(&client.put(&restriction(&args.name, kind), &body)?))
}

/// Name, kind, end, reason.
fn line(entry: &Value) -> String {
    format!("{}\t{}\t{}\t{}", text(&entry["name"]), text(&entry["kind"]), end(entry), text(&entry["reason"]))
}
