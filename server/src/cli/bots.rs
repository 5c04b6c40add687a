//! `kibitz bots`: the process that runs the programs of hosted bots for the server that has started it.

use std::io;
use std::num::NonZeroUsize;
use std::process::ExitCode;

use clap::Args;
use kibitz_sandbox::runner::{RunnerLimits, current_request, serve};

use crate::cli::console;

/// The niceness of the process (0 to 19), so that it yields to the server.
const NICENESS: i32 = 10;

/// Settings of `kibitz bots`.
#[derive(Clone, Debug, Args)]
pub(super) struct BotsArgs {
    /// Programs that run at a time
    #[arg(long, value_name = "N")]
    threads: NonZeroUsize,
    /// The memory of all programs together, in MiB
    #[arg(long, value_name = "MIB")]
    memory: u32,
}

/// Runs programs until standard input ends; returns the exit code.
pub(super) fn run(args: &BotsArgs) -> ExitCode {
    lower_priority();
    tell_panics();
    let memory_bytes = usize::try_from(args.memory).unwrap_or(usize::MAX).saturating_mul(1 << 20);
    let limits = RunnerLimits { threads: args.threads, memory_bytes };
    match serve(io::stdin().lock(), io::stdout(), &limits) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            console::print_error(format_args!("kibitz bots: {e}"));
            ExitCode::FAILURE
        }
    }
}

/// Writes panics with the id of the request for which the thread runs a program. The parent logs everything else.
fn tell_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let request = current_request().map(|id| format!(" request_id={id}")).unwrap_or_default();
        console::print_error(format_args!("kibitz bots: {panic}{request}"));
    }));
}

/// Lowers the priority of this process, where the system lets it.
fn lower_priority() {
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(NICENESS);
}
