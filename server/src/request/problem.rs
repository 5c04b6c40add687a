//! Errors as answers: `application/problem+json` (RFC 9457).

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::domain::request_id::RequestId;
use crate::error::{Class, Code, Error};
use crate::matches::render;

/// The schema of a problem's `code`: an enum of all codes.
fn codes(_: &mut SchemaGenerator) -> Schema {
    let names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
    json_schema!({ "type": "string", "enum": names })
}

/// The body of every error (RFC 9457), `application/problem+json`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Problem {
    /// The URI of the explanation of the code, relative to this server.
    #[serde(rename = "type")]
    #[schemars(example = &"/docs/problems#busy")]
    kind: String,
    /// A short title, the same every time.
    title: &'static str,
    /// The HTTP status.
    #[schemars(example = 503)]
    status: u16,
    /// The error and its place, in a sentence.
    detail: String,
    /// The stable name of the error.
    #[schemars(example = &"busy", schema_with = "codes")]
    code: &'static str,
    /// Milliseconds after which a retry may succeed.
    #[serde(skip_serializing_if = "Option::is_none")]
    retry_after_ms: Option<u64>,
    /// With `stale_ply` and `time_up`: the current ply of the match.
    #[serde(skip_serializing_if = "Option::is_none")]
    ply: Option<u64>,
    /// With `stale_ply` and `time_up`: the match as it is now.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<Box<render::Page>>")]
    page: Option<Box<RawValue>>,
    /// The id of the request, as in the header `X-Request-Id` and in the server's log.
    #[serde(skip_serializing_if = "Option::is_none")]
    request_id: Option<String>,
}

impl Problem {
    /// The problem as JSON.
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a problem is texts and numbers")
    }
}

/// The HTTP status of answers with this code.
pub(crate) const fn status(code: Code) -> StatusCode {
    match code.class() {
        Class::Malformed => StatusCode::BAD_REQUEST,
        Class::Unauthenticated => StatusCode::UNAUTHORIZED,
        Class::Forbidden => StatusCode::FORBIDDEN,
        Class::NotFound => StatusCode::NOT_FOUND,
        Class::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Class::TooSlow => StatusCode::REQUEST_TIMEOUT,
        Class::Conflict => StatusCode::CONFLICT,
        Class::Outdated => StatusCode::PRECONDITION_FAILED,
        Class::ConditionMissing => StatusCode::PRECONDITION_REQUIRED,
        Class::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Class::UnsupportedType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        Class::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        Class::UpgradeNeeded => StatusCode::UPGRADE_REQUIRED,
        Class::TooMany => StatusCode::TOO_MANY_REQUESTS,
        Class::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Class::Failure => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

impl Error {
    /// The body of the answer, with the id of the request for which this code runs.
    pub fn problem(&self) -> Problem {
        let ms = |d: Duration| u64::try_from(d.as_micros().div_ceil(1000)).unwrap_or(u64::MAX).max(1);
        let current = self.current_match();
        Problem {
            kind: format!("/docs/problems#{}", self.code().name()),
            title: self.code().title(),
            status: status(self.code()).as_u16(),
            detail: self.detail().to_owned(),
            code: self.code().name(),
            retry_after_ms: self.comes_back_after().map(ms),
            ply: current.map(|current| current.ply.into()),
            page: current.map(|current| current.page.clone()),
            request_id: RequestId::current().map(|id| id.to_string()),
        }
    }
}

/// The status and headers of the answer. The HTTP middleware writes its body, since it knows the id of the request.
impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = status(self.code()).into_response();
        let headers = response.headers_mut();
        if let Some(time) = self.comes_back_after() {
            let seconds = u64::try_from(time.as_micros().div_ceil(1_000_000)).unwrap_or(u64::MAX).max(1);
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.code() == Code::UpgradeRequired {
            headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        }
        // RFC 6750, section 3.
        let shown = match self.code() {
            Code::BadToken | Code::TokenExpired => Some("Bearer error=\"invalid_token\""),
            Code::PlayScopeNeeded => Some("Bearer error=\"insufficient_scope\", scope=\"play\""),
            Code::ManageScopeNeeded => Some("Bearer error=\"insufficient_scope\", scope=\"manage\""),
            Code::AccountTokenNeeded => Some("Bearer error=\"insufficient_scope\""),
            other if other.class() == Class::Unauthenticated => Some("Bearer"),
            _ => None,
        };
        if let Some(shown) = shown {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(shown));
        }
        response.extensions_mut().insert(self.code());
        response.extensions_mut().insert(self);
        response
    }
}
