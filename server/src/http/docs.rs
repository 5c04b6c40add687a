//! The documentation of the API. It loads from this server alone.

use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware::map_response;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use utoipa::openapi::OpenApi;
use utoipa_swagger_ui::{Config, SwaggerUi};

use super::openapi;
use crate::app::App;
use crate::error::{Code, Error};

/// The paths of this module.
pub const PATHS: [&str; 4] = ["/docs", "/docs/", "/docs/{*rest}", "/openapi.json"];

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
