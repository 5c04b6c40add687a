//! The turn of an engine: it is asked until it answers. A failure of the server never decides a game: a failed search
//! is repeated, in the end with another engine of the game.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::erased::{Position, usable};
use engines::game::Seat;
use engines::rng::Seed;
use engines::search::Limits;

use crate::catalogue::Offer;
use crate::domain::token;
use crate::engine_pool::{EnginePool, EngineRef, Source, Task, TimedDecision};
use crate::error::{Code, Error};
use crate::matches::bots::hosted::ProgramMove;
use crate::matches::clock::Clocks;
use crate::matches::event::EngineSeat;
use crate::recovery::backoff::Backoff;

/// How long a search may wait for a thread before it is requested again.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(5);

/// The same for a match of engines only, as a multiple of the thinking time, if that is longer: such a match has the
/// lowest priority.
const LAST_IN_LINE: u32 = 10;

/// The same for a match of the ladder: its searches wait for their share instead of being requested again.
const LADDER_TIMEOUT: Duration = Duration::from_secs(600);

/// How often one engine may fail at a decision before the next one is asked.
const TRIES: u32 = 2;

/// The delays before the next attempt after a failure.
const FAILURE_BACKOFF: Backoff = Backoff::doubling(Duration::from_millis(50), Duration::from_secs(5));

/// The delays when all threads are busy.
const BUSY_BACKOFF: Backoff = Backoff::steady(Duration::from_millis(5), Duration::from_millis(250));

/// A decision that an engine has to make.
pub(super) struct EngineTurn {
    /// The view of its seat.
    pub position: Arc<dyn Position>,
    /// The engine's level and limits.
    pub seated: EngineSeat,
    /// The engines to ask, in order.
    pub engines: Arc<[EngineRef]>,
    /// Its thinking time.
    pub think: Duration,
    /// The caller whose share of engine time it uses.
    pub source: Source,
    /// How often it has failed at this decision.
    pub failures: u32,
}

/// The move of an engine, and the time it took.
#[derive(Debug)]
pub(super) struct EngineMove {
    /// The move.
    pub notation: String,
    /// The wait for a free thread, failures included.
    pub queue_us: u64,
    /// The search itself.
    pub think_us: u64,
}

/// What an engine or a hosted program has decided.
pub(super) enum Chosen {
    Engine(EngineMove),
    /// A hosted program.
    Program(Box<ProgramMove>),
}

/// A running search of an engine, or a running turn of a hosted program. Dropping it cancels it.
pub(super) struct EngineSearch {
    pub seat: Seat,
    pub ply: u32,
    /// Its result.
    pub chosen: Pin<Box<dyn Future<Output = Chosen> + Send>>,
}

/// The thinking time of an engine: as set for the seat, but never so long that its clock runs out.
pub(super) fn thinking_time(think_ms: u64, clocks: &Clocks, seat: Seat, position: &dyn Position) -> Duration {
    let mut think = Duration::from_millis(think_ms);
    if let Some(left_ms) = clocks.left(seat) {
        think = think.min(position.allot(Duration::from_millis(left_ms)));
    }
    if let Some(allowed_ms) = clocks.allowed(seat) {
        think = think.min(usable(Duration::from_millis(allowed_ms)));
    }
    think.max(Duration::from_millis(1))
}

impl EngineTurn {
    /// Makes the decision. It always returns, unless the server stops.
    pub(super) async fn decide(self, engine_pool: &'static dyn EnginePool) -> EngineMove {
        let asked = Instant::now();
        let mut failures = self.failures;
        let (mut failed, mut busy) = (FAILURE_BACKOFF.skip(failures), BUSY_BACKOFF);
        loop {
            let engine = self.engines[(failures / TRIES) as usize % self.engines.len()];
            let pause = match self.think(engine, engine_pool).await {
                Ok(thought) => {
                    let queue = asked.elapsed().saturating_sub(thought.took);
                    let notation = thought.answer.mv.notation;
                    return EngineMove { notation, queue_us: micros(queue), think_us: micros(thought.took) };
                }
                Err(e) if e.code() == Code::Busy => busy.after(&e),
                Err(e) if e.code() == Code::Stopping => std::future::pending().await,
                Err(e) => {
                    tracing::error!(game = engine.game, engine = engine.name, failures, error = %e,
                                    "an engine failed in a match and is asked again");
                    failures += 1;
                    failed.pause()
                }
            };
            tokio::time::sleep(pause).await;
        }
    }

    async fn think(
        &self,
        engine: EngineRef,
        engine_pool: &'static dyn EnginePool,
    ) -> Result<TimedDecision, Error> {
        // The seed must not follow from public data: the move of an engine must be unpredictable.
        let seed = token::random().map(Seed).map_err(|e| Error::new(Code::Internal, e.to_string()))?;
        let limits = Limits { nodes: self.seated.nodes, seed, level: self.seated.level, candidates: 1 };
        let queue_timeout = match self.source {
            Source::EnginesOnly(_) => QUEUE_TIMEOUT.max(self.think * LAST_IN_LINE),
            Source::Ladder { .. } => LADDER_TIMEOUT,
            _ => QUEUE_TIMEOUT,
        };
        let deadline = Instant::now() + self.think + queue_timeout;
        let position = Arc::clone(&self.position);
        let source = self.source.clone();
        let task = Task { position, source, engine, limits, think: self.think, deadline, updates: None };
        engine_pool.think(task)?.answer().await
    }
}

/// The engines to ask for the moves of a seat, in order: its own, the others that search, then those that only look up.
pub(super) fn engines(offer: &'static Offer, seated: &str) -> Arc<[EngineRef]> {
    let mut engines: Vec<EngineRef> =
        offer.engines.iter().filter_map(|e| offer.engine(Some(&e.name)).ok()).collect();
    engines.sort_by_key(|engine| (engine.name != seated, engine.instant));
    engines.into()
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
