//! `GET /v1/matches/{id}/ratings`: the ratings of the players at a table, and what the match has changed in them.

use std::collections::HashMap;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::domain::schema::AnyPlayerName;
use crate::error::Error;
use crate::http::openapi;
use crate::presentation::rating::RatingShown;
use crate::ratings::Rating;
use crate::request::caller::Reads;
use crate::request::json::{Json, NO_STORE};
use crate::request::path::MatchOf;
use crate::store::{RatingChange, refused_by_store};

/// From this rated match of a player on, a highest rating is worth a word.
const BEST_AFTER: u64 = 10;

/// The ratings of the players of a match.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MatchRatings {
    /// By seat; `null`: a guest, a free seat, or a player without a rated match of this game.
    seats: Vec<Option<SeatRating>>,
}

/// The rating of the player in a seat.
#[derive(Debug, Serialize, JsonSchema)]
struct SeatRating {
    /// The player, also an engine.
    #[schemars(with = "AnyPlayerName")]
    name: String,
    /// The present rating.
    #[serde(flatten)]
    rating: RatingShown,
    /// The player's rated matches of the game.
    played: u64,
    /// What this match has changed. Absent if it does not count, or not yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    change: Option<ChangeShown>,
}

/// What a match has changed in a rating.
#[derive(Debug, Serialize, JsonSchema)]
struct ChangeShown {
    /// The rating before it, in points: that of a player without a match, if it was the first one.
    before: i64,
    /// The rating after it, in points.
    after: i64,
    /// Whether it is the highest rating that the player has had in this game, after at least 10 rated matches.
    best: bool,
}

impl From<RatingChange> for ChangeShown {
    fn from(change: RatingChange) -> Self {
        let points = |rating: Rating| RatingShown::from(rating).points;
        Self {
            before: points(change.before.unwrap_or_default()),
            after: points(change.after),
            best: change.played > BEST_AFTER && change.best_before.is_some_and(|best| change.after.mu > best),
        }
    }
}

/// Get the ratings of the players of a match, and what the match has changed in them.
///
/// Engines have ratings too. A match changes ratings when it is rated and over, and its deal is no longer sealed.
#[utoipa::path(get, path = "/v1/matches/{id}/ratings", operation_id = "getMatchRatings", tag = "matches",
    security((), ("token" = ["read"]), ("match_key" = [])),
    params(openapi::MatchPath),
    responses((status = 200, description = "The ratings.", body = MatchRatings), openapi::Refusals))]
pub(crate) async fn ratings(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    MatchOf(id): MatchOf,
) -> Result<Response, Error> {
    let seated = app.matches.seated(&id, &caller).await?;
    let ids = seated.players.iter().flatten().map(|player| player.id.clone()).collect();
    let store = app.matches.store();
    let strengths = store.strengths(seated.game, ids).await.map_err(|e| refused_by_store(&e))?;
    let changes = store.rating_changes(id).await.map_err(|e| refused_by_store(&e))?;
    let by_player = |change: RatingChange| (change.player.clone(), change);
    let mut changes: HashMap<_, _> = changes.into_iter().map(by_player).collect();
    let seat = |player: crate::domain::PlayerRef| {
        let strength = strengths.iter().find(|strength| strength.player == player.id)?;
        let change = changes.remove(&player.id).map(ChangeShown::from);
        Some(SeatRating {
            name: player.name,
            rating: strength.rating.into(),
            played: strength.played,
            change,
        })
    };
    let mut seat = seat;
    let seats = seated.players.into_iter().map(|player| seat(player?)).collect();
    Ok(([NO_STORE], Json(MatchRatings { seats })).into_response())
}
