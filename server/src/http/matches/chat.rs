//! The chat of a match: of its players, and of its spectators.

use axum::extract::{RawPathParams, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::app::App;
use crate::error::{Code, Error};
use crate::http::openapi;
use crate::matches::chat::{Chat, ChatMessage, SentContent};
use crate::request::caller::{Plays, Reads};
use crate::request::extract::{Payload, UrlQuery};
use crate::request::json::Json;
use crate::request::json::NO_STORE;
use crate::request::path::MatchOf;

/// Say something to the other players of a match, or to its other spectators.
///
/// Either a `phrase`, which each page shows in its own language, or a `text` of one line with at most 200 characters, unless
/// the operator allows only phrases. What the holder of a seat says is for the players; what any other player says is for the
/// spectators, unless the operator has switched their chat off. Both are open after the end, too. An author may send
/// 6 messages in 20 seconds. Messages are no part of the match's events or record. A muted player cannot write (`muted`).
#[utoipa::path(post, path = "/v1/matches/{id}/chat", operation_id = "sayInMatch", tag = "matches", security(("token" = ["play"])),
    params(openapi::MatchPath),
    request_body = SentContent,
    responses((status = 200, description = "The message.", body = ChatMessage), openapi::Refusals))]
pub(crate) async fn say(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    MatchOf(id): MatchOf,
    payload: Payload,
) -> Result<Response, Error> {
    let said: SentContent = payload.json()?;
    let message = app.matches.say(&id, said, &caller).await?;
    Ok(([NO_STORE], Json(message)).into_response())
}

/// List the messages of a match's players, or of its spectators.
///
/// The holder of a seat gets those of the players, anybody else those of the spectators, which have the author's name in place of a
/// `seat`. The list also contains the messages before `from` that were deleted, without their content, so
/// that a reader who has them can remove them. Open streams also get each message as a frame `chat`; a
/// reader whose stream is on another node, or whose match is over, asks here.
#[utoipa::path(get, path = "/v1/matches/{id}/chat", operation_id = "listChat", tag = "matches", security(("token" = ["read"])),
    params(openapi::MatchPath, openapi::ChatQuery),
    responses((status = 200, description = "The messages, the oldest first.", body = Chat), openapi::Refusals))]
pub(crate) async fn list(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    MatchOf(id): MatchOf,
    query: UrlQuery,
) -> Result<Response, Error> {
    let mut from = 0;
    for (name, value) in &query.0 {
        match name.as_str() {
            "from" => {
                from = value.parse().map_err(|_| {
                    Error::new(Code::BadQuery, format!("from: {value:?} is not the number of a message"))
                })?;
            }
            _ => {
                let detail = format!("{name}: there is no such parameter; known are {}", json!(["from"]));
                return Err(Error::new(Code::BadQuery, detail));
            }
        }
    }
    let chat = app.matches.chat(&id, from, &caller).await?;
    Ok(([NO_STORE], Json(chat)).into_response())
}

/// Delete a message of one's own.
///
/// Its text is gone at once, for all readers. Its number stays, with `deleted` in place of what it said; open streams
/// get that as a frame `chat`. The author can do this at any time, also after the end.
#[utoipa::path(delete, path = "/v1/matches/{id}/chat/{n}", operation_id = "deleteMessage", tag = "matches", security(("token" = ["play"])),
    params(openapi::MatchPath, openapi::MessagePath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn unsay(
    State(app): State<&'static App>,
    Plays(caller): Plays,
    MatchOf(id): MatchOf,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.matches.unsay(&id, message_of(&params)?, &caller).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The number of the message in the path.
///
/// # Errors
/// `no_such_message`.
pub(crate) fn message_of(params: &RawPathParams) -> Result<u32, Error> {
    let text = params.iter().find(|(name, _)| *name == "n").map_or("", |(_, n)| n);
    text.parse()
        .map_err(|_| Error::new(Code::NoSuchMessage, format!("{text:?} is not the number of a message")))
}
