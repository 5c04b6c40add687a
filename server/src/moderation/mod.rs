//! Keeps a server civil: reports of users, the deletion of matches by the operator, and the annulment of results.

mod deletion;
mod reports;

use tokio_util::sync::CancellationToken;

use crate::accounts::{self, Accounts};
use crate::domain::text::alters_display;
use crate::domain::{MatchId, PlayerRef, TournamentId};
use crate::error::{Code, Error};
use crate::limits::creations::Creations;
use crate::matches::chat::ChatContent;
use crate::matches::ledger::Caller;
use crate::matches::service::Matches;
use crate::store::{NewReport, ReportSubject, StoreChange, refused_by_store};
use crate::tournaments::service::{Tournaments, no_such_tournament};

pub use reports::{ReportShown, ReportTarget};

/// The longest reason of a report, a mute or a ban, and the longest note of an invitation, in characters.
pub const MAX_REASON: usize = 300;

/// The most open reports of one reporter.
const MOST_REPORTS: u32 = 20;

/// The moderation of a server.
pub struct Moderation {
    /// Applies changes to the database.
    pub accounts: &'static Accounts,
    /// The hosted matches.
    pub matches: &'static Matches,
    /// The tournaments that reports and the operator name.
    pub tournaments: &'static Tournaments,
    /// The rate limits, also those of reports.
    pub creations: &'static Creations,
    /// Cancelled when the server begins to stop.
    pub stopping: CancellationToken,
}

/// Checks a text that goes to the operator, or comes from there.
///
/// # Errors
/// `bad_field`.
pub fn check_text(field: &str, text: &str) -> Result<(), Error> {
    if text.chars().count() <= MAX_REASON && !text.chars().any(alters_display) {
        return Ok(());
    }
    let detail = format!("{field}: at most {MAX_REASON} characters, without line breaks");
    Err(Error::new(Code::BadField, detail))
}

impl Moderation {
    /// Reports something to the operator. The same report of the same caller is stored once. Returns its id.
    ///
    /// # Errors
    /// `bad_field`, `too_many`, `no_such_player`, `no_such_tournament`, those of reading the match or its chat,
    /// `no_such_message`, `store_unavailable`.
    pub async fn report(
        &self,
        caller: &Caller,
        reported: ReportTarget,
        reason: &str,
    ) -> Result<String, Error> {
        check_text("reason", reason)?;
        if reason.trim().is_empty() {
            return Err(Error::new(Code::BadField, "reason: say what is wrong"));
        }
        let person = caller.player.as_ref().map(PlayerRef::owner_id);
        self.creations.charge_report(caller.network, person).await?;
        let subject = self.subject(caller, reported).await?;
        let (reporter, store) = (self.matches.caller_key(caller), self.matches.store());
        let new = NewReport {
            id: uuid::Uuid::now_v7().hyphenated().to_string(),
            subject: subject.clone(),
            reporter: reporter.clone(),
            reason: reason.trim().to_owned(),
            created_ms: self.matches.now().ms(),
            most: MOST_REPORTS,
        };
        let id = new.id.clone();
        if store.change(StoreChange::Report(new)).await.map_err(|e| refused_by_store(&e))? > 0 {
            tracing::info!(id, "a user reports something: kibitz admin reports list");
            return Ok(id);
        }
        let before = store.reported(subject, reporter).await.map_err(|e| refused_by_store(&e))?;
        before.ok_or_else(|| {
            let detail = format!(
                "{MOST_REPORTS} of your reports are open, which is the limit: the operator reads them first"
            );
            Error::new(Code::TooMany, detail)
        })
    }

    /// Withdraws a report of the caller.
    ///
    /// # Errors
    /// `no_such_report`, `store_unavailable`.
    pub async fn withdraw_report(&self, caller: &Caller, id: &str) -> Result<(), Error> {
        self.delete_report(id, Some(self.matches.caller_key(caller))).await
    }

    /// Settles a report, for the operator: it is deleted.
    ///
    /// # Errors
    /// `no_such_report`, `store_unavailable`.
    pub async fn settle_report(&self, id: &str) -> Result<(), Error> {
        self.delete_report(id, None).await
    }

    async fn delete_report(&self, id: &str, reporter: Option<String>) -> Result<(), Error> {
        let delete = StoreChange::DeleteReport { id: id.to_owned(), reporter };
        match self.matches.store().change(delete).await.map_err(|e| refused_by_store(&e))? {
            0 => Err(Error::new(Code::NoSuchReport, "there is no such report, or it was settled")),
            _ => Ok(()),
        }
    }

    /// The subject of a report, which the caller must be able to see.
    async fn subject(&self, caller: &Caller, reported: ReportTarget) -> Result<ReportSubject, Error> {
        let match_id = |id: &str| {
            MatchId::parse(id).ok_or_else(|| {
                Error::new(Code::NoSuchMatch, "match: must be the id of a match, as in its link")
            })
        };
        match reported {
            ReportTarget::Match { id } => {
                self.matches.page(&match_id(&id)?, caller).await?;
                Ok(ReportSubject::Match(id))
            }
            ReportTarget::Player { name } => {
                let player = accounts::find(self.matches.store(), &name).await?;
                if player.who.is_engine() {
                    return Err(Error::new(Code::NotAPerson, "name: this player is a built-in engine"));
                }
                Ok(ReportSubject::Player(player.who.id))
            }
            ReportTarget::Chat { id, n } => {
                let chat = self.matches.chat(&match_id(&id)?, n, caller).await?;
                let is_there = |said: &ChatContent| !matches!(said, ChatContent::Deleted(_));
                if !chat.messages.iter().any(|message| message.n == n && is_there(&message.said)) {
                    return Err(Error::new(Code::NoSuchMessage, format!("the match has no message {n}")));
                }
                Ok(ReportSubject::Chat(id, n))
            }
            ReportTarget::Tournament { id } => {
                let known = TournamentId::parse(&id).ok_or_else(no_such_tournament)?;
                self.tournaments.look(self.matches, &known).await?;
                Ok(ReportSubject::Tournament(id))
            }
        }
    }
}
