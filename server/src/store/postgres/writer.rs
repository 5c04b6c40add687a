//! The only writer of a node: takes all waiting requests, writes them in one transaction, and answers once it is on disk.
//! There is no timer: while one transaction is being written, the requests for the next one gather. If the connection is
//! lost, it finds out whether the transaction was written before it answers.

use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::postgres::PgConnectOptions;
use sqlx::{Connection, PgConnection};
use tokio::sync::{Notify, mpsc};
use tokio::time::{MissedTickBehavior, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::domain::time::Millis;
use crate::metrics::StoreMetrics;
use crate::recovery::backoff::Backoff;
use crate::store::StoreError;
use crate::store::database_error::{DatabaseError, DatabaseErrorKind};
use crate::store::downtime::Span;
use crate::store::postgres::batch::{Committed, Failure, Numbers, Transaction, ends};
use crate::store::postgres::connect::{self, ANSWER_TIMEOUT};
use crate::store::postgres::live::LiveMatches;
use crate::store::postgres::nodes::{self, Node};
use crate::store::postgres::notifications::announce::Untold;
use crate::store::postgres::read_pool::ReadPool;
use crate::store::writing::commands::{
    Batch, MAX_REQUESTS, WriteCommand, WriteReceipt, WriteRequest, gather,
};
use crate::store::writing::holds::HoldChange;
use crate::store::writing::match_cache::MatchCache;
use crate::store::writing::shared::SharedState;

/// The lease is renewed about this often. Other nodes consider a node cut off if it has not renewed its lease for 0.9 seconds:
/// see `cut_off`.
const RENEWAL: Duration = Duration::from_millis(500);

/// How often a transaction is repeated because another node was in the way.
const COLLISIONS: u32 = 5;

/// How long the callers of an interrupted transaction wait for its outcome.
const OUTCOME_TIMEOUT: Duration = Duration::from_secs(2);

/// After this long without an answer the database counts as away.
const NOTICE: Duration = Duration::from_secs(1);

/// A node whose reads had no answer for this long does not renew its lease, so that others take its matches over.
const READS_LOST: Duration = Duration::from_secs(4);

/// The delays between attempts to connect.
const RECONNECT: Backoff = Backoff::doubling(Duration::from_millis(50), Duration::from_millis(500));

const BATCH: &str = "SELECT batch FROM nodes WHERE id = $1";

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 1] = [BATCH];

/// The writer task.
pub(super) struct Writer {
    /// Requests, in the order of their arrival.
    pub queue: mpsc::Receiver<WriteRequest>,
    /// State shared with the rest of the store.
    pub shared: Arc<SharedState>,
    /// The matches that live here.
    pub live: Arc<LiveMatches>,
    /// The matches of which the other nodes must be notified.
    pub untold: Arc<Untold>,
    /// Another connection was lost, so that this one may be lost, too.
    pub doubt: Arc<Notify>,
    /// The connections for reading.
    pub readers: Arc<ReadPool>,
    pub node: Node,
    /// The options for connecting again.
    pub options: PgConnectOptions,
    /// The connection; `None` after it has failed.
    pub db: Option<PgConnection>,
    /// The cache of live matches.
    pub cache: MatchCache,
    /// The numbers for new matches.
    pub numbers: Numbers,
    /// The number of the last transaction that was begun.
    pub number: i64,
    /// The time of the last renewal of the lease.
    pub renewed: Instant,
    /// The last heartbeat that was written.
    pub beat_ms: Millis,
    /// The time of the next attempt to connect, after one failed, and the error.
    pub reconnect: Option<(Instant, Backoff, DatabaseError)>,
    /// Counters.
    pub metrics: StoreMetrics,
}

impl Writer {
    /// Writes until the store is closed or dropped.
    pub(super) async fn run(mut self, closing: CancellationToken) {
        let (shared, doubt) = (Arc::clone(&self.shared), Arc::clone(&self.doubt));
        let mut renewal = tokio::time::interval(RENEWAL / 2);
        renewal.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut requests = Vec::with_capacity(MAX_REQUESTS);
        loop {
            tokio::select! {
                biased;
                () = closing.cancelled(), if !self.queue.is_closed() => self.queue.close(),
                taken = self.queue.recv_many(&mut requests, MAX_REQUESTS) => {
                    if taken == 0 {
                        break;
                    }
                    gather(&mut self.queue, &mut requests).await;
                    self.write(std::mem::replace(&mut requests, Vec::with_capacity(MAX_REQUESTS))).await;
                }
                () = shared.wake.notified() => self.write(Vec::new()).await,
                () = doubt.notified() => self.check().await,
                _ = renewal.tick() => self.write(Vec::new()).await,
            }
        }
        if closing.is_cancelled() {
            self.finish().await;
        }
    }

