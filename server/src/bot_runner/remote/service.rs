//! The worker's side: starts a process for each stream that a node opens, and ends it with the stream.

use std::io::{self, Read, Write};
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use futures_util::StreamExt;
use tokio_util::sync::CancellationToken;

use crate::bot_runner::RunnerOptions;
use crate::bot_runner::pipes::start_child;
use crate::bot_runner::remote::streams::{Incoming, Streams};
use crate::bot_runner::remote::wire::{self, RunnerAnnouncement, StreamKey};
use crate::nats::{Broker, NatsUrl, random_key};

/// How often the worker announces itself, and looks for silent streams.
const ANNOUNCE: Duration = Duration::from_millis(500);

/// Runs the programs of bots for nodes.
pub struct RunnerService {
    streams: Streams,
    stopping: CancellationToken,
}

impl RunnerService {
    /// Connects in the background. Each node gets a process of its own, with these options.
    ///
    /// # Errors
    /// If a URL is wrong, or the system gives no random bytes.
    pub async fn start(urls: &[NatsUrl], options: RunnerOptions) -> io::Result<Self> {
        let broker = Broker::connect(urls).await?;
        let key = random_key('r')?;
        let failed = |e: async_nats::SubscribeError| io::Error::other(e);
        let mut parts = broker.client.subscribe(wire::to_worker(&key)).await.map_err(failed)?;
        let this = Self { streams: Streams::new(broker.client.clone()), stopping: CancellationToken::new() };
        let streams = this.streams.clone();
        let announcement = announcement(&key, options.threads);
        tokio::spawn(async move {
            while let Some(message) = parts.next().await {
                if let Incoming::New(part) = streams.take(&message) {
                    serve(&streams, &options, part.stream);
                    // Now it is known.
                    streams.take(&message);
                }
            }
        });
        let (streams, stopping) = (this.streams.clone(), this.stopping.clone());
        tokio::spawn(stopping.run_until_cancelled_owned(async move {
            loop {
                // If it is lost, the next one comes soon.
                let _ = broker.client.publish(wire::announcements(), wire::to_bytes(&announcement)).await;
                tokio::time::sleep(ANNOUNCE).await;
                streams.close_silent();
            }
        }));
        Ok(this)
    }

    /// Ends all processes: the nodes go on with their programs elsewhere.
    pub fn stop(&self) {
        self.stopping.cancel();
        self.streams.close_all();
    }
}

fn announcement(key: &str, threads: NonZeroUsize) -> RunnerAnnouncement {
    RunnerAnnouncement { runner: key.to_owned(), threads: u32::try_from(threads.get()).unwrap_or(u32::MAX) }
}

/// Starts the process of a stream, and passes on what both say until one of them ends.
fn serve(streams: &Streams, options: &RunnerOptions, stream: StreamKey) {
    let node = stream.node.clone();
    let (orders, mut answers) = streams.open(stream.clone(), wire::to_node(&node));
    let pipes = match start_child(options) {
        Ok(pipes) => pipes,
        Err(e) => {
            tracing::error!(error = %e, "the process that runs bots does not start");
            streams.close(&stream);
            return;
        }
    };
    tracing::info!(node, process = pipes.place, "a process runs the programs of bots for a node");
    let (mut to_child, mut from_child, end) = (pipes.orders, pipes.answers, pipes.end);
    let closed = streams.clone();
    let pass = move || {
        // An error on either side is an end.
        let _ = io::copy(&mut from_child, &mut answers);
        closed.close(&stream);
    };
    let feed = move || {
        let _ = copy_parts(orders, &mut to_child);
        end();
    };
    for (name, work) in
        [("bots-out", Box::new(pass) as Box<dyn FnOnce() + Send>), ("bots-in", Box::new(feed))]
    {
        if let Err(e) = thread::Builder::new().name(name.to_owned()).spawn(work) {
            tracing::error!(error = %e, "the system gives no thread for a process that runs bots");
            streams.close_all();
            return;
        }
    }
}

/// Copies, and passes on at once what has come.
fn copy_parts(mut from: impl Read, to: &mut impl Write) -> io::Result<()> {
    let mut part = vec![0; 64 * 1024];
    loop {
        match from.read(&mut part)? {
            0 => return Ok(()),
            length => to.write_all(&part[..length])?,
        }
        to.flush()?;
    }
}
