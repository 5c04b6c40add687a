//! The connection to a process that runs programs: the ends of its pipes. Here it is a child process; see [`super::remote`] for one
//! on another machine.

use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use crate::bot_runner::RunnerOptions;

/// The ends of the pipes of a process that runs programs.
pub(super) struct RunnerPipes {
    /// Takes orders.
    pub orders: Box<dyn Write + Send>,
    /// Has the answers. It ends when the process has ended.
    pub answers: Box<dyn Read + Send>,
    /// Ends the process.
    pub end: Box<dyn Fn() + Send + Sync>,
    /// Where it runs, for the log.
    pub place: String,
}

/// Starts a child process.
///
/// # Errors
/// When it does not start.
pub(super) fn start_child(options: &RunnerOptions) -> io::Result<RunnerPipes> {
    let mut command = Command::new(&options.program);
    command.arg("bots");
    command.args(["--threads", &options.threads.to_string(), "--memory", &options.memory_mib.to_string()]);
    // As lists of processes show it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::arg0(&mut command, "kibitz");
    // Secrets of the server are in its environment.
    command.env_clear().stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn()?;
    let pipes = child.stdin.take().zip(child.stdout.take());
    let (orders, answers) = pipes.ok_or_else(|| io::Error::other("the process has no pipes"))?;
    let place = format!("process {}", child.id());
    let child = Mutex::new(child);
    let end = move || {
        let mut child = child.lock().unwrap_or_else(PoisonError::into_inner);
        // It may have ended already.
        let _ = child.kill();
        let _ = child.wait();
    };
    Ok(RunnerPipes { orders: Box::new(orders), answers: Box::new(answers), end: Box::new(end), place })
}
