//! What keeps a server civil: mutes, the deletion of matches by the operator, and reports of users.

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::domain::text::alters_display;
use crate::domain::{MatchId, PlayerRef, TournamentId, token};
use crate::error::{Code, Error};
use crate::matches::chat::Content;
use crate::matches::ledger::Caller;
use crate::players::{self, About};
use crate::schema;
use crate::schema::AnyPlayerName;
use crate::store::{NewReport, ReportSubject, StoreChange, StoredReport, refused_by_store};
use crate::tournaments::service::{TournamentSummary, no_such_tournament};
use crate::upkeep;

/// The longest reason of a report, a mute or a ban, and the longest note of an invitation, in characters.
pub const MAX_REASON: usize = 300;

/// The most open reports of one reporter.
const MOST_REPORTS: u32 = 20;

/// Checks that a player may write what others read.
///
/// # Errors
/// `muted`.
pub fn check_mute(app: &App, who: &PlayerRef) -> Result<(), Error> {
    app.matches.admission().restrictions.check_mute(who, app.matches.now().ms())
}

/// Deletes a match, for the operator; ends it first. The result of a rated match stays counted.
///
/// # Errors
/// `no_such_match`, `store_unavailable`.
pub async fn delete_match(app: &App, id: &MatchId) -> Result<(), Error> {
    match app.matches.terminate(id).await {
        Ok(_) => {}
        Err(e) if e.code() == Code::MatchOver => {}
        Err(e) => return Err(e),
    }
    match upkeep::change(app, StoreChange::DeleteMatch { id: id.clone(), at_ms: app.matches.now().ms() })
        .await?
    {
        0 => Err(Error::new(Code::NoSuchMatch, "the match was deleted meanwhile")),
        _ => Ok(()),
    }
}

/// What a report is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Reported {
    /// The conduct in a match.
    Match {
        /// The match.
        #[serde(rename = "match")]
        #[schemars(with = "schema::MatchId")]
        id: String,
    },
    /// The name of a player, or the player's description.
    Player {
        /// The name of the player.
        #[schemars(with = "AnyPlayerName")]
        name: String,
    },
    /// A message in the chat of a match.
    Chat {
        /// The match.
        #[serde(rename = "match")]
        #[schemars(with = "schema::MatchId")]
        id: String,
        /// The number of the message.
        n: u32,
    },
    /// The title of a tournament.
    Tournament {
        /// The tournament.
        #[serde(rename = "tournament")]
        #[schemars(with = "schema::MatchId")]
        id: String,
    },
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

