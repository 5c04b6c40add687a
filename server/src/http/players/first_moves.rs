//! `/v1/players/{name}/first-moves/{game}`: the moves with which a player begins most often.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use engines::erased::{AnyPosition, MoveText};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::app::App;
use crate::domain::schema;
use crate::error::Error;
use crate::http::openapi;
use crate::matches::first_moves::{FirstMove, first_moves};
use crate::request::caller::Reads;
use crate::request::json::{Json, NO_STORE};
use crate::request::path::{GameOf, PlayerOf};

/// The moves with which a player begins most often.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FirstMoves {
    /// The matches that were looked at: the player's last public ones with a result, at most 100.
    matches: u32,
    /// The moves that were most often the player's first one, at most three, the most frequent first. Equal notations count as one
    /// move. Empty if each was played in three matches or fewer: in a game with other cards in each match that can be so.
    moves: Vec<FirstMoveEntry>,
}

/// A move with which a player began.
#[derive(Serialize, JsonSchema)]
struct FirstMoveEntry {
    /// The move, in both its forms.
    #[serde(flatten)]
    text: MoveText,
    /// In how many of the matches it was played.
    played: u32,
    /// The mean score of the player in these, 0 to 1: a win is 1, a draw 1/2.
    score: f64,
    /// The last of these matches.
    #[serde(rename = "match")]
    #[schemars(with = "schema::MatchId")]
    match_id: String,
    /// Moves made before it there.
    ply: u32,
    /// The position there, as the player saw it.
    #[schemars(with = "AnyPosition")]
    position: Value,
}

impl From<FirstMove> for FirstMoveEntry {
    fn from(first: FirstMove) -> Self {
        let FirstMove { text, played, score, id, ply, position } = first;
        Self { text, played, score: (score * 1e4).round() / 1e4, match_id: id.to_string(), ply, position }
    }
}

/// Get the moves with which a player begins most often, of the last 100 public matches of a game that have a result.
#[utoipa::path(get, path = "/v1/players/{name}/first-moves/{game}", operation_id = "listFirstMoves", tag = "players",
    security((), ("token" = ["read"])),
    params(openapi::PlayerPath, openapi::GamePath),
    responses((status = 200, description = "The moves.", body = FirstMoves), openapi::Refusals))]
pub(crate) async fn list(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    PlayerOf(player): PlayerOf,
    GameOf(offer): GameOf,
) -> Result<Response, Error> {
    let begun = app.matches.beginnings(&player.who.id, offer.info.slug).await?;
    let matches = u32::try_from(begun.len()).unwrap_or(u32::MAX);
    let moves = match caller.network {
        Some(network) => app.side_work.run(network, move || first_moves(offer.game, &begun)).await??,
        None => first_moves(offer.game, &begun)?,
    };
    let moves = moves.into_iter().map(FirstMoveEntry::from).collect();
    Ok(([NO_STORE], Json(FirstMoves { matches, moves })).into_response())
}
