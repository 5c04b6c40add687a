//! One search on a worker, as its node sees it: it is asked for, suspended, resumed and cancelled, and asked for again
//! elsewhere if its worker is lost.

use std::sync::Arc;
use std::time::{Duration, Instant};

use engines::erased::{EngineDecision, MoveText};
use tokio::sync::mpsc;

use crate::domain::request_id::RequestId;
use crate::engine_pool::schedule::{Job, JobTimes, Schedule, SearchWork, StartedSearch, Work, too_late};
use crate::engine_pool::slot_host::SearchControl;
use crate::engine_pool::workers::pool::{Remote, WorkerMessage};
use crate::engine_pool::workers::roster::{Place, SILENCE};
use crate::engine_pool::workers::wire::{
    self, SearchKey, SearchOrder, SearchReport, ThinkOrder, TimedAnswer, WorkerRefusal, micros,
};
use crate::engine_pool::{AnalysisUpdate, TOLERANCE, Task, TimedDecision};
use crate::error::{Code, Error};

/// The least share of its thinking time that a search gets when it is repeated.
const LEAST_REPEATED: u32 = 4;

/// A worker must answer an order within this share of the thinking time, within these bounds.
const TO_ANSWER: f64 = 0.5;
const LEAST_TO_ANSWER: Duration = Duration::from_millis(250);

/// How long a worker that does not answer orders is not used: it may be overloaded.
const SILENT_FOR: Duration = Duration::from_secs(10);

/// How long a worker whose answer cannot be true is not used: longer than any of its searches matters.
const FALSE_FOR: Duration = Duration::from_secs(24 * 3600);

/// How a search ends.
enum Outcome {
    /// A worker has decided, or the search cannot be repeated.
    Ended(Result<TimedAnswer, Error>),
    /// No worker is left that was not asked; this much of the thinking time is left.
    NoWorker(Duration),
}

/// How a search ends at one worker.
enum AttemptOutcome {
    /// The search is over.
    Ended(Result<TimedAnswer, Error>),
    /// It must be made elsewhere.
    Again(&'static str),
}

/// Runs a search until its answer is sent.
pub(super) async fn run(remote: Arc<Remote>, schedule: Arc<Schedule>, started: StartedSearch) {
    let StartedSearch { id, gate, job } = started;
    let (times, SearchWork { task, mut answer, request }) = match job {
        Job { times, work: Work::Search(search) } => (times, search),
        other => {
            schedule.finish(id);
            return other.refuse(too_late());
        }
    };
    let search = RemoteSearch {
        remote: &remote,
        schedule: &schedule,
        gate: &gate,
        times: &times,
        task: &task,
        request: request.as_ref(),
    };
    // A search that ignores its deadline is given up a little later.
    let give_up = task.deadline + TOLERANCE;
    let outcome = tokio::select! {
        biased;
        () = answer.closed() => None,
        outcome = tokio::time::timeout_at(give_up.into(), search.attempts()) => {
            Some(outcome.unwrap_or_else(|_| Outcome::Ended(Err(too_late()))))
        }
    };
    schedule.finish(id);
    remote.update_slots(&schedule);
    let lane = &remote.lanes[times.class.index()];
    match outcome {
        None => {
            lane.cancelled.inc();
        }
        Some(Outcome::NoWorker(think)) => remote.fall_back(SearchWork { task, answer, request }, think).await,
        Some(Outcome::Ended(result)) => {
            let result = result.map(|done| search_done(&remote, &times, &task, &gate, done));
            if result.as_ref().is_err_and(|e| e.code() == Code::Busy) {
                lane.refused.inc();
            }
            // The caller may have disconnected.
            let _ = answer.send(result);
        }
    }
}

/// Counts a decision and completes its times.
fn search_done(
    remote: &Remote,
    times: &JobTimes,
    task: &Task,
    gate: &SearchControl,
    done: TimedAnswer,
) -> TimedDecision {
    let TimedAnswer { answer, took_us } = done;
    let took = Duration::from_micros(took_us);
    let lane = &remote.lanes[times.class.index()];
    lane.thinking(took, task.ladder_game());
    lane.nodes(task.engine.game, answer.nodes);
    remote.metrics.worker.inc();
    if !gate.is_stopped() {
        remote.costs.learn(task.engine, &task.limits, answer.nodes, took);
    }
    TimedDecision { answer, queued: times.arrived.elapsed().saturating_sub(took), took }
}

/// A search that has a slot.
struct RemoteSearch<'a> {
    remote: &'a Arc<Remote>,
    schedule: &'a Arc<Schedule>,
    gate: &'a SearchControl,
    times: &'a JobTimes,
    task: &'a Task,
    request: Option<&'a RequestId>,
}

