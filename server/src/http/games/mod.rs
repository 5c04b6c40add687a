//! `/v1/games`: the games of this server, and the moves that the rules allow in a position.

pub(super) mod analysis;
pub(super) mod contest;
pub(super) mod dialogue;
pub(super) mod files;
pub(super) mod moves;
pub(super) mod official;
pub(super) mod options;
mod pending_decision;
pub(super) mod positions;
pub(super) mod sample;
pub(super) mod stdio;

use axum::extract::State;
use engines::erased::{AnyMove, AnyPosition, MoveText, Position, Schemas};
use engines::game::Turn;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::app::App;
use crate::domain::schema::SchemaObject;
use crate::error::{Code, Error};
use crate::http::openapi;
use crate::presentation::game::{GameEntry, entry};
use crate::request::extract::Payload;
use crate::request::json::Json;
use crate::request::path::GameOf;

/// The most moves that one request may check.
const MAX_NOTATIONS: usize = 100;

/// All games of this server.
#[derive(Serialize, JsonSchema)]
pub(super) struct GameList {
    /// One entry per game.
    pub games: Vec<GameEntry>,
}

/// A game with everything needed to use it.
#[derive(Serialize, JsonSchema)]
pub(super) struct GamePage {
    /// The entry in the list.
    #[serde(flatten)]
    pub entry: GameEntry,
    /// The limits of this server.
    pub limits: ServerLimits,
    /// The game's types.
    #[schemars(with = "GameSchemas")]
    pub schemas: &'static Schemas,
    /// The beginning of a sample dialogue, as a transcript.
    pub sample: &'static [String],
}

/// The JSON Schemas of a game's types.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is used")]
pub(super) struct GameSchemas {
    /// The schema of the options of a deal.
    #[schemars(with = "SchemaObject")]
    options: Value,
    /// The schema of a position.
    #[schemars(with = "SchemaObject")]
    view: Value,
    /// The schema of a move.
    #[schemars(rename = "move", with = "SchemaObject")]
    mv: Value,
}

/// The limits of this server for one request, for one address and for all addresses together.
#[derive(Serialize, JsonSchema)]
pub(super) struct ServerLimits {
    /// The longest thinking time of one decision, in milliseconds.
    pub max_think_ms: u64,
    /// The largest body, in bytes.
    pub max_body: usize,
    /// The most WebSockets and streams at a time.
    pub max_sockets: usize,
    /// The most WebSockets and streams of one address.
    pub max_sockets_per_address: usize,
    /// The most open connections from one address.
    pub max_connections_per_address: usize,
    /// Matches that one address may create per minute in the long run.
    pub creations_per_minute: u32,
    /// Matches created by one address that are not over.
    pub max_matches_per_address: usize,
    /// Matches of one player that are not over.
    pub max_matches_per_player: usize,
    /// Seats that one address has taken in matches that are not over.
    pub max_seats_per_address: usize,
}

/// List the games.
#[utoipa::path(get, path = "/v1/games", operation_id = "listGames", tag = "games",
    responses((status = 200, description = "All games.", body = GameList), openapi::Refusals))]
pub(super) async fn list(State(app): State<&'static App>) -> Json<GameList> {
    Json(GameList { games: app.games.offers().iter().map(entry).collect() })
}

/// Get a game: its facts, engines, limits and schemas.
#[utoipa::path(get, path = "/v1/games/{game}", operation_id = "getGame", tag = "games",
    params(openapi::GamePath),
    responses((status = 200, description = "The game.", body = GamePage), openapi::Refusals))]
pub(super) async fn page(State(app): State<&'static App>, GameOf(offer): GameOf) -> Json<GamePage> {
    let host = app.matches.options();
    let limits = ServerLimits {
        max_think_ms: app.limits.max_think_ms,
        max_body: app.limits.max_body,
        max_sockets: app.limits.capacity.max_sockets,
        max_sockets_per_address: app.limits.capacity.sockets_per_address(),
        max_connections_per_address: app.limits.capacity.max_connections_per_address,
        creations_per_minute: app.limits.creations.creations_per_minute,
        max_matches_per_address: host.max_matches_per_address,
        max_matches_per_player: host.max_matches_per_player,
        max_seats_per_address: host.max_seats_per_address,
    };
    let sample = offer.sample.get_or_init(|| sample::dialogue(offer.game));
    Json(GamePage { entry: entry(offer), limits, schemas: &offer.schemas, sample })
}

/// A position and the moves to check in it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
// The API's description has an example for each game, with a position of its own.
#[schemars(example = json!({ "position": null }))]
pub(super) struct LegalMovesRequest {
    /// The view of a seat, in the game's schema.
    #[schemars(with = "AnyPosition")]
    pub position: Box<RawValue>,
    /// Moves to check, as the official protocol writes them, at most 100: for games whose list of moves is not complete.
    #[serde(default)]
    #[schemars(length(max = MAX_NOTATIONS))]
    pub notations: Vec<String>,
}

/// The moves of a position, and the verdict on those that were asked about.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LegalMoves {
    /// The viewer's legal moves; none if it is not the viewer's turn. A sensible part if there are very many.
    pub moves: Vec<MoveText>,
    /// The verdict of the rules on each of the `notations`, in the same order.
    pub checked: Vec<CheckedMove>,
    /// The seat to move; `null` if the match is over.
    pub seat: Option<u8>,
    /// While another seat is to move: the moves that the viewer may choose in advance. Each names the same choice whatever the
    /// others do until the viewer's next turn; whether it is legal then, `legal_moves` of that turn says. None in a game that has
    /// no such moves.
    pub premoves: Vec<MoveText>,
}

/// The verdict of the rules on a move.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CheckedMove {
    /// The move as the request wrote it.
    pub notation: String,
    /// Whether the viewer may play it now.
    pub legal: bool,
    /// The move as JSON, in the game's schema; null if it is not legal.
    #[serde(rename = "move")]
    #[schemars(with = "Option<AnyMove>")]
    pub mv: Option<Value>,
    /// The reason why it is not legal, in one sentence; null if it is.
    pub why: Option<String>,
}

impl CheckedMove {
    fn of(position: &dyn Position, notation: String) -> Self {
        match position.check(&notation) {
            Ok(text) => Self { notation, legal: true, mv: Some(text.mv), why: None },
            Err(refusal) => Self { notation, legal: false, mv: None, why: Some(refusal.detail) },
        }
    }
}

/// List the moves that the rules allow in a position, and check the given ones.
#[utoipa::path(post, path = "/v1/games/{game}/legal-moves", operation_id = "listLegalMoves", tag = "games",
    params(openapi::GamePath),
    request_body = LegalMovesRequest,
    responses((status = 200, description = "The moves.", body = LegalMoves), openapi::Refusals))]
pub(super) async fn legal_moves(GameOf(offer): GameOf, payload: Payload) -> Result<Json<LegalMoves>, Error> {
    let request: LegalMovesRequest = payload.json()?;
    if request.notations.len() > MAX_NOTATIONS {
        let count = request.notations.len();
        let detail = format!("notations: {count} are more than {MAX_NOTATIONS}, which is the limit");
        return Err(Error::new(Code::BadField, detail));
    }
    let position = moves::position(offer, &request.position)?;
    let checked = request.notations.into_iter().map(|text| CheckedMove::of(&*position, text)).collect();
    let seat = match position.turn() {
        Turn::Of(seat) => Some(seat.0),
        Turn::Over => None,
    };
    let (moves, premoves) = (position.legal_moves(), position.premoves());
    Ok(Json(LegalMoves { moves, checked, seat, premoves }))
}
