//! Answers in JSON.

use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::error::{Code, Error};

/// An answer in JSON.
pub struct Json<T>(pub T);

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        let mut body = Vec::with_capacity(512);
        if let Err(e) = serde_json::to_writer(&mut body, &self.0) {
            return Error::new(Code::Internal, format!("an answer is no JSON: {e}")).into_response();
        }
        ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], body).into_response()
    }
}
