//! Admission of matches: whatever makes a match names its payers here and gets a permit or a refusal. A permit is part of
//! the match until it is over. Creations are charged when the permit is given; what the permit holds comes back when it is
//! dropped.

pub mod bans;
pub mod blocks;
pub mod policy;
pub mod restrictions;

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::OnceLock;

use crate::admission::bans::Bans;
use crate::admission::blocks::Blocks;
use crate::admission::policy::{BotPolicies, BotQuestion};
use crate::admission::restrictions::Restrictions;
use crate::domain::PlayerRef;
use crate::error::{Code, Error};
use crate::limits::creations::Creations;
use crate::limits::quotas::{Limit, QuotaGuard, Quotas};

/// The address and the player who pay for a match: creations, running matches, and the time of its engines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payers {
    network: Option<IpAddr>,
    /// Ids of people. A bot's owner pays for the bot.
    people: Vec<String>,
}

impl Payers {
    /// The service itself: nothing limits it. Only the permanent ladder is paid by it.
    pub fn service() -> Self {
        Self::default()
    }

    /// The address that a request comes from, if there is one, and the players whom the match is for.
    pub fn new<'a>(network: Option<IpAddr>, players: impl IntoIterator<Item = &'a PlayerRef>) -> Self {
        let mut people: Vec<String> = Vec::new();
        for player in players.into_iter().filter(|player| !player.is_engine()) {
            if !people.iter().any(|known| known == player.owner_id()) {
                people.push(player.owner_id().to_owned());
            }
        }
        Self { network, people }
    }
}

/// A match that may be made. Dropping it gives back what it holds.
#[derive(Default)]
#[must_use = "what it holds is given back at once when it is dropped"]
pub struct Permit {
    payers: Payers,
    addresses: Vec<QuotaGuard<IpAddr>>,
    people: Vec<QuotaGuard<String>>,
}

impl Permit {
    /// For a match that was admitted before, by a request that is gone: a retry after a failure. It holds nothing.
    pub fn admitted_before(payers: Payers) -> Self {
        Self { payers, ..Self::default() }
    }

    /// One permit for two payers who share a match.
    pub fn join(mut self, mut other: Self) -> Self {
        self.payers.network = self.payers.network.or(other.payers.network);
        self.payers.people.append(&mut other.payers.people);
        self.addresses.append(&mut other.addresses);
        self.people.append(&mut other.people);
        self
    }

    /// The address that pays, the first one if there are two.
    pub fn network(&self) -> Option<IpAddr> {
        self.payers.network
    }

    /// The id of the person whose account the time of the match's engines is charged to; `None`: guests of the address, or
    /// the service.
    pub fn person(&self) -> Option<&str> {
        self.payers.people.first().map(String::as_str)
    }
}

/// The limits on making matches.
pub struct Admission {
    creations: &'static Creations,
    of_addresses: &'static Quotas<IpAddr>,
    of_people: &'static Quotas<String>,
    policies: OnceLock<&'static dyn BotPolicies>,
    /// The blocks of players.
    pub blocks: Blocks,
    /// Addresses whose requests are refused.
    pub bans: Bans,
    /// The muted and banned players.
    pub restrictions: Restrictions,
}

impl Admission {
    /// `per_address`, `per_player`: the most matches that are not over.
    pub fn new(creations: &'static Creations, per_address: usize, per_player: usize) -> Self {
        let what = "matches that are not over";
        Self {
            creations,
            policies: OnceLock::new(),
            blocks: Blocks::default(),
            bans: Bans::default(),
            restrictions: Restrictions::default(),
            of_addresses: Quotas::new(
                what,
                Limit { most: per_address, setting: "--max-matches-per-address" },
            ),
            of_people: Quotas::of_players(
                what,
                Limit { most: per_player, setting: "--max-matches-per-player" },
            ),
        }
    }

    /// Sets who answers [`Self::ask_bot`]. Call it once, before the server serves.
    pub fn answer_for_bots(&self, policies: &'static dyn BotPolicies) {
        let is_first = self.policies.set(policies).is_ok();
        debug_assert!(is_first, "there is one lobby");
    }

