//! `kibitz serve`: the process of a server, from its arguments to its exit code.

use std::io;
use std::process::ExitCode;
use std::time::Duration;

use crate::process::options::ServeArgs;
use crate::process::server::Server;
use crate::process::service_manager::ReadyProcess;
use crate::process::signals::end_signal;

/// `kibitz serve`: serves all games until it receives a signal; returns the program's exit code.
pub(super) fn run(args: ServeArgs) -> ExitCode {
    args.log.start(args.match_log_level);
    #[cfg(unix)]
    raise_file_limit();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            tracing::error!(error = %e, "the runtime does not start");
            return ExitCode::FAILURE;
        }
    };
    let ended = runtime.block_on(async {
        let end = end_signal()?;
        let server = Server::start_as_service(&args, engines::games::GAMES).await?;
        tracing::info!(address = %server.address(), "serving");
        let ready = ReadyProcess::new(&format!("serving on {}", server.address()));
        let signal = end.await;
        tracing::info!(signal, "stopping");
        ready.stopping();
        server.stop().await;
        Ok::<_, io::Error>(())
    });
    // A task that still hangs on a socket must not keep the program running.
    runtime.shutdown_timeout(Duration::from_millis(100));
    match ended {
        Ok(()) => {
            tracing::info!("stopped");
            ExitCode::SUCCESS
        }
        Err(e) => {
            tracing::error!(error = %e, address = %args.listen, "the server does not start");
            ExitCode::FAILURE
        }
    }
}

/// Raises the limit of open files to the maximum that the system allows. The usual limit of 1024 exists for programs that
/// use select(2); here it would let a thousand idle clients lock all others out.
#[cfg(unix)]
fn raise_file_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(e) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!(error = %e, "the limit of open files could not be raised");
    }
}
