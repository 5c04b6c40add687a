//! The commands of `kibitz admin`: what they take, what they ask for, what they print.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use crate::admin::client::{Client, encoded};
use crate::admin::options::read_token;
use crate::console;
use crate::domain::token::{Token, TokenKind};
use crate::store;

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
    /// The file with its admin token, as the server was started with.
    #[arg(long, env = "KIBITZ_ADMIN_TOKEN_FILE", value_name = "FILE", global = true)]
    admin_token_file: Option<PathBuf>,
    /// Print JSON, where a list is printed.
    #[arg(long, global = true)]
    json: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Clone, Debug, Subcommand)]
enum Command {
    /// Print a fresh admin token. Put it into a file that only the server's user can read.
    Token,
    /// List matches, or end them (running server).
    #[command(subcommand)]
    Matches(Matches),
    /// List, rename or remove players (running server).
    #[command(subcommand)]
    Players(Players),
    /// Revoke players' tokens (running server).
    #[command(subcommand)]
    Tokens(Tokens),
    /// Refuse all requests from an address or a network (running server).
    Ban {
        /// As 192.0.2.7, 192.0.2.0/24 or 2001:db8::/64.
        network: String,
        /// Why: a note for the list of bans.
        #[arg(long, default_value = "")]
        reason: String,
        /// For how long, as 90m, 12h or 30d. Without it: until `unban`.
        #[arg(long = "for", value_name = "TIME", value_parser = age)]
        how_long: Option<Duration>,
    },
    /// End the ban of an address or a network (running server).
    Unban {
        /// As the list of bans shows it.
        network: String,
    },
    /// List bans (running server).
    Bans,
    /// Delete matches that have long been over (running server).
    Retention {
        /// Over for at least so long, as 90m, 12h or 30d.
        #[arg(long, value_name = "TIME", value_parser = age)]
        older_than: Duration,
    },
    /// Copy the database into a new file (on the database file; a server may be running).
    Backup {
        /// The new file.
        file: PathBuf,
        #[command(flatten)]
        database: Database,
    },
    /// Check the whole database file (a server may be running): exit code 0 when it is sound.
    Check {
        #[command(flatten)]
        database: Database,
    },
}

#[derive(Clone, Debug, Args)]
struct Database {
    /// The database file.
    #[arg(long, env = "KIBITZ_DATABASE", value_name = "FILE", default_value = "kibitz.db")]
    database: PathBuf,
}

#[derive(Clone, Debug, Subcommand)]
enum Matches {
    /// List matches, the newest first, private ones included.
    List {
        /// Of this game.
        #[arg(long)]
        game: Option<String>,
        /// open, running or over.
        #[arg(long)]
        stage: Option<String>,
        /// In which this player plays.
        #[arg(long)]
        player: Option<String>,
        /// Made before this match.
        #[arg(long, value_name = "ID")]
        before: Option<String>,
        /// At most so many, 1 to 100.
        #[arg(long, default_value_t = 20)]
        limit: u32,
    },
    /// End matches without a result.
    End {
        /// The matches.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
}

#[derive(Clone, Debug, Subcommand)]
enum Players {
    /// List players in the order of their names.
    List {
        /// Behind this name.
        #[arg(long, value_name = "NAME")]
        after: Option<String>,
        /// At most so many, 1 to 1000.
        #[arg(long, default_value_t = 100)]
        limit: u32,
    },
    /// Give a player another name.
    Rename {
        /// The name now.
        name: String,
        /// The new name.
        new: String,
    },
    /// Delete a player's account.
    Remove {
        /// The player.
        name: String,
    },
}

#[derive(Clone, Debug, Subcommand)]
enum Tokens {
    /// Revoke a player's token.
    Revoke {
        /// The player.
        name: String,
        /// Print a new token, to be given to the one to whom the name belongs.
        #[arg(long)]
        reissue: bool,
    },
}

/// A time as operators write it: a number and m, h or d.
fn age(text: &str) -> Result<Duration, String> {
    let wrong = || "must be a number with m, h or d behind it, as 30d".to_owned();
    let unit = match text.chars().last() {
        Some('m') => 60,
        Some('h') => 3600,
        Some('d') => 24 * 3600,
        _ => return Err(wrong()),
    };
    let number: u32 = text[..text.len() - 1].parse().map_err(|_| wrong())?;
    Ok(Duration::from_secs(u64::from(number) * unit))
}

fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Carries out the command; what is wrong goes to standard error. Gives the program's exit code.
pub fn run(args: &AdminArgs) -> ExitCode {
    match carry_out(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            console::complain(e);
            ExitCode::FAILURE
        }
    }
}

