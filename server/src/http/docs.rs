//! The documentation pages: the API's, and what the codes of problems mean. They load from this server alone.

use std::fmt::Write;

use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::map_response;
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use utoipa::openapi::OpenApi;
use utoipa_swagger_ui::{Config, SwaggerUi};

use super::openapi;
use crate::app::App;
use crate::error::{Code, Error};

/// The paths of this module.
pub const PATHS: [&str; 5] = ["/docs", "/docs/", "/docs/{*rest}", "/docs/problems", "/openapi.json"];

/// What the documentation of the API may do: its scripts set styles.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; \
     frame-ancestors 'none'",
);

/// The routes of the pages.
pub fn routes(app: &'static App, document: &OpenApi) -> Router<&'static App> {
    let json: &'static [u8] = openapi::document(app, document).to_string().into_bytes().leak();
    let serve = move || async move { ([(header::CONTENT_TYPE, "application/json")], json).into_response() };
    // The default validator would be another host.
    let config = Config::from("/openapi.json").validator_url("none");
    Router::new()
        .route("/openapi.json", get(serve))
        .route("/docs/problems", get(|| async { Html(problems()) }))
        .merge(Router::from(SwaggerUi::new("/docs").config(config)).layer(map_response(finish)))
}

/// With the policy; a part that is not there is a problem like any other.
async fn finish(mut response: Response) -> Response {
    if response.status() != StatusCode::NOT_FOUND {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, POLICY);
        return response;
    }
    Error::new(Code::NotFound, "the documentation has no such part").into_response()
}

/// All codes of problems, for people.
fn problems() -> String {
    let mut page = String::from(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>kibitz: problems</title>\
         <h1>Problems</h1><p>Every error is an <code>application/problem+json</code> with one of these codes.</p><dl>\n",
    );
    for code in Code::ALL {
        let (name, status, title, help) =
            (code.name(), code.status().as_u16(), code.title(), code.help().trim());
        writeln!(page, "<dt id=\"{name}\"><code>{name}</code> ({status}): {title}</dt><dd>{help}</dd>")
            .expect("a text takes all that is written to it");
    }
    page.push_str("</dl></html>\n");
    page
}
