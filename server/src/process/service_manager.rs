//! What this process tells a service manager such as systemd (`sd_notify(3)`), and the socket that it may get from it
//! (`sd_listen_fds(3)`). Without one all of this does nothing.

use std::io;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio_util::task::AbortOnDropHandle;

/// The socket on which to serve, if the service manager has opened one: it stays open while this process is replaced, so no
/// connection is refused meanwhile.
///
/// # Errors
/// If what was passed is no listening TCP socket.
#[cfg(unix)]
pub(crate) fn inherited_listener() -> io::Result<Option<TcpListener>> {
    let passed = listenfd::ListenFd::from_env().take_tcp_listener(0);
    let wrong = |e| io::Error::other(format!("the service manager passed no TCP socket: {e}"));
    let Some(listener) = passed.map_err(wrong)? else { return Ok(None) };
    listener.set_nonblocking(true)?;
    TcpListener::from_std(listener).map(Some)
}

#[cfg(not(unix))]
pub(crate) fn inherited_listener() -> io::Result<Option<TcpListener>> {
    Ok(None)
}

/// A process that the service manager knows to be ready. It says that it lives until this is dropped.
pub(crate) struct ReadyProcess {
    _watchdog: Option<AbortOnDropHandle<()>>,
}

impl ReadyProcess {
    /// Tells that the process is ready. `status`: what it does, for people. If the service manager has a watchdog, a task says
    /// three times in its time that the tasks of this process run.
    pub(crate) fn new(status: &str) -> Self {
        notify(&[NotifyState::Ready, NotifyState::Status(status)]);
        let watchdog = watchdog_time().map(|time| AbortOnDropHandle::new(tokio::spawn(keep_alive(time / 3))));
        Self { _watchdog: watchdog }
    }

    /// Tells that the process has begun to stop.
    pub(crate) fn stopping(self) {
        notify(&[NotifyState::Stopping]);
    }
}

async fn keep_alive(every: Duration) {
    let mut beat = tokio::time::interval(every);
    beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        beat.tick().await;
        notify(&[NotifyState::Watchdog]);
    }
}

#[cfg(unix)]
use sd_notify::NotifyState;

#[cfg(unix)]
fn notify(states: &[NotifyState<'_>]) {
    if let Err(e) = sd_notify::notify(states) {
        tracing::warn!(error = %e, "the service manager cannot be told how this process is");
    }
}

/// The time in which the service manager wants a sign of life.
#[cfg(unix)]
fn watchdog_time() -> Option<Duration> {
    sd_notify::watchdog_enabled()
}

#[cfg(not(unix))]
enum NotifyState<'a> {
    Ready,
    Status(&'a str),
    Stopping,
    Watchdog,
}

#[cfg(not(unix))]
fn notify(_: &[NotifyState<'_>]) {}

#[cfg(not(unix))]
fn watchdog_time() -> Option<Duration> {
    None
}
