//! Learns what other nodes have appended: by notifications, and by a regular comparison, because a notification is lost
//! while the connection is. A position in the log is not enough: several nodes commit out of order.

use std::sync::Arc;
use std::time::Duration;

use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use tokio::sync::Notify;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::domain::MatchId;
use crate::domain::time::ServerClock;
use crate::recovery::backoff::Backoff;
use crate::store::postgres::clock::{self, MEASURE_INTERVAL};
use crate::store::postgres::connect::{self, ANSWER_TIMEOUT};
use crate::store::postgres::live::LiveMatches;
use crate::store::postgres::nodes::Node;
use crate::store::postgres::notifications::announce::{CHANNEL, Untold, read_note};
use crate::store::postgres::notifications::lobby_news;
use crate::store::postgres::notifications::program_news;
use crate::store::postgres::notifications::seats;
use crate::store::postgres::notifications::seats::SeatChannel;
use crate::store::postgres::notifications::spectators;
use crate::store::postgres::notifications::spectators::SpectatorChannel;
use crate::store::postgres::read_pool::{READ_LIMIT, ReadPool};
use crate::store::writing::shared::SharedState;

/// How often the live matches are compared with the database.
const COMPARE_INTERVAL: Duration = Duration::from_secs(2);

/// How many matches one comparison contains.
const CHUNK: usize = 1000;

/// How often a node probes the connection that listens.
const PROBE_INTERVAL: Duration = Duration::from_secs(1);

/// After this long without any notification the connection that listens counts as dead.
const PROBE_LIMIT: Duration = Duration::from_secs(3);

/// The delays before listening is tried again.
const LISTEN_BACKOFF: Backoff = Backoff::doubling(Duration::from_millis(50), Duration::from_secs(1));

const COMPARE: &str =
    "SELECT id, coalesce((SELECT max(seq) FROM events WHERE match_nr = nr), 0), stage = 'over'
    FROM matches WHERE id = ANY ($1)";

const PROBE: &str = "SELECT pg_notify($1, '')";

/// All statements, for the test that prepares each of them.
#[cfg(test)]
pub(in crate::store::postgres) const STATEMENTS: [&str; 2] = [COMPARE, PROBE];

/// The state of the tasks that follow other nodes.
pub(in crate::store::postgres) struct News {
    pub node: Node,
    pub shared: Arc<SharedState>,
    pub live: Arc<LiveMatches>,
    pub untold: Arc<Untold>,
    pub seats: Arc<SeatChannel>,
    pub spectators: Arc<SpectatorChannel>,
    pub readers: Arc<ReadPool>,
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
    pub(in crate::store::postgres) async fn follow(self, closing: CancellationToken) {
        let tell = self.untold.tell_always(&self.node, &self.readers);
        let tell_seats = self.seats.tell_always(&self.readers);
        let work = async {
            tokio::join!(
                self.listen(),
                self.probe_regularly(),
                self.compare_regularly(),
                self.keep_time(),
                tell,
                tell_seats
            )
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

    /// Sends this node a notification again and again: a connection whose packets vanish looks like one without news.
    async fn probe_regularly(&self) {
        let mut every = interval(PROBE_INTERVAL);
        every.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            every.tick().await;
            let pool = self.readers.current();
            let query = sqlx::query(PROBE).bind(self.own_channel()).execute(&pool);
            // The tasks that listen and read notice a failure.
            let _ = self.readers.within(READ_LIMIT, query).await;
        }
    }

    /// The channel of this node's notifications to itself.
    fn own_channel(&self) -> String {
        format!("{CHANNEL}_{}", self.node.id)
    }

    /// Listens until the connection is lost. Returns whether there was one.
    async fn listen_once(&self) -> bool {
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(Duration::from_secs(3))
            .connect_lazy_with(self.options.clone());
        let begin = async {
            let mut listener = PgListener::connect_with(&pool).await?;
            let own = self.own_channel();
            let shared =
                [CHANNEL, lobby_news::CHANNEL, program_news::CHANNEL, seats::CHANNEL, spectators::CHANNEL];
            listener.listen_all(shared.into_iter().chain([&*own])).await?;
            Ok(listener)
        };
        let Ok(mut listener) = connect::in_time(ANSWER_TIMEOUT, begin).await else { return false };
        self.listens.notify_one();
        self.seats.missed();
        self.spectators.missed();
        // Read what was appended while nothing listened.
        self.compare().await;
        self.shared.lobby_changed.notify_one();
        self.shared.programs_changed.send_replace(());
        loop {
            let Ok(heard) = timeout(PROBE_LIMIT, listener.try_recv()).await else { return true };
            match heard {
                Ok(Some(note)) if note.channel() == lobby_news::CHANNEL => {
                    self.shared.lobby_changed.notify_one()
                }
                Ok(Some(note)) if note.channel() == program_news::CHANNEL => {
                    self.shared.programs_changed.send_replace(());
                }
                Ok(Some(note)) if note.channel() == seats::CHANNEL => self.seats.hear(note.payload()),
                Ok(Some(note)) if note.channel() == spectators::CHANNEL => {
                    self.spectators.hear(&self.node.id, note.payload());
                }
                Ok(Some(note)) if note.channel() != CHANNEL => {}
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
            let pool = self.readers.current();
            let Ok(found) = self.readers.within(READ_LIMIT, query.fetch_all(&pool)).await else { return };
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
            let pool = self.readers.current();
            let measured = async { clock::measure(&mut *pool.acquire().await?).await };
            // The next measurement makes up for one that fails.
            if let Ok(measured) = self.readers.within(READ_LIMIT, measured).await {
                self.clock.correct(measured.moment, measured.us.saturating_add(self.ahead_us));
            }
        }
    }
}
