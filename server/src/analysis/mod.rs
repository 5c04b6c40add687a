//! Analyses of finished matches, which the engine pool computes in its lowest lane. A request is a row of the database, so it
//! survives a restart, and one of the nodes computes it. A match has one analysis, which all who may see it share.

mod host;
pub mod mistakes;
pub mod puzzles;

use engines::judge::{MatchAnalysis, judge};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::runtime::Handle;
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use crate::analysis::host::{HostEnd, PoolHost};
use crate::catalogue::{Catalogue, Offer};
use crate::domain::MatchId;
use crate::engine_pool::EnginePool;
use crate::error::{Code, Error};
use crate::matches::event::LoggedEvent;
use crate::matches::ledger::Caller;
use crate::matches::record::{Record, RecordedEvent};
use crate::matches::service::Matches;
use crate::store::{
    AnalysisChange, FinishedAnalysis, NewAnalysis, StoreChange, StoreError, StoredAnalysis,
    StoredAnalysisStage, refused_by_store,
};

/// The most analyses that wait or are computed, on all nodes together.
const MOST_PENDING: u32 = 200;
/// The most of them that one caller asked for.
const MOST_OF_CALLER: u32 = 3;
/// How many waiting analyses a node looks at when it takes one over.
const LOOKED_AT: u32 = 8;

/// The analysis of a match, as callers see it.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "stage", rename_all = "snake_case")]
#[schemars(rename = "AnalysisStage")]
pub enum AnalysisShown {
    /// No caller has asked for it yet, or it was cancelled.
    None {},
    /// It waits or is computed.
    Pending {
        /// How many moves of the match are judged.
        judged: u32,
        /// The number of moves of the match.
        moves: u32,
        /// Whether the caller asked for it, and so may cancel it.
        yours: bool,
    },
    /// All decisions are judged.
    Done {
        /// The judged decisions, and their summary for each seat.
        #[schemars(with = "MatchAnalysis")]
        analysis: Box<RawValue>,
    },
    /// It failed. It can be asked for again.
    Failed {
        /// The reason, in one sentence.
        reason: String,
    },
}

/// The analyses of this server.
pub struct Analyses {
    /// The hosted matches, with their database.
    pub matches: &'static Matches,
    /// The games on offer.
    pub games: &'static Catalogue,
    /// Runs the searches.
    pub engine_pool: &'static dyn EnginePool,
    /// Told when a caller of this node asks for an analysis.
    pub asked: Notify,
    /// Cancelled when the server begins to stop.
    pub stopping: CancellationToken,
}

impl Analyses {
    /// Asks for the analysis of a finished match that the caller may see, unless there is one; returns it as it is now.
    ///
    /// # Errors
    /// Those of reading the log of the match; `too_many`; `store_unavailable`.
    pub async fn ask(&self, id: &MatchId, caller: &Caller) -> Result<AnalysisShown, Error> {
        let log = self.matches.log(id, caller).await?;
        let new = NewAnalysis {
            id: id.clone(),
            requester: self.matches.caller_key(caller),
            requested_ms: self.matches.now().ms(),
            moves: moves_of(&log),
            most: MOST_PENDING,
            most_of_requester: MOST_OF_CALLER,
        };
        if self.change(AnalysisChange::Ask(new)).await? > 0 {
            self.asked.notify_one();
        }
        match self.shown(id, caller).await? {
            AnalysisShown::None {} | AnalysisShown::Failed { .. } => {
                let detail = format!(
                    "{MOST_OF_CALLER} analyses that you asked for, or {MOST_PENDING} of all callers, are not finished, which \
                     is the limit: wait for them, or cancel one"
                );
                Err(Error::new(Code::TooMany, detail))
            }
            shown => Ok(shown),
        }
    }

    /// The analysis of a finished match that the caller may see.
    ///
    /// # Errors
    /// As [`Self::ask`].
    pub async fn get(&self, id: &MatchId, caller: &Caller) -> Result<AnalysisShown, Error> {
        self.matches.check_public_log(id, caller).await?;
        self.shown(id, caller).await
    }

    /// Cancels an analysis that the caller asked for. Does nothing if none is pending.
    ///
    /// # Errors
    /// As [`Self::ask`]; `not_your_analysis`.
    pub async fn cancel(&self, id: &MatchId, caller: &Caller) -> Result<(), Error> {
        self.matches.check_public_log(id, caller).await?;
        let requester = Some(self.matches.caller_key(caller));
        self.change(AnalysisChange::Cancel { id: id.clone(), requester }).await?;
        match self.shown(id, caller).await? {
            AnalysisShown::Pending { yours: false, .. } => Err(Error::new(
                Code::NotYourAnalysis,
                "another caller asked for this analysis, and can cancel it",
            )),
            _ => Ok(()),
        }
    }

