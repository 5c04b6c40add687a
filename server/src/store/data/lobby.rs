//! The data of the lobby: connected players, challenges, tickets. The store does not interpret terms and policies,
//! which are JSON.

use std::collections::BTreeSet;

use engines::game::Seat;

use crate::domain::time::Millis;
use crate::domain::{MatchId, PlayerKind, PlayerRef, Stage};
use crate::ratings::Rating;

/// A change to the lobby. Each is carried out as a whole; none happens at the same time as another one, on any node.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`challenge` and `id` say all")]
pub enum LobbyChange {
    /// A control connection of this node is open, or has another policy.
    Connected(Connected),
    /// A control connection was closed.
    Disconnected {
        /// The connection.
        id: String,
    },
    /// Adds a challenge, unless its challenger has too many.
    Challenge {
        challenge: NewChallenge,
        /// The most challenges of the challenger that are not settled.
        most: u32,
    },
    /// Changes a challenge of this stage that is not settled.
    Settle(Settlement),
    /// Forgets the reason for which this opponent declined a challenge.
    ForgetReason {
        /// The challenge's id.
        id: String,
        /// The opponent's id.
        opponent: String,
    },
    /// Adds a ticket of this node.
    Ticket {
        id: String,
        /// The player's id.
        player: String,
        /// JSON.
        terms: String,
        /// The time of its creation.
        created_ms: Millis,
    },
    /// Removes a ticket.
    Leave { id: String },
    /// Replaces tickets by an accepted challenge. Changes nothing unless all the tickets are there.
    Pair {
        challenge: NewChallenge,
        /// The ticket of the challenger.
        first: String,
        /// The ticket of the opponent; the same one: the opponent has none.
        second: String,
    },
    /// Players are connected to matches on this node, or have left them.
    Seats {
        /// The seats of those who came.
        came: Vec<ConnectedSeat>,
        /// The seats of those who left.
        left: Vec<ConnectedSeat>,
    },
    /// Makes this node do the work of the ladder. Changes nothing if another living node does it.
    KeepLadder,
    /// Lets open challenges expire, and removes old ones and what dead nodes have left.
    Sweep {
        /// The time of the change.
        now: Millis,
        /// Challenges settled before this time are removed.
        settled_before_ms: Millis,
    },
}

/// A control connection.
#[derive(Clone, Debug, PartialEq)]
pub struct Connected {
    pub id: String,
    /// The player's id.
    pub player: String,
    /// The time since which it is open.
    pub since_ms: Millis,
    /// Of a bot: its policy, the challenges that it accepts, as JSON.
    pub policy: Option<String>,
}

/// A challenge to add.
#[derive(Clone, Debug, PartialEq)]
pub struct NewChallenge {
    pub id: String,
    /// The id of the player who proposes.
    pub challenger: String,
    /// The id of the player who is to accept.
    pub opponent: String,
    /// JSON.
    pub terms: String,
    /// The time of its creation.
    pub created_ms: Millis,
    /// The time at which it expires.
    pub until_ms: Millis,
}

/// A change of a challenge's stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Settlement {
    /// The challenge.
    pub id: String,
    /// The stage that it must be in.
    pub from: &'static str,
    /// Its new stage.
    pub to: &'static str,
    /// The time at which it is settled; `None`: not yet, since its match does not exist.
    pub settled_ms: Option<Millis>,
    /// A new time until which it counts; `None`: as before.
    pub until_ms: Option<Millis>,
    /// The reason, for the players.
    pub reason: Option<String>,
    pub match_id: Option<MatchId>,
}

/// A player as the lobby shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LobbyPlayer {
    /// The player.
    pub who: PlayerRef,
    /// The kind of player.
    pub kind: PlayerKind,
}

/// A control connection on a living node.
#[derive(Clone, Debug, PartialEq)]
pub struct OpenConnection {
    pub id: String,
    pub node: String,
    pub player: LobbyPlayer,
    /// Of a bot: the name of its owner.
    pub owner: Option<String>,
    /// The player's description of itself, as JSON.
    pub about: Option<String>,
    /// The time since which it is open.
    pub since_ms: Millis,
    /// Of a bot: its policy, the challenges that it accepts, as JSON.
    pub policy: Option<String>,
}

