//! `POST /v1/games/{game}/official-position`: the position that a bot of the contest would have to decide in.

use axum::extract::State;
use engines::erased::{AnyPosition, Awaits};
use engines::game::Turn;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::app::App;
use crate::error::{Code, Error};
use crate::http::games::dialogue::{FencedDialogue, Reader};
use crate::http::games::options;
use crate::http::games::options::DialogueOptions;
use crate::http::openapi;
use crate::http::request::client::Client;
use crate::http::request::extract::{GameOf, MediaType, Payload, Query};
use crate::http::request::json::Json;

/// A position that an official text describes.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct OfficialPosition {
    /// The view of the bot, in the form that the other requests take.
    #[schemars(with = "AnyPosition")]
    pub position: Value,
    /// The seat to move, which is the bot's.
    pub seat: Option<u8>,
    /// The contradictions to the rules, one sentence each.
    pub remarks: Vec<String>,
}

/// Read a position from a contest's official text.
///
/// The body is a transcript (`< ` what the bot read, `> ` what it printed), or an official input as the bot would read
/// it. The answer is the first position in which the bot has to decide and for which the text contains no decision.
/// Query parameters are the game's own settings. No engine is asked.
#[utoipa::path(
    post, path = "/v1/games/{game}/official-position", operation_id = "readPosition", tag = "games",
    params(openapi::GamePath),
    request_body(content((String = "text/plain"))),
    responses((status = 200, description = "The position.", body = OfficialPosition), openapi::Refusals)
)]
pub(crate) async fn read(
    State(app): State<&'static App>,
    GameOf(offer): GameOf,
    Client(client): Client,
    query: Query,
    payload: Payload,
) -> Result<Json<OfficialPosition>, Error> {
    if payload.media_type != MediaType::Text {
        return Err(payload.media_type.refuse("text/plain"));
    }
    let reader = Reader::new(app, &client, offer);
    let DialogueOptions { settings, .. } = DialogueOptions::parse(query.0, offer, client, &app.limits)?;
    let session = options::session(offer, &settings)?;
    let (mut dialogue, awaits) =
        FencedDialogue::new(session).hear_all(payload.text()?.to_owned(), reader).await?;
    let mut remarks = dialogue.take_remarks();
    let Awaits::Decision(question) = awaits else {
        let detail = "the text does not lead to a decision of the bot; it may end too early";
        return Err(Error::new(Code::BadDialogue, detail));
    };
    if !dialogue.has_understood() && !remarks.is_empty() {
        return Err(Error::new(Code::BadDialogue, remarks.swap_remove(0)));
    }
    let seat = match question.position.turn() {
        Turn::Of(seat) => Some(seat.0),
        Turn::Over => None,
    };
    Ok(Json(OfficialPosition { position: question.position.to_json(), seat, remarks }))
}