/// Reports something to the operator. The same report of the same caller is stored once. Returns its id.
///
/// # Errors
/// `bad_field`, `too_many`, `no_such_player`, `no_such_tournament`, those of reading the match or its chat,
/// `no_such_message`, `store_unavailable`.
pub async fn report(app: &App, caller: &Caller, reported: Reported, reason: &str) -> Result<String, Error> {
    check_text("reason", reason)?;
    if reason.trim().is_empty() {
        return Err(Error::new(Code::BadField, "reason: say what is wrong"));
    }
    let person = caller.player.as_ref().map(PlayerRef::owner_id);
    app.creations.charge_report(caller.network, person).await?;
    let subject = subject(app, caller, reported).await?;
    let (reporter, store) = (reporter(app, caller), app.matches.store());
    let new = NewReport {
        id: uuid::Uuid::now_v7().hyphenated().to_string(),
        subject: subject.clone(),
        reporter: reporter.clone(),
        reason: reason.trim().to_owned(),
        created_ms: app.matches.now().ms(),
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
pub async fn withdraw_report(app: &App, caller: &Caller, id: &str) -> Result<(), Error> {
    delete_report(app, id, Some(reporter(app, caller))).await
}

/// Settles a report, for the operator: it is deleted.
///
/// # Errors
/// `no_such_report`, `store_unavailable`.
pub async fn settle_report(app: &App, id: &str) -> Result<(), Error> {
    delete_report(app, id, None).await
}

async fn delete_report(app: &App, id: &str, reporter: Option<String>) -> Result<(), Error> {
    let delete = StoreChange::DeleteReport { id: id.to_owned(), reporter };
    match app.matches.store().change(delete).await.map_err(|e| refused_by_store(&e))? {
        0 => Err(Error::new(Code::NoSuchReport, "there is no such report, or it was settled")),
        _ => Ok(()),
    }
}

/// Who reports: a person, also with their bots, or the address of a guest, which cannot be read from its key.
fn reporter(app: &App, caller: &Caller) -> String {
    match (&caller.player, caller.network) {
        (Some(player), _) => player.owner_id().to_owned(),
        (None, network) => {
            let network = network.unwrap_or(IpAddr::from([0, 0, 0, 0]));
            format!("address {}", token::address_key(app.matches.store().pepper(), network))
        }
    }
}

/// The subject of a report, which the caller must be able to see.
async fn subject(app: &App, caller: &Caller, reported: Reported) -> Result<ReportSubject, Error> {
    let match_id = |id: &str| {
        MatchId::parse(id)
            .ok_or_else(|| Error::new(Code::NoSuchMatch, "match: must be the id of a match, as in its link"))
    };
    match reported {
        Reported::Match { id } => {
            app.matches.page(&match_id(&id)?, caller).await?;
            Ok(ReportSubject::Match(id))
        }
        Reported::Player { name } => {
            let player = players::find(app.matches.store(), &name).await?;
            if player.who.is_engine() {
                return Err(Error::new(Code::NotAPerson, "name: this player is a built-in engine"));
            }
            Ok(ReportSubject::Player(player.who.id))
        }
        Reported::Chat { id, n } => {
            let chat = app.matches.chat(&match_id(&id)?, n, caller).await?;
            let is_there = |said: &Content| !matches!(said, Content::Deleted(_));
            if !chat.messages.iter().any(|message| message.n == n && is_there(&message.said)) {
                return Err(Error::new(Code::NoSuchMessage, format!("the match has no message {n}")));
            }
            Ok(ReportSubject::Chat(id, n))
        }
        Reported::Tournament { id } => {
            let known = TournamentId::parse(&id).ok_or_else(no_such_tournament)?;
            app.tournaments.look(&app.matches, &known).await?;
            Ok(ReportSubject::Tournament(id))
        }
    }
}

/// A report as the operator reads it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReportShown {
    /// Its id.
    pub id: String,
    /// What it is about.
    pub about: Reported,
    /// The reason that the reporter gives.
    pub reason: String,
    /// The person who reports; `null`: a guest.
    #[schemars(with = "Option<AnyPlayerName>")]
    pub reporter: Option<String>,
    /// The time of the report, in milliseconds since 1970.
    pub created_ms: i64,
    /// The reported player, or the player who wrote the reported message. `null`: a guest, or the report is about neither.
    #[schemars(with = "Option<AnyPlayerName>")]
    pub player: Option<String>,
    /// The reported message, title or description as it is now; `null`: there is none.
    pub text: Option<String>,
}

impl From<StoredReport> for ReportShown {
    fn from(report: StoredReport) -> Self {
        let StoredReport { id, subject, reporter, reason, created_ms, player, text } = report;
        let text = text.and_then(|text| shown_text(&subject, &text));
        let about = match subject {
            ReportSubject::Match(id) => Reported::Match { id },
            ReportSubject::Player(_) => Reported::Player { name: player.clone().unwrap_or_default() },
            ReportSubject::Chat(id, n) => Reported::Chat { id, n },
            ReportSubject::Tournament(id) => Reported::Tournament { id },
        };
        Self { id, about, reason, reporter, created_ms, player, text }
    }
}

/// The words in a stored text.
fn shown_text(subject: &ReportSubject, stored: &str) -> Option<String> {
    match subject {
        ReportSubject::Match(_) => None,
        ReportSubject::Player(_) => {
            let About { description, version, source } = About::read(Some(stored));
            let parts: Vec<String> = [description, version, source].into_iter().flatten().collect();
            (!parts.is_empty()).then(|| parts.join(" · "))
        }
        ReportSubject::Chat(..) => match serde_json::from_str(stored).ok()? {
            Content::Text(text) => Some(text),
            // The name of a phrase is a word.
            Content::Phrase(phrase) => Some(serde_json::to_value(phrase).ok()?.as_str()?.to_owned()),
            Content::Deleted(_) => None,
        },
        ReportSubject::Tournament(_) => {
            let TournamentSummary { title, .. } = serde_json::from_str(stored).ok()?;
            (!title.is_empty()).then_some(title)
        }
    }
}