    /// Deletes the analysis of a match, for the operator, whether it is finished or not.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn delete(&self, id: &MatchId) -> Result<(), Error> {
        self.change(AnalysisChange::Cancel { id: id.clone(), requester: None }).await.map(drop)
    }

    /// Computes the next analysis that waits. Returns whether there was one.
    ///
    /// # Errors
    /// When the database cannot be used.
    pub async fn compute_next(&'static self) -> Result<bool, StoreError> {
        let store = self.matches.store();
        for id in store.free_analyses(LOOKED_AT).await? {
            let claim = AnalysisChange::Claim { id: id.clone(), node: self.matches.node().to_owned() };
            if store.change(StoreChange::Analysis(claim)).await? > 0 {
                self.compute(id).await?;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Computes an analysis and stores it. One that the server stops to compute stays: another node goes on.
    async fn compute(&'static self, id: MatchId) -> Result<(), StoreError> {
        let log = match self.matches.own_log(&id).await {
            Ok(Some(log)) => log,
            // The match was deleted meanwhile.
            Ok(None) => {
                let cancel = AnalysisChange::Cancel { id, requester: None };
                return self.matches.store().change(StoreChange::Analysis(cancel)).await.map(drop);
            }
            Err(e) => return self.finish(id, Err(e.to_string())).await,
        };
        let result = match self.judge_aside(id.clone(), log).await {
            Ok(analysis) => Ok(analysis),
            Err(HostEnd::Failed(why)) => Err(why),
            Err(HostEnd::Ended) => return Ok(()),
        };
        if let Err(why) = &result {
            tracing::warn!(%id, why, "a match could not be analysed");
        }
        self.finish(id, result).await
    }

    /// As [`Self::judge`], on a thread of its own: it waits for one search after the other, and a runtime that ends does not wait
    /// for it.
    async fn judge_aside(
        &'static self,
        id: MatchId,
        log: Vec<LoggedEvent>,
    ) -> Result<FinishedAnalysis, HostEnd> {
        let (reply, judged) = oneshot::channel();
        let handle = Handle::current();
        let work = move || {
            // The requester may be gone when the server stops.
            let _ = reply.send(self.judge(id, &log, handle));
        };
        let started = std::thread::Builder::new().name("analysis".to_owned()).spawn(work);
        started.map_err(|e| HostEnd::Failed(format!("no thread: {e}")))?;
        judged.await.unwrap_or_else(|_| Err(HostEnd::Failed("the judge failed".to_owned())))
    }

    /// The analysis of the match with this log.
    fn judge(
        &'static self,
        id: MatchId,
        log: &[LoggedEvent],
        handle: Handle,
    ) -> Result<FinishedAnalysis, HostEnd> {
        let record = Record::of(id.as_str(), log, Vec::new())
            .ok_or_else(|| HostEnd::Failed("the match is not over".to_owned()))?;
        let offer: &Offer = self.games.find(&record.game).map_err(|e| HostEnd::Failed(e.to_string()))?;
        let mut host = PoolHost::new(self, id, offer, handle)?;
        let finished = record.to_judge(offer.game);
        match judge(offer.game, &finished, offer.info.judge_nodes, &mut host) {
            Ok(analysis) => {
                let now_ms = self.matches.now().ms();
                let puzzles = puzzles::make(&record, offer, (&finished, &analysis), &mut host, now_ms)?;
                Ok(mistakes::finished(&analysis, &record.game, log, puzzles))
            }
            Err(e) => Err(host.end.unwrap_or_else(|| HostEnd::Failed(e.to_string()))),
        }
    }

    /// Stores a result; tries again while the database cannot be written.
    async fn finish(&self, id: MatchId, result: Result<FinishedAnalysis, String>) -> Result<(), StoreError> {
        let finish = AnalysisChange::Finish { id, node: self.matches.node().to_owned(), result };
        loop {
            match self.matches.store().change(StoreChange::Analysis(finish.clone())).await {
                Ok(_) => return Ok(()),
                Err(e) if self.stopping.is_cancelled() => return Err(e),
                Err(_) => tokio::time::sleep(host::PAUSE).await,
            }
        }
    }

    async fn change(&self, change: AnalysisChange) -> Result<u64, Error> {
        let change = StoreChange::Analysis(change);
        self.matches.store().change(change).await.map_err(|e| refused_by_store(&e))
    }

    async fn shown(&self, id: &MatchId, caller: &Caller) -> Result<AnalysisShown, Error> {
        let found = self.matches.store().analysis(id.clone()).await.map_err(|e| refused_by_store(&e))?;
        let Some(StoredAnalysis { stage, moves, judged }) = found else { return Ok(AnalysisShown::None {}) };
        Ok(match stage {
            StoredAnalysisStage::Pending { requester } => {
                AnalysisShown::Pending { judged, moves, yours: requester == self.matches.caller_key(caller) }
            }
            StoredAnalysisStage::Failed(reason) => AnalysisShown::Failed { reason },
            StoredAnalysisStage::Done(text) => {
                let broken = |e| Error::new(Code::Internal, format!("a stored analysis is not JSON: {e}"));
                AnalysisShown::Done { analysis: RawValue::from_string(text).map_err(broken)? }
            }
        })
    }
}

/// The number of moves of a match that is over.
fn moves_of(log: &[LoggedEvent]) -> u32 {
    let events = log.iter().map(|logged| RecordedEvent::of(&logged.event));
    events.fold(0, |moves, event| match event {
        RecordedEvent::TakenBack { ply, .. } => ply,
        event => moves + u32::from(event.is_move()),
    })
}
