//! `POST /v1/games/{game}/official-position`: the position that a bot of the contest would have to decide in.

use std::collections::BTreeMap;

use axum::extract::State;
use engines::erased::{AnyPosition, Awaits};
use engines::game::Turn;
use engines::protocol::Settings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::app::App;
use crate::error::{Code, Error};
use crate::http::games::contest;
use crate::http::games::dialogue::{FencedDialogue, Reader};
use crate::http::games::options;
use crate::http::games::options::DialogueOptions;
use crate::http::openapi;
use crate::request::client::Client;
use crate::request::extract::{MediaType, Payload, UrlQuery, unknown};
use crate::request::json::Json;
use crate::request::path::GameOf;

/// A contest's official text.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "text": "4 3 2 4 2 3 2" }))]
pub(crate) struct OfficialText {
    /// A transcript (`< ` what the bot read, `> ` what it printed), or an official input as the bot would read it. The lines end
    /// with `\n`.
    text: String,
    /// The game's own settings, by their names.
    #[serde(default)]
    settings: BTreeMap<String, String>,
}

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
/// As plain text, the query parameters are the game's own settings. No engine is asked.
#[utoipa::path(
    post, path = "/v1/games/{game}/official-position", operation_id = "readPosition", tag = "games",
    params(openapi::GamePath),
    request_body(content((OfficialText = "application/json"), (String = "text/plain"))),
    responses((status = 200, description = "The position.", body = OfficialPosition), openapi::Refusals)
)]
pub(crate) async fn read(
    State(app): State<&'static App>,
    GameOf(offer): GameOf,
    Client(client): Client,
    query: UrlQuery,
    payload: Payload,
) -> Result<Json<OfficialPosition>, Error> {
    let reader = Reader::new(app, &client, offer);
    let (text, session) = match payload.media_type {
        MediaType::Text => {
            let DialogueOptions { settings, .. } =
                DialogueOptions::parse(query.0, offer, client, &app.limits)?;
            (payload.text()?.to_owned(), options::session(offer, &settings)?)
        }
        MediaType::Json => {
            if let Some((name, _)) = query.0.first() {
                return Err(unknown(name, "none: the settings are in the body"));
            }
            let OfficialText { text, settings } = payload.json()?;
            let session = options::session(offer, &Settings(settings));
            (text, session.map_err(contest::bad_setting)?)
        }
        other => return Err(other.refuse("application/json or text/plain")),
    };
    let (mut dialogue, awaits) = FencedDialogue::new(session).hear_all(text, reader).await?;
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
