//! Settings: flags, then environment variables (`KIBITZ_...`), then defaults. Each component defines its own options; here
//! they are combined.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::accounts::AccountOptions;
use crate::engine_pool::{PoolOptions, WorkersOptions};
use crate::jobs::JobOptions;
use crate::limits::RequestLimits;
use crate::lobby::LobbyOptions;
use crate::matches::HostOptions;
use crate::matches::match_life;
use crate::notifications::NotificationOptions;
use crate::offered_files::DownloadOptions;
use crate::process::log_format::WithRequestId;
use crate::programs::ProgramOptions;

/// Settings of `kibitz serve`.
#[derive(Clone, Debug, Args)]
pub struct ServeArgs {
    /// The address to listen on; port 0 takes any free one.
    #[arg(long, env = "KIBITZ_LISTEN", value_name = "ADDRESS", default_value = DEFAULT_LISTEN)]
    pub listen: SocketAddr,
    /// The engine pool.
    #[command(flatten)]
    pub pool: PoolOptions,
    /// The worker processes that run searches.
    #[command(flatten)]
    pub workers: WorkersOptions,
    /// Hosted matches.
    #[command(flatten)]
    pub host: HostOptions,
    /// Limits of requests.
    #[command(flatten)]
    pub limits: RequestLimits,
    /// Challenges and pairing.
    #[command(flatten)]
    pub lobby: LobbyOptions,
    /// A file with the admin token (make one with `kibitz admin token`). It enables the admin API under /v1/admin, which is
    /// off otherwise.
    #[arg(long, env = "KIBITZ_ADMIN_TOKEN_FILE", value_name = "FILE")]
    pub admin_token_file: Option<PathBuf>,
    /// The callers that may create accounts.
    #[command(flatten)]
    pub accounts: AccountOptions,
    /// Notifications while no page is open.
    #[command(flatten)]
    pub notifications: NotificationOptions,
    /// Programs of bots.
    #[command(flatten)]
    pub programs: ProgramOptions,
    /// Whether and how programs of bots run.
    #[command(flatten)]
    pub bots: BotsOptions,
    /// The files to download.
    #[command(flatten)]
    pub downloads: DownloadOptions,
    /// Background work.
    #[command(flatten)]
    pub jobs: JobOptions,
    /// How it is written, and how much of it.
    #[command(flatten)]
    pub log: LogArgs,
    /// The level of the life of matches in the log: info (when each was created, begun and ended, by which request), debug (each
    /// event) or off.
    #[arg(long, env = "KIBITZ_MATCH_LOG_LEVEL", value_name = "LEVEL", default_value_t = LevelFilter::INFO)]
    pub match_log_level: LevelFilter,
}

/// Whether and how the programs of bots run.
#[derive(Clone, Debug, Args)]
pub struct BotsOptions {
    /// Whether this server or worker runs the programs of bots. It needs no port: the process that runs them is its child.
    #[arg(long, env = "KIBITZ_HOSTED_BOTS", value_name = "BOOL", default_value_t = true, action = ArgAction::Set)]
    pub hosted_bots: bool,
    /// The memory of all programs that are in matches together, in MiB; of a worker: for each server that uses it. A program that was idle for long makes room for others.
    #[arg(long, env = "KIBITZ_BOTS_MEMORY", value_name = "MIB", default_value_t = 2048)]
    pub bots_memory: u32,
    /// The program that runs as `PROGRAM bots`. Default: this one.
    #[arg(long, env = "KIBITZ_BOTS_PROGRAM", value_name = "PROGRAM", hide = true)]
    pub bots_program: Option<PathBuf>,
}

impl BotsOptions {
    /// The program to start; `None`: no programs of bots run.
    ///
    /// # Errors
    /// When the system does not say where this program is.
    #[cfg(feature = "programs")]
    pub(crate) fn program(&self) -> std::io::Result<Option<PathBuf>> {
        if !self.hosted_bots {
            return Ok(None);
        }
        // The same program as this process, also when its file was replaced meanwhile.
        let own = std::path::Path::new("/proc/self/exe");
        match &self.bots_program {
            Some(program) => Ok(Some(program.clone())),
            None if own.exists() => Ok(Some(own.to_owned())),
            None => std::env::current_exe().map(Some),
        }
    }
}

/// The default address: a server listens on it, and a health check connects to it.
pub const DEFAULT_LISTEN: &str = "127.0.0.1:8080";

/// Settings of the log, which goes to standard error.
#[derive(Clone, Debug, Args)]
pub struct LogArgs {
    /// Lines for people or JSON for machines.
    #[arg(long, env = "KIBITZ_LOG_FORMAT", value_enum, default_value_t = LogFormat::Plain)]
    pub log_format: LogFormat,
    /// off, error, warn, info, debug (each request) or trace.
    #[arg(long, env = "KIBITZ_LOG_LEVEL", value_name = "LEVEL", default_value_t = LevelFilter::INFO)]
    pub log_level: LevelFilter,
}

/// How lines of the log are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Plain,
    /// One JSON object per line.
    Json,
}

impl LogArgs {
    /// Sets up the program's log, including panics. `matches`: the level of the life of matches.
    pub fn start(&self, matches: LevelFilter) {
        let format = self.log_format;
        let lines = tracing_subscriber::fmt::layer()
            .with_writer(std::io::stderr)
            // The subscriber would print them to standard error, and panic if that cannot be written.
            .log_internal_errors(false)
            .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()));
        // The client of NATS logs each attempt to connect; `engine_pool` logs what people need to know.
        let usual = self.log_level <= LevelFilter::INFO;
        let nats = if usual { self.log_level.min(LevelFilter::WARN) } else { self.log_level };
        // The check of passkeys logs each wrong answer of a browser as an error.
        let passkeys = if usual { LevelFilter::OFF } else { self.log_level };
        let wanted = Targets::new()
            .with_default(self.log_level)
            .with_target("async_nats", nats)
            .with_target("webauthn_rs", passkeys)
            .with_target("webauthn_rs_core", passkeys)
            .with_target(match_life::TARGET, matches);
        let log = tracing_subscriber::registry().with(wanted);
        match format {
            LogFormat::Plain => {
                let plain = tracing_subscriber::fmt::format();
                log.with(lines.event_format(WithRequestId { lines: plain, format })).init();
            }
            LogFormat::Json => {
                let json = tracing_subscriber::fmt::format().json().flatten_event(true);
                let fields = tracing_subscriber::fmt::format::JsonFields::new();
                log.with(lines.event_format(WithRequestId { lines: json, format }).fmt_fields(fields)).init();
            }
        }
        std::panic::set_hook(Box::new(|panic| {
            let thread = std::thread::current();
            tracing::error!(thread = thread.name(), "{panic}");
        }));
    }
}
