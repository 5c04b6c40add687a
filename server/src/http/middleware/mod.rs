//! The layers that all requests and responses pass: those of `tower-http` and two of our own, in one stack. It must not
//! know routes.
//!
//! Two layers of `tower-http` are left out for a reason. Its body limit answers in plain text and cuts the connection;
//! [`crate::request::extract::Payload`] answers with a problem that names the limit, and reads the rest of the body so
//! that the client sees the answer. Its timeout is the same for all routes, but a search, a stream of events and a body each
//! have a limit of their own.

mod banned;
mod measure;
mod problem;
mod request_id;

use std::any::Any;
use std::collections::HashSet;
use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use axum::extract::{MatchedPath, Request};
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version, header};
use axum::response::{IntoResponse, Response};
use axum::{BoxError, Router};
use tower::{Service, ServiceBuilder};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{Predicate, SizeAbove};
use tower_http::cors::{Any as AnyOrigin, CorsLayer};
use tower_http::request_id::{PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::sensitive_headers::SetSensitiveRequestHeadersLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::trace::TraceLayer;
use tracing::Span;

use crate::app::App;
use crate::error::{Code, Error};
use crate::http::games::contest::REMARK;
use crate::request::caller::MATCH_KEY;
use measure::MeasureLayer;
use request_id::{FreshIds, REQUEST_ID};

/// Responses below this size, in bytes, fit in one packet, so compressing them gains nothing.
const WORTH_COMPRESSING: u64 = 1024;

/// The header with the node that answered.
const NODE: HeaderName = HeaderName::from_static("x-kibitz-node");

/// Streams are not compressed: a compressor would hold events back.
const STREAMS: [&str; 2] = ["text/event-stream", "application/x-ndjson"];

/// Compressing these again, or for each reader, costs more than it saves: pictures, programs, wheels.
const LEFT_AS_THEY_ARE: [&str; 3] = ["image/png", "application/octet-stream", "application/zip"];

/// Whether a response may be compressed, as far as its content decides. No one waits for the next line of a file.
fn is_compressible(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let is_stream = STREAMS.iter().any(|stream| kind.starts_with(stream));
    let is_worth_it = !LEFT_AS_THEY_ARE.iter().any(|left| kind.starts_with(left));
    (!is_stream || headers.contains_key(header::CONTENT_DISPOSITION)) && is_worth_it
}

/// How long a browser may cache the permission for requests from other origins, in seconds.
const PREFLIGHT_AGE: u64 = 86_400;

/// Adds the layers that need the route of a request. `routes`: the patterns that metrics may name.
pub(crate) fn route_layers(
    router: Router<&'static App>,
    app: &'static App,
    routes: HashSet<&'static str>,
) -> Router<&'static App> {
    // The first is the outermost.
    let layers = ServiceBuilder::new()
        .layer(
            TraceLayer::new_for_http()
                .make_span_with(span)
                .on_request(())
                .on_response(answered)
                .on_body_chunk(())
                .on_eos(())
                .on_failure(()),
        )
        .layer(MeasureLayer::new(app, routes))
        .layer(CatchPanicLayer::custom(panicked));
    router.layer(layers)
}

/// Adds the layers around the router. They are not [`Router::layer`]s, which are copied twice for every request: for a
/// short request that costs more than the router and its handler together.
pub(crate) fn outer_layers(router: Router, node: HeaderValue) -> impl Stack {
    let secret = [header::AUTHORIZATION, header::SEC_WEBSOCKET_PROTOCOL, HeaderName::from_static(MATCH_KEY)];
    let nosniff = HeaderValue::from_static("nosniff");
    let by_content =
        |_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions| is_compressible(headers);
    let compressed = SizeAbove::new(WORTH_COMPRESSING).and(by_content);
    // The first is the outermost.
    ServiceBuilder::new()
        .map_request(request_id::drop_unusable)
        .layer(SetRequestIdLayer::new(REQUEST_ID, FreshIds::default()))
        .layer(SetSensitiveRequestHeadersLayer::new(secret))
        .layer(cross_origin())
        .layer(SetResponseHeaderLayer::overriding(header::X_CONTENT_TYPE_OPTIONS, nosniff))
        .layer(SetResponseHeaderLayer::overriding(NODE, node))
        .layer(CompressionLayer::new().compress_when(compressed))
        .map_response(problem::render)
        .layer(PropagateRequestIdLayer::new(REQUEST_ID))
        .service(router)
}

/// The service that answers all requests of the server.
pub(crate) trait Stack:
    Service<Request, Response = axum::http::Response<Self::Body>, Error = Infallible, Future: Send>
    + Clone
    + Send
    + 'static
{
    /// The body of its responses.
    type Body: HttpBody<Data = Bytes, Error: Into<BoxError>> + Send + 'static;
}

impl<S, B> Stack for S
where
    S: Service<Request, Response = axum::http::Response<B>, Error = Infallible, Future: Send>
        + Clone
        + Send
        + 'static,
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    type Body = B;
}

/// Pages of any origin may use the API: it reads no cookies that they could misuse. The only cookie is a page's language.
fn cross_origin() -> CorsLayer {
    // The wildcard does not include `Authorization` (Fetch standard, CORS non-wildcard request-header name).
    let sent = [HeaderName::from_static("*"), header::AUTHORIZATION];
    let read = [
        header::CONTENT_DISPOSITION,
        header::ETAG,
        header::LINK,
        header::LOCATION,
        header::RETRY_AFTER,
        header::WWW_AUTHENTICATE,
        NODE,
        REMARK,
        REQUEST_ID,
    ];
    CorsLayer::new()
        .allow_origin(AnyOrigin)
        .allow_methods([Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::DELETE])
        .allow_headers(sent)
        .expose_headers(read)
        .max_age(Duration::from_secs(PREFLIGHT_AGE))
        // The response is the same for every origin.
        .vary([])
}

/// The log's span of a request, at level `debug`. It names the route, since a path may contain a token by mistake.
fn span<B>(request: &axum::http::Request<B>) -> Span {
    let route = request.extensions().get::<MatchedPath>().map_or("other", MatchedPath::as_str);
    let id = request_id::of(request.extensions());
    tracing::debug_span!("request", method = %request.method(), route, id)
}

fn answered<B>(response: &axum::http::Response<B>, took: Duration, _: &Span) {
    let code = response.extensions().get::<Code>().map_or("", |code| code.name());
    tracing::debug!(status = response.status().as_u16(), code, ?took, "answered");
}

/// The response after a panic. The panic hook has already logged the panic.
fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    Error::new(Code::Internal, format!("a handler panicked: {text}")).into_response()
}
