//! Runs the searches of an analysis in the engine pool, for the judge on a thread of its own.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::erased::{EngineDecision, Position};
use engines::judge::{JudgeError, JudgeHost};
use engines::search::Limits;
use tokio::runtime::Handle;

use crate::analysis::Analyses;
use crate::catalogue::Offer;
use crate::domain::MatchId;
use crate::engine_pool::{EngineRef, Source, Task};
use crate::error::{Code, Error};
use crate::store::{AnalysisChange, StoreChange};

/// The longest time of one search, waiting included: so long that only its nodes end it.
const SEARCH: Duration = Duration::from_secs(600);
/// How long to wait if the engines are busy and say no time, or the database cannot be written.
pub(super) const PAUSE: Duration = Duration::from_millis(500);
/// How often progress is stored; a cancelled analysis ends at the latest then.
const PROGRESS: Duration = Duration::from_secs(1);

/// Why a host ended an analysis.
pub(super) enum HostEnd {
    /// The server stops, or the analysis was cancelled.
    Ended,
    /// The reason of the failure.
    Failed(String),
}

/// The host of one analysis.
pub(super) struct PoolHost {
    analyses: &'static Analyses,
    id: MatchId,
    engine: EngineRef,
    source: Source,
    handle: Handle,
    /// When progress was stored.
    stored: Instant,
    /// Why it ended the analysis.
    pub(super) end: Option<HostEnd>,
}

impl PoolHost {
    /// A host for the analysis of this match. `handle`: of the runtime, to wait for searches; the thread itself is none of the
    /// runtime's.
    pub(super) fn new(
        analyses: &'static Analyses,
        id: MatchId,
        offer: &Offer,
        handle: Handle,
    ) -> Result<Self, HostEnd> {
        let engine = offer.engine(None).map_err(|e| HostEnd::Failed(e.to_string()))?;
        let source = Source::Analysis { game: offer.info.slug.into() };
        Ok(Self { analyses, id, engine, source, handle, stored: Instant::now(), end: None })
    }

    /// Ends the analysis.
    fn ended(&mut self, why: HostEnd) -> JudgeError {
        let text = match &why {
            HostEnd::Ended => "the server stops, or it was cancelled".to_owned(),
            HostEnd::Failed(why) => why.clone(),
        };
        self.end = Some(why);
        JudgeError::Stopped(text)
    }

    /// One search in the pool.
    fn search(&self, position: &Arc<dyn Position>, limits: &Limits) -> Result<EngineDecision, Error> {
        let task = Task {
            position: Arc::clone(position),
            source: self.source.clone(),
            engine: self.engine,
            limits: limits.clone(),
            think: SEARCH,
            deadline: Instant::now() + SEARCH,
            updates: None,
        };
        let pending = self.analyses.engine_pool.think(task)?;
        Ok(self.handle.block_on(pending.answer())?.answer)
    }
}

impl JudgeHost for PoolHost {
    fn think(&mut self, position: Box<dyn Position>, limits: Limits) -> Result<EngineDecision, JudgeError> {
        let position: Arc<dyn Position> = position.into();
        loop {
            if self.end.is_some() || self.analyses.stopping.is_cancelled() {
                return Err(self.ended(HostEnd::Ended));
            }
            match self.search(&position, &limits) {
                Ok(decision) => return Ok(decision),
                Err(e) if e.code() == Code::Busy => {
                    let pause = e.comes_back_after().unwrap_or(PAUSE);
                    self.handle.block_on(tokio::time::sleep(pause));
                }
                Err(e) if e.code() == Code::Stopping => return Err(self.ended(HostEnd::Ended)),
                Err(e) => return Err(self.ended(HostEnd::Failed(e.to_string()))),
            }
        }
    }

    fn judged(&mut self, moves: usize) {
        if self.stored.elapsed() < PROGRESS {
            return;
        }
        self.stored = Instant::now();
        let matches = self.analyses.matches;
        let progress = AnalysisChange::Progress {
            id: self.id.clone(),
            node: matches.node().to_owned(),
            judged: u32::try_from(moves).unwrap_or(u32::MAX),
        };
        let change = matches.store().change(StoreChange::Analysis(progress));
        // While the database is away, the analysis goes on.
        if self.handle.block_on(change) == Ok(0) {
            self.end = Some(HostEnd::Ended);
        }
    }
}
