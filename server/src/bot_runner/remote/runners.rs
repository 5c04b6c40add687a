//! The node's side: the workers that run programs, and streams to processes there.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use tokio::runtime::Handle;

use crate::bot_runner::pipes::RunnerPipes;
use crate::bot_runner::remote::streams::{Incoming, Streams};
use crate::bot_runner::remote::wire::{self, RunnerAnnouncement, StreamKey};
use crate::metrics::Metrics;
use crate::nats::{Broker, NatsUrl, random_key};

/// A worker that has not announced itself for this long is not used.
const SILENCE: Duration = Duration::from_secs(2);

/// More threads of one worker are not used.
const MOST_THREADS: usize = 1024;

/// How often the node looks for what is silent.
const CHECK: Duration = Duration::from_millis(500);

/// The workers that run programs. Clones share them.
#[derive(Clone)]
pub struct RemoteRunners(Arc<Shared>);

struct Shared {
    node: String,
    streams: Streams,
    next_number: AtomicU64,
    /// The workers, each with its threads and the time of its last announcement.
    known: Mutex<HashMap<String, (usize, Instant)>>,
    runtime: Handle,
}

impl RemoteRunners {
    /// Connects in the background.
    ///
    /// # Errors
    /// If a URL is wrong, or the system gives no random bytes.
    pub async fn start(urls: &[NatsUrl], metrics: &Metrics) -> io::Result<Self> {
        let broker = Broker::connect(urls).await?;
        broker.count(metrics, "programs");
        let node = random_key('n')?;
        let failed = |e: async_nats::SubscribeError| io::Error::other(e);
        let mut announcements = broker.client.subscribe(wire::announcements()).await.map_err(failed)?;
        let mut parts = broker.client.subscribe(wire::to_node(&node)).await.map_err(failed)?;
        let this = Self(Arc::new(Shared {
            node,
            streams: Streams::new(broker.client),
            next_number: AtomicU64::new(0),
            known: Mutex::default(),
            runtime: Handle::current(),
        }));
        let heard = this.clone();
        tokio::spawn(async move {
            while let Some(message) = announcements.next().await {
                heard.hear(&message.payload);
            }
        });
        let streams = this.0.streams.clone();
        tokio::spawn(async move {
            while let Some(message) = parts.next().await {
                if let Incoming::New(part) = streams.take(&message) {
                    tracing::debug!(stream = part.stream.number, "a part of a stream that is over");
                }
            }
        });
        let checked = this.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(CHECK).await;
                checked.0.streams.close_silent();
                checked.forget_silent();
            }
        });
        Ok(this)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<String, (usize, Instant)>> {
        // No holder of the lock can panic half-way.
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hear(&self, payload: &[u8]) {
        match postcard::from_bytes::<RunnerAnnouncement>(payload) {
            Ok(RunnerAnnouncement { runner, threads }) => {
                let threads = usize::try_from(threads).unwrap_or(usize::MAX).clamp(1, MOST_THREADS);
                if self.known().insert(runner.clone(), (threads, Instant::now())).is_none() {
                    tracing::info!(runner, threads, "a worker runs the programs of bots");
                }
            }
            Err(e) => {
                tracing::warn!(error = %e, "the announcement of a worker that runs bots cannot be read")
            }
        }
    }

    fn forget_silent(&self) {
        self.known().retain(|runner, (_, heard)| {
            let is_there = heard.elapsed() < SILENCE;
            if !is_there {
                tracing::warn!(runner, "a worker that runs the programs of bots is silent");
            }
            is_there
        });
    }

    /// The workers that are there: the key of each, and how many programs it runs at a time.
    pub fn present(&self) -> Vec<(String, usize)> {
        self.known().iter().map(|(runner, (threads, _))| (runner.clone(), *threads)).collect()
    }

    /// Has a worker start a process.
    ///
    /// # Errors
    /// When the worker is not there any more.
    pub(in crate::bot_runner) fn connect(&self, runner: &str) -> io::Result<RunnerPipes> {
        if !self.known().contains_key(runner) {
            return Err(io::Error::other("the worker that runs programs is gone"));
        }
        let number = self.0.next_number.fetch_add(1, Ordering::Relaxed);
        let stream = StreamKey { node: self.0.node.clone(), number };
        let _runtime = self.0.runtime.enter();
        let (answers, mut orders) = self.0.streams.open(stream.clone(), wire::to_worker(runner));
        // The worker starts the process when the stream begins.
        io::Write::write_all(&mut orders, &[])?;
        let streams = self.0.streams.clone();
        let end = move || streams.close(&stream);
        Ok(RunnerPipes {
            orders: Box::new(orders),
            answers: Box::new(answers),
            end: Box::new(end),
            place: format!("worker {runner}"),
        })
    }
}
