//! The actions of a seat in a match: move, leave, resign, abort.

use std::time::Instant;

use axum::extract::{FromRequestParts, RawPathParams, State};
use axum::http::header::IF_MATCH;
use axum::http::request::Parts;
use axum::response::Response;
use engines::erased::AnyMove;
use engines::game::Seat;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::app::App;
use crate::error::{Code, Error};
use crate::http::matches::framed;
use crate::http::openapi;
use crate::matches::render;
use crate::matches::request::{SeatAction, SubmittedMove};
use crate::request::caller::Plays;
use crate::request::extract::Payload;
use crate::request::path::MatchOf;

/// The ply in the header `If-Match`.
pub(crate) struct IfMatch(Option<u32>);

impl FromRequestParts<&'static App> for IfMatch {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &&'static App) -> Result<Self, Error> {
        let mut tags = parts.headers.get_all(IF_MATCH).iter();
        let tag = tags.next();
        let ply = tag.map(|tag| {
            let number = tag.to_str().ok()?.trim().strip_prefix('"')?.strip_suffix('"')?;
            number.bytes().all(|b| b.is_ascii_digit()).then(|| number.parse().ok())?
        });
        match (ply, tags.next()) {
            (None, _) => Ok(Self(None)),
            (Some(Some(ply)), None) => Ok(Self(Some(ply))),
            _ => Err(Error::new(
                Code::BadField,
                "If-Match must be the ply in double quotes, as in the ETag of the match: \"12\"",
            )),
        }
    }
}

/// A move to make.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "ply": 0, "notation": "1" }))]
pub(crate) struct PlayRequest {
    /// The move, by the game's schema. Either this or `notation` is required.
    #[serde(rename = "move")]
    #[schemars(with = "Option<AnyMove>")]
    pub mv: Option<Value>,
    /// The move in the notation of the official protocol.
    pub notation: Option<String>,
    /// The number of moves made before it: `ply` of the match. `If-Match` may give it instead.
    pub ply: Option<u32>,
}

impl PlayRequest {
    /// The action that the request asks for. `arrived`: when the request arrived.
    ///
    /// # Errors
    /// `bad_field`, `ply_needed`.
    pub(crate) fn act(self, IfMatch(tag): IfMatch, arrived: Instant) -> Result<SeatAction, Error> {
        let mv = match (self.mv, self.notation) {
            (Some(mv), None) => SubmittedMove::Json(mv),
            (None, Some(notation)) => SubmittedMove::Notation(notation),
            _ => return Err(Error::new(Code::BadField, "exactly one of move and notation is required")),
        };
        let ply = match (tag, self.ply) {
            (Some(tag), Some(ply)) if tag != ply => {
                return Err(Error::new(Code::BadField, format!("ply: {ply} differs from {tag} in If-Match")));
            }
            (tag, ply) => tag.or(ply).ok_or_else(|| {
                Error::new(
                    Code::PlyNeeded,
                    "the ply of the move is missing: give it in If-Match or as ply in the body",
                )
            })?,
        };
        Ok(SeatAction::Move { ply, mv, arrived })
    }
}

impl IfMatch {
    /// No header.
    pub(crate) const NONE: Self = Self(None);
}

/// Make a move.
///
/// The request names its ply, in `If-Match` or in the body, so that it can be retried safely: the same move for the same ply
/// by the same seat gets the same answer. A move for another ply gets 412, with the match as it is now. The answer comes
/// when the move is on disk.
#[utoipa::path(post, path = "/v1/matches/{id}/moves", operation_id = "playMove", tag = "matches", security(("token" = ["play"])),
    params(openapi::MatchPath, openapi::IfMatch),
    request_body = PlayRequest,
    responses((status = 200, description = "The move, as the seat sees it.", body = render::ViewerEvent<'static>),
              openapi::Refusals))]
pub(crate) async fn play(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    MatchOf(id): MatchOf,
    tag: IfMatch,
    payload: Payload,
) -> Result<Response, Error> {
    // The time counts from the end of the body: an incomplete request is no move.
    let arrived = Instant::now();
    let request: PlayRequest = payload.json()?;
    let frame = app.matches.act(&id, &caller, request.act(tag, arrived)?).await?;
    Ok(framed(&frame))
}

