//! The store on a file of SQLite: one writer, some readers, and as many servers on it as there are on this machine.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use futures_util::future::BoxFuture;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::domain::MatchId;
use crate::domain::PlayerRef;
use crate::domain::names::NameKey;
use crate::domain::time::Millis;
use crate::domain::time::ServerClock;
use crate::domain::token::KeyHash;
use crate::metrics::StoreMetrics;
use crate::store::accounts;
use crate::store::accounts::{Ban, Change};
use crate::store::batch::{Deed, NewPlayer};
use crate::store::faults::CORRUPT;
use crate::store::integrity;
use crate::store::open;
use crate::store::open::OpenError;
use crate::store::plan::Memory;
use crate::store::shared::Shared;
use crate::store::writer::{Request, Writer, Written};
use crate::store::{
    Append, Filter, FormerName, Listed, Player, PlayerEntry, RequestKey, Store, StoreError, StoredEvent,
    readers,
};

/// Requests that may wait for the writer; whoever comes then waits at the door.
const QUEUE: usize = 1024;

/// Connections for reading.
const READERS: u32 = 4;

/// A database in a file. Dropped without [`Store::close`], it ends as a killed server does.
pub struct Sqlite {
    queue: mpsc::Sender<Request>,
    readers: SqlitePool,
    shared: Arc<Shared>,
    /// How to connect for reading.
    reading: SqliteConnectOptions,
    pepper: [u8; 32],
    now: ServerClock,
    closing: CancellationToken,
    closed: CancellationToken,
}

