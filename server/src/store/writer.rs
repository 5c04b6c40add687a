//! The one writer: takes all requests that wait, writes them in one transaction, and answers when it is on disk. No
//! timer: while one transaction is being written, the next one gathers.

use std::time::{Duration, Instant};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};
use tokio::time::MissedTickBehavior;
use tokio_util::sync::CancellationToken;

use crate::domain::MatchId;
use crate::domain::Stage;
use crate::domain::time::Millis;
use crate::metrics::StoreMetrics;
use crate::store::StoreError;
use crate::store::batch::{Batch, Committed, Deed, transact};
use crate::store::faults::{Fault, Kind};
use crate::store::keeping::Wish;
use crate::store::plan::Memory;
use crate::store::servers::Presence;
use crate::store::shared::Shared;

/// Most requests of one transaction.
const MOST: usize = 256;

/// How often the writer looks whether another server has written something.
const LOOK: Duration = Duration::from_millis(50);

/// A request, and who waits for it.
pub struct Request {
    /// What it wants written.
    pub deed: Deed,
    /// When it was made.
    pub since: Instant,
    /// Gets the result. The receiver may be gone: the deed is done all the same.
    pub reply: oneshot::Sender<Result<Written, StoreError>>,
}

/// A request that is on disk.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    /// How long that took, in microseconds.
    pub took_us: u64,
    /// How many players, bans or matches a change has changed.
    pub changed: u64,
}

/// The writer.
pub struct Writer {
    /// Requests, in the order in which they came.
    pub queue: mpsc::Receiver<Request>,
    /// What the rest of the store knows.
    pub shared: std::sync::Arc<Shared>,
    /// The sign that this server lives.
    pub me: Presence,
    /// How to connect again.
    pub options: SqliteConnectOptions,
    /// The connection; `None` after it has failed.
    pub db: Option<SqliteConnection>,
    /// What the database said of its version when its news was read last.
    pub version: Option<i64>,
    /// What is known of live matches.
    pub memory: Memory,
    /// What is counted.
    pub metrics: StoreMetrics,
}

impl Writer {
    /// Writes until the store is closed, or dropped.
    pub async fn run(mut self, closing: CancellationToken) {
        let shared = std::sync::Arc::clone(&self.shared);
        let mut look = tokio::time::interval(LOOK);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut asked = Vec::with_capacity(MOST);
        loop {
            tokio::select! {
                biased;
                () = closing.cancelled(), if !self.queue.is_closed() => self.queue.close(),
                taken = self.queue.recv_many(&mut asked, MOST) => {
                    if taken == 0 {
                        break;
                    }
                    self.gather(&mut asked).await;
                    self.write(std::mem::replace(&mut asked, Vec::with_capacity(MOST))).await;
                }
                () = shared.wake.notified() => self.write(Vec::new()).await,
                _ = look.tick() => self.look_around().await,
            }
        }
        if closing.is_cancelled() {
            self.end().await;
        }
    }

    /// Those just answered often have something new at once: as long as more come, each gets a turn to say it, since
    /// all share the wait for the disk.
    async fn gather(&mut self, asked: &mut Vec<Request>) {
        while asked.len() < MOST {
            tokio::task::yield_now().await;
            let before = asked.len();
            while asked.len() < MOST
                && let Ok(request) = self.queue.try_recv()
            {
                asked.push(request);
            }
            if asked.len() == before {
                break;
            }
        }
    }

    /// Writes these requests, and what nobody waits for.
    async fn write(&mut self, asked: Vec<Request>) {
        let wishes = self.shared.keeping().unwritten();
        let beat = self.shared.unwritten_beat(oldest(&asked));
        if asked.is_empty() && wishes.is_empty() && beat.is_none() {
            return;
        }
        let deeds: Vec<&Deed> = asked.iter().map(|request| &request.deed).collect();
        match self.attempt(&Batch { deeds: &deeds, wishes: &wishes, beat }).await {
            Ok(done) => self.settle(asked, done.verdicts),
            // One of them is wrong: alone, it harms nobody else.
            Err(fault) if fault.is_of_request() && asked.len() > 1 => self.write_singly(asked).await,
            Err(fault) => {
                for request in asked {
                    // Who has gone need not know.
                    let _ = request.reply.send(Err(fault.clone().into()));
                }
            }
        }
    }

    async fn write_singly(&mut self, asked: Vec<Request>) {
        for request in asked {
            let verdict =
                match self.attempt(&Batch { deeds: &[&request.deed], wishes: &[], beat: None }).await {
                    Ok(done) => done.verdicts,
                    Err(fault) => vec![Err(fault.into())],
                };
            self.settle(vec![request], verdict);
        }
    }

