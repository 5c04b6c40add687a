//! `/v1/games/{game}/positions`: positions to try a game with. `/v1/games/{game}/next-position`: the position after a move.

use engines::erased::{AnyOptions, AnyPosition, AnyTable};
use engines::game::{Outcome, Seat, Turn, Viewer};
use engines::rng::{Rng, Seed};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::catalogue::Offer;
use crate::error::{Code, Error};
use crate::http::games::moves;
use crate::http::openapi;
use crate::request::extract::Payload;
use crate::request::json::Json;
use crate::request::path::GameOf;
use crate::request::seed::SeedText;

/// The most random moves between the deal and a fresh position.
const MAX_PLIES: u32 = 1000;

/// The stream of the seed from which fresh positions draw their random moves; games use the low numbers.
const RANDOM_MOVES_STREAM: u64 = u64::MAX;

fn no_options() -> Value {
    json!({})
}

/// The position to create.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "seed": 7 }))]
pub(in crate::http) struct PositionRequest {
    /// Number of seats and variants, in the game's schema. Default: the usual ones.
    #[serde(default = "no_options")]
    #[schemars(with = "AnyOptions")]
    pub options: Value,
    /// Decides the deal and the moves. Default: a fresh seed, which the answer contains.
    pub seed: Option<SeedText>,
    /// How many random moves to play first; fewer if the match would be over.
    #[serde(default)]
    pub plies: u32,
}

/// A position that was made from a seed.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct PositionAnswer {
    /// The view of the seat to move.
    #[schemars(with = "AnyPosition")]
    pub position: Value,
    /// The seat to move; `null` if the match is over at once.
    pub seat: Option<u8>,
    /// Moves made since the deal.
    pub ply: u32,
    /// The seed of the position.
    pub seed: SeedText,
}

/// Create a position from a seed: the deal, or the position after a number of random moves.
#[utoipa::path(post, path = "/v1/games/{game}/positions", operation_id = "createPosition", tag = "games",
    params(openapi::GamePath),
    request_body = Option<PositionRequest>,
    responses((status = 200, description = "The position.", body = PositionAnswer), openapi::Refusals))]
pub(in crate::http) async fn create(
    GameOf(offer): GameOf,
    payload: Payload,
) -> Result<Json<PositionAnswer>, Error> {
    let request: PositionRequest = payload.json_if_any()?;
    if request.plies > MAX_PLIES {
        let detail = format!("plies: {} is more than {MAX_PLIES}, which is the limit", request.plies);
        return Err(Error::new(Code::BadField, detail));
    }
    if request.plies == 0 {
        return fresh(offer, request).map(Json);
    }
    match tokio::task::spawn_blocking(move || fresh(offer, request)).await {
        Ok(position) => position.map(Json),
        Err(_) => Err(Error::new(Code::Internal, "a random match panicked")),
    }
}

fn fresh(offer: &Offer, request: PositionRequest) -> Result<PositionAnswer, Error> {
    let seed = request.seed.unwrap_or_else(SeedText::fresh);
    let mut table = play_randomly(offer, &request.options, &seed.0, request.plies)?;
    if table.turn() == Turn::Over && table.ply() > 0 {
        table = play_randomly(offer, &request.options, &seed.0, table.ply() - 1)?;
    }
    let (position, seat) = seen_by_mover(&*table);
    Ok(PositionAnswer { position, seat, ply: table.ply(), seed })
}

/// The table after this number of random moves, or at the end of the match.
fn play_randomly(
    offer: &Offer,
    options: &Value,
    seed: &Seed,
    plies: u32,
) -> Result<Box<dyn AnyTable>, Error> {
    let mut table = offer.game.deal(options, seed)?;
    let mut rng = Rng::stream(seed, RANDOM_MOVES_STREAM);
    while table.ply() < plies
        && let Turn::Of(seat) = table.turn()
    {
        let moves = table.view(Viewer::Seat(seat)).legal_moves();
        let Some(mv) = rng.pick(&moves) else {
            return Err(Error::new(Code::Internal, format!("{}: a seat without a move", offer.info.slug)));
        };
        table.play(seat, &mv.notation)?;
    }
    Ok(table)
}

/// The view of the seat to move, and that seat; at the end of the match, the view of a spectator.
fn seen_by_mover(table: &dyn AnyTable) -> (Value, Option<u8>) {
    let (viewer, seat) = match table.turn() {
        Turn::Of(seat) => (Viewer::Seat(seat), Some(seat.0)),
        Turn::Over => (Viewer::Spectator, None),
    };
    (table.view(viewer).to_json(), seat)
}

/// The view of this seat.
///
/// # Errors
/// `bad_field` if there is no such seat.
fn seen_by(table: &dyn AnyTable, seat: u8) -> Result<Value, Error> {
    if seat >= table.seats() {
        let detail = format!("viewer: {seat} is no seat; the seats are 0 to {}", table.seats() - 1);
        return Err(Error::new(Code::BadField, detail));
    }
    Ok(table.view(Viewer::Seat(Seat(seat))).to_json())
}

/// A position and the move to play in it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
// The API's description has an example for each game, with a position of its own.
#[schemars(example = json!({ "position": null, "notation": null }))]
pub(in crate::http) struct NextPositionRequest {
    /// The view of the seat to move, in the game's schema.
    #[schemars(with = "AnyPosition")]
    pub position: Box<RawValue>,
    /// The move, as the official protocol writes it.
    pub notation: String,
    /// Decides all random draws. Default: a fresh seed, which the answer contains.
    pub seed: Option<SeedText>,
    /// The seat whose view is returned. Default: the seat that is to move next.
    pub viewer: Option<u8>,
}

/// The position after a move.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::http) struct NextPosition {
    /// The view of the requested seat, otherwise of the seat that is to move next; then, at the end of the match, the view of a
    /// spectator.
    #[schemars(with = "AnyPosition")]
    pub position: Value,
    /// The seat to move; `null` if the match is over.
    pub seat: Option<u8>,
    /// The result, if the match is over; otherwise `null`.
    pub result: Option<Outcome>,
    /// The seed of the random draws.
    pub seed: SeedText,
}

/// Play a move in a position.
///
/// The parts that the mover cannot see, such as the deck or another seat's hand, are drawn at random from all that is
/// possible. In a game with hidden parts, the answer is therefore one of the positions that may follow.
#[utoipa::path(post, path = "/v1/games/{game}/next-position", operation_id = "playInPosition", tag = "games",
    params(openapi::GamePath),
    request_body = NextPositionRequest,
    responses((status = 200, description = "The position after the move.", body = NextPosition), openapi::Refusals))]
pub(in crate::http) async fn next(
    GameOf(offer): GameOf,
    payload: Payload,
) -> Result<Json<NextPosition>, Error> {
    let request: NextPositionRequest = payload.json()?;
    let position = moves::position(offer, &request.position)?;
    position.check(&request.notation)?;
    let seed = request.seed.unwrap_or_else(SeedText::fresh);
    let mut table = position.guess(&seed.0)?;
    if let Turn::Of(seat) = position.turn() {
        table.play(seat, &request.notation)?;
    }
    let (mut next, seat) = seen_by_mover(&*table);
    if let Some(viewer) = request.viewer {
        next = seen_by(&*table, viewer)?;
    }
    Ok(Json(NextPosition { position: next, seat, result: table.outcome(), seed }))
}
