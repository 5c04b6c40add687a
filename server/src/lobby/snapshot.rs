//! The lobby at one moment, kept in step with the database by the rows that change. A change costs as much as the player whom
//! it concerns has, however many others are online.

use std::collections::BTreeSet;
use std::sync::Arc;

use rpds::RedBlackTreeMapSync;

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::lobby::policy::Policy;
use crate::lobby::pool::PoolWish;
use crate::ratings::Rating;
use crate::store::StoredChallenge;
use crate::store::data::lobby::{LobbyKeys, LobbyMatch, LobbyRows, OpenConnection, Ticket};

/// The lobby at one moment. A clone shares what does not change.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LobbySnapshot {
    version: u64,
    /// By the player's id. Players without any row have no entry.
    players: RedBlackTreeMapSync<String, Arc<PlayerEntry>>,
    /// The players who have a connection with a policy.
    bots: RedBlackTreeMapSync<String, ()>,
    /// The player of each connection.
    connections: RedBlackTreeMapSync<String, String>,
    tickets: RedBlackTreeMapSync<String, Arc<WaitingTicket>>,
    challenges: RedBlackTreeMapSync<String, Arc<StoredChallenge>>,
    ladder_holder: Option<String>,
}

/// All that the lobby knows of a player.
#[derive(Clone, Debug, Default, PartialEq)]
struct PlayerEntry {
    connections: Vec<OnlineConnection>,
    matches: Vec<LobbyMatch>,
    ratings: Vec<(String, Rating)>,
    /// The ids of the challenges in which the player takes part.
    challenges: BTreeSet<String>,
}

impl PlayerEntry {
    fn is_empty(&self) -> bool {
        self.connections.is_empty()
            && self.matches.is_empty()
            && self.ratings.is_empty()
            && self.challenges.is_empty()
    }
}

/// A control connection.
#[derive(Clone, Debug, PartialEq)]
pub struct OnlineConnection {
    /// The connection as it is stored.
    pub open: Arc<OpenConnection>,
    /// Of a bot: the matches that it accepts; `None`: none.
    pub policy: Option<Arc<Policy>>,
}

/// A ticket of a player who waits to be paired.
#[derive(Debug, PartialEq)]
pub struct WaitingTicket {
    /// The ticket as it is stored.
    pub ticket: Ticket,
    /// What the player asks for.
    pub wish: PoolWish,
}

impl LobbySnapshot {
    /// Increases with each change.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// All control connections, in the order of their players' ids.
    pub fn connections(&self) -> impl Iterator<Item = &OnlineConnection> {
        self.players.values().flat_map(|entry| &entry.connections)
    }

    /// The control connections of a player, in the order of their ids.
    pub fn connections_of(&self, player: &str) -> &[OnlineConnection] {
        self.players.get(player).map_or(&[], |entry| &entry.connections)
    }

    /// Whether this connection is open.
    pub fn has_connection(&self, id: &str) -> bool {
        self.connections.contains_key(id)
    }

    /// The connections of bots that accept something, with their policies.
    pub fn bots_online(&self) -> impl Iterator<Item = (&OpenConnection, &Policy)> {
        self.bots.keys().flat_map(|bot| self.policies_of(bot))
    }

    /// The connections of this bot that accept something, with their policies.
    pub fn policies_of(&self, bot: &str) -> impl Iterator<Item = (&OpenConnection, &Policy)> {
        self.connections_of(bot).iter().filter_map(|online| Some((&*online.open, online.policy.as_deref()?)))
    }

    /// The unfinished matches of a connected player.
    pub fn matches_of(&self, player: &str) -> &[LobbyMatch] {
        self.players.get(player).map_or(&[], |entry| &entry.matches)
    }

    /// Whether a connected player plays this match, which is not over.
    pub fn is_playing(&self, player: &str, id: &MatchId) -> bool {
        self.matches_of(player).iter().any(|found| found.id == *id)
    }

    /// The ratings of a connected player: the game and the rating.
    pub fn ratings_of(&self, player: &str) -> &[(String, Rating)] {
        self.players.get(player).map_or(&[], |entry| &entry.ratings)
    }

    /// The rating of a connected player in a game.
    pub fn rating_of(&self, player: &str, game: &str) -> Option<Rating> {
        self.ratings_of(player).iter().find(|(of, _)| of == game).map(|(_, rating)| *rating)
    }

    /// The challenges in which a player takes part, the oldest first.
    pub fn challenges_of(&self, player: &str) -> impl Iterator<Item = &StoredChallenge> {
        let ids = self.players.get(player).into_iter().flat_map(|entry| &entry.challenges);
        ids.filter_map(|id| self.challenges.get(id).map(Arc::as_ref))
    }

    /// All challenges that are not settled, or were settled a short time ago, the oldest first.
    pub fn challenges(&self) -> impl Iterator<Item = &StoredChallenge> {
        self.challenges.values().map(Arc::as_ref)
    }

    /// The challenge with this id.
    pub fn challenge(&self, id: &str) -> Option<&StoredChallenge> {
        self.challenges.get(id).map(Arc::as_ref)
    }

    /// The players who wait to be paired, those who came first at the beginning.
    pub fn tickets(&self) -> impl Iterator<Item = &WaitingTicket> {
        self.tickets.values().map(Arc::as_ref)
    }

    /// The living node that runs the ladder, if one does.
    pub fn ladder_holder(&self) -> Option<&str> {
        self.ladder_holder.as_deref()
    }

    /// The lobby with only these rows.
    #[cfg(test)]
    pub(super) fn of(rows: &LobbyRows) -> Self {
        let mut snapshot = Self::default();
        snapshot.insert(rows, &mut BTreeSet::new());
        snapshot
    }

