//! The documentation of the API: the OpenAPI document for programs, and a page with the same content for
//! people.

use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse, Redirect};
use axum::routing::get;
use maud::PreEscaped;
use utoipa::openapi::OpenApi;

use crate::app::App;
use crate::http::openapi;
use crate::web;

/// The paths of this module.
pub(super) const PATHS: [&str; 3] = ["/docs", "/docs/", "/openapi.json"];

/// The routes of the document and its page. Neither changes while the server runs.
pub(super) fn routes(app: &'static App, document: &OpenApi) -> Router<&'static App> {
    let document = openapi::document(app, document);
    let page: &'static str = web::reference(&document).into_string().leak();
    let json: &'static [u8] = document.to_string().into_bytes().leak();
    let serve = move || async move { ([(header::CONTENT_TYPE, "application/json")], json).into_response() };
    let read = move || async move { web::found(PreEscaped(page.to_owned())) };
    Router::new()
        .route("/openapi.json", get(serve))
        .route("/docs", get(async || Redirect::to("/docs/")))
        .route("/docs/", get(read))
}
