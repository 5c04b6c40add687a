//! JSON responses.

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::error::{Code, Error};

/// The header of answers that are for their caller only or change quickly: no cache keeps them.
pub(crate) const NO_STORE: (HeaderName, HeaderValue) =
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store"));

/// A JSON response.
pub(crate) struct Json<T>(pub T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        let mut body = Vec::with_capacity(512);
        if let Err(e) = serde_json::to_writer(&mut body, &self.0) {
            return Error::new(Code::Internal, format!("a response could not be written as JSON: {e}"))
                .into_response();
        }
        ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
    }
}
