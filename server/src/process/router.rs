//! All routes of a server, with the layers around them.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, Uri};
use axum::response::Response;

use crate::app::App;
use crate::error::{Code, Error};
use crate::http;
use crate::http::Stack;
use crate::web;

/// The service that answers all requests.
pub(super) fn service(app: &'static App) -> impl Stack {
    let (api, document) = http::routes(app);
    let paths = document.paths();
    let routes = paths.chain(web::PATHS).collect();
    let router = api
        .merge(web::routes(app))
        .merge(web::reference_routes(|| document.value()))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed);
    let node = HeaderValue::from_str(app.matches.node()).expect("the id of a node is hexadecimal");
    http::outer_layers(http::route_layers(router, app, routes).with_state(app), node)
}

async fn not_found(State(app): State<&'static App>, uri: Uri, headers: HeaderMap) -> Response {
    let path: String = uri.path().chars().take(200).collect();
    let detail = format!("there is no path {path:?}; /docs lists the paths");
    web::or_page(app, Error::new(Code::NotFound, detail), &uri, &headers)
}

async fn method_not_allowed(
    State(app): State<&'static App>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let detail = format!("{} does not take {method}", uri.path());
    web::or_page(app, Error::new(Code::MethodNotAllowed, detail), &uri, &headers)
}
