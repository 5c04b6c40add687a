//! What bots answer when a seat is kept for them.

use std::collections::HashSet;

use crate::admission::policy::{BotPolicies, BotQuestion};
use crate::domain::{PlayerKind, PlayerRef};
use crate::lobby::policy::Policy;
use crate::lobby::seating::{Sitter, Terms};
use crate::lobby::{Lobby, bots_online};
use crate::matches::clock::ClockSpec;
use crate::store::LobbyRows;
use crate::store::lobby::LobbyPlayer;

impl BotPolicies for Lobby {
    fn ask(&self, question: BotQuestion<'_>) -> Result<(), String> {
        let BotQuestion { bot, game, time_ms, rated, from } = question;
        let rows = self.now();
        let policies = policies_of(&rows, bot);
        if policies.is_empty() {
            let by_owner = from.is_some_and(|from| from.owner_id() == bot.owner_id());
            return if by_owner { Ok(()) } else { Err("is offline".to_owned()) };
        }
        let Some(from) = from else { return Err("plays only with players who have a name".to_owned()) };
        let clock = time_ms.map(|ms| ClockSpec { initial_ms: Some(ms), increment_ms: 0, move_ms: None });
        let terms = Terms { game: game.to_owned(), clock, rated, seat: 0 };
        let (bot, from) = (of_kind(bot), of_kind(from));
        let verdicts = policies.iter().map(|policy| {
            policy.accepts(&bot, &terms, &from)?;
            match has_room(&rows, &bot.who.id, policy) {
                true => Ok(()),
                false => Err(format!("plays {} matches already", policy.concurrent)),
            }
        });
        verdicts.reduce(Result::or).unwrap_or(Ok(()))
    }

    fn most_at_once(&self, bot: &PlayerRef) -> Option<u32> {
        policies_of(&self.now(), bot).iter().map(|policy| policy.concurrent).max()
    }

    fn connected(&self) -> HashSet<String> {
        self.now().connections.iter().map(|open| open.player.who.id.clone()).collect()
    }
}

fn policies_of(rows: &LobbyRows, bot: &PlayerRef) -> Vec<Policy> {
    bots_online(rows).filter(|(open, _)| open.player.who.id == bot.id).map(|(_, policy)| policy).collect()
}

/// The player, as far as the choice of seats goes, by the policies of its connections.
pub(super) fn sitter(rows: &LobbyRows, player: &LobbyPlayer) -> Sitter {
    let mirror = policies_of(rows, &player.who).iter().any(Policy::knows_mirror);
    Sitter { kind: player.kind, mirror }
}

/// Only bots have owners.
fn of_kind(who: &PlayerRef) -> LobbyPlayer {
    let kind = if who.owner.is_some() { PlayerKind::Bot } else { PlayerKind::Person };
    LobbyPlayer { who: who.clone(), kind }
}

/// Whether a bot with this id and policy can play one more match.
pub(super) fn has_room(rows: &LobbyRows, bot: &str, policy: &Policy) -> bool {
    let playing = rows.matches.iter().filter(|found| found.player == bot).count();
    let pending = rows.challenges.iter().filter(|c| c.is_pending() && c.opponent.who.id == bot).count();
    playing + pending < policy.concurrent as usize
}
