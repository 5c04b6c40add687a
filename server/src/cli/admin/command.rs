//! The commands of `kibitz admin`: their arguments, their requests, their output.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::cli::admin::client::{AdminClient, encoded};
use crate::cli::admin::export::{self, ExportArgs};
use crate::cli::admin::moderation::{
    ChatCommand, InvitationCommand, ReportCommand, chat, invitations, reports,
};
use crate::cli::admin::players::{PlayerCommand, players};
use crate::cli::admin::programs::{ProgramCommand, programs};
use crate::cli::admin::tournaments::{TournamentAdminCommand, tournaments};
use crate::cli::console;
use crate::domain::time::iso;
use crate::domain::token::{Token, TokenKind};
use crate::process::admin_token::read_token;
use crate::store::{self, DatabaseAddress};

/// Settings of `kibitz admin`.
#[derive(Clone, Debug, Args)]
pub struct AdminArgs {
    /// The running server.
    #[arg(
        long,
        env = "KIBITZ_SERVER",
        value_name = "URL",
        default_value = "http://127.0.0.1:8080",
        global = true
    )]
    server: String,
    /// The file with the server's admin token.
    #[arg(long, env = "KIBITZ_ADMIN_TOKEN_FILE", value_name = "FILE", global = true)]
    admin_token_file: Option<PathBuf>,
    /// Print lists as JSON.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: AdminCommand,
}

#[derive(Clone, Debug, Subcommand)]
enum AdminCommand {
    /// Print a fresh admin token. Put it into a file that only the server's user can read.
    Token,
    /// List matches, end them, delete them, or annul their results (running server).
    #[command(subcommand)]
    Matches(MatchCommand),
    /// Abort or delete tournaments (running server).
    #[command(subcommand)]
    Tournaments(TournamentAdminCommand),
    /// Delete messages (running server).
    #[command(subcommand)]
    Chat(ChatCommand),
    /// List and settle what users report (running server). Without a command: list.
    Reports {
        #[command(subcommand)]
        command: Option<ReportCommand>,
    },
    /// Create, list or revoke invitations of new players (running server). Without a command: list.
    Invitations {
        #[command(subcommand)]
        command: Option<InvitationCommand>,
    },
    /// List, rename, remove, mute or ban players (running server).
    #[command(subcommand)]
    Players(PlayerCommand),
    /// List, disable or enable programs of bots (running server).
    #[command(subcommand)]
    Programs(ProgramCommand),
    /// Revoke players' tokens, those with a scope too (running server).
    #[command(subcommand)]
    Tokens(TokenCommand),
    /// Recompute all ratings and compare them with the stored ones (running server): exit code 0 if they are equal.
    Ratings {
        /// Compare. There is nothing else to do with ratings.
        #[arg(long, required = true)]
        check: bool,
    },
    /// Refuse all requests from an address or a network (running server).
    Ban {
        /// As 192.0.2.7, 192.0.2.0/24 or 2001:db8::/64.
        network: String,
        /// Why: a note for the list of bans.
        #[arg(long, default_value = "")]
        reason: String,
        /// For how long, as 90m, 12h or 30d. Without it: until `unban`.
        #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration)]
        how_long: Option<Duration>,
    },
    /// End the ban of an address or a network (running server).
    Unban {
        /// As the list of bans shows it.
        network: String,
    },
    /// List bans (running server).
    Bans,
    /// Delete matches that ended a long time ago (running server).
    Retention {
        /// Matches that ended at least this long ago, as 90m, 12h or 30d.
        #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
        older_than: Duration,
    },
    /// Write the public matches of a month and the ratings into files for others (running server; needs no token).
    Export(ExportArgs),
    /// Copy the database into a new file (on the database file; a server may be running).
    Backup {
        /// The new file.
        file: PathBuf,
        #[command(flatten)]
        database: DatabaseFile,
    },
    /// Check the whole database file (a server may be running): exit code 0 if it is sound.
    Check {
        #[command(flatten)]
        database: DatabaseFile,
    },
}

#[derive(Clone, Debug, Args)]
struct DatabaseFile {
    /// The database file.
    #[arg(
        long,
        env = "KIBITZ_DATABASE",
        value_name = "FILE",
        default_value = "kibitz.db",
        hide_env_values = true
    )]
    database: DatabaseAddress,
}

