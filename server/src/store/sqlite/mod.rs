//! The store in an SQLite file: one writer, several readers. Any number of nodes on the same machine can share the file.

mod accounts;
mod batch;
mod boards;
mod chat;
mod erasure;
mod integrity;
mod lobby;
mod moderation;
mod nodes;
mod open;
mod ratings;
mod readers;
mod schema;
mod tokens;
mod tournaments;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use engines::game::Seat;
use futures_util::future::BoxFuture;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::domain::names::NameKey;
use crate::domain::time::{Millis, ServerClock};
use crate::domain::token::KeyHash;
use crate::domain::{MatchId, PlayerRef, TournamentId};
use crate::metrics::StoreMetrics;
#[cfg(test)]
use crate::store::account_sql;
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
#[cfg(test)]
use crate::store::rating_sql;
use crate::store::shared::SharedState;
use crate::store::shared_methods::shared_methods;
use crate::store::sqlite::writer::Writer;
#[cfg(test)]
use crate::store::token_sql;
#[cfg(test)]
use crate::store::tournament_sql;
use crate::store::{
    Append, Ban, BotEntry, FinishedFilter, FinishedMatch, FormerName, Holding, Invitation, LeaderboardFilter,
    ListedMatch, ListedTournament, LobbyRows, MatchFilter, MatchStatus, NewBot, OpponentResults,
    PendingErasure, PlayerEntry, PlayerProfile, RatedPlayer, RatingCheck, RatingPoint, ReportSubject,
    RestrictedPlayer, RunningTournament, Store, StoreChange, StoreError, StoredChallenge, StoredEvent,
    StoredMessage, StoredReport, StoredRequest, StoredToken, TokenHolder,
};

pub use integrity::{back_up, check};
pub(super) use nodes::has_living_nodes;
#[cfg(test)]
pub(super) use schema::MIGRATIONS;
pub(super) use schema::is_current;

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) fn statements() -> Vec<&'static str> {
    readers::statements()
        .into_iter()
        .chain(batch::statements())
        .chain(writer::STATEMENTS)
        .chain(account_sql::sql::STATEMENTS)
        .chain(accounts::STATEMENTS)
        .chain(boards::STATEMENTS)
        .chain(rating_sql::write::STATEMENTS)
        .chain(tournament_sql::sql::WRITES)
        .chain(tournaments::STATEMENTS)
        .chain(token_sql::sql::STATEMENTS)
        .chain(tokens::STATEMENTS)
        .chain(chat_sql::sql::STATEMENTS)
        .chain(erasure_sql::sql::STATEMENTS)
        .chain(moderation_sql::sql::STATEMENTS)
        .chain(lobby::STATEMENTS)
        .chain(lobby_sql::write::STATEMENTS)
        .chain(lobby_sql::read::STATEMENTS)
        .collect()
}

/// The statements that read, for the test of their plans.
#[cfg(test)]
pub(super) fn reading_statements() -> Vec<&'static str> {
    readers::statements()
}

/// The number of requests that may wait for the writer; further callers wait until there is room.
const QUEUE: usize = 1024;

/// Connections for reading.
const READERS: u32 = 4;

/// A database in a file. If it is dropped without [`Store::close`], the effect is that of a killed node.
pub struct SqliteStore {
    queue: mpsc::Sender<WriteRequest>,
    readers: SqlitePool,
    shared: Arc<SharedState>,
    /// The options of connections for reading.
    reading: SqliteConnectOptions,
    node: String,
    pepper: [u8; 32],
    now: ServerClock,
    closing: CancellationToken,
    closed: CancellationToken,
}

