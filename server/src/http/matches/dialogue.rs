//! `GET /v1/matches/{id}/seats/{seat}/dialogue`: the official dialogue of a seat.

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use engines::protocol::Entry;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::error::{Code, Error};
use crate::http::matches::seat_path::SeatOf;
use crate::http::openapi;
use crate::matches::bots::dialogue::{SeatLine, used_ms};
use crate::request::caller::Reads;
use crate::request::extract::{UrlQuery, unknown};
use crate::request::json::{Json, NO_STORE};
use crate::request::path::MatchOf;

/// The official dialogue of a seat.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SeatDialogueText {
    /// The number of the seat.
    seat: u8,
    /// The lines, in order.
    lines: Vec<ShownLine>,
}

/// A line of an official dialogue.
#[derive(Serialize, JsonSchema)]
struct ShownLine {
    /// Moves made before it was written.
    ply: u32,
    /// The kind of line.
    kind: LineKind,
    /// The text, without a line break.
    text: String,
    /// How long the seat took for its decision, in milliseconds; only in the line that is the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    used_ms: Option<u64>,
    /// The instructions that a hosted program has executed for its decision; only in the line that is the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    fuel: Option<u64>,
}

/// The kind of a line of a dialogue.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum LineKind {
    /// The bot read it.
    Read,
    /// The bot printed it.
    Printed,
    /// It says what happened.
    Remark,
    /// The input of the bot ended.
    End,
}

impl ShownLine {
    fn of(SeatLine { line, fuel }: SeatLine) -> Self {
        let used_ms = used_ms(&line);
        let (kind, text) = match line.entry {
            Entry::Read(text) => (LineKind::Read, text),
            Entry::Printed(text) => (LineKind::Printed, text),
            Entry::Remark(text) => (LineKind::Remark, text),
            Entry::End => (LineKind::End, String::new()),
        };
        Self { ply: line.ply, kind, text, used_ms, fuel }
    }
}

/// Read the official dialogue of a seat: what its bot reads and writes.
///
/// The holder of the seat and the owner of the bot in it see it during the match, everybody else when the match is over. It is
/// made from the events of the match, so that every seat has one, also where a person or an engine played. Before each turn a
/// remark `turn PLY MS` names the time on the clock when it began, if there is one. A line that was no legal move is quoted in
/// the remark `foul: ...`. The formats are `json`, with the ply of each line; `transcript`, in which `< TEXT` is a line for the
/// bot to read, `> TEXT` one that it printed, `.` the end of its input and `# TEXT` a remark; and `input`, only what the bot read,
/// as it read it.
#[utoipa::path(get, path = "/v1/matches/{id}/seats/{seat}/dialogue", operation_id = "getSeatDialogue", tag = "matches",
    security((), ("token" = ["read"]), ("match_key" = [])),
    params(openapi::MatchPath, openapi::SeatPath, openapi::DialogueFormatQuery),
    responses((status = 200, description = "The dialogue.",
               content((SeatDialogueText = "application/json"), (String = "text/plain"))),
              openapi::Refusals))]
pub(crate) async fn dialogue(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    MatchOf(id): MatchOf,
    seat: SeatOf,
    query: UrlQuery,
) -> Result<Response, Error> {
    let mut format = "json".to_owned();
    for (name, value) in query.0 {
        match name.as_str() {
            "format" => format = value,
            _ => return Err(unknown(&name, "format")),
        }
    }
    let seat = seat.of(app, &id, &caller).await?;
    let lines = app.matches.dialogue(&id, &caller, seat).await?;
    let text = |lines: Vec<String>| {
        let text: String = lines.into_iter().map(|line| line + "\n").collect();
        ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], [NO_STORE], text).into_response()
    };
    Ok(match format.as_str() {
        "json" => {
            let lines = lines.into_iter().map(ShownLine::of).collect();
            ([NO_STORE], Json(SeatDialogueText { seat: seat.0, lines })).into_response()
        }
        "transcript" => text(lines.into_iter().map(|SeatLine { line, .. }| line.entry.to_string()).collect()),
        "input" => text(
            lines
                .into_iter()
                .filter_map(|SeatLine { line, .. }| match line.entry {
                    Entry::Read(line) => Some(line),
                    _ => None,
                })
                .collect(),
        ),
        other => {
            let detail = format!("format: {other:?} is none of json, transcript, input");
            return Err(Error::new(Code::BadQuery, detail));
        }
    })
}
