//! The signals that ask a process to end.

use std::io;

/// Waits for a signal to end; signals count from the moment of this call.
///
/// # Errors
/// If the system does not let the process watch signals.
#[cfg(unix)]
pub(crate) fn end_signal() -> io::Result<impl Future<Output = &'static str>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
        }
    })
}

#[cfg(not(unix))]
pub(crate) fn end_signal() -> io::Result<impl Future<Output = &'static str>> {
    Ok(async {
        // If signals cannot be watched, the server runs until it is killed.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        "interrupt"
    })
}
