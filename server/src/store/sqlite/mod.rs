//! The store in an SQLite file: one writer, several readers. Any number of nodes on the same machine can share the file.

mod accounts;
mod batch;
mod boards;
mod chat;
mod integrity;
mod lobby;
mod nodes;
mod open;
mod ratings;
mod readers;
mod schema;
mod tournaments;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

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
use crate::store::chat_sql;
use crate::store::commands::{NewPlayer, WriteCommand, WriteReceipt, WriteRequest};
use crate::store::database_error::CORRUPT;
#[cfg(test)]
use crate::store::lobby_sql;
use crate::store::match_cache::MatchCache;
use crate::store::open_error::OpenError;
#[cfg(test)]
use crate::store::rating_sql;
use crate::store::shared::SharedState;
use crate::store::sqlite::writer::Writer;
#[cfg(test)]
use crate::store::tournament_sql;
use crate::store::{
    Append, Ban, BotEntry, FormerName, Holding, LeaderboardFilter, ListedMatch, ListedTournament, LobbyRows,
    MatchFilter, MatchStatus, NewBot, OpponentResults, PlayerEntry, PlayerProfile, RatedPlayer, RatingCheck,
    RatingPoint, RunningTournament, Store, StoreChange, StoreError, StoredChallenge, StoredEvent,
    StoredMessage, StoredRequest,
};

pub use integrity::{back_up, check};
pub(super) use nodes::has_living_nodes;
pub(super) use schema::is_current;

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) fn statements() -> Vec<&'static str> {
    readers::statements()
        .into_iter()
        .chain(batch::statements())
        .chain(writer::STATEMENTS)
        .chain(accounts::STATEMENTS)
        .chain(boards::STATEMENTS)
        .chain(rating_sql::write::STATEMENTS)
        .chain(tournament_sql::sql::WRITES)
        .chain(tournaments::STATEMENTS)
        .chain(chat_sql::sql::STATEMENTS)
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
    /// How to connect for reading.
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

    /// Runs a test's statement on the writer's connection, inside a transaction.
    #[cfg(test)]
    pub(super) async fn raw(&self, sql: &'static str) -> Result<u64, StoreError> {
        self.write(WriteCommand::Raw(sql)).await.map(|written| written.took_us)
    }
}

