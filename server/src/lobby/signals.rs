//! Wakes those who follow a player when the lobby shows something new of that player.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

/// A signal for each player who has followers.
#[derive(Debug, Default)]
pub(super) struct PlayerSignals(Mutex<HashMap<String, watch::Sender<()>>>);

impl PlayerSignals {
    /// Follows a player. The receiver counts as unchanged at first.
    pub(super) fn follow(&self, player: &str) -> watch::Receiver<()> {
        self.signals().entry(player.to_owned()).or_default().subscribe()
    }

    /// Wakes those who follow these players.
    pub(super) fn wake<'a>(&self, players: impl Iterator<Item = &'a str>) {
        let mut signals = self.signals();
        for player in players {
            // An error means that the player has no follower left.
            if signals.get(player).is_some_and(|signal| signal.send(()).is_err()) {
                signals.remove(player);
            }
        }
    }

    fn signals(&self) -> MutexGuard<'_, HashMap<String, watch::Sender<()>>> {
        // No holder of the lock can panic half-way.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
