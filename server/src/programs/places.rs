//! Where the programs of matches run: in the runner of this node, and at workers, which are used first. Each worker has a queue of
//! its own here, so that owners and bots share it as they share this node's threads.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use engines::arena::SandboxSeat;

use crate::bot_runner::{BotRunner, RemoteRunners};
use crate::engine_pool::{EnginePool, LocalPool, PoolOptions};
use crate::matches::bots::hosted::ProgramPlace;
use crate::matches::event::ProgramRef;
use crate::metrics::Metrics;
use crate::programs::runner::bytes_of;

/// A runner, and the queue for its turns.
pub(super) struct RunnerPlace {
    pub runner: BotRunner,
    /// `None`: the engine pool of this node.
    pool: Option<LocalPool>,
    threads: usize,
}

impl ProgramPlace for RunnerPlace {
    fn has(&self, program: &ProgramRef) -> bool {
        self.runner.has(&bytes_of(&program.hash))
    }

    fn seat(&self, program: &ProgramRef, seed: [u8; 32]) -> Result<Box<dyn SandboxSeat>, String> {
        self.runner.seat_of(bytes_of(&program.hash), seed).map_err(|e| e.to_string())
    }

    fn pool(&self) -> Option<&dyn EnginePool> {
        self.pool.as_ref().map(|pool| pool as &dyn EnginePool)
    }
}

/// All places.
pub struct Places {
    own: Arc<RunnerPlace>,
    workers: Option<RemoteRunners>,
    /// The workers that were used and are still there, by key.
    used: Mutex<HashMap<String, Arc<RunnerPlace>>>,
    pool: PoolOptions,
}

impl Places {
    /// The runner of this node, and workers, if there are any. `pool`: the settings of the queues.
    pub fn new(own: BotRunner, workers: Option<RemoteRunners>, pool: PoolOptions) -> Self {
        let own = Arc::new(RunnerPlace { runner: own, pool: None, threads: pool.threads() });
        Self { own, workers, used: Mutex::default(), pool }
    }

    /// The place for another program: the worker with the fewest programs of this node per thread; without workers, this node.
    pub(super) fn choose(&self) -> Arc<RunnerPlace> {
        let present = self.workers.as_ref().map(RemoteRunners::present).unwrap_or_default();
        // No holder of the lock can panic half-way.
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.retain(|key, _| present.iter().any(|(there, _)| there == key));
        for (key, threads) in present {
            if !used.contains_key(&key)
                && let Some(place) = self.open(&key, threads)
            {
                used.insert(key, Arc::new(place));
            }
        }
        // Each seat holds its place.
        let load = |place: &&Arc<RunnerPlace>| Arc::strong_count(place) as f64 / place.threads as f64;
        let least = used.values().min_by(|a, b| load(a).total_cmp(&load(b)));
        Arc::clone(least.unwrap_or(&self.own))
    }

    /// Opens the queue of a worker.
    fn open(&self, key: &str, threads: usize) -> Option<RunnerPlace> {
        let workers = self.workers.clone()?;
        let options = PoolOptions { threads: NonZeroUsize::new(threads), ..self.pool.clone() };
        match LocalPool::start(&options, &Metrics::default()) {
            Ok(pool) => {
                let runner = BotRunner::at_worker(workers, key.to_owned());
                Some(RunnerPlace { runner, pool: Some(pool), threads })
            }
            Err(e) => {
                tracing::error!(error = %e, worker = key, "a worker is not used for programs: the system gives no threads");
                None
            }
        }
    }
}
