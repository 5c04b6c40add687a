//! `kibitz worker`: a process that only runs engines, and the programs of bots in a process beside it. Nodes reach it through NATS; it
//! has no database and no port.

use std::num::NonZeroUsize;
use std::process::ExitCode;

use tracing::level_filters::LevelFilter;

#[cfg(feature = "programs")]
use crate::bot_runner::{RunnerOptions, RunnerService};
use crate::cli::runtime;
use crate::engine_pool::WorkerService;
use crate::nats::NatsUrl;
use crate::process::options::{BotsOptions, LogArgs};
use crate::process::service_manager::ReadyProcess;
use crate::process::signals::end_signal;

/// Settings of `kibitz worker`.
#[derive(Clone, Debug, clap::Args)]
pub struct WorkerArgs {
    /// NATS servers through which servers (`kibitz serve --workers`) reach this worker: nats://HOST:PORT or
    /// tls://HOST:PORT, with USER:PASSWORD@ or TOKEN@ before the host if NATS asks for it; several with commas
    #[arg(
        long,
        env = "KIBITZ_WORKERS",
        value_name = "URL",
        value_delimiter = ',',
        hide_env_values = true,
        required = true
    )]
    pub workers: Vec<NatsUrl>,
    /// Searches that compute at a time. Default: the number of cores
    #[arg(long, env = "KIBITZ_THREADS", value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Whether and how it runs the programs of bots.
    #[command(flatten)]
    pub bots: BotsOptions,
    /// How it is written, and how much of it.
    #[command(flatten)]
    pub log: LogArgs,
}

/// Runs engines until the process receives a signal; returns the program's exit code.
pub fn run(args: WorkerArgs) -> ExitCode {
    args.log.start(LevelFilter::OFF);
    let served = async {
        let end = end_signal()?;
        let service = WorkerService::start(&args.workers, args.threads, engines::games::GAMES).await?;
        tracing::info!(worker = service.key(), threads = service.threads(), "ready to run engines");
        #[cfg(feature = "programs")]
        let programs = run_programs(&args, service.threads()).await?;
        let ready = ReadyProcess::new("runs engines");
        let signal = end.await;
        tracing::info!(signal, "stopping: short searches are made, the others are handed back");
        ready.stopping();
        #[cfg(feature = "programs")]
        if let Some(programs) = programs {
            programs.stop();
        }
        service.stop().await;
        Ok(())
    };
    runtime::run(served, |e| tracing::error!(error = %e, "the worker does not start"))
}

/// Offers to run the programs of bots; `None`: the settings say that it does not.
#[cfg(feature = "programs")]
async fn run_programs(args: &WorkerArgs, threads: usize) -> std::io::Result<Option<RunnerService>> {
    let Some(program) = args.bots.program()? else { return Ok(None) };
    let threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
    let options = RunnerOptions { program, threads, memory_mib: args.bots.bots_memory };
    RunnerService::start(&args.workers, options).await.map(Some)
}