/// How many moves the player knows of.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "ply": 4 }))]
pub(crate) struct TakeBackRequest {
    /// The number of moves made: `ply` of the match.
    pub ply: u32,
}

/// Take a move back, in a match against engines.
///
/// The seat's last move and all moves after it are undone, and the seat is to move again. Possible where all other seats are
/// engines, hints are allowed and no clock runs. The cards and tiles that come later do not change.
#[utoipa::path(post, path = "/v1/matches/{id}/take-back", operation_id = "takeBack", tag = "matches", security(("token" = ["play"])),
    params(openapi::MatchPath),
    request_body = TakeBackRequest,
    responses((status = 200, description = "What happened.", body = render::ViewerEvent<'static>), openapi::Refusals))]
pub(crate) async fn take_back(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<Response, Error> {
    let TakeBackRequest { ply } = payload.json()?;
    Ok(framed(&*app.matches.act(&id, &caller, SeatAction::TakeBack { ply }).await?))
}

/// Give up a seat, before the start.
///
/// The seat is open again. If only engines are left, the match ends.
#[utoipa::path(post, path = "/v1/matches/{id}/leave", operation_id = "leaveMatch", tag = "matches", security(("token" = ["play"])),
    params(openapi::MatchPath),
    responses((status = 200, description = "What happened.", body = render::ViewerEvent<'static>), openapi::Refusals))]
pub(crate) async fn leave(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    Ok(framed(&*app.matches.act(&id, &caller, SeatAction::Leave).await?))
}

/// Resign.
///
/// The seat drops out and is ranked last. The others play on if there are at least two.
#[utoipa::path(post, path = "/v1/matches/{id}/resign", operation_id = "resignMatch", tag = "matches", security(("token" = ["play"])),
    params(openapi::MatchPath),
    responses((status = 200, description = "What happened.", body = render::ViewerEvent<'static>), openapi::Refusals))]
pub(crate) async fn resign(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    Ok(framed(&*app.matches.act(&id, &caller, SeatAction::Resign).await?))
}

/// Abort the match, before the first move.
#[utoipa::path(post, path = "/v1/matches/{id}/abort", operation_id = "abortMatch", tag = "matches", security(("token" = ["play"])),
    params(openapi::MatchPath),
    responses((status = 200, description = "What happened.", body = render::ViewerEvent<'static>), openapi::Refusals))]
pub(crate) async fn abort(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    Ok(framed(&*app.matches.act(&id, &caller, SeatAction::Abort).await?))
}

/// Cancel a match, as its creator.
///
/// It ends without a result. The creator may do this before the match starts, and at any time if only engines play.
/// Players end a match among people with `abort`, before the first move.
#[utoipa::path(post, path = "/v1/matches/{id}/cancel", operation_id = "cancelMatch", tag = "matches", security(("token" = ["play"])),
    params(openapi::MatchPath),
    responses((status = 200, description = "What happened.", body = render::ViewerEvent<'static>), openapi::Refusals))]
pub(crate) async fn cancel(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    Ok(framed(&*app.matches.cancel(&id, &caller).await?))
}

/// The seat in the path.
pub(crate) struct SeatToEmpty(Seat);

impl FromRequestParts<&'static App> for SeatToEmpty {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        let params = RawPathParams::from_request_parts(parts, app).await;
        let seat = params.ok().and_then(|params| {
            let (_, text) = params.iter().find(|(name, _)| *name == "seat")?;
            text.parse().ok()
        });
        let bad = || Error::new(Code::BadSeats, "the seat in the path must be a number: 0 for the first");
        seat.map(|seat| Self(Seat(seat))).ok_or_else(bad)
    }
}

/// Remove a player, before the match starts.
///
/// Only the creator of the match may do this. The seat is open again, and its token is void. A removed player cannot
/// rejoin this match.
#[utoipa::path(post, path = "/v1/matches/{id}/seats/{seat}/remove", operation_id = "removeFromSeat", tag = "matches", security(("token" = ["play"])),
    params(openapi::MatchPath, openapi::SeatNumberPath),
    responses((status = 200, description = "What happened.", body = render::ViewerEvent<'static>), openapi::Refusals))]
pub(crate) async fn remove(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    MatchOf(id): MatchOf,
    SeatToEmpty(seat): SeatToEmpty,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    Ok(framed(&*app.matches.remove(&id, &caller, seat).await?))
}
