//! `kibitz serve`: the process of a server, from its arguments to its exit code.

use std::process::ExitCode;

use crate::cli::runtime;
use crate::process::options::ServeArgs;
use crate::process::server::Server;
use crate::process::service_manager::ReadyProcess;
use crate::process::signals::end_signal;

/// `kibitz serve`: serves all games until it receives a signal; returns the program's exit code.
pub(super) fn run(args: ServeArgs) -> ExitCode {
    args.log.start(args.match_log_level);
    #[cfg(unix)]
    raise_file_limit();
    let served = async {
        let end = end_signal()?;
        let server = Server::start_as_service(&args, engines::games::GAMES).await?;
        tracing::info!(address = %server.address(), "serving");
        let ready = ReadyProcess::new(&format!("serving on {}", server.address()));
        let signal = end.await;
        tracing::info!(signal, "stopping");
        ready.stopping();
        server.stop().await;
        Ok(())
    };
    runtime::run(served, |e| tracing::error!(error = %e, address = %args.listen, "the server does not start"))
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
