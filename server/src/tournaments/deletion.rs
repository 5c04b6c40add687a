//! Deletes tournaments: unplayed ones for their organizers, any for the operator.

use crate::domain::{TournamentId, TournamentStage};
use crate::error::{Code, Error};
use crate::matches::service::Matches;
use crate::store::{StoreChange, refused_by_store};
use crate::tournaments::service::{ATTEMPTS, Tournaments};

impl Tournaments {
    /// Deletes a tournament, for its organizer: before it began, or if it ended without a game.
    ///
    /// # Errors
    /// `tournament_stage`, `no_such_tournament`, `store_unavailable`.
    pub async fn delete_unplayed(&self, matches: &Matches, id: &TournamentId) -> Result<(), Error> {
        if !self.load(matches, id).await?.state.is_unplayed() {
            let detail = "games were played: remove the title, or ask the operator to delete the tournament";
            return Err(Error::new(Code::TournamentStage, detail));
        }
        self.delete(matches, id).await
    }

    /// Deletes a tournament, for the operator. Ends it first. The matches of its games stay.
    ///
    /// # Errors
    /// `no_such_tournament`, `store_unavailable`.
    pub async fn delete(&self, matches: &Matches, id: &TournamentId) -> Result<(), Error> {
        for _ in 0..ATTEMPTS {
            let stage = self.load(matches, id).await?.state.stage;
            if matches!(stage, TournamentStage::Running | TournamentStage::Paused) {
                match self.abort(matches, id).await {
                    Ok(()) => {}
                    // It has ended meanwhile.
                    Err(e) if e.code() == Code::TournamentStage => {}
                    Err(e) => return Err(e),
                }
            }
            let deleted = matches.store().change(StoreChange::DeleteTournament(id.clone())).await;
            // It may have been started meanwhile.
            if deleted.map_err(|e| refused_by_store(&e))? > 0 {
                self.forget(id);
                return Ok(());
            }
        }
        Err(Error::new(Code::Internal, format!("tournament {id} goes on although it is to be deleted")))
    }
}
