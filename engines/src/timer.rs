//! The only host of a search that reads a clock: it stops the search when the time is up or its stop flag is set.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::cores::Cores;
use crate::search::Host;

/// Lets a search run until a deadline, or until the stop flag is set.
#[derive(Clone, Debug)]
pub struct Timer {
    deadline: Option<Instant>,
    /// The processor time of this process at which the search ends.
    processor_deadline: Option<Duration>,
    stop: Arc<AtomicBool>,
    cores: Option<Arc<dyn Cores>>,
}

impl Timer {
    /// A timer until `deadline` (`None`: no end) or until `stop` is set.
    pub fn new(deadline: Option<Instant>, stop: Arc<AtomicBool>) -> Self {
        Self { deadline, processor_deadline: None, stop, cores: None }
    }

    /// The same, for a search that may also use these cores.
    pub fn lending(self, cores: Arc<dyn Cores>) -> Self {
        Self { cores: Some(cores), ..self }
    }

    /// A timer from now on for this long.
    pub fn lasting(time: Duration) -> Self {
        Self::new(Instant::now().checked_add(time), Arc::new(AtomicBool::new(false)))
    }

    /// A timer from now on for this much processor time of the process, and for at most `wall` of wall time. If the
    /// system has no clock of processor time, it counts this much wall time.
    pub fn of_processor(time: Duration, wall: Duration) -> Self {
        match processor_time() {
            Some(now) => Self { processor_deadline: Some(now.saturating_add(time)), ..Self::lasting(wall) },
            None => Self::lasting(time.min(wall)),
        }
    }
}

/// The processor time that this process has used since its start, in all its threads; `None` if the system does not
/// provide it.
pub fn processor_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
    }
    #[cfg(not(unix))]
    None
}

impl Host for Timer {
    fn go_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed)
            && self.deadline.is_none_or(|d| Instant::now() < d)
            && self.processor_deadline.is_none_or(|d| processor_time().is_some_and(|now| now < d))
    }

    fn remaining(&self) -> Option<Duration> {
        let wall = self.deadline.map(|d| d.saturating_duration_since(Instant::now()));
        let processor =
            self.processor_deadline.map(|d| d.saturating_sub(processor_time().unwrap_or(Duration::MAX)));
        wall.into_iter().chain(processor).min()
    }

    fn cores(&self) -> Option<&dyn Cores> {
        self.cores.as_deref()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn processor_time_ends_a_search_that_computes() {
        let before = processor_time().expect("unix tells it");
        let budget = Duration::from_millis(20);
        let timer = Timer::of_processor(budget, Duration::from_secs(3600));
        assert!(timer.remaining().is_some_and(|left| left <= budget));
        while timer.go_on() {
            std::hint::spin_loop();
        }
        assert!(processor_time().is_some_and(|now| now >= before + budget));
        assert_eq!(timer.remaining(), Some(Duration::ZERO));
    }

    #[test]
    fn wall_time_ends_a_search_whose_process_gets_no_processor() {
        let timer = Timer::of_processor(Duration::from_secs(3600), Duration::from_millis(5));
        while timer.go_on() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(timer.remaining(), Some(Duration::ZERO));
    }
}