    /// Writes these requests, and then what is to be written without a request. Appends, heartbeats and holds have transactions
    /// of their own, and each waits for rows of matches in one statement, which locks them in order: two transactions could
    /// wait for each other otherwise.
    async fn write(&mut self, requests: Vec<WriteRequest>) {
        if !requests.is_empty() {
            self.write_requests(requests).await;
        }
        let heartbeat = self.shared.unwritten_heartbeat(None);
        if heartbeat.is_some() || self.renewed.elapsed() >= RENEWAL {
            // What is not written stays to be written, here and below.
            let _ = self.attempt(&Batch { commands: &[], holds: &[], heartbeat }).await;
        }
        let holds = self.shared.holds().all();
        if !holds.is_empty() {
            let _ = self.attempt(&Batch { commands: &[], holds: &holds, heartbeat: None }).await;
        }
    }

    async fn write_requests(&mut self, requests: Vec<WriteRequest>) {
        let commands: Vec<&WriteCommand> = requests.iter().map(|request| &request.command).collect();
        match self.attempt(&Batch { commands: &commands, holds: &[], heartbeat: None }).await {
            Ok(done) => self.reply(requests, done.results),
            // One of them is wrong: written one by one, it does not affect the others.
            Err(error) if error.is_of_request() && requests.len() > 1 => self.write_singly(requests).await,
            Err(error) => {
                for request in requests {
                    // The caller may have gone.
                    let _ = request.reply.send(Err(error.clone().into()));
                }
            }
        }
    }

    /// Finds out at once whether the database is away, by renewing the lease: clocks run until that is known.
    async fn check(&mut self) {
        // The attempt itself notes whether the database answered.
        let _ = self.attempt(&Batch { commands: &[], holds: &[], heartbeat: None }).await;
    }

    async fn write_singly(&mut self, requests: Vec<WriteRequest>) {
        for request in requests {
            let batch = Batch { commands: &[&request.command], holds: &[], heartbeat: None };
            let results = match self.attempt(&batch).await {
                Ok(done) => done.results,
                Err(error) => vec![Err(error.into())],
            };
            self.reply(vec![request], results);
        }
    }

    /// Runs one transaction. After an error nothing of it is in the database, as far as that can be known.
    async fn attempt(&mut self, batch: &Batch<'_>) -> Result<Committed, DatabaseError> {
        let began = Instant::now();
        let result = match self.readers.silent_for() < READS_LOST || self.readers.answer(NOTICE).await {
            true => self.transaction(batch).await,
            false => Err(DatabaseError::away("it answers no reads")),
        };
        match &result {
            Ok(done) => {
                self.metrics.commit(done.results.len(), began.elapsed());
                self.renewed = began;
                self.shared.holds().mark_written(batch.holds);
                if let Some(heartbeat) = &batch.heartbeat {
                    self.shared.heartbeat_written(heartbeat, done.dead == 0);
                    self.beat_ms = heartbeat.at_ms;
                }
                self.process_outcome(batch, done);
                self.shared.write_succeeded();
            }
            Err(error) => {
                self.metrics.failures.inc();
                // A wrong request does not mean that the database fails.
                if !error.is_of_request() {
                    self.shared.write_failed(began, error);
                }
            }
        }
        result
    }

    /// Repeats the transaction while it can succeed: other nodes were in the way, the lease had expired, or the connection
    /// was lost before anything was written.
    async fn transaction(&mut self, batch: &Batch<'_>) -> Result<Committed, DatabaseError> {
        let began = Instant::now();
        let (mut collisions, mut interrupted) = (0, false);
        loop {
            self.connect(began, interrupted).await?;
            let tried = Instant::now();
            match self.try_once(batch).await {
                Ok(done) => return Ok(done),
                Err(Failure::LeaseLost) => self.rejoin().await?,
                Err(Failure::Database(error, outcome)) => match error.kind {
                    DatabaseErrorKind::Taken | DatabaseErrorKind::Collision if collisions < COLLISIONS => {
                        collisions += 1;
                        let changes = |command: &&WriteCommand| !matches!(command, WriteCommand::Append(_));
                        if error.kind == DatabaseErrorKind::Taken && batch.commands.iter().any(changes) {
                            // It may be a taken name or token, which stays taken.
                            return Err(error);
                        }
                    }
                    DatabaseErrorKind::Away
                        if !batch.commands.is_empty() && began.elapsed() < OUTCOME_TIMEOUT =>
                    {
                        interrupted = true;
                        // Until the outcome is known nothing can be written: no clock runs meanwhile.
                        self.shared.write_failed(tried, &error);
                        if self.was_written(began).await? {
                            return Ok(outcome);
                        }
                    }
                    _ => return Err(error),
                },
            }
        }
    }

