//! The open connections of callers: streams, WebSockets and requests that wait. A connection has no more rights than its
//! token and its address have at that time: it ends when the token is replaced or revoked or expires, when its player is
//! deleted or banned, and when its address is banned.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use crate::domain::PlayerRef;
use crate::domain::scope::ShownToken;
use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::error::Error;
use crate::store::{AccountStore, StoreError};

/// The longest wait for a token to expire: no connection is open for longer.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// All open connections of this server.
#[derive(Default)]
pub struct Sessions(Mutex<OpenSessions>);

#[derive(Default)]
struct OpenSessions {
    open: HashMap<u64, Arc<SessionState>>,
    next: u64,
}

struct SessionState {
    network: Option<IpAddr>,
    /// The hash of the player's token; `None`: the caller has none.
    key: Option<KeyHash>,
    /// The time at which the token expires; `None`: never.
    expires_at: Option<Instant>,
    ended: CancellationToken,
    why: OnceLock<Error>,
}

/// One open connection. Dropping it forgets the connection.
pub struct Session {
    sessions: &'static Sessions,
    number: u64,
    state: Arc<SessionState>,
}

impl Sessions {
    /// Opens a session of a caller. `network`: the address that bans apply to; `token`: the player's token;
    /// `now`: the time of the server's clock.
    pub fn open(&'static self, network: Option<IpAddr>, token: Option<ShownToken>, now: Millis) -> Session {
        let left = |expires_ms: Millis| {
            Duration::from_millis(expires_ms.saturating_sub(now).try_into().unwrap_or(0))
        };
        let expires_ms = token.and_then(|token| token.expires_ms);
        let state = Arc::new(SessionState {
            network,
            key: token.map(|token| token.hash),
            expires_at: expires_ms.map(|expires_ms| Instant::now() + left(expires_ms).min(LONGEST)),
            ended: CancellationToken::new(),
            why: OnceLock::new(),
        });
        let mut all = self.lock();
        all.next += 1;
        let number = all.next;
        all.open.insert(number, Arc::clone(&state));
        Session { sessions: self, number, state }
    }

    /// Ends the sessions that have lost their rights. `is_banned`: whether an address is banned now; `check_player`: the
    /// refusal of a player who is banned now.
    ///
    /// # Errors
    /// When the database cannot be read; sessions of banned addresses have ended nevertheless.
    pub async fn review(
        &self,
        store: &dyn AccountStore,
        is_banned: impl Fn(IpAddr) -> bool,
        check_player: impl Fn(&PlayerRef) -> Result<(), Error>,
    ) -> Result<(), StoreError> {
        let open: Vec<Arc<SessionState>> = self.lock().open.values().cloned().collect();
        for state in open.iter().filter(|state| state.network.is_some_and(&is_banned)) {
            state.end(Error::banned());
        }
        let mut keys: Vec<KeyHash> = open.iter().filter_map(|state| state.key).collect();
        keys.sort_unstable_by_key(|key| key.0);
        keys.dedup();
        if keys.is_empty() {
            return Ok(());
        }
        let known = store.known_keys(keys).await?;
        let known: HashMap<[u8; 32], PlayerRef> =
            known.into_iter().map(|(key, player)| (key.0, player)).collect();
        for state in &open {
            let Some(key) = state.key else { continue };
            match known.get(&key.0).map(&check_player) {
                None => state.end(Error::token_ended()),
                Some(Err(banned)) => state.end(banned),
                Some(Ok(())) => {}
            }
        }
        Ok(())
    }

    /// Ends all sessions, since this node cannot serve them.
    pub fn end_all(&self, why: &Error) {
        let open: Vec<Arc<SessionState>> = self.lock().open.values().cloned().collect();
        open.iter().for_each(|state| state.end(why.clone()));
    }

    fn lock(&self) -> MutexGuard<'_, OpenSessions> {
        // No holder of the lock can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionState {
    fn end(&self, why: Error) {
        // The first reason counts.
        let _ = self.why.set(why);
        self.ended.cancel();
    }

    fn check(&self) -> Result<(), Error> {
        if self.ended.is_cancelled() {
            return Err(self.why.get().cloned().unwrap_or_else(Error::token_ended));
        }
        match self.expires_at {
            Some(expires_at) if expires_at <= Instant::now() => Err(Error::token_expired()),
            _ => Ok(()),
        }
    }

    /// Waits until the session has lost its rights.
    async fn lost(&self) -> Error {
        loop {
            if let Err(why) = self.check() {
                return why;
            }
            let expires_at = self.expires_at.unwrap_or_else(|| Instant::now() + LONGEST);
            tokio::select! {
                () = self.ended.cancelled() => {}
                () = sleep_until(expires_at) => {}
            }
        }
    }
}

impl Session {
    /// Waits until the session has lost its rights; returns the reason.
    pub async fn ended(&self) -> Error {
        self.state.lost().await
    }

    /// As [`Self::ended`], without the reason; the future does not borrow the session.
    pub fn end_signal(&self) -> impl Future<Output = ()> + Send + use<> {
        let state = Arc::clone(&self.state);
        async move { drop(state.lost().await) }
    }

    /// Checks that the session still has its rights.
    ///
    /// # Errors
    /// `bad_token`, `token_expired`, `banned`.
    pub fn check(&self) -> Result<(), Error> {
        self.state.check()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.sessions.lock().open.remove(&self.number);
    }
}
