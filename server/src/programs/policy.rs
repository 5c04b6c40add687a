//! The policies of bots for the matches that their programs play.

use crate::domain::PlayerRef;
use crate::error::{Code, Error};
use crate::lobby::Policy;
use crate::programs::Programs;
use crate::store::{ProgramChange, refused_by_store};

impl Programs {
    /// The policy of a bot for its programs.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn policy(&self, bot: &PlayerRef) -> Result<Policy, Error> {
        let stored = self.matches.store().hosted_policy(bot.id.clone()).await;
        let stored = stored.map_err(|e| refused_by_store(&e))?;
        if let Some(policy) = stored.as_deref().and_then(Policy::read) {
            return Ok(policy);
        }
        let active = self.stored(bot).await?.into_iter();
        let mut games: Vec<String> = active
            .filter(|program| program.state == crate::domain::ProgramState::Active)
            .map(|p| p.game)
            .collect();
        games.sort_unstable();
        if games.is_empty() {
            games = self.games.offers().iter().map(|offer| offer.info.slug.to_owned()).collect();
        }
        Ok(Policy::of_programs(games))
    }

    /// Replaces the policy of a bot for its programs.
    ///
    /// # Errors
    /// `bad_field`, `unknown_game`, `no_such_player`, `store_unavailable`.
    pub async fn set_policy(&self, bot: &PlayerRef, policy: &Policy) -> Result<(), Error> {
        if !policy.referee.is_empty() {
            let detail = "policy.referee: the check of each program finds its settings";
            return Err(Error::new(Code::BadField, detail));
        }
        let policy = policy.checked(self.games)?;
        match self.change(ProgramChange::SetPolicy { bot: bot.id.clone(), policy }).await? {
            0 => Err(Error::new(Code::NoSuchPlayer, "the bot was deleted meanwhile")),
            _ => Ok(()),
        }
    }
}
