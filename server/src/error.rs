//! The one error of the server: it knows its status, its stable code and how loudly it is logged, and becomes
//! `application/problem+json`. It never tells a caller about the server's inside.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use engines::erased::{Refusal, RefusalCode};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::Value;

use crate::host::hall::Frame;
use crate::host::show;
use crate::host::token;

/// Declares [`Code`] with the facts of each code.
macro_rules! codes {
    ($($(#[doc = $help:literal])+ $name:ident = $text:literal, $status:ident, $title:literal;)+) => {
        /// What went wrong, by a name that stays.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code { $($(#[doc = $help])+ $name,)+ }

        impl Code {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The code as it stands in answers: stable, snake_case.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// The status of answers with it.
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status,)+ }
            }

            /// A few words that are the same every time.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)+ }
            }

            /// When it occurs and what to do, for people.
            pub const fn help(self) -> &'static str {
                match self { $(Self::$name => concat!($($help),+),)+ }
            }
        }
    };
}

codes! {
    /// The path leads nowhere. `/docs` lists the paths there are.
    NotFound = "not_found", NOT_FOUND, "No such path";
    /// No game here has this short name. `GET /v1/games` lists them.
    UnknownGame = "unknown_game", NOT_FOUND, "No such game";
    /// The path is there, but not for this method; the header `Allow` names the methods.
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "Method not allowed";
    /// The path is for WebSockets and the request did not ask for one.
    UpgradeRequired = "upgrade_required", UPGRADE_REQUIRED, "A WebSocket is needed";
    /// The body did not arrive in time.
    BodyTooSlow = "body_too_slow", REQUEST_TIMEOUT, "The body came too slowly";
    /// The body broke off.
    BadBody = "bad_body", BAD_REQUEST, "The body broke off";
    /// The body is larger than this server takes.
    BodyTooLarge = "body_too_large", PAYLOAD_TOO_LARGE, "The body is too large";
    /// The body is of a kind that this path does not take; the header `Content-Type` says the kind.
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "Unsupported kind of body";
    /// The body is text but not UTF-8.
    NotUtf8 = "not_utf8", BAD_REQUEST, "The text is not UTF-8";
    /// The body is not JSON; the detail says where it stops to be.
    BadJson = "bad_json", BAD_REQUEST, "The body is not JSON";
    /// The body is JSON but a field of it is missing, unknown or of the wrong kind; the detail gives its path.
    BadField = "bad_field", UNPROCESSABLE_ENTITY, "A field is wrong";
    /// A parameter of the query is unknown, twice there, or has a value that cannot be.
    BadQuery = "bad_query", BAD_REQUEST, "A query parameter is wrong";
    /// More thinking time was asked for than this server gives to one decision.
    ThinkTooLong = "think_too_long", UNPROCESSABLE_ENTITY, "The thinking time is too long";
    /// No engine of the game has this name.
    UnknownEngine = "unknown_engine", UNPROCESSABLE_ENTITY, "No such engine";
    /// The position cannot be: a field is wrong, or the whole contradicts the rules.
    BadPosition = "bad_position", UNPROCESSABLE_ENTITY, "The position is wrong";
    /// The match is over in this position, so there is nothing to decide.
    PositionFinished = "position_finished", UNPROCESSABLE_ENTITY, "The match is over";
    /// The position is seen by somebody else than the seat to move.
    NotToMove = "not_to_move", UNPROCESSABLE_ENTITY, "Not the viewer's move";
    /// The options of the deal cannot be.
    BadOptions = "bad_options", UNPROCESSABLE_ENTITY, "The options are wrong";
    /// The dialogue contradicts the official protocol, the rules, or itself; the detail names the entry.
    BadDialogue = "bad_dialogue", UNPROCESSABLE_ENTITY, "The dialogue is wrong";
    /// The dialogue leaves more decisions open than there is time for in one request; send it in parts.
    TooManyDecisions = "too_many_decisions", UNPROCESSABLE_ENTITY, "Too many decisions are open";
    /// A token is needed here: `Authorization: Bearer ...`.
    TokenNeeded = "token_needed", UNAUTHORIZED, "A token is needed";
    /// The token that was shown is none of this server's, or garbled.
    BadToken = "bad_token", UNAUTHORIZED, "The token is wrong";
    /// The token that was shown does not hold this seat.
    NotYourSeat = "not_your_seat", FORBIDDEN, "Not your seat";
    /// No match here has this name, or it is private and its key was not shown.
    NoSuchMatch = "no_such_match", NOT_FOUND, "No such match";
    /// No player here has this name.
    NoSuchPlayer = "no_such_player", NOT_FOUND, "No such player";
    /// The name belongs to another player already.
    NameTaken = "name_taken", CONFLICT, "The name is taken";
    /// The seats do not fit the game: too few, too many, or not those of the options.
    BadSeats = "bad_seats", UNPROCESSABLE_ENTITY, "The seats are wrong";
    /// This game's official protocol lets no foreign bot hold this seat.
    NoBotSeat = "no_bot_seat", UNPROCESSABLE_ENTITY, "Not a seat for a bot";
    /// The seat is taken, or kept for somebody else.
    SeatTaken = "seat_taken", CONFLICT, "The seat is taken";
    /// No seat of the match is free.
    NoOpenSeat = "no_open_seat", CONFLICT, "No seat is free";
    /// The caller has a seat in the match already.
    AlreadySeated = "already_seated", CONFLICT, "Seated already";
    /// The match has not begun: seats are free.
    NotStarted = "not_started", CONFLICT, "The match has not begun";
    /// The match has begun, so this comes too late.
    Started = "started", CONFLICT, "The match has begun";
    /// The match is over.
    MatchOver = "match_over", CONFLICT, "The match is over";
    /// The match is not over yet, so its record is secret.
    MatchNotOver = "match_not_over", CONFLICT, "The match is not over";
    /// The game offers no format of this name for its records; the detail lists those it has.
    UnknownFormat = "unknown_format", BAD_REQUEST, "No such format";
    /// It is another seat's turn.
    NotYourTurn = "not_your_turn", CONFLICT, "Not your turn";
    /// The rules forbid the move here. Nothing is lost: make another one.
    IllegalMove = "illegal_move", UNPROCESSABLE_ENTITY, "The move is illegal";
    /// The move is none of this game's, in neither form.
    BadMove = "bad_move", UNPROCESSABLE_ENTITY, "The move is wrong";
    /// The move is for another ply than the match is at, which `ply` tells; `match` is the match as it is now.
    StalePly = "stale_ply", PRECONDITION_FAILED, "The match has gone on";
    /// A move must say its ply, in the header `If-Match` or in the body: so that it can be sent again safely.
    PlyNeeded = "ply_needed", PRECONDITION_REQUIRED, "The ply is needed";
    /// The maker of the match has removed the caller from it. Join another match.
    Removed = "removed", FORBIDDEN, "Removed from the match";
    /// The token that was shown did not make this match.
    NotYourMatch = "not_your_match", FORBIDDEN, "Not your match";
    /// The operator of this server has banned the caller's address.
    Banned = "banned", FORBIDDEN, "Banned";
    /// This server was started without an admin token (`--admin-token-file`), so nothing can be administered over HTTP.
    AdminOff = "admin_off", FORBIDDEN, "The admin API is off";
    /// The `Idempotency-Key` must be 16 to 200 visible ASCII characters.
    BadIdempotencyKey = "bad_idempotency_key", BAD_REQUEST, "The idempotency key is wrong";
    /// The `Idempotency-Key` was used before, for something else.
    IdempotencyKeyReused = "idempotency_key_reused", UNPROCESSABLE_ENTITY, "The idempotency key was used before";
    /// The caller's address, or the player, has reached a limit of what one may create or hold at a time; the detail
    /// names the limit and its setting. Come back after `retry_after_ms`.
    TooMany = "too_many", TOO_MANY_REQUESTS, "Too many";
    /// The database cannot be written or read now; whoever runs the server finds the reason in its log. Come back.
    StoreUnavailable = "store_unavailable", SERVICE_UNAVAILABLE, "The database is unavailable";
    /// No engine would be free early enough to keep the deadline. Come back after `retry_after_ms`.
    Busy = "busy", SERVICE_UNAVAILABLE, "All engines are busy";
    /// As many WebSockets and streams are open as this server allows. Come back later.
    TooManySockets = "too_many_sockets", SERVICE_UNAVAILABLE, "Too many open WebSockets and streams";
    /// The server holds as many connections, or bytes of bodies, as its settings allow; the detail names the setting.
    /// Come back after `retry_after_ms`.
    Overloaded = "overloaded", SERVICE_UNAVAILABLE, "The server holds too much";
    /// The server is about to end and takes no new work. Come back: it, or another one, will be there.
    Stopping = "stopping", SERVICE_UNAVAILABLE, "The server is stopping";
    /// The engine failed at this decision. It is logged here; asking again may help.
    EngineFailed = "engine_failed", INTERNAL_SERVER_ERROR, "The engine failed";
    /// The server failed at this request. It is logged here; asking again may help.
    Internal = "internal", INTERNAL_SERVER_ERROR, "The server failed";
}

