//! What a seat does in its match: moves, leaves, resigns, aborts.

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
use crate::http::matches::{MatchOf, framed};
use crate::http::openapi;
use crate::http::request::caller::Who;
use crate::http::request::extract::Payload;
use crate::matches::render;
use crate::matches::service::{MoveInput, SeatAction};

/// The ply that the header `If-Match` names.
pub struct IfMatch(Option<u32>);

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
                "If-Match must be the ply in double quotes, as the ETag of the match tells it: \"12\"",
            )),
        }
    }
}

/// A move to make.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "ply": 0, "notation": "1" }))]
pub struct PlayRequest {
    /// The move, by the game's schema. Either this or `notation` must be there.
    #[serde(rename = "move")]
    #[schemars(with = "Option<AnyMove>")]
    pub mv: Option<Value>,
    /// The move, as the official protocol writes it.
    pub notation: Option<String>,
    /// Moves made before it, as `ply` of the match tells. May stand in `If-Match` instead.
    pub ply: Option<u32>,
}

impl PlayRequest {
    /// What it asks for, if it came in at that time.
    ///
    /// # Errors
    /// `bad_field`, `ply_needed`.
    pub fn act(self, IfMatch(tag): IfMatch, arrived: Instant) -> Result<SeatAction, Error> {
        let mv = match (self.mv, self.notation) {
            (Some(mv), None) => MoveInput::Json(mv),
            (None, Some(notation)) => MoveInput::Notation(notation),
            _ => return Err(Error::new(Code::BadField, "one of move and notation must be there, not both")),
        };
        let ply = match (tag, self.ply) {
            (Some(tag), Some(ply)) if tag != ply => {
                return Err(Error::new(
                    Code::BadField,
                    format!("ply: {ply} is not {tag}, which If-Match says"),
                ));
            }
            (tag, ply) => tag.or(ply).ok_or_else(|| {
                Error::new(
                    Code::PlyNeeded,
                    "which ply is the move for? Say it in If-Match or as ply in the body",
                )
            })?,
        };
        Ok(SeatAction::Move { ply, mv, arrived })
    }
}

impl IfMatch {
    /// Without the header.
    pub const NONE: Self = Self(None);
}

/// Make a move.
///
/// It names its ply, in `If-Match` or in the body, so that it can be sent again safely: the same move for the same ply
/// by the same seat gets the same answer again. For another ply: 412, with the match as it is now. The answer comes
/// when the move is on disk.
#[utoipa::path(post, path = "/v1/matches/{id}/moves", operation_id = "playMove", tag = "matches", security(("token" = [])),
    params(openapi::MatchPath, openapi::IfMatch),
    request_body = PlayRequest,
    responses((status = 200, description = "The move, as the seat sees it.", body = render::Shown),
              openapi::Refusals))]
pub async fn play(
    State(app): State<&'static App>,
    Who(caller): Who,
    MatchOf(id): MatchOf,
    tag: IfMatch,
    payload: Payload,
) -> Result<Response, Error> {
    // Only now is all of it here: who sends a half first has not moved.
    let arrived = Instant::now();
    let request: PlayRequest = payload.json()?;
    let frame = app.matches.act(&id, &caller, request.act(tag, arrived)?).await?;
    Ok(framed(&frame))
}

/// Give the seat up, before the start.
///
/// The seat is open again. A match that only engines are left in is over.
#[utoipa::path(post, path = "/v1/matches/{id}/leave", operation_id = "leaveMatch", tag = "matches", security(("token" = [])),
    params(openapi::MatchPath),
    responses((status = 200, description = "What happened.", body = render::Shown), openapi::Refusals))]
pub async fn leave(
    State(app): State<&'static App>,
    Who(caller): Who,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    Ok(framed(&*app.matches.act(&id, &caller, SeatAction::Leave).await?))
}

/// Give the match up.
///
/// The seat takes no part any more and is last. The others go on, if there are at least two.
#[utoipa::path(post, path = "/v1/matches/{id}/resign", operation_id = "resignMatch", tag = "matches", security(("token" = [])),
    params(openapi::MatchPath),
    responses((status = 200, description = "What happened.", body = render::Shown), openapi::Refusals))]
pub async fn resign(
    State(app): State<&'static App>,
    Who(caller): Who,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    Ok(framed(&*app.matches.act(&id, &caller, SeatAction::Resign).await?))
}

/// Take the match back, before the first move.
#[utoipa::path(post, path = "/v1/matches/{id}/abort", operation_id = "abortMatch", tag = "matches", security(("token" = [])),
    params(openapi::MatchPath),
    responses((status = 200, description = "What happened.", body = render::Shown), openapi::Refusals))]
pub async fn abort(
    State(app): State<&'static App>,
    Who(caller): Who,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    Ok(framed(&*app.matches.act(&id, &caller, SeatAction::Abort).await?))
}

/// End a match that one has made, without a result.
///
/// Its maker may do it before the match begins, and at any time where only engines play. A match between people is
/// taken back with `abort`, before the first move.
#[utoipa::path(post, path = "/v1/matches/{id}/cancel", operation_id = "cancelMatch", tag = "matches", security(("token" = [])),
    params(openapi::MatchPath),
    responses((status = 200, description = "What happened.", body = render::Shown), openapi::Refusals))]
pub async fn cancel(
    State(app): State<&'static App>,
    Who(caller): Who,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    Ok(framed(&*app.matches.cancel(&id, &caller).await?))
}

/// The seat that the path names.
pub struct SeatOf(Seat);

impl FromRequestParts<&'static App> for SeatOf {
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

/// Take a seat away from its holder, before the match begins.
///
/// Only the match's maker may do it. The seat is open again and its token holds it no more; a player who was removed
/// cannot come back into this match.
#[utoipa::path(post, path = "/v1/matches/{id}/seats/{seat}/remove", operation_id = "removeFromSeat", tag = "matches", security(("token" = [])),
    params(openapi::MatchPath, openapi::SeatPath),
    responses((status = 200, description = "What happened.", body = render::Shown), openapi::Refusals))]
pub async fn remove(
    State(app): State<&'static App>,
    Who(caller): Who,
    MatchOf(id): MatchOf,
    SeatOf(seat): SeatOf,
    payload: Payload,
) -> Result<Response, Error> {
    payload.nothing()?;
    Ok(framed(&*app.matches.remove(&id, &caller, seat).await?))
}
