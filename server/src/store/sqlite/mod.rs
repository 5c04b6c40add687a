//! A database in an SQLite file: one writer, several readers. Any number of nodes on the same machine can share the file.

mod batch;
mod integrity;
mod name_keys;
mod nodes;
mod open;
mod schema;
mod writer;

use std::path::Path;
use std::sync::Arc;

use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::domain::time::{Millis, ServerClock};
use crate::metrics::StoreMetrics;
use crate::store::StoreError;
use crate::store::database_store::{Backend, DatabaseStore, QUEUE};
use crate::store::open_error::OpenError;
use crate::store::sqlite::writer::Writer;
use crate::store::writing::match_cache::MatchCache;
use crate::store::writing::shared::SharedState;

pub use integrity::{back_up, check};
pub(super) use nodes::has_living_nodes;
#[cfg(test)]
pub(super) use schema::MIGRATIONS;
pub(super) use schema::is_current;

/// The statements of SQLite alone, for the test that prepares each of them.
#[cfg(test)]
pub(super) fn statements() -> Vec<&'static str> {
    batch::statements().chain(writer::STATEMENTS).chain(name_keys::STATEMENTS).collect()
}

/// Connections for reading.
const READERS: u32 = 4;

/// What only a store in a file has.
pub(super) struct SqliteBackend {
    /// The connections for reading.
    pub readers: SqlitePool,
    /// Their options.
    reading: SqliteConnectOptions,
}

impl SqliteBackend {
    /// Looks for damage in the whole file.
    pub(super) async fn check_file(&self, shared: &SharedState) -> Result<(), StoreError> {
        match integrity::quick_check(&self.reading).await {
            Ok(None) => Ok(()),
            Ok(Some(damage)) => {
                shared.set_damaged(&damage);
                Ok(())
            }
            Err(error) => shared.note_damage(Err(error.into())),
        }
    }
}

/// Opens the database in this file, and creates it if it does not exist. `system_ms`: the time of the system's clock.
///
/// # Errors
/// If it cannot be used; the text says what to do.
pub(super) async fn open(
    path: &Path,
    system_ms: Millis,
    metrics: StoreMetrics,
) -> Result<DatabaseStore, OpenError> {
    let opened = open::open(path, ServerClock::beginning_at(system_ms)).await?;
    let (sender, queue) = mpsc::channel(QUEUE);
    let shared = Arc::new(SharedState::new(opened.now.ms()));
    let reading = opened.options.clone().read_only(true);
    let readers = SqlitePoolOptions::new()
        .max_connections(READERS)
        .test_before_acquire(false)
        .idle_timeout(None)
        .max_lifetime(None)
        .connect_lazy_with(reading.clone());
    let node = opened.node.id.clone();
    let writer = Writer {
        queue,
        shared: Arc::clone(&shared),
        node: opened.node,
        options: opened.options,
        db: Some(opened.db),
        cache: MatchCache::new(opened.last_position),
        data_version: None,
        metrics: metrics.clone(),
    };
    let (closing, closed) = (CancellationToken::new(), CancellationToken::new());
    let (until, ended) = (closing.clone(), closed.clone().drop_guard());
    tokio::spawn(async move {
        writer.run(until).await;
        drop(ended);
    });
    Ok(DatabaseStore {
        queue: sender,
        shared,
        node,
        pepper: opened.pepper,
        clock: opened.now,
        closing,
        closed,
        backend: Backend::Sqlite(Box::new(SqliteBackend { readers, reading })),
        metrics,
    })
}
