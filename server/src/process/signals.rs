//! The signals that ask a process to end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

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

/// A flag that the first signal to end sets, so that a command can end in order. The second one ends the process.
///
/// # Errors
/// If the system does not let the process watch signals.
pub(crate) fn stop_on_signals() -> io::Result<Arc<AtomicBool>> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGHUP, SIGINT, SIGTERM] {
        // In this order, the first signal finds the flag unset and only sets it.
        signal_hook::flag::register_conditional_shutdown(signal, 1, stop.clone())?;
        signal_hook::flag::register(signal, stop.clone())?;
    }
    Ok(stop)
}
