//! What bots answer when a seat is kept for them.

use std::collections::HashSet;

use crate::admission::policy::{BotPolicies, BotQuestion};
use crate::domain::{PlayerKind, PlayerRef};
use crate::lobby::policy::Policy;
use crate::lobby::seating::{SeatCandidate, Terms};
use crate::lobby::{Lobby, LobbySnapshot};
use crate::matches::clock::ClockSpec;
use crate::store::data::lobby::LobbyPlayer;

impl BotPolicies for Lobby {
    fn ask(&self, question: BotQuestion<'_>) -> Result<(), String> {
        let BotQuestion { bot, game, time_ms, rated, from } = question;
        let lobby = self.now();
        if lobby.policies_of(&bot.id).next().is_none() {
            let by_owner = from.is_some_and(|from| from.owner_id() == bot.owner_id());
            return if by_owner { Ok(()) } else { Err("is offline".to_owned()) };
        }
        let Some(from) = from else { return Err("plays only with players who have a name".to_owned()) };
        let clock = time_ms.map(|ms| ClockSpec { initial_ms: Some(ms), increment_ms: 0, move_ms: None });
        let terms = Terms { game: game.to_owned(), clock, rated, seat: 0 };
        let (bot, from) = (of_kind(bot), of_kind(from));
        let verdicts = lobby.policies_of(&bot.who.id).map(|(_, policy)| {
            policy.accepts(&bot, &terms, &from)?;
            match has_room(&lobby, &bot.who.id, policy) {
                true => Ok(()),
                false => Err(format!("plays {} matches already", policy.concurrent)),
            }
        });
        verdicts.reduce(Result::or).unwrap_or(Ok(()))
    }

    fn most_at_once(&self, bot: &PlayerRef) -> Option<u32> {
        self.now().policies_of(&bot.id).map(|(_, policy)| policy.concurrent).max()
    }

    fn connected(&self) -> HashSet<String> {
        self.now().connections().map(|online| online.open.player.who.id.clone()).collect()
    }
}

/// The player, as far as the choice of seats goes, by the policies of its connections.
pub(super) fn seat_candidate(lobby: &LobbySnapshot, player: &LobbyPlayer) -> SeatCandidate {
    let mirror = lobby.policies_of(&player.who.id).any(|(_, policy)| policy.knows_mirror());
    SeatCandidate { kind: player.kind, mirror }
}

/// Only bots have owners.
fn of_kind(who: &PlayerRef) -> LobbyPlayer {
    let kind = if who.owner.is_some() { PlayerKind::Bot } else { PlayerKind::Person };
    LobbyPlayer { who: who.clone(), kind }
}

/// Whether a bot with this id and policy can play one more match.
pub(super) fn has_room(lobby: &LobbySnapshot, bot: &str, policy: &Policy) -> bool {
    let playing = lobby.matches_of(bot).len();
    let pending = lobby.challenges_of(bot).filter(|c| c.is_pending() && c.opponent.who.id == bot).count();
    playing + pending < policy.concurrent as usize
}