fn carry_out(args: &AdminArgs) -> Result<(), String> {
    let client = || {
        let file = args.admin_token_file.as_deref();
        let file = file.ok_or("name the file with the server's admin token: --admin-token-file FILE")?;
        Ok::<_, String>(Client::new(&args.server, read_token(file)?))
    };
    match &args.command {
        Command::Token => {
            let token = Token::fresh(TokenKind::Admin).map_err(|e| format!("no randomness: {e}"))?;
            console::say(token.reveal())
        }
        Command::Matches(command) => matches(&client()?, command, args.json),
        Command::Players(command) => players(&client()?, command, args.json),
        Command::Tokens(Tokens::Revoke { name, reissue }) => {
            let body = json!({ "reissue": reissue });
            let answer = client()?.post(&format!("players/{}/revoke", encoded(name)), &body)?;
            answer["token"].as_str().map_or(Ok(()), console::say)
        }
        Command::Ban { network, reason, how_long } => {
            let body = json!({ "network": network, "reason": reason, "for_ms": how_long.map(ms) });
            console::say(ban_line(&client()?.post("bans", &body)?))
        }
        Command::Unban { network } => {
            client()?.delete(&format!("bans?network={}", encoded(network))).map(drop)
        }
        Command::Bans => print(&client()?.get("bans")?, "bans", args.json, ban_line),
        Command::Retention { older_than } => {
            let answer = client()?.post("retention", &json!({ "older_than_ms": ms(*older_than) }))?;
            console::say(format_args!("{} matches deleted", answer["deleted"]))
        }
        Command::Backup { file, database } => on_file(store::back_up(&database.database, file)),
        Command::Check { database } => {
            on_file(store::check(&database.database))?;
            console::say("sound")
        }
    }
}

fn on_file(work: impl Future<Output = Result<(), String>>) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|e| format!("the runtime does not start: {e}"))?.block_on(work)
}

fn matches(client: &Client, command: &Matches, json: bool) -> Result<(), String> {
    match command {
        Matches::List { game, stage, player, before, limit } => {
            let mut path = format!("matches?limit={limit}");
            for (name, value) in [("game", game), ("stage", stage), ("player", player), ("before", before)] {
                path.extend(value.iter().map(|value| format!("&{name}={}", encoded(value))));
            }
            print(&client.get(&path)?, "matches", json, match_line)
        }
        Matches::End { ids } => ids.iter().try_for_each(|id| {
            client.post(&format!("matches/{}/end", encoded(id)), &json!({}))?;
            console::say(format_args!("{id} ended"))
        }),
    }
}

fn players(client: &Client, command: &Players, json: bool) -> Result<(), String> {
    match command {
        Players::List { after, limit } => {
            let after = after.iter().map(|after| format!("&after={}", encoded(after)));
            let path = format!("players?limit={limit}") + &after.collect::<String>();
            print(&client.get(&path)?, "players", json, |player| text(&player["name"]))
        }
        Players::Rename { name, new } => {
            client.post(&format!("players/{}/rename", encoded(name)), &json!({ "name": new })).map(drop)
        }
        Players::Remove { name } => client.delete(&format!("players/{}", encoded(name))).map(drop),
    }
}

/// A list, one line an entry, or as it came.
fn print(answer: &Value, list: &str, json: bool, line: impl Fn(&Value) -> String) -> Result<(), String> {
    if json {
        return console::say(answer);
    }
    for entry in answer[list].as_array().into_iter().flatten() {
        console::say(line(entry))?;
    }
    if answer["next"].is_string() {
        let how = if list == "players" { "--after" } else { "--before" };
        console::complain(format_args!("there are more: {how} {}", text(&answer["next"])));
    }
    Ok(())
}

fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Id, game, stage, who sits there.
fn match_line(entry: &Value) -> String {
    let seat = |seat: &Value| seat["name"].as_str().unwrap_or("-").to_owned();
    let seats: Vec<_> = entry["seats"].as_array().into_iter().flatten().map(seat).collect();
    let private = if entry["private"] == true { "private" } else { "public" };
    let [id, game, stage] = ["id", "game", "stage"].map(|field| text(&entry[field]));
    format!("{id}\t{game}\t{stage}\t{private}\t{}", seats.join(", "))
}

/// Network, end, reason.
fn ban_line(ban: &Value) -> String {
    let until =
        ban["until_ms"].as_i64().map_or("for good".to_owned(), |ms| format!("until {ms} ms after 1970"));
    format!("{}\t{until}\t{}", text(&ban["network"]), text(&ban["reason"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_numbers_with_units() {
        for (text, seconds) in [("90m", 5400), ("12h", 43_200), ("30d", 2_592_000), ("0d", 0)] {
            assert_eq!(age(text), Ok(Duration::from_secs(seconds)));
        }
        for text in ["", "d", "30", "-1d", "1.5h", "30ä", "99999999999d"] {
            assert!(age(text).is_err(), "{text}");
        }
    }
}
