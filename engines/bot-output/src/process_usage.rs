//! The processor time and the memory of a bot's processes: while they run, as Linux counts them in `/proc`; of a process that
//! has ended, as the system reports them to the process that waits for it.

use std::fs;
#[cfg(unix)]
use std::io;
#[cfg(unix)]
use std::process::{Child, ExitStatus};
use std::time::Duration;

/// The unit of processor times in `/proc/PID/stat`, in milliseconds: Linux shows programs hundredths of a second on every
/// machine.
const TICK_MS: u64 = 10;

/// The most processes of one bot that are counted.
const MOST_PROCESSES: usize = 64;

/// The resources that the processes of a bot have used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessUsage {
    /// Processor time since the start; of a running process in steps of 10 ms. With that of children that have ended.
    pub cpu: Duration,
    /// The most memory that was resident at a time, in KiB; 0: not known. For several processes, the sum of each one's most.
    pub peak_kib: u64,
}

impl ProcessUsage {
    /// The usage of a process and its descendants; `None`: the system does not say it.
    pub fn of_process(id: u32) -> Option<Self> {
        let mut usage = Self { cpu: cpu(id)?, peak_kib: peak_kib(id) };
        let mut found = children(id);
        let mut seen = 1;
        while let Some(child) = found.pop() {
            if seen == MOST_PROCESSES {
                break;
            }
            seen += 1;
            // A child may have just ended; its parent then counts its time.
            usage.cpu += cpu(child).unwrap_or_default();
            usage.peak_kib += peak_kib(child);
            found.extend(children(child));
        }
        Some(usage)
    }
}

/// A process that has ended, and was waited for.
#[cfg(unix)]
#[derive(Debug)]
pub struct EndedProcess {
    /// How it ended.
    pub status: ExitStatus,
    /// What it has used.
    pub usage: ProcessUsage,
}

/// Waits for the end of a process, as [`Child::wait`] does, and takes its figures.
///
/// # Errors
/// When the system does not know the process.
#[cfg(unix)]
pub fn reap(child: &mut Child) -> io::Result<EndedProcess> {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    use wait4::Wait4;
    // As `wait` does: a process that waits for the end of its input must get it.
    drop(child.stdin.take());
    // Waits without taking the process's figures, which the next call does.
    let ended = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while matches!(waitid(WaitId::Pid(Pid::from_child(child)), ended), Err(rustix::io::Errno::INTR)) {}
    let reaped = child.try_wait4()?.ok_or(io::ErrorKind::WouldBlock)?;
    let own_peak_kib = peak_kib(std::process::id());
    // Until it runs the bot's program, a new process counts as having the memory of this one.
    let peak_kib = Some(reaped.rusage.maxrss / 1024).filter(|kib| *kib > own_peak_kib).unwrap_or_default();
    let usage = ProcessUsage { cpu: reaped.rusage.utime + reaped.rusage.stime, peak_kib };
    Ok(EndedProcess { status: reaped.status, usage })
}

fn cpu(id: u32) -> Option<Duration> {
    let ticks = cpu_ticks(&fs::read_to_string(format!("/proc/{id}/stat")).ok()?)?;
    Some(Duration::from_millis(ticks * TICK_MS))
}

/// The user and system time of a process and of the children that it has waited for, from the text of `stat`. The name of
/// the program, in parentheses, may contain anything.
fn cpu_ticks(stat: &str) -> Option<u64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let times = fields.split_ascii_whitespace().skip(11).take(4);
    let times: Vec<u64> = times.map(str::parse).collect::<Result<_, _>>().ok()?;
    (times.len() == 4).then(|| times.iter().sum())
}

/// 0: the process has ended, or the system does not say it.
fn peak_kib(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")?.trim().strip_suffix(" kB"));
    peak.and_then(|kib| kib.parse().ok()).unwrap_or_default()
}

fn children(id: u32) -> Vec<u32> {
    let listed = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
    listed.split_ascii_whitespace().filter_map(|child| child.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_follow_a_name_with_parentheses() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 90 80 0 0 12 3 40 5 20 0 1 0 100 1000 10";
        assert_eq!(cpu_ticks(stat), Some(60));
        assert_eq!(cpu_ticks("7 (a) S 1"), None);
        assert_eq!(cpu_ticks(""), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_used_memory() {
        let usage = ProcessUsage::of_process(std::process::id()).expect("Linux has /proc");
        assert!(usage.peak_kib > 100, "{usage:?}");
        assert_eq!(ProcessUsage::of_process(u32::MAX), None);
    }
}
