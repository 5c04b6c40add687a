//! A database that is open: the queue of its writer, its connections for reading, and the state that they share. What its two
//! kinds do differently is in `sqlite` and `postgres`.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::domain::time::{Millis, ServerClock};
use crate::limits::creations::SharedBuckets;
use crate::metrics::StoreMetrics;
use crate::store::StoreError;
use crate::store::address::PostgresUrl;
use crate::store::database::Readers;
use crate::store::open_error::OpenError;
use crate::store::postgres::{self, PostgresBackend};
use crate::store::sqlite::{self, SqliteBackend};
use crate::store::writing::commands::{WriteCommand, WriteReceipt, WriteRequest};
use crate::store::writing::shared::SharedState;

/// The number of requests that may wait for the writer; further callers wait until there is room.
pub(super) const QUEUE: usize = 1024;

/// A database that is open. If it is dropped without [`crate::store::NodeStore::close`], the effect is that of a killed node.
pub struct DatabaseStore {
    pub(super) queue: mpsc::Sender<WriteRequest>,
    pub(super) shared: Arc<SharedState>,
    /// This node's id.
    pub(super) node: String,
    pub(super) pepper: [u8; 32],
    pub(super) clock: ServerClock,
    /// Makes the writer end.
    pub(super) closing: CancellationToken,
    /// The writer has ended.
    pub(super) closed: CancellationToken,
    pub(super) backend: Backend,
    /// Counters.
    pub(super) metrics: StoreMetrics,
}

/// The kind of database.
pub(super) enum Backend {
    Sqlite(Box<SqliteBackend>),
    Postgres(Arc<PostgresBackend>),
}

impl DatabaseStore {
    /// Opens the SQLite database in this file, and creates it if it does not exist. `system_ms`: the time of the system's
    /// clock.
    ///
    /// # Errors
    /// If it cannot be used; the text says what to do.
    pub async fn open_file(path: &Path, system_ms: Millis, metrics: StoreMetrics) -> Result<Self, OpenError> {
        sqlite::open(path, system_ms, metrics).await
    }

    /// Opens a PostgreSQL database, and creates its tables if there are none. `offset_ms`: a value that tests add to the
    /// database's time.
    ///
    /// # Errors
    /// If it cannot be used; the text says what to do.
    pub async fn open_server(
        url: &PostgresUrl,
        offset_ms: Millis,
        metrics: StoreMetrics,
    ) -> Result<Self, OpenError> {
        postgres::open(url, offset_ms, metrics).await
    }

    /// The clock that all nodes on this database share. It is never before the last time in the database.
    pub fn now(&self) -> ServerClock {
        self.clock
    }

    /// The rate limits that hold for all nodes together, where there are several.
    pub(super) fn shared_buckets(&self) -> Option<Arc<dyn SharedBuckets>> {
        match &self.backend {
            Backend::Sqlite(_) => None,
            Backend::Postgres(postgres) => Some(Arc::<PostgresBackend>::clone(postgres)),
        }
    }

    /// Hands a command to the writer, and waits until it is on disk.
    pub(super) async fn write(&self, command: WriteCommand) -> Result<WriteReceipt, StoreError> {
        let closed = |()| StoreError::Unavailable("the database is closed".to_owned());
        let (reply, result) = oneshot::channel();
        let made = Instant::now();
        let request = WriteRequest { command, made, reply };
        self.queue.send(request).await.map_err(|_| closed(()))?;
        let receipt = result.await.map_err(|_| closed(()))?;
        match &receipt {
            Ok(receipt) => {
                self.metrics.written(made.elapsed());
                tracing::debug!(took_us = receipt.took_us, waited = ?made.elapsed(), "committed");
            }
            Err(error) => tracing::debug!(%error, "not committed"),
        }
        receipt
    }

    /// The connections for reading.
    pub(super) fn readers(&self) -> Readers {
        match &self.backend {
            Backend::Sqlite(sqlite) => Readers::Sqlite(sqlite.readers.clone()),
            Backend::Postgres(postgres) => Readers::Postgres(postgres.readers.current()),
        }
    }

    /// The result of a read.
    pub(super) async fn read<T>(
        &self,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        match &self.backend {
            Backend::Sqlite(_) => self.shared.note_damage(work.await),
            Backend::Postgres(postgres) => postgres.read(work).await,
        }
    }

    /// The same for a read of a whole table.
    pub(super) async fn read_long<T>(
        &self,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        match &self.backend {
            Backend::Sqlite(_) => self.shared.note_damage(work.await),
            Backend::Postgres(postgres) => postgres.read_long(work).await,
        }
    }

    /// Runs a test's statement on the writer's connection, inside a transaction.
    #[cfg(test)]
    pub(super) async fn raw(&self, sql: &'static str) -> Result<u64, StoreError> {
        self.write(WriteCommand::Raw(sql)).await.map(|written| written.took_us)
    }
}
