//! The asynchronous runtime of a command that serves until it receives a signal.

use std::io;
use std::process::ExitCode;
use std::time::Duration;

/// Runs `work` to its end; returns the program's exit code. `failed`: what an error of it means, for the log.
pub(super) fn run(work: impl Future<Output = io::Result<()>>, failed: impl Fn(io::Error)) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            tracing::error!(error = %e, "the runtime does not start");
            return ExitCode::FAILURE;
        }
    };
    let ended = runtime.block_on(work);
    // A task that still hangs on a socket must not keep the program running.
    runtime.shutdown_timeout(Duration::from_millis(100));
    match ended {
        Ok(()) => {
            tracing::info!("stopped");
            ExitCode::SUCCESS
        }
        Err(e) => {
            failed(e);
            ExitCode::FAILURE
        }
    }
}
