//! The store in a PostgreSQL database: one writer per node, several readers. Any number of nodes on any machines can share
//! the database.

mod accounts;
mod announce;
mod batch;
mod boards;
mod buckets;
mod chat;
mod clock;
mod connect;
mod cut_off;
mod erasure;
mod live;
mod lobby;
mod moderation;
mod news;
mod nodes;
mod open;
mod ratings;
mod read_pool;
mod readers;
mod schema;
mod seats;
mod tokens;
mod tournaments;
mod write;
mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use engines::game::Seat;
use futures_util::future::BoxFuture;
use sqlx::PgPool;
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::domain::names::NameKey;
use crate::domain::time::{Millis, ServerClock};
use crate::domain::token::{self, KeyHash};
use crate::domain::{MatchId, PlayerRef, TournamentId};
use crate::limits::creations::{Rate, SharedBuckets};
use crate::metrics::StoreMetrics;
#[cfg(test)]
use crate::store::account_sql;
use crate::store::address::PostgresUrl;
#[cfg(test)]
use crate::store::chat_sql;
use crate::store::commands::{NewPlayer, WriteCommand, WriteReceipt, WriteRequest};
use crate::store::database_error::CORRUPT;
use crate::store::downtime::Span;
#[cfg(test)]
use crate::store::erasure_sql;
#[cfg(test)]
use crate::store::lobby_sql;
use crate::store::match_cache::MatchCache;
#[cfg(test)]
use crate::store::moderation_sql;
use crate::store::open_error::OpenError;
use crate::store::postgres::announce::Untold;
use crate::store::postgres::batch::Numbers;
use crate::store::postgres::cut_off::CutOffNodes;
use crate::store::postgres::live::LiveMatches;
use crate::store::postgres::news::News;
use crate::store::postgres::read_pool::{LONG_READ_LIMIT, READ_LIMIT, ReadPool};
use crate::store::postgres::seats::SeatChannel;
use crate::store::postgres::writer::Writer;
#[cfg(test)]
use crate::store::rating_sql;
use crate::store::shared::SharedState;
use crate::store::shared_methods::shared_methods;
#[cfg(test)]
use crate::store::token_sql;
#[cfg(test)]
use crate::store::tournament_sql;
use crate::store::{
    Append, Ban, BotEntry, FinishedFilter, FinishedMatch, FormerName, Holding, Invitation, LeaderboardFilter,
    ListedMatch, ListedTournament, LobbyRows, MatchFilter, MatchStatus, NewBot, OpponentResults,
    PendingErasure, PlayerEntry, PlayerProfile, RatedPlayer, RatingCheck, RatingPoint, ReportSubject,
    RestrictedPlayer, RunningTournament, SeatNews, SeatTaken, Store, StoreChange, StoreError,
    StoredChallenge, StoredEvent, StoredMessage, StoredReport, StoredRequest, StoredToken, TokenHolder,
};

/// The number of requests that may wait for the writer; further callers wait until there is room.
const QUEUE: usize = 1024;

/// The number of creations after which the rows of full buckets are removed.
const SWEEP: u32 = 4096;

/// A database on a server. If it is dropped without [`Store::close`], the effect is that of a killed node.
pub struct PostgresStore {
    queue: mpsc::Sender<WriteRequest>,
    readers: Arc<ReadPool>,
    shared: Arc<SharedState>,
    live: Arc<LiveMatches>,
    seats: Arc<SeatChannel>,
    cut_off: CutOffNodes,
    node: String,
    pepper: [u8; 32],
    clock: ServerClock,
    creations: AtomicU32,
    closing: CancellationToken,
    closed: CancellationToken,
    /// Ends the tasks that follow other nodes when the store is dropped.
    _follows: DropGuard,
}

