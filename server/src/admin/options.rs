//! Settings of `kibitz serve` that are for the operator.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::domain::token::{Token, TokenKind};

/// Settings for the operator.
#[derive(Clone, Debug, clap::Args)]
pub struct AdminOptions {
    /// A file with the admin token (make one with `kibitz admin token`). It enables the admin API under /v1/admin, which is
    /// off otherwise.
    #[arg(long, env = "KIBITZ_ADMIN_TOKEN_FILE", value_name = "FILE")]
    pub admin_token_file: Option<PathBuf>,
    /// Who may create a player: anyone, only those who have an invitation (`kibitz admin invitations create`), or no one.
    #[arg(long, env = "KIBITZ_REGISTRATION", value_enum, default_value_t = Registration::Open)]
    pub registration: Registration,
    /// Delete matches that ended this many days ago, with all their events. Without it they are kept.
    #[arg(long, env = "KIBITZ_RETENTION_DAYS", value_name = "DAYS",
          value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub retention_days: Option<u32>,
    /// Check the database file for damage at the start and then at this interval, in minutes; 0: never.
    #[arg(long, env = "KIBITZ_CHECK_MINUTES", value_name = "MINUTES", default_value_t = 360,
          value_parser = clap::value_parser!(u32).range(..=525_600))]
    pub check_minutes: u32,
}

/// Who may create a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Registration {
    /// Anyone.
    Open,
    /// Those who have an invitation.
    Invitation,
    /// No one.
    Closed,
}

impl AdminOptions {
    /// How often to check the database file; `None`: never.
    pub fn check_every(&self) -> Option<Duration> {
        (self.check_minutes > 0).then(|| Duration::from_secs(60 * u64::from(self.check_minutes)))
    }

    /// The admin token; `None`: none is set.
    ///
    /// # Errors
    /// If the file contains no token: a sentence that says so.
    pub fn token(&self) -> Result<Option<Token>, String> {
        self.admin_token_file.as_deref().map(read_token).transpose()
    }
}

/// The admin token in this file.
///
/// # Errors
/// If there is none: a sentence that says so.
pub(super) fn read_token(file: &Path) -> Result<Token, String> {
    let name = file.display();
    let text =
        fs::read_to_string(file).map_err(|e| format!("the admin token file {name} cannot be read: {e}"))?;
    match Token::parse(text.trim()) {
        Some((TokenKind::Admin, token)) => Ok(token),
        _ => Err(format!("{name} contains no admin token; make one with: kibitz admin token > {name}")),
    }
}