    async fn try_once(&mut self, batch: &Batch<'_>) -> Result<Committed, Failure> {
        let Some(db) = &mut self.db else { return Err(DatabaseError::away("not connected").into()) };
        self.number += 1;
        let (node, cache, numbers) = (&self.node, &mut self.cache, &mut self.numbers);
        let mut transaction = Transaction { db, node, cache, numbers, number: self.number };
        // The outcome of a transaction that was given up is unknown, like that of a lost connection.
        let (results, limit) = (vec![Ok(0); batch.commands.len()], ANSWER_TIMEOUT);
        let (shared, answered, queue) = (&self.shared, &self.renewed, &mut self.queue);
        let result = {
            let mut work = std::pin::pin!(timeout(limit, transaction.carry_out(batch)));
            match timeout(NOTICE, work.as_mut()).await {
                Ok(result) => result,
                Err(_) => {
                    // It may still be carried out. Meanwhile the database counts as away, since its last answer: it may stand
                    // still since then.
                    let silent = DatabaseError::away("no answer for a second");
                    shared.write_failed(*answered, &silent);
                    refuse_until(work, queue, &silent).await
                }
            }
        };
        let result = result.unwrap_or_else(|_| {
            let outcome = Committed { results, ..Committed::default() };
            Err(Failure::Database(DatabaseError::away("no answer in time"), outcome))
        });
        if let Err(failure) = &result {
            // It is uncertain which part of it is in the database.
            self.cache.clear();
            let spared = match failure {
                Failure::LeaseLost => true,
                Failure::Database(error, _) => {
                    error.spares_connection() || error.kind == DatabaseErrorKind::Collision
                }
            };
            let rolled_back =
                spared && connect::in_time(ANSWER_TIMEOUT, sqlx::query("ROLLBACK").execute(db)).await.is_ok();
            if !rolled_back {
                self.db = None;
            }
        }
        result
    }

    /// Connects again if the connection is lost. `began`: the start of the first attempt; `patient`: whether to try for
    /// a while.
    async fn connect(&mut self, began: Instant, patient: bool) -> Result<(), DatabaseError> {
        if self.db.is_some() {
            return Ok(());
        }
        loop {
            let mut backoff = match &self.reconnect {
                Some((at, backoff, why)) if Instant::now() < *at => {
                    if !patient || began.elapsed() > OUTCOME_TIMEOUT {
                        return Err(why.clone());
                    }
                    sleep(at.saturating_duration_since(Instant::now())).await;
                    backoff.clone()
                }
                Some((_, backoff, _)) => backoff.clone(),
                None => RECONNECT,
            };
            match self.connected().await {
                Ok(db) => {
                    (self.db, self.reconnect) = (Some(db), None);
                    return Ok(());
                }
                Err(error) => {
                    self.reconnect = Some((Instant::now() + backoff.pause(), backoff, error.clone()));
                    if !patient || began.elapsed() > OUTCOME_TIMEOUT {
                        return Err(error);
                    }
                }
            }
        }
    }

    /// A connection that holds the lock of this node: no work of an earlier one is still under way.
    async fn connected(&self) -> Result<PgConnection, DatabaseError> {
        let mut db = connect::connect(&self.options).await?;
        connect::in_time(ANSWER_TIMEOUT, nodes::lock(&mut db, &self.node)).await?;
        Ok(db)
    }

    /// Whether the last transaction was written although the connection was lost.
    async fn was_written(&mut self, began: Instant) -> Result<bool, DatabaseError> {
        self.connect(began, true).await?;
        let Some(db) = &mut self.db else { return Err(DatabaseError::away("not connected")) };
        let query = sqlx::query_scalar::<_, i64>(BATCH).bind(&self.node.id).fetch_optional(db);
        let last = connect::in_time(ANSWER_TIMEOUT, query).await.inspect_err(|_| self.db = None)?;
        Ok(last == Some(self.number))
    }