impl Store for SqliteStore {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move { Ok(self.write(WriteCommand::Append(append)).await?.took_us) })
    }

    fn log(&self, id: MatchId, from: u32) -> BoxFuture<'_, Result<Vec<StoredEvent>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(readers::log(&self.readers, &id, from).await) })
    }

    fn list(&self, filter: MatchFilter) -> BoxFuture<'_, Result<Vec<ListedMatch>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(readers::list(&self.readers, &filter).await) })
    }

    fn rematch(&self, of: MatchId) -> BoxFuture<'_, Result<Option<MatchId>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(readers::rematch(&self.readers, &of).await) })
    }

    fn request(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<StoredRequest>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(readers::request(&self.readers, key).await) })
    }

    fn add_player(
        &self,
        who: PlayerRef,
        key: KeyHash,
        created_ms: Millis,
        request: Option<StoredRequest>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        let new = NewPlayer { who, key, created_ms, request, bot: None };
        Box::pin(async move { self.write(WriteCommand::Player(new)).await.map(drop) })
    }

    fn add_bot(&self, bot: NewBot) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move { self.write(WriteCommand::Player(bot.into())).await.map(drop) })
    }

    fn bots(&self, owner: String) -> BoxFuture<'_, Result<Vec<BotEntry>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(boards::bots(&self.readers, &owner).await) })
    }

    fn leaderboard(&self, filter: LeaderboardFilter) -> BoxFuture<'_, Result<Vec<RatedPlayer>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(boards::leaderboard(&self.readers, &filter).await) })
    }

    fn rating_history(
        &self,
        player: String,
        game: String,
        wanted: Vec<u64>,
    ) -> BoxFuture<'_, Result<Vec<RatingPoint>, StoreError>> {
        Box::pin(async move {
            self.shared.note_damage(boards::history(&self.readers, &player, &game, &wanted).await)
        })
    }

    fn opponents(
        &self,
        player: String,
        game: String,
        after: Option<(u64, String)>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<OpponentResults>, StoreError>> {
        Box::pin(async move {
            self.shared
                .note_damage(boards::opponents(&self.readers, &player, &game, after.as_ref(), limit).await)
        })
    }

    fn rated_since(&self, id: MatchId, most: u32) -> BoxFuture<'_, Result<Option<u64>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(boards::rated_since(&self.readers, &id, most).await) })
    }

    fn check_ratings(&self) -> BoxFuture<'_, Result<RatingCheck, StoreError>> {
        Box::pin(async move { self.shared.note_damage(boards::check(&self.readers).await) })
    }

    fn tournament_log(
        &self,
        id: TournamentId,
        from: u32,
    ) -> BoxFuture<'_, Result<Vec<StoredEvent>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(tournaments::log(&self.readers, &id, from).await) })
    }

    fn tournaments(
        &self,
        game: Option<String>,
        before: Option<TournamentId>,
        limit: u32,
    ) -> BoxFuture<'_, Result<Vec<ListedTournament>, StoreError>> {
        Box::pin(async move {
            let (game, before) = (game.as_deref(), before.as_ref());
            self.shared.note_damage(tournaments::list(&self.readers, game, before, limit).await)
        })
    }

    fn running_tournaments(&self) -> BoxFuture<'_, Result<Vec<RunningTournament>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(tournaments::running(&self.readers).await) })
    }

    fn match_status(&self, ids: Vec<MatchId>) -> BoxFuture<'_, Result<Vec<MatchStatus>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(tournaments::match_status(&self.readers, &ids).await) })
    }

    fn player_by_key(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<PlayerRef>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(readers::player_by_key(&self.readers, key).await) })
    }

    fn player(&self, name: String) -> BoxFuture<'_, Result<Option<PlayerProfile>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(readers::player(&self.readers, &name).await) })
    }

    fn lobby(&self, settled_after_ms: Millis) -> BoxFuture<'_, Result<LobbyRows, StoreError>> {
        Box::pin(async move { self.shared.note_damage(lobby::all(&self.readers, settled_after_ms).await) })
    }

    fn challenge(&self, id: String) -> BoxFuture<'_, Result<Option<StoredChallenge>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(lobby::one(&self.readers, &id).await) })
    }

    fn lobby_changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.shared.lobby_changed.notified())
    }

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

    fn accounts_version(&self) -> BoxFuture<'_, Result<i64, StoreError>> {
        Box::pin(async move { self.shared.note_damage(accounts::version(&self.readers).await) })
    }

    fn former_names(&self) -> BoxFuture<'_, Result<Vec<FormerName>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(accounts::former_names(&self.readers).await) })
    }

    fn chat(&self, id: MatchId, from: u32) -> BoxFuture<'_, Result<Vec<StoredMessage>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(chat::heard(&self.readers, &id, from).await) })
    }

    fn bans(&self) -> BoxFuture<'_, Result<Vec<Ban>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(accounts::bans(&self.readers).await) })
    }

    fn is_taken(&self, name: NameKey, now: Millis) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(async move { self.shared.note_damage(accounts::is_taken(&self.readers, &name, now).await) })
    }

    fn playing(&self, player: String) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>> {
        Box::pin(async move { self.shared.note_damage(accounts::playing(&self.readers, &player).await) })
    }

    fn players(&self, after: String, limit: u32) -> BoxFuture<'_, Result<Vec<PlayerEntry>, StoreError>> {
        Box::pin(
            async move { self.shared.note_damage(accounts::players(&self.readers, &after, limit).await) },
        )
    }

    fn due(&self, now: Millis, limit: u32) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>> {
        Box::pin(async move {
            // Read the unwritten changes before the database: a change that is written in between is in both.
            let not_due = self.shared.holds().not_due(now);
            let most = i64::from(limit).saturating_add(i64::try_from(not_due.len()).unwrap_or(i64::MAX));
            let due = readers::due(&self.readers, now, most).await;
            let mut due = self.shared.note_damage(due)?;
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
                downtimes.add((now, now.saturating_add(Millis::try_from(took_us / 1000).unwrap_or(0))));
            }
            Ok(())
        })
    }

    fn heartbeat(&self, now: Millis) {
        self.shared.record_heartbeat(now);
    }

    fn stop(&self, now: Millis) {
        self.shared.stop(now);
    }

    fn downtimes(&self, from: Millis) -> Vec<(Millis, Millis)> {
        self.shared.downtimes().after(from)
    }

    fn record_shown(&self, id: MatchId, seq: u32, at_ms: Millis) {
        self.shared.record_shown(id, seq, at_ms);
    }

    fn shown_at(&self, id: MatchId) -> BoxFuture<'_, Result<Option<(u32, Millis)>, StoreError>> {
        Box::pin(async move {
            match self.shared.shown_at(&id) {
                Some(unwritten) => Ok(Some(unwritten)),
                None => readers::shown_at(&self.readers, &id).await,
            }
        })
    }

    fn health_changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.shared.health_changed.notified())
    }

    fn changed_elsewhere(&self) -> BoxFuture<'_, Vec<MatchId>> {
        Box::pin(async move {
            loop {
                let notified = self.shared.changed_elsewhere_notify.notified();
                let changed = self.shared.take_changed_elsewhere();
                if !changed.is_empty() {
                    return changed;
                }
                notified.await;
            }
        })
    }

    fn pepper(&self) -> &[u8; 32] {
        &self.pepper
    }

    fn health(&self) -> Result<(), String> {
        self.shared.health()
    }

    fn ready(&self) -> Result<(), String> {
        if self.shared.damaged() { Err(CORRUPT.to_owned()) } else { self.shared.health() }
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

    fn node(&self) -> &str {
        &self.node
    }

    fn is_shared(&self) -> bool {
        false
    }

    /// Nodes on one file take matches from each other.
    fn holding(&self, _: &MatchId) -> Holding {
        Holding::Here
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
