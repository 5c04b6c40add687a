//! Leaderboards, the history of a rating, and results against opponents.

use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::domain::PlayerKind;
use crate::domain::schema::{AnyPlayerName, GameSlug, MatchId};
use crate::domain::time::Millis;
use crate::error::Error;
use crate::http::openapi;
use crate::presentation::leaderboard::{DEFAULT_LIMIT, Leaderboard, MAX_LIMIT, bad, board, number};
use crate::presentation::rating::RatingShown;
use crate::request::caller::Anyone;
use crate::request::extract::{UrlQuery, unknown};
use crate::request::json::Json;
use crate::request::path::GameOf;
use crate::request::path::PlayerOf;
use crate::store::refused_by_store;

/// How many points a history holds by default, and at most.
const DEFAULT_POINTS: u64 = 200;
const MAX_POINTS: u64 = 500;

/// List the players of a game by rating.
///
/// Players whose rating is still provisional follow all others and have no rank.
#[utoipa::path(get, path = "/v1/games/{game}/leaderboard", operation_id = "leaderboard", tag = "players",
    params(openapi::GamePath, openapi::LeaderboardQuery),
    responses((status = 200, description = "The list.", body = Leaderboard), openapi::Refusals))]
pub(crate) async fn leaderboard(
    State(app): State<&'static App>,
    _: Anyone,
    GameOf(offer): GameOf,
    query: UrlQuery,
) -> Result<Json<Leaderboard>, Error> {
    board(app, offer.info.slug, query).await.map(Json)
}

/// The history of a player's rating in a game.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RatingHistory {
    /// The player.
    #[schemars(with = "AnyPlayerName")]
    name: String,
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// The player's rated matches of the game.
    played: u64,
    /// The rating after some of them, spread evenly, the first and the last one included; in order.
    history: Vec<RatingPoint>,
}

/// A rating after a match.
#[derive(Debug, Serialize, JsonSchema)]
struct RatingPoint {
    /// The number of the match among the player's rated matches of the game, from 1.
    played: u64,
    /// The match. It may have been deleted since.
    #[serde(rename = "match")]
    #[schemars(with = "MatchId")]
    match_id: String,
    /// The time of its end, in milliseconds since 1970.
    at_ms: Millis,
    /// The rating after it.
    #[serde(flatten)]
    pub(crate) rating: RatingShown,
}

/// The numbers of at most `most` matches out of this many, spread evenly, the first and the last one included.
fn spread(played: u64, most: u64) -> Vec<u64> {
    match (played, most) {
        (0, _) => Vec::new(),
        (_, 1) => vec![played],
        _ if played <= most => (1..=played).collect(),
        _ => (0..most).map(|i| 1 + i * (played - 1) / (most - 1)).collect(),
    }
}

/// Get the history of a player's rating in a game, for a graph.
#[utoipa::path(get, path = "/v1/players/{name}/ratings/{game}", operation_id = "ratingHistory", tag = "players",
    params(openapi::PlayerPath, openapi::GamePath, openapi::PointsQuery),
    responses((status = 200, description = "The history.", body = RatingHistory), openapi::Refusals))]
pub(crate) async fn history(
    State(app): State<&'static App>,
    _: Anyone,
    PlayerOf(player): PlayerOf,
    GameOf(offer): GameOf,
    query: UrlQuery,
) -> Result<Json<RatingHistory>, Error> {
    let mut most = DEFAULT_POINTS;
    for (name, value) in query.0 {
        match name.as_str() {
            "points" => most = number("points", &value, MAX_POINTS)?,
            _ => return Err(unknown(&name, "points")),
        }
    }
    let game = offer.info.slug.to_owned();
    let played = player.ratings.iter().find(|rating| rating.game == game).map_or(0, |rating| rating.played);
    let wanted = spread(played, most);
    let points = app.matches.store().rating_history(player.who.id, game.clone(), wanted).await;
    let point = |point: crate::store::RatingPoint| RatingPoint {
        played: point.played,
        match_id: point.match_id.to_string(),
        at_ms: point.at_ms,
        rating: point.rating.into(),
    };
    let history = points.map_err(|e| refused_by_store(&e))?.into_iter().map(point).collect();
    Ok(Json(RatingHistory { name: player.who.name, game, played, history }))
}

/// A player's results against each opponent in rated matches of a game.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OpponentList {
    /// The opponents, those met most often first.
    opponents: Vec<OpponentEntry>,
    /// The value of `after` that requests the next page; `null`: there is none.
    next: Option<String>,
}

/// Results against an opponent.
#[derive(Debug, Serialize, JsonSchema)]
struct OpponentEntry {
    /// The opponent's name; `null`: the account was deleted.
    #[schemars(with = "Option<AnyPlayerName>")]
    name: Option<String>,
    /// Whether it is a person, a bot or a built-in engine.
    kind: PlayerKind,
    /// Rated matches with both.
    played: u64,
    /// Those in which the player had the better place.
    won: u64,
    /// Those in which both had the same place.
    drawn: u64,
    /// Those in which the opponent had the better place.
    lost: u64,
}

/// List a player's results against each opponent in rated matches of a game, the most frequent opponents first.
#[utoipa::path(get, path = "/v1/players/{name}/opponents/{game}", operation_id = "listOpponents", tag = "players",
    params(openapi::PlayerPath, openapi::GamePath, openapi::PageQuery),
    responses((status = 200, description = "The list.", body = OpponentList), openapi::Refusals))]
pub(crate) async fn opponents(
    State(app): State<&'static App>,
    _: Anyone,
    PlayerOf(player): PlayerOf,
    GameOf(offer): GameOf,
    query: UrlQuery,
) -> Result<Json<OpponentList>, Error> {
    let (mut after, mut limit) = (None, DEFAULT_LIMIT);
    for (name, value) in query.0 {
        match name.as_str() {
            "after" => {
                let cursor = value.split_once('_').and_then(|(played, id)| {
                    let played = played.parse().ok().filter(|played| i64::try_from(*played).is_ok())?;
                    Some((played, id.to_owned()))
                });
                after = Some(cursor.ok_or_else(|| bad("after: must be `next` of the previous page"))?);
            }
            "limit" => limit = number("limit", &value, MAX_LIMIT)?,
            _ => return Err(unknown(&name, "after and limit")),
        }
    }
    let game = offer.info.slug.to_owned();
    let found = app.matches.store().opponents(player.who.id, game, after, limit + 1).await;
    let mut found = found.map_err(|e| refused_by_store(&e))?;
    let more = found.len() > limit as usize;
    found.truncate(limit as usize);
    let next = found.last().filter(|_| more).map(|last| format!("{}_{}", last.played, last.opponent.id));
    let entry = |entry: crate::store::OpponentResults| OpponentEntry {
        name: (!entry.deleted).then_some(entry.opponent.name),
        kind: entry.kind,
        played: entry.played,
        won: entry.won,
        drawn: entry.drawn,
        lost: entry.played.saturating_sub(entry.won + entry.drawn),
    };
    Ok(Json(OpponentList { opponents: found.into_iter().map(entry).collect(), next }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_spread_evenly() {
        assert!(spread(0, 5).is_empty());
        assert_eq!(spread(3, 5), [1, 2, 3]);
        assert_eq!(spread(9, 5), [1, 3, 5, 7, 9]);
        assert_eq!(spread(1_000_000, 2), [1, 1_000_000]);
        assert_eq!(spread(7, 1), [7]);
        let many = spread(100_000, MAX_POINTS);
        assert!(many.len() == 500 && many.is_sorted() && many[499] == 100_000);
    }
}
