//! The match that the first page and `/tv` show: the one being played by the strongest players, or the last good one.

use std::collections::HashMap;

use crate::app::App;
use crate::domain::{MatchId, Stage};
use crate::error::Error;
use crate::matches::listing::MatchSummary;
use crate::store::{ListedMatch, MatchFilter, refused_by_store};

/// How many of the newest matches are compared.
const NEWEST: u32 = 40;

/// What each spectator adds to a match, in points of rating.
const SPECTATOR: f64 = 200.0;

/// What a person is worth at least: people want to see people.
const PERSON: f64 = 1500.0;

/// What an engine without a rating is worth.
const ENGINE: f64 = 1000.0;

/// A match worth watching.
pub(crate) struct FeaturedMatch {
    /// The match.
    pub(crate) id: MatchId,
    /// The game's short name.
    pub(crate) game: String,
    /// Whether it is being played or over.
    pub(crate) stage: Stage,
    /// The number of its spectators.
    pub(crate) spectators: u32,
}

/// The match of this game, or of any, that is most worth watching: of those being played the one with the strongest players and
/// the most spectators; between matches, of the last ones the one with the strongest players. `None`: there is none yet.
///
/// # Errors
/// `store_unavailable`.
pub(crate) async fn featured(app: &App, game: Option<&str>) -> Result<Option<FeaturedMatch>, Error> {
    for stage in [Stage::Running, Stage::Over] {
        let filter = MatchFilter {
            game: game.map(str::to_owned),
            stage: Some(stage),
            limit: NEWEST,
            ..MatchFilter::default()
        };
        let found = app.matches.store().list(filter).await.map_err(|e| refused_by_store(&e))?;
        let mut best: Option<(f64, FeaturedMatch)> = None;
        let found: Vec<_> = found.into_iter().filter_map(|listed| worth_watching(app, listed)).collect();
        let strengths = strengths(app, &found).await?;
        for (listed, summary) in found {
            let spectators = app.matches.spectators(&listed.id);
            let value = strength(&listed, &summary, &strengths) + f64::from(spectators) * SPECTATOR;
            // Of equal ones the newest counts.
            if best.as_ref().is_none_or(|(most, _)| value > *most) {
                let ListedMatch { id, row } = listed;
                best = Some((value, FeaturedMatch { id, game: row.game, stage, spectators }));
            }
        }
        if let Some((_, best)) = best {
            return Ok(Some(best));
        }
    }
    Ok(None)
}

/// The match with its summary, if there is something to see: at least two players, no secret, no result that was given up.
fn worth_watching(app: &App, listed: ListedMatch) -> Option<(ListedMatch, MatchSummary)> {
    let ListedMatch { id, row } = &listed;
    let summary: MatchSummary = serde_json::from_str(&row.summary).ok()?;
    let played_out = || summary.result.as_ref().is_some_and(|result| result.points.is_some());
    let good = summary.seats.len() > 1
        && !summary.sealed
        && !app.matches.is_deserted(id, row.stage, row.created_ms, &summary)
        && (row.stage != Stage::Over || played_out());
    good.then_some((listed, summary))
}

/// The ids of the engines in the seats of a match.
fn engines(game: &str, summary: &MatchSummary) -> Vec<String> {
    let engines = summary.seats.iter().filter_map(|seat| seat.who.engine.as_ref());
    engines.map(|engine| engine.player(game).id()).collect()
}

/// The mean strength of the seats of a match, in points of rating.
fn strength(listed: &ListedMatch, summary: &MatchSummary, known: &HashMap<(String, String), f64>) -> f64 {
    let game = &listed.row.game;
    let points = |id: String, usual| known.get(&(game.clone(), id)).copied().unwrap_or(usual);
    let engines = engines(game, summary);
    let people = summary.seats.len() - engines.len();
    let named = listed.row.players.iter().map(|(who, _)| who.id.clone());
    let named: Vec<f64> =
        named.filter(|id| !engines.contains(id)).map(|id| points(id, PERSON).max(PERSON)).collect();
    let guests = people.saturating_sub(named.len()) as f64 * PERSON;
    let engines: f64 = engines.into_iter().map(|id| points(id, ENGINE)).sum();
    (named.into_iter().sum::<f64>() + guests + engines) / summary.seats.len() as f64
}

/// The points of the players of these matches, by game and id.
async fn strengths(
    app: &App,
    found: &[(ListedMatch, MatchSummary)],
) -> Result<HashMap<(String, String), f64>, Error> {
    let mut wanted: HashMap<&str, Vec<String>> = HashMap::new();
    for (listed, summary) in found {
        let ids = wanted.entry(&listed.row.game).or_default();
        ids.extend(engines(&listed.row.game, summary));
        ids.extend(listed.row.players.iter().map(|(who, _)| who.id.clone()));
    }
    let mut points = HashMap::new();
    for (game, ids) in wanted {
        let known = app.matches.store().strengths(game.to_owned(), ids).await;
        for strength in known.map_err(|e| refused_by_store(&e))? {
            points.insert((game.to_owned(), strength.player), strength.rating.points());
        }
    }
    Ok(points)
}
