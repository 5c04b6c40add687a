//! The lobby: connected players, challenges, and pairing. The database holds all of it; each node reads the whole lobby
//! whenever it changes, and from time to time. All messages to clients follow from that one picture, so a message between
//! nodes can be lost without harm. It must not know the form of requests.

mod bot_seats;
mod challenges;
mod events;
mod ladder;
mod policy;
mod pool;
mod seating;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::admission::Permit;
use crate::domain::PlayerRef;
use crate::domain::time::Millis;
use crate::error::Error;
use crate::matches::service::Matches;
use crate::store::lobby::{Connected, LobbyChange, OpenConnection};
use crate::store::{LobbyRows, StoreChange, refused_by_store};

pub use challenges::{ChallengeShown, Proposal};
pub use events::{Follower, LobbyEvent};
pub use ladder::{CheckState, LadderOptions};
pub use policy::{Policy, PolicyFrom, PolicyRated};
pub use pool::{PoolWish, TicketGuard};

/// How often the lobby is read while no message announces a change.
const REFRESH: Duration = Duration::from_millis(250);

/// How long a settled challenge is part of the picture, in milliseconds: longer than any node goes without reading it.
const SHOWN_MS: Millis = 60_000;

/// How long settled challenges stay in the database, in milliseconds.
const KEPT_MS: Millis = 24 * 3_600_000;

/// How often old challenges, and the remains of dead nodes, are removed.
const SWEEP: Duration = Duration::from_secs(60);

/// How long a new connection may take to appear in the picture.
const APPEARS_WITHIN: Duration = Duration::from_secs(10);

/// A connection that this node has had for this long and that is not in the picture is written again.
const REWRITE_AFTER: Duration = Duration::from_secs(2);

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
    picture: watch::Sender<Arc<LobbyRows>>,
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
        let picture = watch::Sender::new(Arc::new(LobbyRows::default()));
        Self { options, picture, own: Mutex::default(), permits: Mutex::default(), tasks: TaskTracker::new() }
    }

    /// Follows the database until the server stops, and does what is due.
    pub async fn run(&'static self, matches: &'static Matches, stopping: CancellationToken) {
        let mut chores = Chores { swept: None, pending: HashMap::new() };
        loop {
            let now = matches.now().ms();
            // A read that fails is repeated soon; the log says elsewhere that the database is unavailable.
            if let Ok(mut rows) = matches.store().lobby(now.saturating_sub(SHOWN_MS)).await {
                share_presence(matches, &mut rows).await;
                let rows = Arc::new(rows);
                self.picture.send_if_modified(|picture| {
                    let is_new = **picture != *rows;
                    *picture = Arc::clone(&rows);
                    is_new
                });
                self.do_chores(matches, &rows, &mut chores).await;
            }
            tokio::select! {
                () = stopping.cancelled() => return,
                () = matches.store().lobby_changed() => {}
                () = sleep(REFRESH) => {}
            }
        }
    }

    /// The lobby as it is now.
    pub fn now(&self) -> Arc<LobbyRows> {
        Arc::clone(&self.picture.borrow())
    }

    /// Follows the lobby.
    pub fn follow(&self) -> watch::Receiver<Arc<LobbyRows>> {
        self.picture.subscribe()
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
        let mut follow = self.follow();
        let appears = follow.wait_for(|rows| rows.connections.iter().any(|open| open.id == connection.id));
        match timeout(APPEARS_WITHIN, appears).await {
            Ok(Ok(_)) => Ok(connection),
            _ => Err(Error::store_unavailable("the lobby is not read")),
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

    async fn do_chores(&'static self, matches: &'static Matches, rows: &Arc<LobbyRows>, chores: &mut Chores) {
        let now = matches.now().ms();
        let expires = rows.challenges.iter().any(|c| c.stage == challenges::OPEN && c.until_ms <= now);
        if expires || chores.swept.is_none_or(|swept| swept.elapsed() >= SWEEP) {
            chores.swept = Some(Instant::now());
            let settled_before_ms = now.saturating_sub(KEPT_MS);
            // A failed sweep is repeated later.
            let _ = change(matches, LobbyChange::Sweep { now, settled_before_ms }).await;
        }
        for missing in self.missing(rows) {
            let _ = change(matches, LobbyChange::Connected(missing)).await;
        }
        self.pair_waiting(matches, rows).await;
        chores.pending.retain(|id, _| rows.challenges.iter().any(|c| c.id == *id && c.is_pending()));
        for challenge in rows.challenges.iter().filter(|challenge| challenge.is_pending()) {
            let since = chores.pending.entry(challenge.id.clone()).or_insert_with(Instant::now);
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

    /// Connections of this node that are not in the picture. Another node may have taken this one for dead.
    fn missing(&self, rows: &LobbyRows) -> Vec<Connected> {
        let is_there = |id: &str| rows.connections.iter().any(|open| open.id == id);
        let own = self.own();
        let missing =
            own.values().filter(|(own, since)| since.elapsed() > REWRITE_AFTER && !is_there(&own.id));
        missing.map(|(own, _)| own.clone()).collect()
    }
}

/// Tells the matches which seats are connected to other nodes, and the database which seats are connected to this one.
/// Removes the seats from the picture: they are no news for those who follow the lobby.
async fn share_presence(matches: &Matches, rows: &mut LobbyRows) {
    let stored = std::mem::take(&mut rows.own_seats);
    let own = matches.update_presence(std::mem::take(&mut rows.other_seats));
    let came: Vec<_> = own.difference(&stored).cloned().collect();
    let left: Vec<_> = stored.difference(&own).cloned().collect();
    if !came.is_empty() || !left.is_empty() {
        // A failed change is repeated when the lobby is read next.
        let _ = change(matches, LobbyChange::Seats { came, left }).await;
    }
}

/// The work of the node besides sending news to its clients.
struct Chores {
    swept: Option<Instant>,
    /// Accepted challenges without a match, and the time since which this node knows of them.
    pending: HashMap<String, Instant>,
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

/// Changes the lobby; returns how many rows changed.
async fn change(matches: &Matches, change: LobbyChange) -> Result<u64, Error> {
    matches.store().change(StoreChange::Lobby(change)).await.map_err(|e| refused_by_store(&e))
}

/// The connections of bots that accept something, with their policies.
pub fn bots_online(rows: &LobbyRows) -> impl Iterator<Item = (&OpenConnection, Policy)> {
    rows.connections.iter().filter_map(|open| Some((open, Policy::read(open.policy.as_deref()?)?)))
}
