//! Deletion of matches, and annulment of the results of rated ones, by the operator.

use std::time::Duration;

use tokio::time::sleep;

use crate::domain::MatchId;
use crate::domain::time::Millis;
use crate::error::{Code, Error};
use crate::moderation::Moderation;
use crate::store::{StoreChange, StoreError, refused_by_store};

/// How many matches are deleted in one transaction, and how long other requests then have the writer for themselves.
const BATCH: u32 = 4;
const BATCH_PAUSE: Duration = Duration::from_millis(50);

/// The most rated matches of a game that may have ended after one whose result is annulled: their ratings are computed
/// again, and nothing else is written meanwhile.
const MAX_LATER: u32 = 10_000;

impl Moderation {
    /// Deletes a match, for the operator; ends it first. The result of a rated match stays counted.
    ///
    /// # Errors
    /// `no_such_match`, `store_unavailable`.
    pub async fn delete_match(&self, id: &MatchId) -> Result<(), Error> {
        match self.matches.terminate(id).await {
            Ok(_) => {}
            Err(e) if e.code() == Code::MatchOver => {}
            Err(e) => return Err(e),
        }
        match self
            .accounts
            .change(StoreChange::DeleteMatch { id: id.clone(), at_ms: self.matches.now().ms() })
            .await?
        {
            0 => Err(Error::new(Code::NoSuchMatch, "the match was deleted meanwhile")),
            _ => Ok(()),
        }
    }

    /// Deletes matches that ended this long ago, a few at a time; returns how many.
    ///
    /// # Errors
    /// If the database does not work. The matches deleted until then stay deleted.
    pub async fn delete_old_matches(&self, age: Duration) -> Result<u64, StoreError> {
        let age = Millis::try_from(age.as_millis()).unwrap_or(Millis::MAX);
        let ended_before_ms = self.matches.now().ms().saturating_sub(age);
        let mut all = 0;
        loop {
            let deleted = self
                .matches
                .store()
                .change(StoreChange::DeleteMatches { ended_before_ms, most: BATCH })
                .await?;
            all += deleted;
            if deleted == 0 || self.stopping.is_cancelled() {
                return Ok(all);
            }
            sleep(BATCH_PAUSE).await;
        }
    }

    /// Annuls the result of a rated match.
    ///
    /// # Errors
    /// `not_counted`, `too_late`, `store_unavailable`.
    pub async fn annul(&self, id: &MatchId) -> Result<(), Error> {
        let later = self.matches.store().rated_since(id.clone(), MAX_LATER + 1).await;
        if later.map_err(|e| refused_by_store(&e))?.is_some_and(|later| later > u64::from(MAX_LATER)) {
            let detail = format!("more than {MAX_LATER} rated matches of the game ended after this one");
            return Err(Error::new(Code::TooLate, detail));
        }
        let wanted = StoreChange::AnnulMatch { id: id.clone(), at_ms: self.matches.now().ms() };
        if self.accounts.change(wanted).await? > 0 {
            return Ok(());
        }
        let detail =
            "the match has not ended as a rated match with a result, or its result was annulled before";
        Err(Error::new(Code::NotCounted, detail))
    }
}
