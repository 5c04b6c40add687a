//! The seal on data that would reveal the deals of a tournament that is not over.

use crate::app::App;
use crate::domain::{MatchId, TournamentId, TournamentRef};
use crate::error::{Code, Error};
use crate::matches::ledger::Caller;

/// Checks that the tournament of a match, if it has one, is over.
///
/// # Errors
/// `sealed`; as for the page of the match.
pub(crate) async fn require_open(app: &App, id: &MatchId, caller: &Caller) -> Result<(), Error> {
    match app.matches.tournament_of(id, caller).await? {
        Some(TournamentRef { id, .. }) => require_over(app, &id).await,
        None => Ok(()),
    }
}

async fn require_over(app: &App, id: &str) -> Result<(), Error> {
    let missing =
        || Error::new(Code::Internal, format!("a match belongs to tournament {id:?}, which is no id"));
    let id = TournamentId::parse(id).ok_or_else(missing)?;
    match app.tournaments.load(&app.matches, &id).await {
        Ok(loaded) if loaded.state.stage.is_over() => return Ok(()),
        Ok(_) => {}
        // The operator has deleted it; all its games had ended before.
        Err(e) if e.code() == Code::NoSuchTournament => return Ok(()),
        Err(e) => return Err(e),
    }
    let detail = format!(
        "the match belongs to tournament {id}, in which several games have the same deal: this is public when the \
         tournament is over"
    );
    Err(Error::new(Code::Sealed, detail))
}
