//! The open connections of callers: streams, WebSockets and requests that wait. A connection has no more rights than its
//! token and its address have at that time: it ends when the token is replaced or revoked, when its player is deleted or
//! banned, and when its address is banned.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::domain::PlayerRef;
use crate::domain::token::KeyHash;
use crate::error::Error;
use crate::store::{Store, StoreError};

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
    /// Opens a session of a caller. `network`: the address that bans apply to; `key`: the hash of the player's token.
    pub fn open(&'static self, network: Option<IpAddr>, key: Option<KeyHash>) -> Session {
        let state =
            Arc::new(SessionState { network, key, ended: CancellationToken::new(), why: OnceLock::new() });
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
        store: &dyn Store,
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
}

impl Session {
    /// Waits until the session has lost its rights; returns the reason.
    pub async fn ended(&self) -> Error {
        self.state.ended.cancelled().await;
        self.why()
    }

    /// As [`Self::ended`], without the reason; the future does not borrow the session.
    pub fn end_signal(&self) -> WaitForCancellationFutureOwned {
        self.state.ended.clone().cancelled_owned()
    }

    /// Checks that the session still has its rights.
    ///
    /// # Errors
    /// `bad_token`, `banned`.
    pub fn check(&self) -> Result<(), Error> {
        if self.state.ended.is_cancelled() { Err(self.why()) } else { Ok(()) }
    }

    fn why(&self) -> Error {
        self.state.why.get().cloned().unwrap_or_else(Error::token_ended)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.sessions.lock().open.remove(&self.number);
    }
}