/// A request that cannot be served, and why.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}: {detail}", code.name())]
pub struct Error {
    code: Code,
    detail: String,
    retry_after: Option<Duration>,
    page: Option<Arc<Frame>>,
}

/// The schema of a problem's `code`: one of all codes.
fn codes(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
    json_schema!({ "type": "string", "enum": names })
}

/// The body of every error (RFC 9457), `application/problem+json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Problem {
    /// Where the code is explained: a URI relative to this server.
    #[serde(rename = "type")]
    #[schemars(example = &"/docs/problems#busy")]
    kind: String,
    /// A few words that are the same every time.
    title: &'static str,
    /// The status of the answer.
    #[schemars(example = 503)]
    status: u16,
    /// What is wrong and where, this time.
    detail: String,
    /// The stable name of what went wrong.
    #[schemars(example = &"busy", schema_with = "codes")]
    code: &'static str,
    /// Milliseconds after which to try again, where that helps.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
    /// Moves made so far, where the match has gone on.
    #[serde(skip_serializing_if = "Option::is_none")]
    ply: Option<u64>,
    /// The match as it is now, where it has gone on.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Box<show::Page>>")]
    page: Option<Value>,
    /// The id of the request, as the header `X-Request-Id` of the answer and the server's log name it.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
}

impl Problem {
    /// The problem as JSON.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a problem is texts and numbers")
    }
}

