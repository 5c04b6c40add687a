//! The commands about tournaments.

use clap::Subcommand;
use serde_json::json;

use crate::cli::admin::client::{AdminClient, encoded};
use crate::cli::console;

#[derive(Clone, Debug, Subcommand)]
pub(super) enum TournamentAdminCommand {
    /// Abort tournaments: their running matches end without a result, and their results until then stay.
    Abort {
        /// The tournaments.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Delete tournaments, running ones too. The matches of their games stay.
    Delete {
        /// The tournaments.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
    /// Remove the titles of tournaments.
    RemoveTitle {
        /// The tournaments.
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
}

/// Carries out a command.
pub(super) fn tournaments(client: &AdminClient, command: &TournamentAdminCommand) -> Result<(), String> {
    match command {
        TournamentAdminCommand::Abort { ids } => ids.iter().try_for_each(|id| {
            client.post(&format!("tournaments/{}/abort", encoded(id)), &json!({}))?;
            console::print_line(format_args!("{id} aborted"))
        }),
        TournamentAdminCommand::Delete { ids } => ids.iter().try_for_each(|id| {
            client.delete(&format!("tournaments/{}", encoded(id)))?;
            console::print_line(format_args!("{id} deleted"))
        }),
        TournamentAdminCommand::RemoveTitle { ids } => ids.iter().try_for_each(|id| {
            client.delete(&format!("tournaments/{}/title", encoded(id)))?;
            console::print_line(format_args!("title of {id} removed"))
        }),
    }
}
