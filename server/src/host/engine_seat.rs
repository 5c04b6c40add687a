//! How an engine's seat thinks: it is asked until it answers. A failure of ours never decides a game: a thought that
//! failed is thought again, in the end by another engine of the game.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::erased::{Position, usable};
use engines::game::Seat;
use engines::rng::Seed;
use engines::search::Limits;

use super::clock::Clocks;
use super::event::EngineSeat;
use super::token;
use crate::catalogue::Offer;
use crate::error::{Code, Error};
use crate::pool::{EngineRef, Source, Task, Thinking, Thought};

/// How long a thought may wait for a thread before it is asked for anew.
const PATIENCE: Duration = Duration::from_secs(5);

/// The same for a match between engines alone, in thinking times, where that is longer: it comes last.
const LAST_IN_LINE: u32 = 10;

/// How often one engine may fail at a decision before the next is asked.
const TRIES: u32 = 2;

/// How long to wait before asking again: after the first failure, and at most.
const PAUSE: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(5));

/// How long to wait when all threads are busy, at least and at most.
const BUSY: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(250));

/// A decision that an engine's seat has to make.
pub struct Question {
    /// What it sees.
    pub position: Arc<dyn Position>,
    /// Which engine it is, and how well it plays.
    pub seated: EngineSeat,
    /// How long it may think.
    pub think: Duration,
    /// Who pays for the engine time.
    pub source: Source,
    /// How often it has failed at this decision already.
    pub failures: u32,
}

/// What an engine's seat does, and where the time went.
#[derive(Debug)]
pub struct Chosen {
    /// The move.
    pub notation: String,
    /// Waiting for a free thread, failures included.
    pub queue_us: u64,
    /// The search itself.
    pub think_us: u64,
}

/// A thought under way. Dropping it cancels the search.
pub struct Pondering {
    /// Whose.
    pub seat: Seat,
    /// At which ply.
    pub ply: u32,
    /// What will come of it.
    pub chosen: Pin<Box<dyn Future<Output = Chosen> + Send>>,
}

/// How long an engine may think: as long as it was told, and never so long that its clock would run out.
pub fn thinking_time(think_ms: u64, clocks: &Clocks, seat: Seat, position: &dyn Position) -> Duration {
    let mut think = Duration::from_millis(think_ms);
    if let Some(left_ms) = clocks.left(seat) {
        think = think.min(position.allot(Duration::from_millis(left_ms)));
    }
    if let Some(allowed_ms) = clocks.allowed(seat) {
        think = think.min(usable(Duration::from_millis(allowed_ms)));
    }
    think.max(Duration::from_millis(1))
}

impl Question {
    /// The decision. It comes, sooner or later, unless the server stops.
    pub async fn decide(self, offer: &'static Offer, thinking: &'static dyn Thinking) -> Chosen {
        let asked = Instant::now();
        let engines = engines(offer, &self.seated.engine);
        let mut failures = self.failures;
        loop {
            let engine = engines[(failures / TRIES) as usize % engines.len()];
            let pause = match self.think(engine, thinking).await {
                Ok(thought) => {
                    let queue = asked.elapsed().saturating_sub(thought.took);
                    let notation = thought.answer.mv.notation;
                    return Chosen { notation, queue_us: micros(queue), think_us: micros(thought.took) };
                }
                Err(e) if e.code() == Code::Busy => {
                    e.comes_back_after().unwrap_or(BUSY.0).clamp(BUSY.0, BUSY.1)
                }
                Err(e) if e.code() == Code::Stopping => std::future::pending().await,
                Err(e) => {
                    tracing::error!(game = engine.game, engine = engine.name, failures, error = %e,
                                    "an engine failed in a match and is asked again");
                    let pause = (PAUSE.0 * 2_u32.saturating_pow(failures.min(16))).min(PAUSE.1);
                    failures += 1;
                    pause
                }
            };
            tokio::time::sleep(pause).await;
        }
    }

    async fn think(&self, engine: EngineRef, thinking: &'static dyn Thinking) -> Result<Thought, Error> {
        // Nothing that anybody knows of the match must tell what an engine will do.
        let seed = token::random().map(Seed).map_err(|e| Error::new(Code::Internal, e.to_string()))?;
        let limits = Limits { nodes: self.seated.nodes, seed, level: self.seated.level, candidates: 1 };
        let patience = match self.source {
            Source::EnginesOnly(_) => PATIENCE.max(self.think * LAST_IN_LINE),
            _ => PATIENCE,
        };
        let deadline = Instant::now() + self.think + patience;
        let position = Arc::clone(&self.position);
        let source = self.source.clone();
        let task = Task { position, source, engine, limits, think: self.think, deadline, found: None };
        thinking.think(task)?.answer().await
    }
}

/// The engines to ask, in this order: the one that sits there, the others that search, those that look up.
fn engines(offer: &'static Offer, seated: &str) -> Vec<EngineRef> {
    let mut engines: Vec<EngineRef> =
        offer.engines.iter().filter_map(|e| offer.engine(Some(&e.name)).ok()).collect();
    engines.sort_by_key(|engine| (engine.name != seated, engine.instant));
    engines
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