impl Error {
    /// An error with this code; `detail`: what is wrong and where. It may repeat what was sent, but no token of it.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: token::hidden(detail.into()), retry_after: None, page: None }
    }

    /// All engines are busy until then.
    pub fn busy(detail: String, retry_after: Duration) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(Code::Busy, detail) }
    }

    /// The server takes no new work.
    pub fn stopping() -> Self {
        let retry_after = Some(Duration::from_secs(1));
        Self { retry_after, ..Self::new(Code::Stopping, "the server is stopping and takes no new work") }
    }

    /// With a time after which to come back.
    pub fn retry_after(self, time: Duration) -> Self {
        Self { retry_after: Some(time), ..self }
    }

    /// With the page of the match as it is now, for a caller who may see it.
    pub fn with_match(self, page: Arc<Frame>) -> Self {
        Self { page: Some(page), ..self }
    }

    /// What went wrong.
    pub fn code(&self) -> Code {
        self.code
    }

    /// What went wrong, in words. Of failures of the server it says no more than that they happened.
    pub fn detail(&self) -> &str {
        match self.code {
            Code::Internal => "the server failed here; asking again may help",
            Code::EngineFailed => "the engine failed at this decision; asking again may help",
            _ => &self.detail,
        }
    }

    /// After which time to come back, where that helps.
    pub fn comes_back_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Writes the error to the log: failures of the server at level `error`, refusals at `info` or `debug`.
    /// `request_id`: of the request that failed, where it was one.
    pub fn log(&self, request_id: Option<&str>) {
        let (code, detail) = (self.code.name(), &self.detail);
        match self.code {
            Code::Internal | Code::EngineFailed | Code::StoreUnavailable => {
                tracing::error!(code, detail, request_id, "failed");
            }
            Code::Busy | Code::TooManySockets | Code::Overloaded => {
                tracing::info!(code, detail, request_id, "refused");
            }
            _ => tracing::debug!(code, detail, request_id, "refused"),
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal.code {
            RefusalCode::BadOptions => Code::BadOptions,
            RefusalCode::BadPosition => Code::BadPosition,
            RefusalCode::BadMove => Code::BadMove,
            RefusalCode::BadDialogue => Code::BadDialogue,
            RefusalCode::UnknownFormat => Code::UnknownFormat,
            RefusalCode::UnknownEngine => Code::UnknownEngine,
            RefusalCode::EngineFailed => Code::EngineFailed,
            RefusalCode::PositionFinished => Code::PositionFinished,
            RefusalCode::NotToMove => Code::NotToMove,
            RefusalCode::MatchOver => Code::MatchOver,
            RefusalCode::NotYourTurn => Code::NotYourTurn,
            RefusalCode::IllegalMove => Code::IllegalMove,
            // The server itself keeps states and names, so these cannot be the caller's mistakes.
            RefusalCode::BadState | RefusalCode::BadNames => {
                return Self::new(Code::Internal, format!("{}: {}", refusal.code, refusal.detail));
            }
        };
        Self::new(code, refusal.detail)
    }
}

impl Error {
    /// The body of the answer. `request_id`: of the request that failed, where it was one.
    pub fn problem(&self, request_id: Option<&str>) -> Problem {
        let ms = |d: Duration| u64::try_from(d.as_micros().div_ceil(1000)).unwrap_or(u64::MAX).max(1);
        let page: Option<Value> = self.page.as_ref().and_then(|page| serde_json::from_slice(&page.json).ok());
        Problem {
            kind: format!("/docs/problems#{}", self.code.name()),
            title: self.code.title(),
            status: self.code.status().as_u16(),
            detail: self.detail().to_owned(),
            code: self.code.name(),
            retry_after_ms: self.retry_after.map(ms),
            ply: page.as_ref().and_then(|page| page["ply"].as_u64()),
            page,
            request_id: request_id.map(str::to_owned),
        }
    }
}

/// The status and headers of the answer. The HTTP middleware writes its body, since it knows the id of the request.
impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        let headers = response.headers_mut();
        if let Some(time) = self.retry_after {
            let seconds = u64::try_from(time.as_micros().div_ceil(1_000_000)).unwrap_or(u64::MAX).max(1);
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.code == Code::UpgradeRequired {
            headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        }
        if self.code.status() == StatusCode::UNAUTHORIZED {
            // RFC 6750, section 3.
            let shown = if self.code == Code::BadToken { "Bearer error=\"invalid_token\"" } else { "Bearer" };
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(shown));
        }
        response.extensions_mut().insert(self.code);
        response.extensions_mut().insert(self);
        response
    }
}
