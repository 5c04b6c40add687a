//! Hosted bots are online: for each of them this node holds a connection to the lobby, as a bot's own client does, and accepts the
//! challenges that its policy allows.

use std::collections::HashMap;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval};

use crate::domain::PlayerRef;
use crate::error::{Code, Error};
use crate::lobby::{Lobby, LobbyConnection, Policy};
use crate::programs::Programs;
use crate::store::ActiveProgram;

/// How often to look for what the signals did not tell, and to store what bots have used.
const INTERVAL: Duration = Duration::from_secs(2);

/// A bot that is online here.
struct OnlineBot {
    who: PlayerRef,
    connection: LobbyConnection,
    policy: Policy,
}

impl Programs {
    /// Keeps hosted bots online until the server stops.
    pub async fn keep_online(&'static self, lobby: &'static Lobby) {
        if !self.hosting.is_on() {
            return;
        }
        let mut online: HashMap<String, OnlineBot> = HashMap::new();
        let (mut tick, mut changed) = (interval(INTERVAL), self.matches.store().programs_changed());
        let mut lobby_changed = lobby.follow();
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = self.stopping.cancelled() => break,
                Ok(()) = changed.changed() => self.refresh(lobby, &mut online).await,
                Ok(()) = lobby_changed.changed() => self.accept_challenges(lobby, &online).await,
                _ = tick.tick() => {
                    // It is stored with the next tick if this fails.
                    let _ = self.hosting.store_fuel().await;
                    self.refresh(lobby, &mut online).await;
                    self.accept_challenges(lobby, &online).await;
                }
            }
        }
        let _ = self.hosting.store_fuel().await;
    }

    /// Connects bots whose programs play now, and disconnects the others.
    async fn refresh(&self, lobby: &'static Lobby, online: &mut HashMap<String, OnlineBot>) {
        if let Err(e) = self.hosting.refresh().await {
            tracing::debug!(error = %e, "the programs of bots cannot be read");
            return;
        }
        let mut wanted = HashMap::new();
        for (bot, programs) in self.hosting.by_bot() {
            let may_play = match self.hosting.used_today(&bot).await {
                Ok(used) => used < self.options.fuel_per_day(),
                Err(_) => online.contains_key(&bot),
            };
            if let (true, Some(policy)) = (may_play, self.policy_of(&programs)) {
                wanted.insert(bot, (programs, policy));
            }
        }
        let now = lobby.now();
        // One node is enough: of two that have connected at the same time, the later one leaves.
        let is_first = |bot: &str, own: &OnlineBot| {
            now.policies_of(bot).all(|(open, _)| open.id.as_str() >= own.connection.id())
        };
        online.retain(|bot, own| wanted.contains_key(bot) && is_first(bot, own));
        wanted.retain(|bot, _| online.contains_key(bot) || now.policies_of(bot).next().is_none());
        for (bot, (programs, policy)) in wanted {
            if online.get(&bot).is_some_and(|now| now.policy == policy) {
                continue;
            }
            let Some(who) = programs.first().map(|active| active.bot.clone()) else { continue };
            if let Err(e) = self.connect(lobby, &bot, who, policy, online).await {
                tracing::debug!(bot, error = %e, "a hosted bot cannot be online");
            }
        }
    }

    async fn connect(
        &self,
        lobby: &'static Lobby,
        bot: &str,
        who: PlayerRef,
        policy: Policy,
        online: &mut HashMap<String, OnlineBot>,
    ) -> Result<(), Error> {
        let connection = match online.remove(bot) {
            Some(now) => now.connection,
            None => lobby.connect(self.matches, &who).await?,
        };
        connection.set_policy(Some(policy.clone())).await?;
        online.insert(bot.to_owned(), OnlineBot { who, connection, policy });
        Ok(())
    }

    /// The policy with which a bot with these programs is online; `None`: it plays nothing.
    fn policy_of(&self, programs: &[ActiveProgram]) -> Option<Policy> {
        let mut games: Vec<String> = programs.iter().map(|active| active.game.clone()).collect();
        games.sort_unstable();
        let stored = programs.iter().find_map(|active| active.policy.as_deref()).and_then(Policy::read);
        let mut policy = stored.unwrap_or_else(|| Policy::of_programs(games.clone()));
        policy.games.retain(|game| games.contains(game));
        // A setting that all its games have, such as the mirror dialogue, is known to those who look for opponents.
        let known = programs.iter().map(|active| &active.referee);
        let first = known.clone().next()?;
        let in_all =
            |name: &String, value: &String| known.clone().all(|other| other.get(name) == Some(value));
        policy.referee = first
            .iter()
            .filter(|(name, value)| in_all(name, value))
            .map(|(n, v)| (n.clone(), v.clone()))
            .collect();
        (!policy.games.is_empty()).then_some(policy)
    }

    /// Accepts the open challenges of hosted bots that have room. Whether a bot plays such a match was asked when it was challenged.
    async fn accept_challenges(&self, lobby: &'static Lobby, online: &HashMap<String, OnlineBot>) {
        let now = lobby.now();
        for bot in online.values() {
            let id = &bot.who.id;
            let open = now
                .challenges_of(id)
                .filter(|challenge| challenge.is_open() && challenge.opponent.who.id == *id);
            let room = (bot.policy.concurrent as usize).saturating_sub(now.matches_of(id).len());
            let open: Vec<String> = open.take(room).map(|challenge| challenge.id.clone()).collect();
            for challenge in open {
                match lobby.accept(self.matches, &challenge, &bot.who, None).await {
                    Ok(_) => {}
                    Err(e) if matches!(e.code(), Code::ChallengeOver | Code::NoSuchChallenge) => {}
                    Err(e) => {
                        tracing::debug!(challenge, error = %e, "a hosted bot cannot accept a challenge")
                    }
                }
            }
        }
    }

    /// Refuses a client of a bot for which a program plays here.
    ///
    /// # Errors
    /// `hosted_seat`.
    pub fn refuse_client(&self, who: &PlayerRef) -> Result<(), Error> {
        if who.owner.is_some() && self.hosting.is_on() && self.hosting.plays_for(&who.id) {
            let detail = format!(
                "a program plays for {} on this server: retire it first, on the bot's page or with PATCH",
                who.name
            );
            return Err(Error::new(Code::HostedSeat, detail));
        }
        Ok(())
    }
}
