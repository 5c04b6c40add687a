//! The only writer: takes all waiting requests, writes them in one transaction, and answers once it is on disk. There is
//! no timer: while one transaction is being written, the requests for the next one gather.

use std::time::{Duration, Instant};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tokio::sync::mpsc;
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::domain::{MatchId, Stage};
use crate::metrics::StoreMetrics;
use crate::store::StoreError;
use crate::store::database_error::{DatabaseError, DatabaseErrorKind};
use crate::store::sqlite::batch::{Committed, transact};
use crate::store::sqlite::nodes::NodeLock;
use crate::store::writing::commands::{
    Batch, MAX_REQUESTS, WriteCommand, WriteReceipt, WriteRequest, gather, oldest_event,
};
use crate::store::writing::holds::HoldChange;
use crate::store::writing::match_cache::MatchCache;
use crate::store::writing::shared::SharedState;

/// How often the writer checks whether another node has written something.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The writer task.
pub(super) struct Writer {
    /// Requests, in the order of their arrival.
    pub queue: mpsc::Receiver<WriteRequest>,
    /// State shared with the rest of the store.
    pub shared: std::sync::Arc<SharedState>,
    /// The lock that shows that this node lives.
    pub node: NodeLock,
    /// The options for connecting again.
    pub options: SqliteConnectOptions,
    /// The connection; `None` after it has failed.
    pub db: Option<SqliteConnection>,
    /// SQLite's `data_version` when the other nodes' events were read last.
    pub data_version: Option<i64>,
    /// The cache of live matches.
    pub cache: MatchCache,
    /// Counters.
    pub metrics: StoreMetrics,
}

