//! The messages of a WebSocket that follows a match, besides the events: what a client asks, and the answers.

use std::time::Instant;

use axum::body::Bytes;
use axum::extract::ws::{Message, Utf8Bytes};
use engines::erased::AnyMove;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::domain::schema::AnswerId;
use crate::error::Error;
use crate::http::matches::actions::{IfMatch, PlayRequest};
use crate::matches::render;
use crate::matches::render::RenderedEvent;
use crate::matches::request::SeatAction;
use crate::request::problem::Problem;

/// A message from the client.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum LiveRequest {
    /// Make a move.
    Move {
        /// The answer repeats it.
        #[schemars(with = "Option<AnswerId>")]
        id: Option<Value>,
        /// The number of moves made before it: `ply` of the match.
        ply: Option<u32>,
        /// The move, by the game's schema. Either this or `notation` is required.
        #[serde(rename = "move")]
        #[schemars(with = "Option<AnyMove>")]
        mv: Option<Value>,
        /// The move in the notation of the official protocol.
        notation: Option<String>,
    },
    /// Give up the seat, before the start.
    Leave {
        /// The answer repeats it.
        #[schemars(with = "Option<AnswerId>")]
        id: Option<Value>,
    },
    Resign {
        /// The answer repeats it.
        #[schemars(with = "Option<AnswerId>")]
        id: Option<Value>,
    },
    /// Abort the match, before the first move.
    Abort {
        /// The answer repeats it.
        #[schemars(with = "Option<AnswerId>")]
        id: Option<Value>,
    },
}

/// The answer to a message.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum LiveAnswer {
    /// The action was performed and is on disk.
    #[expect(dead_code, reason = "`done` writes it; this is its schema")]
    Done {
        /// The `id` of the request.
        #[schemars(with = "Option<AnswerId>")]
        id: Option<Value>,
        /// The event of the action, as the seat sees it.
        #[schemars(with = "render::ViewerEvent<'static>")]
        frame: Box<RawValue>,
    },
    /// The action was refused. The connection stays open.
    Refused {
        /// The `id` of the request; `null` if it could not be read.
        #[schemars(with = "Option<AnswerId>")]
        id: Option<Value>,
        /// The reason.
        problem: Box<Problem>,
    },
}

/// A text message of this JSON.
pub(super) fn text(json: Bytes) -> Message {
    Utf8Bytes::try_from(json).map_or_else(|_| Message::text("{}"), Message::Text)
}

/// [`LiveAnswer::Done`] as JSON. The event is JSON already and is not parsed again.
pub(super) fn done(id: Option<&Value>, event: &RenderedEvent) -> Bytes {
    let id = serde_json::to_vec(&id).expect("plain values with text keys");
    let parts = [br#"{"type":"done","id":"#, id.as_slice(), br#","frame":"#, &event.json, b"}"];
    parts.concat().into()
}

/// The action that a message asks for.
pub(super) fn act(request: LiveRequest, arrived: Instant) -> Result<(Option<Value>, SeatAction), Error> {
    Ok(match request {
        LiveRequest::Move { id, ply, mv, notation } => {
            (id, PlayRequest { mv, notation, ply }.act(IfMatch::NONE, arrived)?)
        }
        LiveRequest::Leave { id } => (id, SeatAction::Leave),
        LiveRequest::Resign { id } => (id, SeatAction::Resign),
        LiveRequest::Abort { id } => (id, SeatAction::Abort),
    })
}

/// The `id` for the answer to an invalid message, if it can be read.
pub(super) fn named(text: &str) -> Option<Value> {
    #[derive(Deserialize)]
    struct NamedRequest {
        id: Option<Value>,
    }
    serde_json::from_str::<NamedRequest>(text).ok()?.id
}
