//! The reports of a bot's check matches, for its owner.

use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::schema::{self, GameSlug};
use crate::domain::time::Millis;
use crate::domain::{PlayerRef, Stage};
use crate::error::Error;
use crate::lobby::ladder::check::check_matches;
use crate::matches::bots::bot_check::CheckReport;
use crate::matches::service::Matches;

/// How many pages of a bot's matches are searched, and how many check matches are shown.
const PAGES: usize = 5;
const MOST_SHOWN: usize = 10;

/// A check match of a bot.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CheckShown {
    /// The match.
    #[serde(rename = "match")]
    #[schemars(with = "schema::MatchId")]
    pub id: String,
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    pub game: String,
    /// The number of seats of the match.
    pub seats: u8,
    /// The bot's seat.
    pub seat: u8,
    /// Whether the match is open, running or over.
    pub stage: Stage,
    /// The time of its creation, in milliseconds since 1970.
    pub created_ms: Millis,
    /// What it says of the bot, line by line; empty until it is over.
    pub report: Vec<String>,
}

/// The last check matches of a bot, the newest first.
///
/// # Errors
/// `store_unavailable`, `internal` if a log is damaged.
pub async fn shown_checks(matches: &Matches, bot: &PlayerRef) -> Result<Vec<CheckShown>, Error> {
    let mut shown = Vec::new();
    for (listed, place) in check_matches(matches, &bot.id, None, PAGES).await?.into_iter().take(MOST_SHOWN) {
        let log = match listed.row.stage {
            Stage::Over => matches.own_log(&listed.id).await?.unwrap_or_default(),
            Stage::Open | Stage::Running => Vec::new(),
        };
        let report = match CheckReport::of(&log) {
            Some(report) => report.with_usage(matches, &listed.id).await?.report(),
            None => Vec::new(),
        };
        shown.push(CheckShown {
            id: listed.id.to_string(),
            game: listed.row.game,
            seats: place.seats,
            seat: place.seat,
            stage: listed.row.stage,
            created_ms: listed.row.created_ms,
            report,
        });
    }
    Ok(shown)
}