    /// Asks a bot whether it plays a match in which a seat is kept for it.
    ///
    /// # Errors
    /// `not_accepted`.
    pub fn ask_bot(&self, question: BotQuestion<'_>) -> Result<(), Error> {
        let Some(policies) = self.policies.get() else { return Ok(()) };
        policies
            .ask(question)
            .map_err(|why| Error::new(Code::NotAccepted, format!("{} {why}", question.bot.name)))
    }

    /// How many matches a bot plays at a time; `None`: it is offline, or the player is no bot.
    pub fn most_at_once(&self, player: &PlayerRef) -> Option<u32> {
        player.owner.as_ref()?;
        self.policies.get()?.most_at_once(player)
    }

    /// The ids of the players who have a control connection to the service.
    pub fn connected(&self) -> HashSet<String> {
        self.policies.get().map(|policies| policies.connected()).unwrap_or_default()
    }

    /// Charges a match to its payers.
    ///
    /// # Errors
    /// `too_many` if one of them has reached a limit; `store_unavailable`.
    pub async fn admit(&self, payers: Payers) -> Result<Permit, Error> {
        let network = payers.network.iter();
        let addresses = network.map(|network| self.of_addresses.take(Some(*network), 1));
        let addresses = addresses.collect::<Result<Vec<_>, Error>>()?;
        let take = |person: &String| self.of_people.take(Some(person.clone()), 1);
        let people = payers.people.iter().map(take).collect::<Result<Vec<_>, Error>>()?;
        self.creations.charge_match(payers.network, &payers.people).await?;
        Ok(Permit { payers, addresses, people })
    }

    /// Charges a challenge, which is a message to another player.
    ///
    /// # Errors
    /// `too_many`; `store_unavailable`.
    pub async fn charge_challenge(&self, from: Option<IpAddr>, challenger: &PlayerRef) -> Result<(), Error> {
        self.creations.charge_challenge(from, challenger.owner_id()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::creations::CreationOptions;

    fn admission(per_address: usize, per_player: usize) -> Admission {
        let options = CreationOptions {
            creations_per_minute: 600,
            creations_burst: 300,
            challenges_per_minute: 120,
            reports_per_minute: 10,
            sign_ins_per_minute: 30,
            player_creations_per_minute: None,
            player_creations_burst: None,
        };
        Admission::new(Box::leak(Box::new(Creations::new(&options, None))), per_address, per_player)
    }

    #[tokio::test]
    async fn every_payer_must_have_room_and_gets_it_back() {
        let admission = admission(3, 2);
        let here = "10.0.0.1".parse().ok();
        let [ann, bob] = [PlayerRef::new("1", "ann"), PlayerRef::new("2", "bob")];
        let robot = PlayerRef { owner: Some("1".to_owned()), ..PlayerRef::new("3", "robot") };
        let first = admission.admit(Payers::new(here, [&ann, &bob])).await.unwrap();
        let second = admission.admit(Payers::new(None, [&robot])).await.unwrap();
        assert_eq!((first.person(), second.person()), (Some("1"), Some("1")), "an owner pays for the bot");
        let refused = admission.admit(Payers::new(here, [&bob, &ann])).await.err().unwrap();
        assert!(refused.detail().contains("--max-matches-per-player"), "{refused}");
        // The place that the refused one took for bob was given back.
        let third = admission.admit(Payers::new(here, [&bob])).await.unwrap();
        drop(second);
        let fourth = admission.admit(Payers::new(here, [&ann])).await.unwrap();
        let refused = admission.admit(Payers::new(here, [])).await.err().unwrap();
        assert!(refused.detail().contains("--max-matches-per-address"), "{refused}");
        drop([first, third, fourth]);
        assert!(admission.admit(Payers::new(here, [&ann, &bob])).await.is_ok());
        for _ in 0..1000 {
            assert!(admission.admit(Payers::service()).await.is_ok());
        }
    }
}
