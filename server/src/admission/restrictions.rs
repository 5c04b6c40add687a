//! The muted and banned players, as the server keeps them in memory. A restriction of a person holds for their bots.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use crate::domain::PlayerRef;
use crate::domain::time::{Millis, utc};
use crate::error::{Code, Error};
use crate::store::{RestrictedPlayer, Restriction, RestrictionKind};

/// All restrictions, by the id of the player.
#[derive(Default)]
pub struct Restrictions(RwLock<HashMap<(String, RestrictionKind), Restriction>>);

impl Restrictions {
    /// Replaces all restrictions.
    pub fn replace(&self, all: Vec<RestrictedPlayer>) {
        let all = all.into_iter().map(|entry| ((entry.player, entry.kind), entry.restriction)).collect();
        // The map stays whole even if a thread panicked while it held the lock.
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = all;
    }

    /// Checks that a player may write what others read.
    ///
    /// # Errors
    /// `muted`.
    pub fn check_mute(&self, player: &PlayerRef, now: Millis) -> Result<(), Error> {
        match self.of(player, RestrictionKind::Mute, now) {
            None => Ok(()),
            Some(mute) => Err(Error::new(Code::Muted, describe("muted", &mute))),
        }
    }

    /// Checks that a player is not banned.
    ///
    /// # Errors
    /// `banned`.
    pub fn check_ban(&self, player: &PlayerRef, now: Millis) -> Result<(), Error> {
        match self.of(player, RestrictionKind::Ban, now) {
            None => Ok(()),
            Some(ban) => Err(Error::new(Code::Banned, describe("banned", &ban))),
        }
    }

    fn of(&self, player: &PlayerRef, kind: RestrictionKind, now: Millis) -> Option<Restriction> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        // Most servers have none, and this is asked for each request of a player.
        if all.is_empty() {
            return None;
        }
        let found = [&player.id, player.owner_id()].into_iter().find_map(|id: &str| {
            all.get(&(id.to_owned(), kind)).filter(|found| found.until_ms.is_none_or(|until| now < until))
        });
        found.cloned()
    }
}

fn describe(what: &str, restriction: &Restriction) -> String {
    let until = restriction.until_ms.map(|until| format!(" until {}", utc(until))).unwrap_or_default();
    let reason = match restriction.reason.as_str() {
        "" => String::new(),
        reason => format!(": {reason}"),
    };
    format!("the operator of this server has {what} this player{until}{reason}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn restricted(player: &str, kind: RestrictionKind, until_ms: Option<Millis>) -> RestrictedPlayer {
        let restriction = Restriction { reason: "spam".into(), created_ms: 0, until_ms };
        RestrictedPlayer { player: player.into(), name: player.into(), kind, restriction }
    }

    #[test]
    fn restriction_covers_the_bots_of_a_person_until_it_ends() {
        let all = Restrictions::default();
        let (ann, bob) = (PlayerRef::new("a", "ann"), PlayerRef::new("b", "bob"));
        let robo = PlayerRef { owner: Some("a".into()), ..PlayerRef::new("r", "robo") };
        assert!(all.check_ban(&ann, 0).is_ok());
        all.replace(vec![
            restricted("a", RestrictionKind::Ban, Some(10)),
            restricted("r", RestrictionKind::Mute, None),
        ]);
        for (player, now, is_banned) in
            [(&ann, 9, true), (&robo, 9, true), (&ann, 10, false), (&bob, 9, false)]
        {
            assert_eq!(all.check_ban(player, now).is_err(), is_banned, "{player:?} {now}");
        }
        assert!(all.check_mute(&ann, 9).is_ok(), "the mute is the bot's");
        let refused = all.check_mute(&robo, 99).unwrap_err();
        assert_eq!(refused.code(), Code::Muted);
        assert!(refused.detail().ends_with("this player: spam"), "{refused}");
        let refused = all.check_ban(&ann, 9).unwrap_err();
        assert!(refused.detail().contains("until 1970-01-01"), "{refused}");
    }
}
