//! The changes that players and the operator make to accounts: tokens, descriptions, names, deletion.

use crate::accounts::registration::{NAME_HELD_MS, free_name, name_taken};
use crate::accounts::{About, Accounts};
use crate::domain::PlayerRef;
use crate::domain::time::Millis;
use crate::domain::token::{KeyHash, Token};
use crate::error::{Code, Error};
use crate::matches::ledger::Caller;
use crate::matches::request::SeatAction;
use crate::store::{StoreChange, StoreError, TokenHolder, refused_by_store};
use crate::tournaments::ledger::TournamentCommand;

impl Accounts {
    /// Replaces the account's own token, and ends the sign-ins that were made with it. `end_others`: whether all tokens with a scope
    /// that the player owns, or that act for the player, become invalid, too; otherwise the sign-in goes on whose token is `by`.
    ///
    /// # Errors
    /// `bad_field` if the token is in use, `no_such_player`, `not_a_person` for an engine, `store_unavailable`.
    pub async fn change_token(
        &self,
        who: &PlayerRef,
        token: &Token,
        end_others: bool,
        by: Option<KeyHash>,
    ) -> Result<(), Error> {
        has_account(who)?;
        let wanted = StoreChange::ReplaceToken { player: who.id.clone(), key: token.hash(), end_others, by };
        match self.matches.store().change(wanted).await {
            Ok(0) => return Err(gone()),
            Ok(_) => {}
            Err(StoreError::Conflict) => {
                return Err(Error::new(Code::BadField, "token: it is in use; create a random one"));
            }
            Err(e) => return Err(refused_by_store(&e)),
        }
        self.refresh().await.map_err(|e| refused_by_store(&e))
    }

    /// Writes that a token with a scope is used, now and then. The request does not wait for that.
    pub fn note_use(&self, key: KeyHash, holder: &TokenHolder, now: Millis) {
        let Some(id) = self.token_holders.use_to_write(key, holder, now) else { return };
        let store = self.matches.store();
        tokio::spawn(async move {
            // The time is for information. The next use that is written corrects it.
            if let Err(e) = store.change(StoreChange::UseToken { id, at_ms: now }).await {
                tracing::debug!(error = %e, "the use of a token could not be written");
            }
        });
    }

    /// Makes the account's own token invalid, without a new one.
    ///
    /// # Errors
    /// `no_such_player`, `store_unavailable`.
    pub async fn revoke_token(&self, who: &PlayerRef) -> Result<(), Error> {
        let changed = self.change(StoreChange::RevokeToken { player: who.id.clone() }).await?;
        if changed == 0 { Err(gone()) } else { Ok(()) }
    }

    /// Replaces the player's description of itself. A muted player can only empty it.
    ///
    /// # Errors
    /// `bad_field`, `muted`, `no_such_player`, `store_unavailable`.
    pub async fn change_about(&self, who: &PlayerRef, about: &About) -> Result<(), Error> {
        if *about != About::default() {
            self.check_mute(who)?;
        }
        let wanted = StoreChange::SetAbout { player: who.id.clone(), about: about.stored()? };
        match self.matches.store().change(wanted).await.map_err(|e| refused_by_store(&e))? {
            0 => Err(gone()),
            _ => Ok(()),
        }
    }

    /// Names the version of a bot in its description, the rest of which stays.
    ///
    /// # Errors
    /// `not_a_bot`, and those of [`Self::change_about`].
    pub async fn change_version(&self, who: &PlayerRef, version: String) -> Result<(), Error> {
        if who.owner.is_none() {
            return Err(Error::new(Code::NotABot, "only bots have a version"));
        }
        let found = self.matches.store().player(who.name.clone()).await.map_err(|e| refused_by_store(&e))?;
        let before = About::read(found.ok_or_else(gone)?.about.as_deref());
        let about = About { version: Some(version), ..before.clone() };
        if about == before { Ok(()) } else { self.change_about(who, &about).await }
    }

    /// Renames the player.
    ///
    /// # Errors
    /// `bad_field`, `name_taken`, `not_a_person` for an engine, `store_unavailable`.
    pub async fn rename_player(&self, who: &PlayerRef, name: &str) -> Result<(), Error> {
        has_account(who)?;
        let name = free_name(name, self.matches.engine_names())?;
        let at_ms = self.matches.now().ms();
        let held_until_ms = at_ms.saturating_add(NAME_HELD_MS);
        let wanted =
            StoreChange::RenamePlayer { player: who.id.clone(), name: name.clone(), at_ms, held_until_ms };
        if self.change(wanted).await? == 0 { Err(name_taken(&name)) } else { Ok(()) }
    }

    /// Deletes the account and those of the player's bots: leaves open matches, resigns running ones, deletes tournaments that have
    /// not begun and the titles of the others, then removes tokens, names, results, and all that the player wrote. What is in
    /// the logs of matches follows within seconds.
    ///
    /// # Errors
    /// `no_such_player`, `not_a_person` for an engine, `store_unavailable`.
    pub async fn delete_player(&self, who: &PlayerRef) -> Result<(), Error> {
        has_account(who)?;
        for bot in self.matches.store().bots(who.id.clone()).await.map_err(|e| refused_by_store(&e))? {
            self.leave_matches(&bot.who).await?;
        }
        self.leave_matches(who).await?;
        self.leave_tournaments(who).await?;
        let at_ms = self.matches.now().ms();
        let held_until_ms = at_ms.saturating_add(NAME_HELD_MS);
        let changed =
            self.change(StoreChange::DeletePlayer { player: who.id.clone(), at_ms, held_until_ms }).await?;
        if changed == 0 { Err(gone()) } else { Ok(()) }
    }

    /// Leaves the open matches of a player, and resigns the running ones.
    async fn leave_matches(&self, who: &PlayerRef) -> Result<(), Error> {
        let caller = Caller { player: Some(who.clone()), ..Caller::default() };
        let playing = self.matches.store().playing(who.id.clone()).await.map_err(|e| refused_by_store(&e))?;
        for id in playing {
            // The match may begin or end meanwhile. A seat that is reserved for the player stays reserved until the match ends.
            for act in [SeatAction::Leave, SeatAction::Resign] {
                match self.matches.act(&id, &caller, act).await {
                    Ok(_) => break,
                    Err(e) if e.code() == Code::StoreUnavailable => return Err(e),
                    Err(e) => {
                        tracing::debug!(id = id.as_str(), error = %e, "a deleted player's match goes on")
                    }
                }
            }
        }
        Ok(())
    }

    /// Deletes the tournaments of a player that have not begun, and the titles of the others.
    async fn leave_tournaments(&self, who: &PlayerRef) -> Result<(), Error> {
        let (tournaments, matches) = (self.tournaments, self.matches);
        let organized = matches.store().organized(who.id.clone()).await;
        for id in organized.map_err(|e| refused_by_store(&e))? {
            let done = match tournaments.delete_unplayed(matches, &id).await {
                Err(e) if e.code() == Code::TournamentStage => {
                    tournaments.command(matches, &id, &TournamentCommand::RemoveTitle).await.map(drop)
                }
                done => done,
            };
            match done {
                Err(e) if e.code() == Code::NoSuchTournament => {}
                done => done?,
            }
        }
        Ok(())
    }
}

fn has_account(who: &PlayerRef) -> Result<(), Error> {
    if who.is_engine() {
        return Err(Error::new(Code::NotAPerson, "this player is a built-in engine, which has no account"));
    }
    Ok(())
}

fn gone() -> Error {
    Error::new(Code::NoSuchPlayer, "the account was deleted meanwhile")
}