impl PostgresStore {
    /// Opens a database, and creates its tables if there are none. `offset_ms`: a value that tests add to the
    /// database's time.
    ///
    /// # Errors
    /// If it cannot be used; the text says what to do.
    pub async fn open(
        url: &PostgresUrl,
        offset_ms: Millis,
        metrics: StoreMetrics,
    ) -> Result<Self, OpenError> {
        let open::OpenedDatabase { options, db, node, pepper, clock, ahead_us } =
            open::open(url, offset_ms).await?;
        let (sender, queue) = mpsc::channel(QUEUE);
        let (shared, live) = (Arc::new(SharedState::new(clock.ms())), Arc::new(LiveMatches::default()));
        let (untold, doubt) = (Arc::<Untold>::default(), Arc::<Notify>::default());
        let readers = Arc::new(ReadPool::new(options.clone(), Arc::clone(&doubt)));
        let seats = Arc::<SeatChannel>::default();
        let (closing, closed) = (CancellationToken::new(), CancellationToken::new());
        let news = News {
            node: node.clone(),
            shared: Arc::clone(&shared),
            live: Arc::clone(&live),
            untold: Arc::clone(&untold),
            seats: Arc::clone(&seats),
            readers: Arc::clone(&readers),
            options: options.clone(),
            clock,
            ahead_us,
            listens: Arc::default(),
            doubt: Arc::clone(&doubt),
        };
        let (follows, listens) = (closing.child_token(), Arc::clone(&news.listens));
        tokio::spawn(news.follow(follows.clone()));
        // The comparison makes up for it later.
        let _ = timeout(connect::ANSWER_TIMEOUT, listens.notified()).await;
        let id = node.id.clone();
        let writer = Writer {
            queue,
            shared: Arc::clone(&shared),
            live: Arc::clone(&live),
            untold,
            doubt,
            readers: Arc::clone(&readers),
            node,
            options,
            db: Some(db),
            cache: MatchCache::new(0),
            numbers: Numbers::default(),
            number: 0,
            renewed: Instant::now(),
            beat_ms: 0,
            reconnect: None,
            metrics,
        };
        let (until, ended) = (closing.clone(), closed.clone().drop_guard());
        tokio::spawn(async move {
            writer.run(until).await;
            drop(ended);
        });
        Ok(Self {
            queue: sender,
            readers,
            shared,
            live,
            seats,
            cut_off: CutOffNodes::default(),
            node: id,
            pepper,
            clock,
            creations: AtomicU32::new(0),
            closing,
            closed,
            _follows: follows.drop_guard(),
        })
    }

    /// The clock that all nodes on this database share: the database's time. It never goes back.
    pub fn now(&self) -> ServerClock {
        self.clock
    }

    async fn write(&self, command: WriteCommand) -> Result<WriteReceipt, StoreError> {
        let closed = |()| StoreError::Unavailable("the database is closed".to_owned());
        let (reply, result) = oneshot::channel();
        let request = WriteRequest { command, made: Instant::now(), reply };
        self.queue.send(request).await.map_err(|_| closed(()))?;
        result.await.map_err(|_| closed(()))?
    }

    /// The connections for reading.
    fn readers(&self) -> PgPool {
        self.readers.current()
    }

    /// Reads, unless the database is known to be away: that would only take time.
    async fn read<T>(&self, work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        self.read_within(READ_LIMIT, work).await
    }

    /// The same for a whole table.
    async fn read_long<T>(&self, work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        self.read_within(LONG_READ_LIMIT, work).await
    }

    async fn read_within<T>(
        &self,
        limit: Duration,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        if self.shared.is_away() {
            self.shared.health().map_err(StoreError::Unavailable)?;
        }
        self.shared.note_damage(self.readers.within(limit, work).await)
    }
}

pub(super) use open::open_for_import;
#[cfg(test)]
pub(super) use schema::MIGRATIONS;

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) fn statements() -> Vec<&'static str> {
    let all = [
        &account_sql::sql::STATEMENTS[..],
        &accounts::STATEMENTS,
        &announce::STATEMENTS,
        &batch::STATEMENTS,
        &boards::STATEMENTS,
        &ratings::STATEMENTS,
        &rating_sql::write::STATEMENTS,
        &seats::STATEMENTS,
        &tournament_sql::sql::WRITES,
        &tournaments::STATEMENTS,
        &token_sql::sql::STATEMENTS,
        &tokens::STATEMENTS,
        &chat_sql::sql::STATEMENTS,
        &erasure_sql::sql::STATEMENTS,
        &moderation_sql::sql::STATEMENTS,
        &lobby::STATEMENTS,
        &lobby::NOTIFY_STATEMENTS,
        &lobby_sql::write::STATEMENTS,
        &lobby_sql::read::STATEMENTS,
        &buckets::STATEMENTS,
        &cut_off::STATEMENTS,
        &news::STATEMENTS,
        &nodes::STATEMENTS,
        &read_pool::STATEMENTS,
        &open::STATEMENTS,
        &write::STATEMENTS,
        &writer::STATEMENTS,
    ];
    all.concat()
}

