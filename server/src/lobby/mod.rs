//! The lobby: connected players, challenges, and pairing. The database holds all of it, with a list of the rows that have
//! changed; each node reads those rows whenever something changes, and from time to time, into a snapshot. All messages to
//! clients follow from the snapshot, so a message between nodes can be lost without harm. It must not know the form of
//! requests.

mod bot_seats;
mod challenges;
mod events;
mod ladder;
mod pairing;
mod policy;
mod pool;
mod presence;
mod seating;
mod signals;
mod snapshot;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::admission::Permit;
use crate::domain::time::Millis;
use crate::domain::{PlayerKind, PlayerRef};
use crate::error::Error;
use crate::lobby::signals::PlayerSignals;
use crate::matches::service::Matches;
use crate::store::data::lobby::{Connected, LobbyChange, LobbyNews};
use crate::store::{LeaderboardFilter, RatedPlayer, StoreChange, StoredChallenge, refused_by_store};

pub use challenges::{ChallengeShown, Proposal};
pub use events::{Follower, LobbyEvent};
pub use ladder::{CheckShown, CheckState, LadderOptions, shown_checks};
pub use policy::{Policy, PolicyFrom, PolicyRated};
pub use pool::{PoolWish, TicketGuard};
pub use snapshot::{LobbySnapshot, OnlineConnection};

/// How often the lobby is read while no message announces a change.
const REFRESH: Duration = Duration::from_millis(250);

/// How long a settled challenge is part of the snapshot, in milliseconds: longer than any node goes without reading it.
const SHOWN_MS: Millis = 60_000;

/// How long settled challenges stay in the database, in milliseconds.
const KEPT_MS: Millis = 24 * 3_600_000;

/// How often old challenges, and the remains of dead nodes, are removed.
const SWEEP: Duration = Duration::from_secs(60);

/// How long a new connection may take to appear in the snapshot.
const APPEARS_WITHIN: Duration = Duration::from_secs(10);

/// A connection that this node has had for this long and that is missing from the snapshot is written again.
const REWRITE_AFTER: Duration = Duration::from_secs(2);

/// The choice of pairs is not repeated for this many times as long as it took, so that it leaves time for the other work of
/// its task however many wait; but at most for [`LONGEST_PAIRING_PAUSE`].
const PAIRING_PAUSE: u32 = 9;
const LONGEST_PAIRING_PAUSE: Duration = Duration::from_secs(1);

/// The most engines that are read from a game's leaderboard.
const ENGINES: u32 = 200;

/// After this long, an accepted challenge without a match is taken up again, by any node.
const RESUME_AFTER: Duration = Duration::from_secs(2);

/// Limits of the lobby.
#[derive(Clone, Debug, clap::Args)]
pub struct LobbyOptions {
    /// The most challenges of one player that are neither accepted nor over.
    #[arg(long, env = "KIBITZ_MAX_CHALLENGES_PER_PLAYER", value_name = "N", default_value_t = 20)]
    pub max_challenges_per_player: u32,
    /// The permanent ladder.
    #[command(flatten)]
    pub ladder: LadderOptions,
}

/// The lobby, as this node sees it.
pub struct Lobby {
    options: LobbyOptions,
    snapshot: watch::Sender<Arc<LobbySnapshot>>,
    signals: PlayerSignals,
    /// The snapshot as its readers get it, with the version that it shows.
    rendered: Mutex<Option<(u64, Bytes)>>,
    /// The control connections of this node.
    own: Mutex<HashMap<String, (Connected, Instant)>>,
    /// The permits of this node's tickets, by ticket.
    permits: Mutex<HashMap<String, Permit>>,
    tasks: TaskTracker,
}

/// A control connection of this node. Dropping it makes the player offline.
pub struct LobbyConnection {
    lobby: &'static Lobby,
    matches: &'static Matches,
    id: String,
}

impl Lobby {
    /// An empty lobby, before the database was read.
    pub fn new(options: LobbyOptions) -> Self {
        Self {
            options,
            snapshot: watch::Sender::default(),
            signals: PlayerSignals::default(),
            rendered: Mutex::default(),
            own: Mutex::default(),
            permits: Mutex::default(),
            tasks: TaskTracker::new(),
        }
    }

