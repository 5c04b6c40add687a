//! The one host of a search that reads a clock: it says no when the time is up or its stop flag is set.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::cores::Cores;
use crate::search::Host;

/// Lets a search run until a deadline, or until somebody sets the stop flag.
#[derive(Clone, Debug)]
pub struct Timer {
    deadline: Option<Instant>,
    stop: Arc<AtomicBool>,
    cores: Option<Arc<dyn Cores>>,
}

impl Timer {
    /// Until `deadline` (`None`: no end) or until `stop` is set.
    pub fn new(deadline: Option<Instant>, stop: Arc<AtomicBool>) -> Self {
        Self { deadline, stop, cores: None }
    }

    /// The same, for a search that may use what cores these are.
    pub fn lending(self, cores: Arc<dyn Cores>) -> Self {
        Self { cores: Some(cores), ..self }
    }

    /// From now on for this long.
    pub fn lasting(time: Duration) -> Self {
        Self::new(Instant::now().checked_add(time), Arc::new(AtomicBool::new(false)))
    }
}

impl Host for Timer {
    fn go_on(&self) -> bool {
        !self.stop.load(Ordering::Relaxed) && self.deadline.is_none_or(|d| Instant::now() < d)
    }

    fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|d| d.saturating_duration_since(Instant::now()))
    }

    fn cores(&self) -> Option<&dyn Cores> {
        self.cores.as_deref()
    }
}