/// The statements that read, with parameters of these types.
#[cfg(test)]
pub(super) fn reading_statements() -> Vec<&'static str> {
    readers::statements()
}

impl SharedBuckets for PostgresStore {
    fn take<'a>(&'a self, key: String, rate: Rate) -> BoxFuture<'a, Result<Result<(), Duration>, String>> {
        Box::pin(async move {
            let key = token::bucket_key(&self.pepper, &key);
            let taken = self.read(buckets::take(&self.readers(), &key, rate)).await;
            if self.creations.fetch_add(1, Ordering::Relaxed) == SWEEP {
                self.creations.store(0, Ordering::Relaxed);
                // Rows that stay do no harm; the next sweep removes them.
                let _ = self.read(buckets::sweep(&self.readers())).await;
            }
            taken.map_err(|e| e.to_string())
        })
    }
}

impl Store for PostgresStore {
    shared_methods!();

    fn change(&self, change: StoreChange) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move { Ok(self.write(WriteCommand::Change(change)).await?.changed) })
    }

    fn due(&self, now: Millis, limit: u32) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>> {
        Box::pin(async move {
            // Read the unwritten changes before the database: a change that is written in between is in both.
            let not_due = self.shared.holds().not_due(now);
            let most = i64::from(limit).saturating_add(i64::try_from(not_due.len()).unwrap_or(i64::MAX));
            let mut due = self.read(readers::due(&self.readers(), now, most)).await?;
            due.splice(..0, self.read(nodes::orphans(&self.readers(), &self.node, most)).await?);
            due.retain(|id| !not_due.contains(id));
            due.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            Ok(due)
        })
    }

    fn hold(&self, id: MatchId) {
        self.live.add(&id);
        self.shared.holds().hold(id);
        self.shared.wake.notify_one();
    }

    fn release(&self, id: MatchId, wake_ms: Option<Millis>) {
        self.live.remove(&id);
        self.shared.holds().release(id, wake_ms);
        self.shared.wake.notify_one();
    }

    fn serve(&self, now: Millis) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let took_us = self.write(WriteCommand::Serve(now)).await?.took_us;
            self.shared.begin_to_serve();
            let mut downtimes = self.shared.downtimes();
            if downtimes.after(now - 1).first().is_some_and(|(_, to)| *to == now) {
                // The database does not know yet how long this call took.
                downtimes
                    .add_common((now, now.saturating_add(Millis::try_from(took_us / 1000).unwrap_or(0))));
            }
            Ok(())
        })
    }

    fn announce_seat(&self, taken: SeatTaken) {
        self.seats.add(taken);
    }

    fn seats_taken(&self) -> BoxFuture<'_, SeatNews> {
        Box::pin(self.seats.news())
    }

    fn check_file(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    fn is_shared(&self) -> bool {
        true
    }

    fn holding(&self, id: &MatchId) -> Holding {
        self.live.holding(id)
    }

    fn cut_off(&self, id: MatchId, seat: Seat) -> BoxFuture<'_, Result<Option<Span>, StoreError>> {
        Box::pin(async move {
            let now = self.shared.now();
            self.read(self.cut_off.span(&self.readers(), &self.node, (&id, seat), now)).await
        })
    }

    fn take_unheld_since(&self, id: &MatchId) -> Option<Millis> {
        self.live.take_unheld_since(id)
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            self.closing.cancel();
            self.readers.close().await;
            self.closed.cancelled().await;
        })
    }
}