impl RemoteSearch<'_> {
    /// Asks one worker after the other.
    async fn attempts(&self) -> Outcome {
        let mut tried = Vec::new();
        let mut began = None;
        loop {
            self.wait_for_slot().await;
            if self.gate.is_stopped() {
                let stopping = self.schedule.is_stopping();
                return Outcome::Ended(Err(if stopping { Error::stopping() } else { too_late() }));
            }
            let now = Instant::now();
            let left = self.times.ends_by.saturating_duration_since(now);
            let spent = began.map_or(Duration::ZERO, |began| now.duration_since(began));
            let least = self.times.think / LEAST_REPEATED;
            let think = self.times.think.saturating_sub(spent).max(least).min(left);
            if think.is_zero() {
                return Outcome::Ended(Err(too_late()));
            }
            let Some(attempt) = Attempt::begin(self.remote, &tried) else { return Outcome::NoWorker(think) };
            let worker = attempt.place.worker.clone();
            began.get_or_insert(now);
            match self.attempt(attempt, think).await {
                AttemptOutcome::Ended(result) => return Outcome::Ended(result),
                AttemptOutcome::Again(why) => {
                    self.remote.metrics.retries.inc();
                    tracing::debug!(worker, why, "a search is made elsewhere");
                    tried.push(worker);
                }
            }
        }
    }

    /// Waits while the schedule has no slot for this search, unless there are no slots at all.
    async fn wait_for_slot(&self) {
        let mut slots = self.remote.slots.subscribe();
        while self.gate.is_suspended() && !self.gate.is_stopped() && *slots.borrow_and_update() > 0 {
            tokio::select! {
                () = self.gate.signal() => {}
                // Its sender lives as long as this search.
                _ = slots.changed() => {}
            }
        }
    }

    /// Asks one worker.
    async fn attempt(&self, mut attempt: Attempt, think: Duration) -> AttemptOutcome {
        if !attempt.think(self.task, self.request, think).await {
            return AttemptOutcome::Again("NATS takes no orders");
        }
        let (ordered, lost) = (Instant::now(), attempt.place.lost.clone());
        let answers_by = ordered + think.mul_f64(TO_ANSWER).clamp(LEAST_TO_ANSWER, SILENCE);
        loop {
            tokio::select! {
                biased;
                incoming = attempt.inbox.recv() => {
                    let incoming = incoming.unwrap_or(WorkerMessage::NoWorker);
                    if let Some(outcome) = self.hear(&mut attempt, incoming, ordered) {
                        return outcome;
                    }
                }
                () = lost.cancelled() => return AttemptOutcome::Again("the worker is lost"),
                () = self.gate.signal() => attempt.pass_on(self.gate).await,
                () = tokio::time::sleep_until(answers_by.into()), if !attempt.taken => {
                    self.distrust(&attempt, SILENT_FOR, "it does not answer orders");
                    return AttemptOutcome::Again("the worker does not answer");
                }
            }
        }
    }

    /// Does not use a worker for a while.
    fn distrust(&self, attempt: &Attempt, time: Duration, why: &str) {
        let worker = &attempt.place.worker;
        if self.remote.roster().distrust(worker, Instant::now() + time) {
            tracing::warn!(worker, why, "a worker is not used any more");
        }
        self.remote.update_slots(self.schedule);
    }

    /// Whether an answer can be true: its moves are legal, its numbers are in their ranges.
    fn can_be(&self, answer: &EngineDecision) -> bool {
        let position = &self.task.position;
        let is_legal = |mv: &MoveText| position.check(&mv.notation).is_ok_and(|own| own == *mv);
        let is_score = |value: f64| (0.0..=1.0).contains(&value);
        is_legal(&answer.mv)
            && is_score(answer.value)
            && answer.candidates.iter().all(|one| is_legal(&one.mv) && is_score(one.value))
            && answer.line.first().is_none_or(is_legal)
    }

    /// Handles a message; returns how the attempt ends, if it does. `ordered`: when the worker was asked.
    fn hear(
        &self,
        attempt: &mut Attempt,
        incoming: WorkerMessage,
        ordered: Instant,
    ) -> Option<AttemptOutcome> {
        let report = match incoming {
            WorkerMessage::Report(report) => report,
            WorkerMessage::NoWorker => {
                self.remote.lose(self.schedule, &attempt.place.worker, "it is gone");
                return Some(AttemptOutcome::Again("the worker is gone"));
            }
        };
        attempt.taken = true;
        let answer = match &report {
            SearchReport::Found(found) => Some(&found.answer),
            SearchReport::Done(done) => Some(&done.answer),
            SearchReport::Taken | SearchReport::Refused { .. } => None,
        };
        if answer.is_some_and(|answer| !self.can_be(answer)) {
            self.distrust(attempt, FALSE_FOR, "its answer cannot be true");
            return Some(AttemptOutcome::Again("the worker's answer cannot be true"));
        }
        // It cannot have thought for longer than that.
        let most_us = micros(ordered.elapsed());
        match report {
            SearchReport::Taken => None,
            SearchReport::Found(TimedAnswer { answer, took_us }) => {
                let took_us = took_us.min(most_us);
                if let Some(updates) = &self.task.updates {
                    // If the caller has disconnected, the search is cancelled as well.
                    let _ = updates.send(AnalysisUpdate { answer, took: Duration::from_micros(took_us) });
                }
                None
            }
            SearchReport::Done(done) => {
                attempt.ended = true;
                Some(AttemptOutcome::Ended(Ok(TimedAnswer { took_us: done.took_us.min(most_us), ..done })))
            }
            SearchReport::Refused { why, detail } => {
                attempt.ended = true;
                Some(match why {
                    WorkerRefusal::Busy => AttemptOutcome::Again("the worker is busy"),
                    WorkerRefusal::Leaving => AttemptOutcome::Again("the worker is ending"),
                    WorkerRefusal::Unsuitable => {
                        tracing::warn!(worker = attempt.place.worker, detail, "a worker cannot run a search");
                        AttemptOutcome::Again("the worker cannot run it")
                    }
                    WorkerRefusal::EngineFailed => {
                        AttemptOutcome::Ended(Err(Error::new(Code::EngineFailed, detail)))
                    }
                })
            }
        }
    }
}

