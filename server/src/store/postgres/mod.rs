//! A database on a PostgreSQL server: one writer per node, several readers. Any number of nodes on any machines can share the
//! database.

mod batch;
mod buckets;
mod clock;
mod connect;
mod cut_off;
mod live;
mod nodes;
mod notifications;
mod open;
mod read_pool;
mod schema;
mod write;
mod writer;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use engines::game::Seat;
use futures_util::future::BoxFuture;
use tokio::sync::{Notify, mpsc};
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::domain::token;
use crate::limits::creations::{Rate, SharedBuckets};
use crate::metrics::StoreMetrics;
use crate::store::address::PostgresUrl;
use crate::store::database_store::{Backend, DatabaseStore, QUEUE};
use crate::store::downtime::Span;
use crate::store::open_error::OpenError;
use crate::store::postgres::batch::Numbers;
use crate::store::postgres::cut_off::CutOffNodes;
use crate::store::postgres::live::LiveMatches;
use crate::store::postgres::notifications::announce::Untold;
use crate::store::postgres::notifications::news::News;
use crate::store::postgres::notifications::seats::SeatChannel;
use crate::store::postgres::notifications::spectators::SpectatorChannel;
use crate::store::postgres::read_pool::{LONG_READ_LIMIT, READ_LIMIT, ReadPool};
use crate::store::postgres::writer::Writer;
use crate::store::writing::match_cache::MatchCache;
use crate::store::writing::shared::SharedState;
use crate::store::{SpectatorReport, StoreError};

pub(super) use open::open_for_import;
#[cfg(test)]
pub(super) use schema::MIGRATIONS;

/// The number of creations after which the rows of full buckets are removed.
const SWEEP: u32 = 4096;

/// The statements of PostgreSQL alone, for the test that prepares each of them.
#[cfg(test)]
pub(super) fn statements() -> Vec<&'static str> {
    let all = [
        &notifications::announce::STATEMENTS[..],
        &batch::STATEMENTS,
        &buckets::STATEMENTS,
        &cut_off::STATEMENTS,
        &notifications::lobby_news::STATEMENTS,
        &notifications::news::STATEMENTS,
        &nodes::STATEMENTS,
        &open::STATEMENTS,
        &notifications::program_news::STATEMENTS,
        &read_pool::STATEMENTS,
        &notifications::seats::STATEMENTS,
        &notifications::spectators::STATEMENTS,
        &write::STATEMENTS,
        &writer::STATEMENTS,
    ];
    all.concat()
}

/// What only a store on a server has.
pub(super) struct PostgresBackend {
    /// The connections for reading.
    pub readers: Arc<ReadPool>,
    /// The matches that live on this node.
    pub live: Arc<LiveMatches>,
    /// What nodes tell each other of seats.
    pub seats: Arc<SeatChannel>,
    /// What nodes tell each other of spectators.
    pub spectators: Arc<SpectatorChannel>,
    cut_off: CutOffNodes,
    shared: Arc<SharedState>,
    node: String,
    pepper: [u8; 32],
    creations: AtomicU32,
    /// Ends the tasks that follow other nodes when the store is dropped.
    _follows: DropGuard,
}

/// Opens a database, and creates its tables if there are none. `offset_ms`: a value that tests add to the database's time.
///
/// # Errors
/// If it cannot be used; the text says what to do.
pub(super) async fn open(
    url: &PostgresUrl,
    offset_ms: Millis,
    metrics: StoreMetrics,
) -> Result<DatabaseStore, OpenError> {
    let open::OpenedDatabase { options, db, node, pepper, clock, ahead_us } =
        open::open(url, offset_ms).await?;
    let (sender, queue) = mpsc::channel(QUEUE);
    let (shared, live) = (Arc::new(SharedState::new(clock.ms())), Arc::new(LiveMatches::default()));
    let (untold, doubt) = (Arc::<Untold>::default(), Arc::<Notify>::default());
    let readers = Arc::new(ReadPool::new(options.clone(), Arc::clone(&doubt)));
    let (seats, spectators) = (Arc::<SeatChannel>::default(), Arc::<SpectatorChannel>::default());
    let (closing, closed) = (CancellationToken::new(), CancellationToken::new());
    let news = News {
        node: node.clone(),
        shared: Arc::clone(&shared),
        live: Arc::clone(&live),
        untold: Arc::clone(&untold),
        seats: Arc::clone(&seats),
        spectators: Arc::clone(&spectators),
        readers: Arc::clone(&readers),
        options: options.clone(),
        clock,
        ahead_us,
        listens: Arc::default(),
        doubt: Arc::clone(&doubt),
    };
    let (follows, listens) = (closing.child_token(), Arc::clone(&news.listens));
    tokio::spawn(news.follow(follows.clone()));
    // A notification that is missed meanwhile is repaired by the regular comparison.
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
        metrics: metrics.clone(),
    };
    let (until, ended) = (closing.clone(), closed.clone().drop_guard());
    tokio::spawn(async move {
        writer.run(until).await;
        drop(ended);
    });
    let backend = PostgresBackend {
        readers,
        live,
        seats,
        spectators,
        cut_off: CutOffNodes::default(),
        shared: Arc::clone(&shared),
        node: id.clone(),
        pepper,
        creations: AtomicU32::new(0),
        _follows: follows.drop_guard(),
    };
    Ok(DatabaseStore {
        queue: sender,
        shared,
        node: id,
        pepper,
        clock,
        closing,
        closed,
        backend: Backend::Postgres(Arc::new(backend)),
        metrics,
    })
}

impl PostgresBackend {
    /// Reads, unless the database is known to be away: that would only take time.
    pub(super) async fn read<T>(
        &self,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        self.read_within(READ_LIMIT, work).await
    }

    /// The same for a whole table.
    pub(super) async fn read_long<T>(
        &self,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
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

    /// The matches of nodes that have died a moment ago.
    pub(super) async fn orphans(&self, limit: i64) -> Result<Vec<MatchId>, StoreError> {
        self.read(nodes::orphans(&self.readers.current(), &self.node, limit)).await
    }

    /// Tells the other nodes how many spectators this one has; returns the ids of those that live.
    pub(super) async fn report_spectators(
        &self,
        report: &SpectatorReport,
    ) -> Result<Vec<String>, StoreError> {
        self.read(notifications::spectators::tell(&self.readers.current(), &self.node, report)).await
    }

    /// The time in which another node, to which the player of this seat is connected, did not reach the database.
    pub(super) async fn cut_off(&self, id: &MatchId, seat: Seat) -> Result<Option<Span>, StoreError> {
        let (readers, now) = (self.readers.current(), self.shared.now());
        self.read(self.cut_off.span(&readers, &self.node, (id, seat), now)).await
    }
}

impl SharedBuckets for PostgresBackend {
    fn take<'a>(&'a self, key: String, rate: Rate) -> BoxFuture<'a, Result<Result<(), Duration>, String>> {
        Box::pin(async move {
            let key = token::bucket_key(&self.pepper, &key);
            let taken = self.read(buckets::take(&self.readers.current(), &key, rate)).await;
            if self.creations.fetch_add(1, Ordering::Relaxed) == SWEEP {
                self.creations.store(0, Ordering::Relaxed);
                // Rows that stay do no harm; the next sweep removes them.
                let _ = self.read(buckets::sweep(&self.readers.current())).await;
            }
            taken.map_err(|e| e.to_string())
        })
    }
}
