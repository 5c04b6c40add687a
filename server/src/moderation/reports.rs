//! Reports of users, and what the operator reads of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::accounts::About;
use crate::domain::schema;
use crate::domain::schema::AnyPlayerName;
use crate::matches::chat::ChatContent;
use crate::store::{ReportSubject, StoredReport};
use crate::tournaments::service::TournamentSummary;

/// The thing that a report is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "Reported")]
pub enum ReportTarget {
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

/// A report as the operator reads it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReportShown {
    /// Names the report in requests that settle it.
    pub id: String,
    /// The thing that it is about.
    pub about: ReportTarget,
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
            ReportSubject::Match(id) => ReportTarget::Match { id },
            ReportSubject::Player(_) => ReportTarget::Player { name: player.clone().unwrap_or_default() },
            ReportSubject::Chat(id, n) => ReportTarget::Chat { id, n },
            ReportSubject::Tournament(id) => ReportTarget::Tournament { id },
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
            ChatContent::Text(text) => Some(text),
            // The name of a phrase is a word.
            ChatContent::Phrase(phrase) => Some(serde_json::to_value(phrase).ok()?.as_str()?.to_owned()),
            ChatContent::Deleted(_) => None,
        },
        ReportSubject::Tournament(_) => {
            let TournamentSummary { title, .. } = serde_json::from_str(stored).ok()?;
            (!title.is_empty()).then_some(title)
        }
    }
}
