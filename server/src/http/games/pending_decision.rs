//! A decision of a dialogue while an engine makes it, and the best move so far, which the client plays if the decision
//! does not reach it before the contest's limit. It must not know how the moves are transported.

use std::pin::Pin;
use std::time::{Duration, Instant};

use engines::rng::Rng;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::time::sleep;

use crate::app::App;
use crate::engine_pool::{AnalysisUpdate, Task, TimedDecision};
use crate::error::{Code, Error};
use crate::recovery::backoff::Backoff;

/// The pauses between attempts while all engines are busy.
const BUSY_BACKOFF: Backoff = Backoff::steady(Duration::from_millis(5), Duration::from_millis(100));

/// How long before the deadline the last attempt is made: the pool has a lane for searches this short, and a short
/// search is better than none.
const LAST_ATTEMPT: Duration = Duration::from_millis(80);

/// The part of the time until the last moment after which a short search is made, if the long one has found no move: it
/// may wait for a thread, or for its processor.
const FIRST_MOVE_AFTER: u32 = 20;

/// The bounds of the short search, which any engine keeps within the time of a quick search.
const FIRST_MOVE_NODES: u64 = 64;
const FIRST_MOVE_THINK: Duration = Duration::from_millis(20);

type DecisionFuture = Pin<Box<dyn Future<Output = Result<TimedDecision, Error>> + Send>>;

/// What a pending decision gives next.
pub(super) enum DecisionProgress {
    /// The best move so far: a remark for the client.
    Best(String),
    /// The decision, which comes last.
    Decided(Result<TimedDecision, Error>),
}

/// A decision that is being made. Dropping it stops the search.
pub(super) struct PendingDecision {
    decision: DecisionFuture,
    /// The interim results of its search.
    found: UnboundedReceiver<AnalysisUpdate>,
    /// The short search for a first move.
    first_move: Option<DecisionFuture>,
    /// The time after which the client must play the best move so far; zero if there is no limit.
    last_moment: Duration,
    /// The move of the last remark.
    best: Option<String>,
}

impl PendingDecision {
    /// Begins to decide. `last_moment`: when the client must play the best move so far, counted from now; `None`: it need
    /// not know it.
    pub(super) fn new(app: &'static App, mut task: Task, last_moment: Option<Duration>) -> Self {
        let (sender, found) = mpsc::unbounded_channel();
        let first_move = last_moment.map(|last_moment| -> DecisionFuture {
            let mut short = Task { think: FIRST_MOVE_THINK.min(task.think), ..task.clone() };
            short.limits.nodes = Some(short.limits.nodes.unwrap_or(u64::MAX).min(FIRST_MOVE_NODES));
            task.updates = Some(sender);
            Box::pin(async move {
                sleep(last_moment / FIRST_MOVE_AFTER).await;
                decide(app, short).await
            })
        });
        let last_moment = last_moment.unwrap_or_default();
        Self { decision: Box::pin(decide(app, task)), found, first_move, last_moment, best: None }
    }

    /// Waits for a better move or the decision. It may be dropped and called again.
    pub(super) async fn next(&mut self) -> DecisionProgress {
        loop {
            let first_move = async {
                match &mut self.first_move {
                    Some(first_move) => first_move.await,
                    None => std::future::pending().await,
                }
            };
            let best = tokio::select! {
                biased;
                decision = &mut self.decision => return DecisionProgress::Decided(decision),
                Some(update) = self.found.recv() => Some(update.answer.mv.notation),
                // Without a first move the client goes on waiting for the decision.
                first = first_move => first.ok().map(|first| first.answer.mv.notation),
            };
            self.first_move = None;
            if let Some(best) = best
                && self.best.as_ref() != Some(&best)
            {
                let remark = format!("# best {} {best}", self.last_moment.as_millis());
                self.best = Some(best);
                return DecisionProgress::Best(remark);
            }
        }
    }
}

/// Decides. Waits for a free engine as long as the deadline allows, and tries once more when an engine fails.
async fn decide(app: &'static App, mut task: Task) -> Result<TimedDecision, Error> {
    let (mut failed, mut backoff) = (false, BUSY_BACKOFF);
    loop {
        let decision = match app.engine_pool.think(task.clone()) {
            Ok(pending) => pending.answer().await,
            Err(e) => Err(e),
        };
        match decision {
            Err(e) if e.code() == Code::Busy => {
                let left = task.deadline.saturating_duration_since(Instant::now());
                if left <= LAST_ATTEMPT {
                    return Err(e);
                }
                sleep(backoff.after(&e).min(left - LAST_ATTEMPT)).await;
            }
            Err(e) if e.code() == Code::EngineFailed && !failed => {
                e.log();
                failed = true;
                // With the same seed the same search would fail at the same place.
                task.limits.seed = Rng::new(&task.limits.seed).seed();
            }
            result => return result,
        }
    }
}