impl Writer {
    /// Writes until the store is closed or dropped.
    pub(super) async fn run(mut self, closing: CancellationToken) {
        let shared = std::sync::Arc::clone(&self.shared);
        let mut poll = tokio::time::interval(POLL_INTERVAL);
        poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
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
                _ = poll.tick() => self.poll_other_nodes().await,
            }
        }
        if closing.is_cancelled() {
            self.finish().await;
        }
    }

    /// Writes these requests, and what is to be written without a request.
    async fn write(&mut self, requests: Vec<WriteRequest>) {
        let holds = self.shared.holds().all();
        let heartbeat = self.shared.unwritten_heartbeat(oldest_event(&requests));
        if requests.is_empty() && holds.is_empty() && heartbeat.is_none() {
            return;
        }
        let commands: Vec<&WriteCommand> = requests.iter().map(|request| &request.command).collect();
        match self.attempt(&Batch { commands: &commands, holds: &holds, heartbeat }).await {
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
        let result = self.transaction(batch).await;
        match &result {
            Ok(done) => {
                self.metrics.commit(done.results.len(), began.elapsed());
                self.shared.holds().mark_written(batch.holds);
                if let Some(heartbeat) = &batch.heartbeat {
                    self.shared.heartbeat_written(heartbeat, true);
                }
                self.shared.downtimes().add_known(done.downtimes.iter().copied());
                self.shared.write_succeeded();
                self.process_outcome(done).await;
            }
            Err(error) => {
                self.metrics.failures.inc();
                if error.kind == DatabaseErrorKind::Corrupt {
                    self.shared.set_damaged("a page of it could not be written");
                }
                // A wrong request does not mean that the database fails.
                if !error.is_of_request() {
                    self.shared.write_failed(began, error);
                }
            }
        }
        result
    }

    async fn transaction(&mut self, batch: &Batch<'_>) -> Result<Committed, DatabaseError> {
        let db = match self.db.take() {
            Some(db) => self.db.insert(db),
            None => self.db.insert(self.options.connect().await?),
        };
        let result = transact(db, &self.node, &mut self.cache, batch).await;
        if let Err(error) = &result {
            // It is uncertain which part of it is in the database.
            self.cache.clear();
            if !error.spares_connection() || sqlx::query("ROLLBACK").execute(db).await.is_err() {
                // The state of the connection is unknown. SQLite rolls an open transaction back when it is closed.
                (self.db, self.data_version) = (None, None);
            }
        }
        result
    }

    /// Sends each request its result.
    fn reply(&self, requests: Vec<WriteRequest>, results: Vec<Result<u64, StoreError>>) {
        for (request, result) in requests.into_iter().zip(results) {
            if let (WriteCommand::Append(append), Ok(_)) = (&request.command, &result)
                && append.row.as_ref().is_some_and(|row| row.stage == Stage::Over)
            {
                self.shared.holds().remove(&append.id);
            }
            let took_us = u64::try_from(request.made.elapsed().as_micros()).unwrap_or(u64::MAX);
            // The caller may have gone.
            let _ = request.reply.send(result.map(|changed| WriteReceipt { took_us, changed }));
        }
    }

    /// Cleans up after dead nodes, and reads what other nodes had written before this transaction.
    async fn process_outcome(&mut self, done: &Committed) {
        if !done.dead.is_empty() {
            tracing::info!("{} other nodes have died; the matches that they held are free", done.dead.len());
            self.node.remove_files_blocking(&done.dead);
        }
        if done.position_before > self.cache.last_position && !self.read_changes(done.position_before).await {
            return;
        }
        self.cache.last_position = done.position_before + i64::try_from(done.events).unwrap_or(0);
    }

    /// Checks whether another node has written something. Cheap, for times in which this node writes nothing.
    async fn poll_other_nodes(&mut self) {
        let Some(db) = &mut self.db else { return };
        // The next write meets a failure again and reports it.
        let Ok(now) = sqlx::query_scalar("PRAGMA data_version").fetch_one(&mut *db).await else { return };
        if self.data_version == Some(now) {
            return;
        }
        let last = sqlx::query_scalar::<_, Option<i64>>(LAST).fetch_one(db).await;
        let Ok(last) = last.map(|last| last.unwrap_or(0)) else { return };
        if last > self.cache.last_position && self.read_changes(last).await {
            self.cache.last_position = last;
        }
        if last == self.cache.last_position {
            self.data_version = Some(now);
        }
    }

    /// Reads which matches have events after those known here, up to position `last`. Returns whether that succeeded.
    async fn read_changes(&mut self, last: i64) -> bool {
        let Some(db) = &mut self.db else { return false };
        let query = sqlx::query_scalar::<_, String>(CHANGED).bind(self.cache.last_position).bind(last);
        let Ok(ids) = query.fetch_all(db).await else { return false };
        for id in ids.iter().filter_map(|id| MatchId::parse(id)) {
            self.cache.remove(&id);
            self.shared.add_changed_elsewhere(id);
        }
        self.shared.changed_elsewhere_notify.notify_one();
        true
    }

    /// Writes the last heartbeat, and leaves nothing but the database file.
    async fn finish(mut self) {
        self.shared.stop(self.shared.now());
        let holds: Vec<(MatchId, HoldChange)> = self.shared.holds().all();
        let heartbeat = Some(self.shared.heartbeat(None));
        // No caller waits for this; the next start finds out.
        let _ = self.attempt(&Batch { commands: &[], holds: &holds, heartbeat }).await;
        if let Some(mut db) = self.db.take() {
            let _ = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut db).await;
            let _ = db.close().await;
        }
    }
}

const LAST: &str = "SELECT max(position) FROM events";
const CHANGED: &str = "SELECT DISTINCT id FROM events JOIN matches ON nr = match_nr
    WHERE position > $1 AND position <= $2";

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 2] = [LAST, CHANGED];

/// The position of the last event in the database; 0 if there is none.
pub(super) async fn last_position(db: &mut SqliteConnection) -> Result<i64, DatabaseError> {
    Ok(sqlx::query_scalar::<_, Option<i64>>(LAST).fetch_one(db).await?.unwrap_or(0))
}