impl Sqlite {
    /// Opens the database in this file, and makes it where there is none. `system_ms`: the time by the system's clock.
    ///
    /// # Errors
    /// When it cannot be used; the text says what to do.
    pub async fn open(path: &Path, system_ms: Millis, metrics: StoreMetrics) -> Result<Self, OpenError> {
        let opened = open::open(path, ServerClock::beginning_at(system_ms)).await?;
        let (sender, queue) = mpsc::channel(QUEUE);
        let shared = Arc::new(Shared::new(opened.now.ms()));
        let reading = opened.options.clone().read_only(true);
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .test_before_acquire(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_lazy_with(reading.clone());
        let writer = Writer {
            queue,
            shared: Arc::clone(&shared),
            me: opened.me,
            options: opened.options,
            db: Some(opened.db),
            memory: Memory::new(opened.seen),
            version: None,
            metrics,
        };
        let (closing, closed) = (CancellationToken::new(), CancellationToken::new());
        let (until, ended) = (closing.clone(), closed.clone().drop_guard());
        tokio::spawn(async move {
            writer.run(until).await;
            drop(ended);
        });
        let (pepper, now) = (opened.pepper, opened.now);
        Ok(Self { queue: sender, readers, shared, reading, pepper, now, closing, closed })
    }

    /// What time it is for all servers on this database: never before what it knows, whatever the system's clock says.
    pub fn now(&self) -> ServerClock {
        self.now
    }

    async fn ask(&self, deed: Deed) -> Result<Written, StoreError> {
        let closed = |()| StoreError::Unavailable("the database is closed".to_owned());
        let (reply, answer) = oneshot::channel();
        let request = Request { deed, since: Instant::now(), reply };
        self.queue.send(request).await.map_err(|_| closed(()))?;
        answer.await.map_err(|_| closed(()))?
    }

    /// Runs a statement of a test's on the writer's connection, inside a transaction.
    #[cfg(test)]
    pub(super) async fn raw(&self, sql: &'static str) -> Result<u64, StoreError> {
        self.ask(Deed::Raw(sql)).await.map(|written| written.took_us)
    }
}

impl Store for Sqlite {
    fn append(&self, append: Append) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move { Ok(self.ask(Deed::Append(append)).await?.took_us) })
    }

    fn log(&self, id: MatchId, from: u32) -> BoxFuture<'_, Result<Vec<StoredEvent>, StoreError>> {
        Box::pin(async move { self.shared.notice(readers::log(&self.readers, &id, from).await) })
    }

    fn list(&self, filter: Filter) -> BoxFuture<'_, Result<Vec<Listed>, StoreError>> {
        Box::pin(async move { self.shared.notice(readers::list(&self.readers, &filter).await) })
    }

    fn rematch(&self, of: MatchId) -> BoxFuture<'_, Result<Option<MatchId>, StoreError>> {
        Box::pin(async move { self.shared.notice(readers::rematch(&self.readers, &of).await) })
    }

    fn request(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<RequestKey>, StoreError>> {
        Box::pin(async move { self.shared.notice(readers::request(&self.readers, key).await) })
    }

    fn add_player(
        &self,
        who: PlayerRef,
        key: KeyHash,
        created_ms: Millis,
        request: Option<RequestKey>,
    ) -> BoxFuture<'_, Result<(), StoreError>> {
        let new = NewPlayer { who, key, created_ms, request };
        Box::pin(async move { self.ask(Deed::Player(new)).await.map(drop) })
    }

    fn player_by_key(&self, key: KeyHash) -> BoxFuture<'_, Result<Option<PlayerRef>, StoreError>> {
        Box::pin(async move { self.shared.notice(readers::player_by_key(&self.readers, key).await) })
    }

    fn player(&self, name: String) -> BoxFuture<'_, Result<Option<Player>, StoreError>> {
        Box::pin(async move { self.shared.notice(readers::player(&self.readers, &name).await) })
    }

    fn change(&self, change: Change) -> BoxFuture<'_, Result<u64, StoreError>> {
        Box::pin(async move { Ok(self.ask(Deed::Change(change)).await?.changed) })
    }

    fn accounts_version(&self) -> BoxFuture<'_, Result<i64, StoreError>> {
        Box::pin(async move { self.shared.notice(accounts::version(&self.readers).await) })
    }

    fn former_names(&self) -> BoxFuture<'_, Result<Vec<FormerName>, StoreError>> {
        Box::pin(async move { self.shared.notice(accounts::former_names(&self.readers).await) })
    }

    fn bans(&self) -> BoxFuture<'_, Result<Vec<Ban>, StoreError>> {
        Box::pin(async move { self.shared.notice(accounts::bans(&self.readers).await) })
    }

    fn is_taken(&self, name: NameKey, now: Millis) -> BoxFuture<'_, Result<bool, StoreError>> {
        Box::pin(async move { self.shared.notice(accounts::is_taken(&self.readers, &name, now).await) })
    }

    fn playing(&self, player: String) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>> {
        Box::pin(async move { self.shared.notice(accounts::playing(&self.readers, &player).await) })
    }

    fn players(&self, after: String, limit: u32) -> BoxFuture<'_, Result<Vec<PlayerEntry>, StoreError>> {
        Box::pin(async move { self.shared.notice(accounts::players(&self.readers, &after, limit).await) })
    }

    fn due(&self, now: Millis, limit: u32) -> BoxFuture<'_, Result<Vec<MatchId>, StoreError>> {
        Box::pin(async move {
            // First what is not written yet: what is written meanwhile, the database knows.
            let not_due = self.shared.keeping().not_due(now);
            let most = i64::from(limit).saturating_add(i64::try_from(not_due.len()).unwrap_or(i64::MAX));
            let mut due = self.shared.notice(readers::due(&self.readers, now, most).await)?;
            due.retain(|id| !not_due.contains(id));
            due.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
            Ok(due)
        })
    }

    fn hold(&self, id: MatchId) {
        self.shared.keeping().hold(id);
        self.shared.wake.notify_one();
    }

    fn release(&self, id: MatchId, wake_ms: Option<Millis>) {
        self.shared.keeping().release(id, wake_ms);
        self.shared.wake.notify_one();
    }

    fn serve(&self, now: Millis) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            let took_us = self.ask(Deed::Serve(now)).await?.took_us;
            let mut downtimes = self.shared.downtimes();
            if downtimes.after(now - 1).first().is_some_and(|(_, to)| *to == now) {
                // What this took, the database does not know yet.
                downtimes.add((now, now.saturating_add(Millis::try_from(took_us / 1000).unwrap_or(0))));
            }
            Ok(())
        })
    }

    fn beat(&self, now: Millis) {
        self.shared.beat(now);
    }

    fn stop(&self, now: Millis) {
        self.shared.stop(now);
    }

    fn downtimes(&self, from: Millis) -> Vec<(Millis, Millis)> {
        self.shared.downtimes().after(from)
    }

    fn shown(&self, id: MatchId, seq: u32, at_ms: Millis) {
        self.shared.shown(id, seq, at_ms);
    }

    fn shown_at(&self, id: MatchId) -> BoxFuture<'_, Result<Option<(u32, Millis)>, StoreError>> {
        Box::pin(async move {
            match self.shared.shown_at(&id) {
                Some(unwritten) => Ok(Some(unwritten)),
                None => readers::shown_at(&self.readers, &id).await,
            }
        })
    }

    fn turned(&self) -> BoxFuture<'_, ()> {
        Box::pin(self.shared.turned.notified())
    }

    fn news(&self) -> BoxFuture<'_, Vec<MatchId>> {
        Box::pin(async move {
            loop {
                let came = self.shared.came.notified();
                let news = self.shared.take_news();
                if !news.is_empty() {
                    return news;
                }
                came.await;
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

    fn examine(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        Box::pin(async move {
            match integrity::quick_check(&self.reading).await {
                Ok(None) => Ok(()),
                Ok(Some(damage)) => {
                    self.shared.is_damaged(&damage);
                    Ok(())
                }
                Err(fault) => self.shared.notice(Err(fault.into())),
            }
        })
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        Box::pin(async move {
            // Readers first: the last connection to be closed tidies up, and only the writer's may.
            self.readers.close().await;
            self.closing.cancel();
            self.closed.cancelled().await;
        })
    }
}
