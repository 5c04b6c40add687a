//! `POST /v1/qr`: a text as a QR code.

use axum::response::{IntoResponse, Response};
use fast_qr::{ECL, QRBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::error::{Code, Error};
use crate::http::openapi;
use crate::request::caller::Anyone;
use crate::request::extract::Payload;
use crate::request::json::Json;
use crate::request::json::NO_STORE;

/// The longest text, in bytes.
const MAX_TEXT: usize = 500;

/// A text to draw.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "text": "https://example.org/matches/1" }))]
pub(crate) struct QrRequest {
    /// The text: 1 to 500 bytes.
    #[schemars(length(min = 1, max = 500))]
    text: String,
}

/// A QR code.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct QrAnswer {
    /// The rows from top to bottom, each with one digit per module from left to right: 1 is dark, 0 is light. The quiet zone
    /// around the code, four modules wide, is not included.
    rows: Vec<String>,
}

/// Draw a text as a QR code, such as a link that opens a page on another device. The server does not store the text.
#[utoipa::path(post, path = "/v1/qr", operation_id = "drawQr", tag = "operations", request_body = QrRequest,
    responses((status = 200, description = "The QR code.", body = QrAnswer), openapi::Refusals))]
pub(crate) async fn draw(_: Anyone, payload: Payload) -> Result<Response, Error> {
    let QrRequest { text } = payload.json()?;
    if !(1..=MAX_TEXT).contains(&text.len()) {
        return Err(Error::new(Code::BadField, format!("text: must be 1 to {MAX_TEXT} bytes")));
    }
    let code = QRBuilder::new(text).ecl(ECL::M).build();
    let code = code.map_err(|e| Error::new(Code::BadField, format!("text: fits no QR code: {e}")))?;
    let digit = |module: &fast_qr::Module| if module.value() { '1' } else { '0' };
    let rows = (0..code.size).map(|row| code[row].iter().map(digit).collect());
    Ok(([NO_STORE], Json(QrAnswer { rows: rows.collect() })).into_response())
}