    /// Follows the database until the server stops, and does what is due.
    pub async fn run(&'static self, matches: &'static Matches, stopping: CancellationToken) {
        let (mut mark, mut jobs) = (None, LobbyJobs::new());
        loop {
            let now = matches.now().ms();
            // A read that fails is repeated soon; the log says elsewhere that the database is unavailable.
            if let Ok(news) = matches.store().lobby(mark.as_ref(), now.saturating_sub(SHOWN_MS)).await {
                self.take(&news);
                presence::share(matches, &news).await;
                mark = Some(news.mark);
                self.run_jobs(matches, &mut jobs).await;
            }
            tokio::select! {
                () = stopping.cancelled() => return,
                () = matches.store().lobby_changed() => {}
                () = sleep(REFRESH) => {}
            }
        }
    }

    /// Takes what was read of the database, and wakes those whom it concerns.
    fn take(&self, news: &LobbyNews) {
        let mut snapshot = LobbySnapshot::clone(&self.snapshot.borrow());
        let before = snapshot.version();
        let concerned = snapshot.apply(news.changed.as_ref(), &news.rows);
        if snapshot.version() != before {
            self.snapshot.send_replace(Arc::new(snapshot));
        }
        self.signals.wake(concerned.iter().map(String::as_str));
    }

    /// The lobby as it is now.
    pub fn now(&self) -> Arc<LobbySnapshot> {
        Arc::clone(&self.snapshot.borrow())
    }

    /// Follows the whole lobby.
    pub fn follow(&self) -> watch::Receiver<Arc<LobbySnapshot>> {
        self.snapshot.subscribe()
    }

    /// Follows what concerns this player: the receiver is marked as changed when the snapshot shows something new of them.
    pub fn follow_player(&self, player: &str) -> watch::Receiver<()> {
        self.signals.follow(player)
    }

    /// Waits until the snapshot, as far as it concerns this player, fulfils a condition.
    async fn wait_for(&self, player: &str, mut is_met: impl FnMut(&LobbySnapshot) -> bool) {
        let mut signal = self.follow_player(player);
        while !is_met(&self.now()) {
            // The sender lives as long as it has a receiver.
            let _ = signal.changed().await;
        }
    }

    /// The snapshot as `render` writes it, rendered once for all readers.
    pub fn rendered(&self, render: impl FnOnce(&LobbySnapshot) -> Bytes) -> Bytes {
        let snapshot = self.now();
        // The value is replaced as a whole.
        let mut rendered = self.rendered.lock().unwrap_or_else(PoisonError::into_inner);
        match &*rendered {
            Some((version, bytes)) if *version == snapshot.version() => bytes.clone(),
            _ => rendered.insert((snapshot.version(), render(&snapshot))).1.clone(),
        }
    }