    /// The same rows with this version.
    #[cfg(test)]
    pub(super) fn with_version(&self, version: u64) -> Self {
        Self { version, ..self.clone() }
    }

    /// Takes rows that were read of the database. `changed`: the keys of the rows that may have changed; `None`: these are all rows.
    /// Returns the ids of the players whom it concerns.
    pub(super) fn apply(&mut self, changed: Option<&LobbyKeys>, rows: &LobbyRows) -> BTreeSet<String> {
        let mut concerned = BTreeSet::new();
        let holder_is_new = self.ladder_holder != rows.ladder_holder;
        match changed {
            None => {
                let version = self.version;
                concerned.extend(self.players.keys().cloned());
                *self = Self { version, ..Self::default() };
            }
            Some(keys) => {
                keys.connections.iter().for_each(|id| self.remove_connection(id, &mut concerned));
                keys.tickets.iter().for_each(|id| self.remove_ticket(id, &mut concerned));
                keys.challenges.iter().for_each(|id| self.remove_challenge(id, &mut concerned));
                for player in &keys.players {
                    self.edit(player, |entry| {
                        entry.matches.clear();
                        entry.ratings.clear();
                    });
                    concerned.insert(player.clone());
                }
            }
        }
        self.insert(rows, &mut concerned);
        if !concerned.is_empty() || holder_is_new {
            self.version += 1;
        }
        concerned
    }

    /// Leaves out the challenges that were settled before this time. They are no news for anyone.
    pub(super) fn forget_settled(&mut self, before_ms: Millis) {
        let is_old = |challenge: &&StoredChallenge| challenge.settled_ms.is_some_and(|at| at < before_ms);
        let old: Vec<String> =
            self.challenges().filter(is_old).map(|challenge| challenge.id.clone()).collect();
        old.iter().for_each(|id| self.remove_challenge(id, &mut BTreeSet::new()));
    }

    fn insert(&mut self, rows: &LobbyRows, concerned: &mut BTreeSet<String>) {
        for open in &rows.connections {
            self.insert_connection(open);
            concerned.insert(open.player.who.id.clone());
        }
        for ticket in &rows.tickets {
            concerned.insert(ticket.player.who.id.clone());
            // Only a program of another version writes what this one cannot read.
            if let Some(wish) = PoolWish::read(ticket) {
                let waiting = WaitingTicket { ticket: ticket.clone(), wish };
                self.tickets.insert_mut(ticket.id.clone(), Arc::new(waiting));
            }
        }
        for challenge in &rows.challenges {
            for player in [&challenge.challenger.who.id, &challenge.opponent.who.id] {
                self.edit(player, |entry| {
                    entry.challenges.insert(challenge.id.clone());
                });
                concerned.insert(player.clone());
            }
            self.challenges.insert_mut(challenge.id.clone(), Arc::new(challenge.clone()));
        }
        for found in &rows.matches {
            self.edit(&found.player, |entry| {
                entry.matches.push(found.clone());
                entry.matches.sort_by(|a, b| a.id.cmp(&b.id));
            });
            concerned.insert(found.player.clone());
        }
        for (player, game, rating) in &rows.ratings {
            self.edit(player, |entry| {
                entry.ratings.push((game.clone(), *rating));
                entry.ratings.sort_by(|(a, _), (b, _)| a.cmp(b));
            });
        }
        self.ladder_holder.clone_from(&rows.ladder_holder);
    }

    fn insert_connection(&mut self, open: &OpenConnection) {
        let player = open.player.who.id.clone();
        let policy = open.policy.as_deref().and_then(Policy::read).map(Arc::new);
        if policy.is_some() {
            self.bots.insert_mut(player.clone(), ());
        }
        self.connections.insert_mut(open.id.clone(), player.clone());
        self.edit(&player, |entry| {
            entry.connections.push(OnlineConnection { open: Arc::new(open.clone()), policy });
            entry.connections.sort_by(|a, b| a.open.id.cmp(&b.open.id));
        });
    }

    fn remove_connection(&mut self, id: &str, concerned: &mut BTreeSet<String>) {
        let Some(player) = self.connections.get(id).cloned() else { return };
        self.connections.remove_mut(id);
        self.edit(&player, |entry| entry.connections.retain(|online| online.open.id != id));
        if self.policies_of(&player).next().is_none() {
            self.bots.remove_mut(&player);
        }
        concerned.insert(player);
    }

    fn remove_ticket(&mut self, id: &str, concerned: &mut BTreeSet<String>) {
        concerned.extend(self.tickets.get(id).map(|waiting| waiting.ticket.player.who.id.clone()));
        self.tickets.remove_mut(id);
    }

    fn remove_challenge(&mut self, id: &str, concerned: &mut BTreeSet<String>) {
        let Some(challenge) = self.challenges.get(id).cloned() else { return };
        self.challenges.remove_mut(id);
        for player in [&challenge.challenger.who.id, &challenge.opponent.who.id] {
            self.edit(player, |entry| {
                entry.challenges.remove(id);
            });
            concerned.insert(player.clone());
        }
    }

    fn edit(&mut self, player: &str, change: impl FnOnce(&mut PlayerEntry)) {
        let mut entry = self.players.get(player).map(|entry| PlayerEntry::clone(entry)).unwrap_or_default();
        change(&mut entry);
        if entry.is_empty() {
            self.players.remove_mut(player);
        } else {
            self.players.insert_mut(player.to_owned(), Arc::new(entry));
        }
    }
}
