//! JSON responses.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::error::{Code, Error};

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