    /// One transaction. After an error nothing of it is there, as far as can be known.
    async fn attempt(&mut self, batch: &Batch<'_>) -> Result<Committed, Fault> {
        let began = Instant::now();
        let result = self.transaction(batch).await;
        match &result {
            Ok(done) => {
                self.metrics.commit(done.verdicts.len(), began.elapsed());
                self.shared.keeping().written(batch.wishes);
                if let Some(beat) = &batch.beat {
                    self.shared.beat_written(beat);
                }
                self.shared.downtimes().add_known(done.downtimes.iter().copied());
                self.shared.worked();
                self.hear(done).await;
            }
            Err(fault) => {
                self.metrics.failures.inc();
                if fault.kind == Kind::Corrupt {
                    self.shared.is_damaged("a page of it could not be written");
                }
                // A wrong request says nothing about the database.
                if !fault.is_of_request() {
                    self.shared.failed(began, fault);
                }
            }
        }
        result
    }

    async fn transaction(&mut self, batch: &Batch<'_>) -> Result<Committed, Fault> {
        let db = match self.db.take() {
            Some(db) => self.db.insert(db),
            None => self.db.insert(self.options.connect().await?),
        };
        let result = transact(db, &self.me, &mut self.memory, batch).await;
        if let Err(fault) = &result {
            // What of it is there is not sure.
            self.memory.forget_all();
            if !fault.spares_connection() || sqlx::query("ROLLBACK").execute(db).await.is_err() {
                // What state the connection is in nobody knows. A fresh one rolls back whatever is to be rolled back.
                (self.db, self.version) = (None, None);
            }
        }
        result
    }

    /// Tells each request what has become of it.
    fn settle(&self, asked: Vec<Request>, verdicts: Vec<Result<u64, StoreError>>) {
        for (request, verdict) in asked.into_iter().zip(verdicts) {
            if let (Deed::Append(append), Ok(_)) = (&request.deed, &verdict)
                && append.row.as_ref().is_some_and(|row| row.stage == Stage::Over)
            {
                self.shared.keeping().over(&append.id);
            }
            let took_us = u64::try_from(request.since.elapsed().as_micros()).unwrap_or(u64::MAX);
            // Who has gone need not know.
            let _ = request.reply.send(verdict.map(|changed| Written { took_us, changed }));
        }
    }

    /// What others had written before this transaction, and who has died.
    async fn hear(&mut self, done: &Committed) {
        if !done.dead.is_empty() {
            tracing::info!("{} other servers have died; what they held is free", done.dead.len());
            self.me.bury_blocking(&done.dead);
        }
        if done.before > self.memory.seen && !self.read_news(done.before).await {
            return;
        }
        self.memory.seen = done.before + i64::try_from(done.events).unwrap_or(0);
    }

    /// Whether somebody else has written something: cheap, for where this server writes nothing itself.
    async fn look_around(&mut self) {
        let Some(db) = &mut self.db else { return };
        // A failure here is found again, and told, by the next write.
        let Ok(now) = sqlx::query_scalar("PRAGMA data_version").fetch_one(&mut *db).await else { return };
        if self.version == Some(now) {
            return;
        }
        let last = sqlx::query_scalar::<_, Option<i64>>(LAST).fetch_one(db).await;
        let Ok(last) = last.map(|last| last.unwrap_or(0)) else { return };
        if last > self.memory.seen && self.read_news(last).await {
            self.memory.seen = last;
        }
        if last == self.memory.seen {
            self.version = Some(now);
        }
    }

    /// The matches of the events behind those known here, up to `last`. Whether they could be read.
    async fn read_news(&mut self, last: i64) -> bool {
        let Some(db) = &mut self.db else { return false };
        let ids = sqlx::query_scalar::<_, String>(NEWS).bind(self.memory.seen).bind(last).fetch_all(db).await;
        let Ok(ids) = ids else { return false };
        for id in ids.iter().filter_map(|id| MatchId::parse(id)) {
            self.memory.forget(&id);
            self.shared.add_news(id);
        }
        self.shared.came.notify_one();
        true
    }

    /// The last beat, then nothing remains but the one file.
    async fn end(mut self) {
        self.shared.stop(self.shared.now());
        let wishes: Vec<(MatchId, Wish)> = self.shared.keeping().unwritten();
        let beat = Some(self.shared.heartbeat(None));
        // There is nobody left to tell; the next start finds out.
        let _ = self.attempt(&Batch { deeds: &[], wishes: &wishes, beat }).await;
        if let Some(mut db) = self.db.take() {
            let _ = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut db).await;
            let _ = db.close().await;
        }
    }
}

/// When the first of these events was decided.
fn oldest(asked: &[Request]) -> Option<Millis> {
    let events = asked.iter().filter_map(|request| match &request.deed {
        Deed::Append(append) => append.events.first().map(|event| event.at_ms),
        _ => None,
    });
    events.min()
}

const LAST: &str = "SELECT max(position) FROM events";
const NEWS: &str = "SELECT DISTINCT id FROM events JOIN matches ON nr = match_nr
    WHERE position > $1 AND position <= $2";

/// The statements, for the test that prepares them all.
#[cfg(test)]
pub const STATEMENTS: [&str; 2] = [LAST, NEWS];

/// The position of the last event there is.
pub async fn last_position(db: &mut SqliteConnection) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar::<_, Option<i64>>(LAST).fetch_one(db).await?.unwrap_or(0))
}
