//! Writes the body of an error response. A handler's error becomes a response without the id of the request, so the
//! body is written here.

use axum::BoxError;
use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderValue, header};
use axum::response::Response;

use crate::domain::request_id::{RequestId, run_for};
use crate::error::Error;
use crate::http::middleware::request_id;

/// Logs the error of this response, if it has one, and writes it as `application/problem+json`.
pub(super) fn render<B>(response: Response<B>) -> Response
where
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    let (mut parts, body) = response.into_parts();
    let Some(error) = parts.extensions.remove::<Error>() else {
        return Response::from_parts(parts, Body::new(body));
    };
    let id = request_id::of(&parts.extensions).map(RequestId::from);
    let json = run_for(id, || {
        error.log();
        error.problem().to_json()
    });
    parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    parts.headers.insert(header::CONTENT_LENGTH, HeaderValue::from(json.len()));
    Response::from_parts(parts, Body::from(json))
}
