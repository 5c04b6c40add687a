//! The commands about messages, reports and invitations.

use std::time::Duration;

use clap::Subcommand;
use serde_json::{Value, json};

use crate::cli::admin::client::{AdminClient, encoded};
use crate::cli::admin::command::{end, ms, print, text};
use crate::cli::console;
use crate::domain::time::iso;

#[derive(Clone, Debug, Subcommand)]
pub(super) enum ChatCommand {
    /// Delete messages in the chat of a match.
    Delete {
        /// The match.
        #[arg(value_name = "MATCH")]
        id: String,
        /// The numbers of the messages.
        #[arg(required = true, value_name = "N")]
        numbers: Vec<u32>,
    },
}

#[derive(Clone, Debug, Subcommand)]
pub(super) enum ReportCommand {
    /// List open reports, the oldest first.
    List {
        /// Begin after this report.
        #[arg(long, value_name = "ID")]
        after: Option<String>,
    },
    /// Settle reports: they are deleted.
    Resolve {
        /// The reports.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
}

#[derive(Clone, Debug, Subcommand)]
pub(super) enum InvitationCommand {
    /// Create an invitation and print its code.
    Create {
        /// How many players it is for, 1 to 10000.
        #[arg(long, default_value_t = 1)]
        uses: u32,
        /// For how long, as 90m, 12h or 30d. Without it: until it is revoked.
        #[arg(long = "for", value_name = "TIME", value_parser = humantime::parse_duration)]
        how_long: Option<Duration>,
        /// A note for the list.
        #[arg(long, default_value = "")]
        note: String,
    },
    /// List invitations, the oldest first.
    List,
    /// Revoke invitations. The players that they have created stay.
    Revoke {
        /// The invitations, as the list shows them.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
}

/// Carries out a command.
pub(super) fn chat(client: &AdminClient, command: &ChatCommand) -> Result<(), String> {
    let ChatCommand::Delete { id, numbers } = command;
    numbers.iter().try_for_each(|n| {
        client.delete(&format!("matches/{}/chat/{n}", encoded(id)))?;
        console::print_line(format_args!("message {n} deleted"))
    })
}

/// Carries out a command.
pub(super) fn reports(client: &AdminClient, command: &ReportCommand, json: bool) -> Result<(), String> {
    match command {
        ReportCommand::List { after } => {
            let after = after.iter().map(|after| format!("?after={}", encoded(after)));
            let path = "reports".to_owned() + &after.collect::<String>();
            print(&client.get(&path)?, "reports", json, report_line)
        }
        ReportCommand::Resolve { ids } => ids.iter().try_for_each(|id| {
            client.delete(&format!("reports/{}", encoded(id)))?;
            console::print_line(format_args!("{id} resolved"))
        }),
    }
}

/// Carries out a command.
pub(super) fn invitations(
    client: &AdminClient,
    command: &InvitationCommand,
    json: bool,
) -> Result<(), String> {
    match command {
        InvitationCommand::Create { uses, how_long, note } => {
            let body = json!({ "uses": uses, "for_ms": how_long.map(ms), "note": note });
            let answer = client.post("invitations", &body)?;
            console::print_line(if json { answer.to_string() } else { text(&answer["code"]) })
        }
        InvitationCommand::List => print(&client.get("invitations")?, "invitations", json, invitation_line),
        InvitationCommand::Revoke { ids } => ids.iter().try_for_each(|id| {
            client.delete(&format!("invitations/{}", encoded(id)))?;
            console::print_line(format_args!("{id} revoked"))
        }),
    }
}

/// Id, time, what it is about, reporter, reason, and the reported text with its author.
fn report_line(report: &Value) -> String {
    let about = &report["about"];
    let subject = match about["kind"].as_str() {
        Some("player") => format!("player {}", text(&about["name"])),
        Some("chat") => format!("chat {} {}", text(&about["match"]), about["n"]),
        Some(kind) => format!("{kind} {}", text(&about[kind])),
        None => String::new(),
    };
    let name = |value: &Value| value.as_str().unwrap_or("a guest").to_owned();
    let quoted = match (report["text"].as_str(), about["kind"].as_str()) {
        (Some(text), Some("chat")) => format!("{}: {text}", name(&report["player"])),
        (Some(text), _) => text.to_owned(),
        (None, _) => String::new(),
    };
    let [id, reason] = ["id", "reason"].map(|field| text(&report[field]));
    let at = iso(report["created_ms"].as_i64().unwrap_or_default());
    format!("{id}\t{at}\t{subject}\t{}\t{reason}\t{}", name(&report["reporter"]), quoted.replace('\n', " "))
}

/// Id, uses, end, note.
fn invitation_line(entry: &Value) -> String {
    let uses = format!("{} of {} used", entry["used"], entry["uses"]);
    format!("{}\t{uses}\t{}\t{}", text(&entry["id"]), end(entry), text(&entry["note"]))
}