/// A challenge as its row has it.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`id`, `stage` and `match_id` say all")]
pub struct StoredChallenge {
    pub id: String,
    /// The player who proposes.
    pub challenger: LobbyPlayer,
    /// The player who is to accept.
    pub opponent: LobbyPlayer,
    /// JSON.
    pub terms: String,
    /// The time of its creation.
    pub created_ms: Millis,
    /// The time at which it expires; once it is accepted: the end of the attempts to create its match.
    pub until_ms: Millis,
    pub stage: String,
    /// The time at which it was settled.
    pub settled_ms: Option<Millis>,
    /// The reason for its stage.
    pub reason: Option<String>,
    pub match_id: Option<MatchId>,
    /// Of a pairing: the ids of the tickets, with a space between.
    pub tickets: Option<String>,
}

/// A ticket of a player who waits to be paired.
#[derive(Clone, Debug, PartialEq)]
pub struct Ticket {
    pub id: String,
    /// The node of the waiting request.
    pub node: String,
    pub player: LobbyPlayer,
    /// JSON.
    pub terms: String,
    /// The time of its creation.
    pub created_ms: Millis,
}

/// An unfinished match of a connected player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LobbyMatch {
    /// The player's id.
    pub player: String,
    /// The match.
    pub id: MatchId,
    /// The game's short name.
    pub game: String,
    pub stage: Stage,
}

/// A seat of a match whose player is connected to a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "`seat` says all")]
pub struct ConnectedSeat {
    /// The match.
    pub id: MatchId,
    pub seat: Seat,
    /// Whether the player follows the match there; otherwise only requests came.
    pub follows: bool,
}

/// Rows of the lobby that count now, on all nodes: the whole lobby, or those that have changed.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(missing_docs, reason = "`tickets` says all")]
pub struct LobbyRows {
    /// The control connections.
    pub connections: Vec<OpenConnection>,
    pub tickets: Vec<Ticket>,
    /// Challenges; of the whole lobby those that are not settled, or were settled a short time ago.
    pub challenges: Vec<StoredChallenge>,
    /// Unfinished matches of connected players.
    pub matches: Vec<LobbyMatch>,
    /// Ratings of connected players: the player's id, the game, the rating.
    pub ratings: Vec<(String, String, Rating)>,
    /// The seats of matches whose players are connected to this node, as the database says.
    pub own_seats: BTreeSet<ConnectedSeat>,
    /// The same of other nodes.
    pub other_seats: BTreeSet<ConnectedSeat>,
    /// The living node that runs the ladder, if one does. Always read.
    pub ladder_holder: Option<String>,
}

/// The keys of rows of the lobby.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LobbyKeys {
    /// Ids of connections.
    pub connections: BTreeSet<String>,
    /// Ids of tickets.
    pub tickets: BTreeSet<String>,
    /// Ids of challenges.
    pub challenges: BTreeSet<String>,
    /// Ids of players, for their matches and ratings.
    pub players: BTreeSet<String>,
    /// Matches, for their seats.
    pub matches: BTreeSet<MatchId>,
}

impl LobbyKeys {
    /// Adds an entry of the list of changes; `None`: it cannot be read.
    pub(in crate::store) fn add(&mut self, kind: &str, key: &str) -> Option<()> {
        let keys = match kind {
            "connection" => &mut self.connections,
            "ticket" => &mut self.tickets,
            "challenge" => &mut self.challenges,
            "player" => &mut self.players,
            "seats" => {
                self.matches.insert(MatchId::parse(key)?);
                return Some(());
            }
            _ => return None,
        };
        keys.insert(key.to_owned());
        Some(())
    }
}

/// The state of the database that a node has read.
#[derive(Clone, Debug)]
pub struct LobbyMark {
    /// The ids of the nodes that live and serve, with spaces between.
    pub(in crate::store) nodes: String,
    /// The number of the last change.
    pub(in crate::store) last: i64,
    /// Later changes are those with a larger number; in PostgreSQL: those of this and later transactions.
    pub(in crate::store) changes_after: i64,
    /// Players who came online a short time ago.
    pub(in crate::store) rechecks: Vec<Recheck>,
}

/// A player who came online a short time ago. A transaction that was under way then may have changed their matches without an entry
/// in the list of changes, so they are read again when it is over.
#[derive(Clone, Debug)]
pub(in crate::store) struct Recheck {
    pub player: String,
    /// All such transactions have smaller numbers; `None`: not known yet.
    pub before: Option<i64>,
}

/// What a node reads of the lobby.
#[derive(Clone, Debug)]
pub struct LobbyNews {
    /// The state of the database that it has read.
    pub mark: LobbyMark,
    /// The keys of the rows that were read; `None`: of the whole lobby. One that is not among the rows is gone.
    pub changed: Option<LobbyKeys>,
    pub rows: LobbyRows,
}
