//! Learns what other nodes have appended: by notifications, and by a regular comparison, because a notification is lost
//! while the connection is. A position in the log is not enough: several nodes commit out of order.

use std::sync::Arc;
use std::time::Duration;

use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use tokio::sync::Notify;
use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::CancellationToken;

use crate::backoff::Backoff;
use crate::domain::MatchId;
use crate::domain::time::ServerClock;
use crate::store::postgres::announce::{CHANNEL, Untold, read_note};
use crate::store::postgres::clock::{self, MEASURE_INTERVAL};
use crate::store::postgres::live::LiveMatches;
use crate::store::postgres::lobby;
use crate::store::postgres::nodes::Node;
use crate::store::postgres::seats;
use crate::store::postgres::seats::SeatChannel;
use crate::store::shared::SharedState;

/// How often the live matches are compared with the database.
const COMPARE_INTERVAL: Duration = Duration::from_secs(2);

/// How many matches one comparison contains.
const CHUNK: usize = 1000;

/// The delays before listening is tried again.
const LISTEN_BACKOFF: Backoff = Backoff::doubling(Duration::from_millis(50), Duration::from_secs(1));

const COMPARE: &str =
    "SELECT id, coalesce((SELECT max(seq) FROM events WHERE match_nr = nr), 0), stage = 'over'
    FROM matches WHERE id = ANY ($1)";

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(super) const STATEMENTS: [&str; 1] = [COMPARE];

/// The state of the tasks that follow other nodes.
pub(super) struct News {
    pub node: Node,
    pub shared: Arc<SharedState>,
    pub live: Arc<LiveMatches>,
    pub untold: Arc<Untold>,
    pub seats: Arc<SeatChannel>,
    pub readers: PgPool,
    pub options: PgConnectOptions,
    pub clock: ServerClock,
    /// How far the time of matches is ahead of the database's, in microseconds.
    pub ahead_us: i64,
    /// Notified when this node listens.
    pub listens: Arc<Notify>,
    /// Notified when the connection that listens is lost.
    pub doubt: Arc<Notify>,
}

impl News {
    /// Follows the other nodes until the store is closed or dropped.
    pub(super) async fn follow(self, closing: CancellationToken) {
        let tell = self.untold.tell_always(&self.node, &self.readers);
        let tell_seats = self.seats.tell_always(&self.readers);
        let work = async {
            tokio::join!(self.listen(), self.compare_regularly(), self.keep_time(), tell, tell_seats)
        };
        tokio::select! {
            () = closing.cancelled() => {}
            _ = work => {}
        }
        // Send the last events of this node, which is stopping.
        self.untold.tell(&self.node, &self.readers).await;
    }

    async fn listen(&self) {
        let mut backoff = LISTEN_BACKOFF;
        loop {
            if self.listen_once().await {
                self.doubt.notify_one();
                backoff = LISTEN_BACKOFF;
            }
            sleep(backoff.pause()).await;
        }
    }

    /// Listens until the connection is lost. Returns whether there was one.
    async fn listen_once(&self) -> bool {
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(Duration::from_secs(3))
            .connect_lazy_with(self.options.clone());
        let Ok(mut listener) = PgListener::connect_with(&pool).await else { return false };
        if listener.listen_all([CHANNEL, lobby::CHANNEL, seats::CHANNEL]).await.is_err() {
            return false;
        }
        self.listens.notify_one();
        self.seats.missed();
        // Read what was appended while nothing listened.
        self.compare().await;
        self.shared.lobby_changed.notify_one();
        loop {
            match listener.try_recv().await {
                Ok(Some(note)) if note.channel() == lobby::CHANNEL => self.shared.lobby_changed.notify_one(),
                Ok(Some(note)) if note.channel() == seats::CHANNEL => self.seats.hear(note.payload()),
                Ok(Some(note)) => {
                    for (id, events) in read_note(&self.node, note.payload()).into_iter().flatten() {
                        self.tell(id, events);
                    }
                    self.shared.changed_elsewhere_notify.notify_one();
                }
                Ok(None) | Err(_) => return true,
            }
        }
    }

    async fn compare_regularly(&self) {
        let mut every = interval(COMPARE_INTERVAL);
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            every.tick().await;
            self.compare().await;
        }
    }

    /// Finds the live matches to which another node has appended.
    async fn compare(&self) {
        for ids in self.live.ids().chunks(CHUNK) {
            let query = sqlx::query_as::<_, (String, i32, bool)>(COMPARE).bind(ids);
            // The writer reports that the database is away; the next comparison comes soon.
            let Ok(found) = query.fetch_all(&self.readers).await else { return };
            for (id, last, over) in found {
                self.tell(&id, last.cast_unsigned() + 1);
                if let Some(id) = MatchId::parse(&id).filter(|_| over) {
                    self.live.remove(&id);
                }
            }
            self.shared.changed_elsewhere_notify.notify_one();
        }
    }

    fn tell(&self, id: &str, events: u32) {
        if let Some(id) = MatchId::parse(id).filter(|id| self.live.note(id, events)) {
            self.shared.add_changed_elsewhere(id);
        }
    }

    async fn keep_time(&self) {
        loop {
            sleep(MEASURE_INTERVAL).await;
            // The next measurement makes up for one that fails.
            let Ok(mut db) = self.readers.acquire().await else { continue };
            if let Ok(measured) = clock::measure(&mut db).await {
                self.clock.correct(measured.moment, measured.us.saturating_add(self.ahead_us));
            }
        }
    }
}