/// A search at one worker. Dropping it cancels the search there.
struct Attempt {
    remote: Arc<Remote>,
    place: Place,
    key: SearchKey,
    inbox: mpsc::UnboundedReceiver<WorkerMessage>,
    /// Whether the worker was last asked to suspend the search.
    suspended: bool,
    finishing: bool,
    /// Whether the worker has sent a report.
    taken: bool,
    /// Whether the worker has sent its last report.
    ended: bool,
}

impl Attempt {
    /// Takes a place at a worker that is not among `tried`.
    fn begin(remote: &Arc<Remote>, tried: &[String]) -> Option<Self> {
        let place = remote.roster().place(tried)?;
        let (search, inbox) = remote.open_inbox();
        let key = SearchKey { node: remote.node.clone(), search };
        let remote = Arc::clone(remote);
        Some(Self {
            remote,
            place,
            key,
            inbox,
            suspended: false,
            finishing: false,
            taken: false,
            ended: false,
        })
    }

    /// Asks for the search. Returns whether the request was sent.
    async fn think(&self, task: &Task, request: Option<&RequestId>, think: Duration) -> bool {
        let Some(engine) = self.remote.version(task.engine).cloned() else { return false };
        let order = ThinkOrder {
            key: self.key.clone(),
            engine,
            position: task.position.to_raw(),
            limits: task.limits.clone(),
            think_us: micros(think),
            left_us: micros(task.deadline.saturating_duration_since(Instant::now())),
            updates: task.updates.is_some(),
            request: request.map(ToString::to_string),
        };
        let reply = wire::reports(&self.key.node, self.key.search);
        let bytes = wire::to_bytes(&SearchOrder::Think(Box::new(order)));
        let client = &self.remote.broker.client;
        client.publish_with_reply(wire::orders(&self.place.worker), reply, bytes).await.is_ok()
    }

    /// Tells the worker what the schedule wants now.
    async fn pass_on(&mut self, gate: &SearchControl) {
        let order: SearchOrder<()> = if gate.is_stopped() {
            if std::mem::replace(&mut self.finishing, true) {
                return;
            }
            SearchOrder::Finish(self.key.clone())
        } else {
            let waits = gate.is_suspended();
            if std::mem::replace(&mut self.suspended, waits) == waits {
                return;
            }
            self.remote.roster().suspend(&self.place, waits);
            if waits { SearchOrder::Suspend(self.key.clone()) } else { SearchOrder::Resume(self.key.clone()) }
        };
        let bytes = wire::to_bytes(&order);
        // A failure shows as a lost worker.
        let _ = self.remote.broker.client.publish(wire::orders(&self.place.worker), bytes).await;
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        self.remote.close_inbox(self.key.search);
        self.remote.roster().leave(&self.place, self.suspended);
        if !self.ended && self.remote.broker.is_connected() {
            let client = self.remote.broker.client.clone();
            let subject = wire::orders(&self.place.worker);
            let bytes = wire::to_bytes(&SearchOrder::<()>::Cancel(self.key.clone()));
            self.remote.spawn(async move {
                // If it fails, the search ends by its deadline.
                let _ = client.publish(subject, bytes).await;
            });
        }
    }
}
