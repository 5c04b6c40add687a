//! The events that a control connection sends: the difference between the state that its client knows and the snapshot. Pure.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::Stage;
use crate::domain::schema::{self, GameSlug};
use crate::error::Error;
use crate::lobby::challenges::ChallengeShown;
use crate::lobby::snapshot::LobbySnapshot;

/// An event on a control connection. A client ignores types that it does not know: there may be more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum LobbyEvent {
    /// A challenge by or to the player is open.
    Challenge(Box<ChallengeShown>),
    /// A challenge that was open is settled: its `stage` says how.
    ChallengeOver(Box<ChallengeShown>),
    /// The player has a seat in this match, which is not over; or a seat that is kept for the player, who still has to join.
    Match {
        /// The match.
        #[schemars(with = "schema::MatchId")]
        id: String,
        /// The game's short name.
        #[schemars(with = "GameSlug")]
        game: String,
        /// Its path.
        url: String,
        /// `open` or `running`.
        stage: Stage,
    },
    /// A match in which the player had a seat is over, or the player has no seat in it any more.
    MatchOver {
        /// The match.
        #[schemars(with = "schema::MatchId")]
        id: String,
    },
    /// The events before this one are the whole current state: everything that is open or running.
    Ready {},
}

impl LobbyEvent {
    /// The type of the event.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Challenge(_) => "challenge",
            Self::ChallengeOver(_) => "challenge_over",
            Self::Match { .. } => "match",
            Self::MatchOver { .. } => "match_over",
            Self::Ready {} => "ready",
        }
    }
}

/// The state that one client knows.
#[derive(Debug, Default)]
pub struct Follower {
    challenges: BTreeMap<String, ChallengeShown>,
    matches: BTreeMap<String, Stage>,
}

impl Follower {
    /// Returns the news for the player with this id. After them the client knows this snapshot.
    ///
    /// # Errors
    /// `internal`.
    pub fn update(&mut self, lobby: &LobbySnapshot, player: &str) -> Result<Vec<LobbyEvent>, Error> {
        let mut news = Vec::new();
        let mut open = BTreeMap::new();
        for challenge in lobby.challenges_of(player).filter(|c| c.tickets.is_none()) {
            let Some(shown) = ChallengeShown::of(challenge, player)? else { continue };
            let before = self.challenges.remove(&challenge.id);
            match (challenge.settled_ms, before) {
                (None, before) => {
                    if before.is_none() {
                        news.push(LobbyEvent::Challenge(Box::new(shown.clone())));
                    }
                    open.insert(challenge.id.clone(), shown);
                }
                (Some(_), Some(_)) => news.push(LobbyEvent::ChallengeOver(Box::new(shown))),
                (Some(_), None) => {}
            }
        }
        // The other player's account was deleted.
        for (_, mut gone) in std::mem::replace(&mut self.challenges, open) {
            "withdrawn".clone_into(&mut gone.stage);
            news.push(LobbyEvent::ChallengeOver(Box::new(gone)));
        }
        let mut matches = BTreeMap::new();
        for found in lobby.matches_of(player) {
            let id = found.id.to_string();
            if self.matches.remove(&id) != Some(found.stage) {
                let (game, url) = (found.game.clone(), format!("/v1/matches/{id}"));
                news.push(LobbyEvent::Match { id: id.clone(), game, url, stage: found.stage });
            }
            matches.insert(id, found.stage);
        }
        let gone = std::mem::replace(&mut self.matches, matches);
        let gone = gone.into_keys().filter(|id| !self.matches.contains_key(id));
        news.extend(gone.map(|id| LobbyEvent::MatchOver { id }).collect::<Vec<_>>());
        Ok(news)
    }
}