    /// Opens a control connection of a player.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn connect(
        &'static self,
        matches: &'static Matches,
        player: &PlayerRef,
    ) -> Result<LobbyConnection, Error> {
        let connected = Connected {
            id: uuid::Uuid::now_v7().to_string(),
            player: player.id.clone(),
            since_ms: matches.now().ms(),
            policy: None,
        };
        let connection = LobbyConnection { lobby: self, matches, id: connected.id.clone() };
        self.own().insert(connected.id.clone(), (connected.clone(), Instant::now()));
        change(matches, LobbyChange::Connected(connected)).await?;
        let appears = self.wait_for(&player.id, |lobby| lobby.has_connection(&connection.id));
        match timeout(APPEARS_WITHIN, appears).await {
            Ok(()) => Ok(connection),
            Err(_) => Err(Error::store_unavailable("the lobby is not read")),
        }
    }

    fn permits(&self) -> MutexGuard<'_, HashMap<String, Permit>> {
        // No holder of the lock can panic half-way.
        self.permits.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn own(&self) -> MutexGuard<'_, HashMap<String, (Connected, Instant)>> {
        // No holder of the lock can panic half-way.
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn run_jobs(&'static self, matches: &'static Matches, jobs: &mut LobbyJobs) {
        let now = matches.now().ms();
        if jobs.looked.is_none_or(|looked| looked.elapsed() >= REFRESH) {
            jobs.looked = Some(Instant::now());
            self.forget_settled(now.saturating_sub(SHOWN_MS));
            let lobby = self.now();
            let expires = lobby.challenges().any(|c| c.stage == challenges::OPEN && c.until_ms <= now);
            if expires || jobs.swept.is_none_or(|swept| swept.elapsed() >= SWEEP) {
                jobs.swept = Some(Instant::now());
                let settled_before_ms = now.saturating_sub(KEPT_MS);
                // A failed sweep is repeated later.
                let _ = change(matches, LobbyChange::Sweep { now, settled_before_ms }).await;
            }
            for missing in self.missing(&lobby) {
                let _ = change(matches, LobbyChange::Connected(missing)).await;
            }
            self.resume_pending(matches, &lobby, jobs);
        }
        if jobs.pairs_at <= Instant::now() {
            let began = Instant::now();
            let pairs = self.choose_pairs(matches, &self.now()).await;
            let pause = LONGEST_PAIRING_PAUSE.min(PAIRING_PAUSE * began.elapsed());
            jobs.pairs_at = Instant::now() + pause;
            // A slow database delays the pairs that are stored, not those that are chosen next.
            self.store_pairs(matches, pairs).await;
        }
    }

    fn forget_settled(&self, before_ms: Millis) {
        let mut snapshot = LobbySnapshot::clone(&self.snapshot.borrow());
        snapshot.forget_settled(before_ms);
        // It is no news for those who follow.
        self.snapshot.send_if_modified(|shared| {
            *shared = Arc::new(snapshot);
            false
        });
    }

    /// Takes up accepted challenges whose match does not exist yet.
    fn resume_pending(&'static self, matches: &'static Matches, lobby: &LobbySnapshot, jobs: &mut LobbyJobs) {
        let is_pending = |id: &str| lobby.challenge(id).is_some_and(StoredChallenge::is_pending);
        jobs.pending.retain(|id, _| is_pending(id));
        for challenge in lobby.challenges().filter(|challenge| challenge.is_pending()) {
            let since = jobs.pending.entry(challenge.id.clone()).or_insert_with(Instant::now);
            if since.elapsed() >= RESUME_AFTER {
                *since = Instant::now();
                let challenge = challenge.clone();
                self.tasks.spawn(async move {
                    if let Err(e) = self.complete(matches, &challenge, None).await {
                        tracing::debug!(id = challenge.id, error = %e, "an accepted challenge has no match yet");
                    }
                });
            }
        }
    }

    /// Connections of this node that are missing from the snapshot. Another node may have taken this one for dead.
    fn missing(&self, lobby: &LobbySnapshot) -> Vec<Connected> {
        let own = self.own();
        let missing = own
            .values()
            .filter(|(own, since)| since.elapsed() > REWRITE_AFTER && !lobby.has_connection(&own.id));
        missing.map(|(own, _)| own.clone()).collect()
    }
}

/// The work of the node besides sending news to its clients.
struct LobbyJobs {
    swept: Option<Instant>,
    /// When it last looked for what is due.
    looked: Option<Instant>,
    /// The earliest time of the next pairing.
    pairs_at: Instant,
    /// Accepted challenges without a match, and the time since which this node knows of them.
    pending: HashMap<String, Instant>,
}

impl LobbyJobs {
    fn new() -> Self {
        Self { swept: None, looked: None, pairs_at: Instant::now(), pending: HashMap::new() }
    }
}

impl LobbyConnection {
    /// Its id: later connections have larger ones.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Sets the policy of the player, who is a bot; `None`: it accepts nothing.
    ///
    /// # Errors
    /// `bad_field`, `unknown_game`, `not_a_bot`, `store_unavailable`.
    pub async fn set_policy(&self, policy: Option<Policy>) -> Result<(), Error> {
        let stored = policy.map(|policy| policy.checked(self.matches.games())).transpose()?;
        let changed = {
            let mut own = self.lobby.own();
            let Some((connected, _)) = own.get_mut(&self.id) else { return Ok(()) };
            connected.policy = stored;
            connected.clone()
        };
        change(self.matches, LobbyChange::Connected(changed)).await.map(drop)
    }
}

impl Drop for LobbyConnection {
    fn drop(&mut self) {
        let (lobby, matches, id) = (self.lobby, self.matches, self.id.clone());
        lobby.own().remove(&id);
        lobby.tasks.spawn(async move {
            // If this fails, the row is removed when this node has stopped.
            let _ = change(matches, LobbyChange::Disconnected { id }).await;
        });
    }
}

/// The rated engines of a game, the best first.
async fn rated_engines(matches: &Matches, game: &str) -> Result<Vec<RatedPlayer>, Error> {
    let filter = LeaderboardFilter {
        game: game.to_owned(),
        kind: Some(PlayerKind::Engine),
        provisional: true,
        after: None,
        limit: ENGINES,
    };
    matches.store().leaderboard(filter).await.map_err(|e| refused_by_store(&e))
}

/// Changes the lobby; returns how many rows changed.
async fn change(matches: &Matches, change: LobbyChange) -> Result<u64, Error> {
    matches.store().change(StoreChange::Lobby(change)).await.map_err(|e| refused_by_store(&e))
}
