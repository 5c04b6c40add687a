//! Background work of a server besides matches, tournaments and the lobby, a file for each job. It uses services only.

mod account_watch;
mod analyses;
mod database_watch;
mod file_check;
mod measurement;
mod name_erasure;
mod old_matches;
mod program_checks;
mod tournament_starts;

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use crate::accounts::Accounts;
use crate::analysis::Analyses;
use crate::lobby::Lobby;
use crate::matches::service::Matches;
use crate::moderation::Moderation;
use crate::programs::Programs;
use crate::tournaments::service::Tournaments;

pub use file_check::check_small;

/// Settings of the jobs.
#[derive(Clone, Debug, clap::Args)]
pub struct JobOptions {
    /// Delete matches that ended this many days ago, with all their events. Without it they are kept.
    #[arg(long, env = "KIBITZ_RETENTION_DAYS", value_name = "DAYS",
          value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub retention_days: Option<u32>,
    /// Check the database file for damage at the start and then at this interval, in minutes; 0: never.
    #[arg(long, env = "KIBITZ_CHECK_MINUTES", value_name = "MINUTES", default_value_t = 360,
          value_parser = clap::value_parser!(u32).range(..=525_600))]
    pub check_minutes: u32,
}

impl JobOptions {
    /// How often to check the database file; `None`: never.
    pub fn check_every(&self) -> Option<Duration> {
        (self.check_minutes > 0).then(|| Duration::from_secs(60 * u64::from(self.check_minutes)))
    }
}

/// The parts of the server that the jobs use.
pub struct JobContext {
    /// Their settings.
    pub options: JobOptions,
    /// The hosted matches, with their database.
    pub matches: &'static Matches,
    /// Who is online.
    pub lobby: &'static Lobby,
    /// Follows the changes of other nodes, and ends connections.
    pub accounts: &'static Accounts,
    /// Computes analyses of matches.
    pub analyses: &'static Analyses,
    /// Starts those whose time has come.
    pub tournaments: &'static Tournaments,
    /// Checks programs of bots.
    pub programs: &'static Programs,
    /// Deletes old matches.
    pub moderation: &'static Moderation,
    /// Cancelled when the server begins to stop.
    pub stopping: CancellationToken,
}

/// Works until the server stops. `checked`: the database file has just been checked.
pub async fn run(context: JobContext, checked: bool) {
    tokio::join!(
        account_watch::watch_accounts(&context),
        analyses::compute_analyses(&context),
        database_watch::watch_database(&context),
        measurement::measure_service(&context),
        old_matches::delete_old_matches(&context),
        program_checks::check_programs(&context),
        tournament_starts::start_tournaments(&context),
        file_check::check_file_regularly(&context, checked),
        name_erasure::erase_names(&context)
    );
}