    /// Joins again after the lease has expired: this node was stopped for too long, and others may have taken its
    /// matches over. Each match that lives here is read again.
    async fn rejoin(&mut self) -> Result<(), DatabaseError> {
        tracing::warn!(
            "this node did not reach the database for longer than its lease lasts; it joins again"
        );
        // A match that leaves meanwhile is released afterwards: held without an actor, it would wait for ever.
        self.live.lose_all(|id| {
            self.shared.holds().hold(id.clone());
            self.shared.add_changed_elsewhere(id.clone());
        });
        self.shared.changed_elsewhere_notify.notify_one();
        let Some(db) = &mut self.db else { return Err(DatabaseError::away("not connected")) };
        let serves = !self.shared.heartbeat(None).stopping && self.shared.serves();
        let (node, now, before) = (&self.node, self.shared.now(), self.beat_ms);
        let joined = async {
            let mut tx = db.begin().await?;
            nodes::register(&mut tx, node, if serves { before } else { 0 }).await?;
            let found = match serves {
                true => nodes::serve(&mut tx, node, now, Some(before)).await?.1,
                false => Vec::new(),
            };
            tx.commit().await?;
            Ok(found)
        };
        let found = connect::in_time(ANSWER_TIMEOUT, joined).await.inspect_err(|_| self.db = None)?;
        self.tell_downtimes(&found);
        Ok(())
    }

    /// Sends each request its result.
    fn reply(&self, requests: Vec<WriteRequest>, results: Vec<Result<u64, StoreError>>) {
        for (request, result) in requests.into_iter().zip(results) {
            let took_us = u64::try_from(request.made.elapsed().as_micros()).unwrap_or(u64::MAX);
            // The caller may have gone.
            let _ = request.reply.send(result.map(|changed| WriteReceipt { took_us, changed }));
        }
    }

    /// Remembers what the transaction has changed.
    fn process_outcome(&self, batch: &Batch<'_>, done: &Committed) {
        if done.dead > 0 {
            tracing::info!("{} other nodes have died; the matches that they held are free", done.dead);
        }
        for (command, result) in batch.commands.iter().zip(&done.results) {
            let (WriteCommand::Append(append), Ok(_)) = (command, result) else { continue };
            let events = append.seq.saturating_add(u32::try_from(append.events.len()).unwrap_or(u32::MAX));
            self.untold.add(&append.id, events);
            if ends(append) {
                self.shared.holds().remove(&append.id);
                self.live.remove(&append.id);
            } else if append.seq == 0 {
                self.live.created(&append.id, events);
            } else {
                self.live.note(&append.id, events);
            }
        }
        for (id, _) in batch.holds.iter().filter(|(_, change)| *change == HoldChange::Hold) {
            let found = done.held.iter().find(|(held, _)| held == id);
            if self.live.set_held(id, found.is_some(), found.and_then(|(_, unheld)| *unheld)) {
                // Its actor finds out that it must act now.
                self.shared.add_changed_elsewhere(id.clone());
                self.shared.changed_elsewhere_notify.notify_one();
            }
        }
        self.tell_downtimes(&done.downtimes);
    }

    fn tell_downtimes(&self, found: &[Span]) {
        if self.shared.downtimes().add_known(found.iter().copied()) {
            self.shared.health_changed.notify_one();
        }
    }

    /// Writes the last heartbeat, and leaves.
    async fn finish(mut self) {
        self.shared.stop(self.shared.now());
        let holds = self.shared.holds().all();
        let heartbeat = Some(self.shared.heartbeat(None));
        // No caller waits for this; the next start finds out.
        let _ = self.attempt(&Batch { commands: &[], holds: &holds, heartbeat: None }).await;
        let _ = self.attempt(&Batch { commands: &[], holds: &[], heartbeat }).await;
        if let Some(mut db) = self.db.take() {
            let _ = connect::in_time(ANSWER_TIMEOUT, nodes::leave(&mut db, &self.node)).await;
            let _ = timeout(ANSWER_TIMEOUT, db.close()).await;
        }
    }
}

/// Waits for `work`, a transaction without an answer. Meanwhile it refuses the requests in the queue: the database has not received
/// them, so their outcome is certain.
async fn refuse_until<T>(
    mut work: Pin<&mut impl Future<Output = T>>,
    queue: &mut mpsc::Receiver<WriteRequest>,
    why: &DatabaseError,
) -> T {
    loop {
        tokio::select! {
            biased;
            done = work.as_mut() => return done,
            Some(request) = queue.recv() => {
                // The caller may have gone.
                let _ = request.reply.send(Err(why.clone().into()));
            }
        }
    }
}