impl DatabaseFile {
    /// The path. `instead`: the commands for a PostgreSQL database.
    fn path(&self, instead: &str) -> Result<&Path, String> {
        match &self.database {
            DatabaseAddress::File(path) => Ok(path),
            DatabaseAddress::Postgres(_) => {
                Err(format!("this command is for SQLite files; for a PostgreSQL database use {instead}"))
            }
        }
    }
}

#[derive(Clone, Debug, Subcommand)]
enum MatchCommand {
    /// List matches, the newest first, including private ones.
    List {
        /// Only this game.
        #[arg(long)]
        game: Option<String>,
        /// Only this stage: open, running or over.
        #[arg(long)]
        stage: Option<String>,
        /// Only matches of this player.
        #[arg(long)]
        player: Option<String>,
        /// Only matches created before this one.
        #[arg(long, value_name = "ID")]
        before: Option<String>,
        /// The maximum number, 1 to 100.
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// End matches without a result.
    End {
        /// The matches.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Delete matches with all that belongs to them, running ones too. Results of rated matches stay counted.
    Delete {
        /// The matches.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Delete the analyses of matches; the next request for one computes it anew.
    DeleteAnalysis {
        /// The matches.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Annul the results of rated matches: ratings are then as if they had not been rated.
    Annul {
        /// The matches.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
}

#[derive(Clone, Debug, Subcommand)]
enum TokenCommand {
    /// Revoke a player's token.
    Revoke {
        /// The player.
        name: String,
        /// Print a new token for the player.
        #[arg(long)]
        reissue: bool,
    },
}

pub(super) fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Carries out the command; errors go to standard error. Returns the program's exit code.
pub fn run(args: &AdminArgs) -> ExitCode {
    match carry_out(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            console::print_error(e);
            ExitCode::FAILURE
        }
    }
}

fn carry_out(args: &AdminArgs) -> Result<(), String> {
    let client = || {
        let file = args.admin_token_file.as_deref();
        let file = file.ok_or("name the file with the server's admin token: --admin-token-file FILE")?;
        Ok::<_, String>(AdminClient::new(&args.server, read_token(file)?))
    };
    match &args.command {
        AdminCommand::Token => {
            let token = Token::fresh(TokenKind::Admin).map_err(|e| format!("no randomness: {e}"))?;
            console::print_line(token.reveal())
        }
        AdminCommand::Matches(command) => matches(&client()?, command, args.json),
        AdminCommand::Tournaments(command) => tournaments(&client()?, command),
        AdminCommand::Chat(command) => chat(&client()?, command),
        AdminCommand::Reports { command } => {
            let list = ReportCommand::List { after: None };
            reports(&client()?, command.as_ref().unwrap_or(&list), args.json)
        }
        AdminCommand::Invitations { command } => {
            invitations(&client()?, command.as_ref().unwrap_or(&InvitationCommand::List), args.json)
        }
        AdminCommand::Players(command) => players(&client()?, command, args.json),
        AdminCommand::Programs(command) => programs(&client()?, command, args.json),
        AdminCommand::Tokens(TokenCommand::Revoke { name, reissue }) => {
            let body = json!({ "reissue": reissue });
            let answer = client()?.post(&format!("players/{}/revoke", encoded(name)), &body)?;
            answer["token"].as_str().map_or(Ok(()), console::print_line)
        }
        AdminCommand::Ratings { .. } => ratings(&client()?.get("ratings/check")?),
        AdminCommand::Ban { network, reason, how_long } => {
            let body = json!({ "network": network, "reason": reason, "for_ms": how_long.map(ms) });
            console::print_line(ban_line(&client()?.post("bans", &body)?))
        }
        AdminCommand::Unban { network } => {
            client()?.delete(&format!("bans?network={}", encoded(network))).map(drop)
        }
        AdminCommand::Bans => print(&client()?.get("bans")?, "bans", args.json, ban_line),
        AdminCommand::Retention { older_than } => {
            let answer = client()?.post("retention", &json!({ "older_than_ms": ms(*older_than) }))?;
            console::print_line(format_args!("{} matches deleted", answer["deleted"]))
        }
        AdminCommand::Export(export) => export::run(&args.server, export),
        AdminCommand::Backup { file, database } => {
            run_blocking(store::back_up(database.path("pg_dump")?, file))
        }
        AdminCommand::Check { database } => {
            run_blocking(store::check(database.path("pg_amcheck")?))?;
            console::print_line("sound")
        }
    }
}

fn run_blocking(work: impl Future<Output = Result<(), String>>) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|e| format!("the runtime does not start: {e}"))?.block_on(work)
}

fn matches(client: &AdminClient, command: &MatchCommand, json: bool) -> Result<(), String> {
    match command {
        MatchCommand::List { game, stage, player, before, limit } => {
            let mut path = format!("matches?limit={limit}");
            for (name, value) in [("game", game), ("stage", stage), ("player", player), ("before", before)] {
                path.extend(value.iter().map(|value| format!("&{name}={}", encoded(value))));
            }
            print(&client.get(&path)?, "matches", json, match_line)
        }
        MatchCommand::End { ids } => ids.iter().try_for_each(|id| {
            client.post(&format!("matches/{}/end", encoded(id)), &json!({}))?;
            console::print_line(format_args!("{id} ended"))
        }),
        MatchCommand::Delete { ids } => ids.iter().try_for_each(|id| {
            client.delete(&format!("matches/{}", encoded(id)))?;
            console::print_line(format_args!("{id} deleted"))
        }),
        MatchCommand::DeleteAnalysis { ids } => ids.iter().try_for_each(|id| {
            client.delete(&format!("matches/{}/analysis", encoded(id)))?;
            console::print_line(format_args!("{id}: its analysis is deleted"))
        }),
        MatchCommand::Annul { ids } => ids.iter().try_for_each(|id| {
            client.post(&format!("matches/{}/annul", encoded(id)), &json!({}))?;
            console::print_line(format_args!("{id} annulled"))
        }),
    }
}

/// Prints the comparison of stored and recomputed ratings; an error if they differ.
fn ratings(check: &Value) -> Result<(), String> {
    let differences: Vec<String> = check["differences"].as_array().into_iter().flatten().map(text).collect();
    if differences.is_empty() {
        let (results, ratings) = (&check["results"], &check["ratings"]);
        return console::print_line(format_args!("{results} results, {ratings} ratings: as recomputed"));
    }
    Err(format!("stored and recomputed ratings differ:\n{}", differences.join("\n")))
}

/// Prints a list, one line per entry, or as JSON.
pub(super) fn print(
    answer: &Value,
    list: &str,
    json: bool,
    line: impl Fn(&Value) -> String,
) -> Result<(), String> {
    if json {
        return console::print_line(answer);
    }
    for entry in answer[list].as_array().into_iter().flatten() {
        console::print_line(line(entry))?;
    }
    if answer["next"].is_string() {
        let how = if list == "matches" { "--before" } else { "--after" };
        console::print_error(format_args!("there are more: {how} {}", text(&answer["next"])));
    }
    Ok(())
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Id, game, stage, visibility, names of the seats.
fn match_line(entry: &Value) -> String {
    let seat = |seat: &Value| seat["name"].as_str().unwrap_or("-").to_owned();
    let seats: Vec<_> = entry["seats"].as_array().into_iter().flatten().map(seat).collect();
    let private = if entry["private"] == true { "private" } else { "public" };
    let [id, game, stage] = ["id", "game", "stage"].map(|field| text(&entry[field]));
    format!("{id}\t{game}\t{stage}\t{private}\t{}", seats.join(", "))
}

/// Network, end, reason.
fn ban_line(ban: &Value) -> String {
    format!("{}\t{}\t{}", text(&ban["network"]), end(ban), text(&ban["reason"]))
}

/// The end of what an entry describes.
pub(super) fn end(entry: &Value) -> String {
    entry["until_ms"].as_i64().map_or("for good".to_owned(), |ms| format!("until {}", iso(ms)))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct TestArgs {
        #[command(flatten)]
        args: AdminArgs,
    }

    #[test]
    fn times_are_numbers_with_units() {
        let parse = |text: &str| TestArgs::try_parse_from(["admin", "retention", "--older-than", text]);
        for (text, seconds) in [("90m", 5400), ("12h", 43_200), ("30d", 2_592_000), ("0d", 0)] {
            let Ok(TestArgs { args: AdminArgs { command, .. } }) = parse(text) else { panic!("{text}") };
            let AdminCommand::Retention { older_than } = command else { panic!("{command:?}") };
            assert_eq!(older_than, Duration::from_secs(seconds));
        }
        for text in ["", "d", "30", "-1d", "30ä", "99999999999999999999d"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