impl SqliteStore {
    /// Opens the database in this file, and creates it if it does not exist. `system_ms`: the time of the system's clock.
    ///
    /// # Errors
    /// If it cannot be used; the text says what to do.
    pub async fn open(path: &Path, system_ms: Millis, metrics: StoreMetrics) -> Result<Self, OpenError> {
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
            metrics,
        };
        let (closing, closed) = (CancellationToken::new(), CancellationToken::new());
        let (until, ended) = (closing.clone(), closed.clone().drop_guard());
        tokio::spawn(async move {
            writer.run(until).await;
            drop(ended);
        });
        let (pepper, now) = (opened.pepper, opened.now);
        Ok(Self { queue: sender, readers, shared, reading, node, pepper, now, closing, closed })
    }

    /// The clock that all nodes on this database share. It is never before the last time in the database, whatever the
    /// system's clock says.
    pub fn now(&self) -> ServerClock {
        self.now
    }

    async fn write(&self, command: WriteCommand) -> Result<WriteReceipt, StoreError> {
        let closed = |()| StoreError::Unavailable("the database is closed".to_owned());
        let (reply, result) = oneshot::channel();
        let request = WriteRequest { command, made: Instant::now(), reply };
        self.queue.send(request).await.map_err(|_| closed(()))?;
        result.await.map_err(|_| closed(()))?
    }

    /// The connections for reading.
    fn readers(&self) -> &SqlitePool {
        &self.readers
    }

    /// Reads a whole table.
    async fn read_long<T>(&self, work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        self.read(work).await
    }

    async fn read<T>(&self, work: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        self.shared.note_damage(work.await)
    }

    /// Runs a test's statement on the writer's connection, inside a transaction.
    #[cfg(test)]
    pub(super) async fn raw(&self, sql: &'static str) -> Result<u64, StoreError> {
        self.write(WriteCommand::Raw(sql)).await.map(|written| written.took_us)
    }
}

impl Store for SqliteStore {
    shared_methods!();

    fn change(&self, change: StoreChange) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move {
            let is_lobby = matches!(change, StoreChange::Lobby(_));
            let changed = self.write(WriteCommand::Change(change)).await?.changed;
            if is_lobby {
                self.shared.lobby_changed.notify_one();
            }
            Ok(changed)
        })
    }

    fn due(&self, now: Millis, limit: u32) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>> {
        Box::pin(async move {
            // Read the unwritten changes before the database: a change that is written in between is in both.
            let not_due = self.shared.holds().not_due(now);
            let most = i64::from(limit).saturating_add(i64::try_from(not_due.len()).unwrap_or(i64::MAX));
            let mut due = self.read(readers::due(self.readers(), now, most)).await?;
            due.retain(|id| !not_due.contains(id));
            due.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            Ok(due)
        })
    }

    fn hold(&self, id: MatchId) {
        self.shared.holds().hold(id);
        self.shared.wake.notify_one();
    }

    fn release(&self, id: MatchId, wake_ms: Option<Millis>) {
        self.shared.holds().release(id, wake_ms);
        self.shared.wake.notify_one();
    }

    fn serve(&self, now: Millis) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let took_us = self.write(WriteCommand::Serve(now)).await?.took_us;
            let mut downtimes = self.shared.downtimes();
            if downtimes.after(now - 1).first().is_some_and(|(_, to)| *to == now) {
                // The database does not know yet how long this call took.
                downtimes
                    .add_common((now, now.saturating_add(Millis::try_from(took_us / 1000).unwrap_or(0))));
            }
            Ok(())
        })
    }

    fn check_file(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            match integrity::quick_check(&self.reading).await {
                Ok(None) => Ok(()),
                Ok(Some(damage)) => {
                    self.shared.set_damaged(&damage);
                    Ok(())
                }
                Err(error) => self.shared.note_damage(Err(error.into())),
            }
        })
    }

    fn is_shared(&self) -> bool {
        false
    }

    fn holding(&self, _: &MatchId) -> Holding {
        Holding::Here
    }

    fn cut_off(&self, _: MatchId, _: Seat) -> BoxFuture<'_, Result<Option<Span>, StoreError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    fn take_unheld_since(&self, _: &MatchId) -> Option<Millis> {
        None
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // Readers first: the last connection that closes removes the log, and only the writer's may do that.
            self.readers.close().await;
            self.closing.cancel();
            self.closed.cancelled().await;
        })
    }
}
