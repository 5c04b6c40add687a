//! The face over HTTP: routes and what every answer has in common. Handlers are thin: parse, one call, answer.

mod ask;
mod docs;
mod extract;
mod games;
mod moves;
mod openapi;
mod ops;
mod sample;
mod seed;
mod stdio;
mod talk;

use std::any::Any;
use std::collections::HashSet;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, Uri, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::cors::{Any as Anyone, CorsLayer};

use crate::app::App;
use crate::error::{Code, Error};

/// What requests may cost.
#[derive(Clone, Debug, clap::Args)]
pub struct HttpOptions {
    /// The longest thinking time of one decision, in milliseconds.
    #[arg(long, env = "KIBITZ_MAX_THINK_MS", value_name = "MS", default_value_t = 30_000,
          value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub max_think_ms: u64,
    /// The largest body of a request, in bytes.
    #[arg(long, env = "KIBITZ_MAX_BODY", value_name = "BYTES", default_value_t = 1 << 20)]
    pub max_body: usize,
    /// The most dialogues over WebSockets at a time.
    #[arg(long, env = "KIBITZ_MAX_SOCKETS", value_name = "N", default_value_t = 4096)]
    pub max_sockets: usize,
    /// When peers are pinged and given up.
    #[arg(skip)]
    pub pulse: Pulse,
}

impl HttpOptions {
    /// The longest thinking time of one decision.
    pub fn max_think(&self) -> Duration {
        Duration::from_millis(self.max_think_ms)
    }
}

/// When the peers of WebSockets are pinged and given up.
#[derive(Clone, Copy, Debug)]
pub struct Pulse {
    /// Nothing heard for this long: ping.
    pub ping_after: Duration,
    /// Nothing heard for this long: gone.
    pub gone_after: Duration,
}

impl Default for Pulse {
    fn default() -> Self {
        Self { ping_after: Duration::from_secs(15), gone_after: Duration::from_secs(60) }
    }
}

/// All routes.
pub fn router(app: &'static App) -> Router {
    let (api, document) = openapi::routes(app);
    let known: HashSet<&'static str> =
        document.paths.paths.keys().map(|path| &*path.clone().leak()).chain(docs::PATHS).collect();
    let cors = CorsLayer::new()
        .allow_origin(Anyone)
        .allow_methods([Method::GET, Method::HEAD, Method::POST])
        .allow_headers(Anyone)
        .expose_headers([header::RETRY_AFTER])
        .max_age(Duration::from_secs(24 * 3600));
    let common = ServiceBuilder::new()
        .layer(from_fn_with_state(Watch { app, known: Box::leak(Box::new(known)) }, watch))
        .layer(cors)
        .layer(CatchPanicLayer::custom(panicked));
    api.merge(docs::routes(app, &document))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(common)
        .with_state(app)
}

async fn not_found(uri: Uri) -> Error {
    let path: String = uri.path().chars().take(200).collect();
    Error::new(Code::NotFound, format!("{path:?} leads nowhere; /docs lists the paths there are"))
}

async fn method_not_allowed(method: Method, uri: Uri) -> Error {
    Error::new(Code::MethodNotAllowed, format!("{} does not take {method}", uri.path()))
}

fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    Error::new(Code::Internal, format!("a handler panicked: {text}")).into_response()
}

#[derive(Clone, Copy)]
struct Watch {
    app: &'static App,
    known: &'static HashSet<&'static str>,
}

/// Counts and times every answer, and gives it the headers that all have.
async fn watch(State(watch): State<Watch>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let matched = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let route = matched.and_then(|path| watch.known.get(path)).copied().unwrap_or("other");
    let method = tracing::enabled!(tracing::Level::DEBUG).then(|| request.method().clone());
    let mut response = next.run(request).await;
    let code = response.extensions().get::<Code>().map_or("", |code| code.name());
    let took = began.elapsed();
    watch.app.metrics.request(route, response.status(), code, took);
    if let Some(method) = method {
        tracing::debug!(%method, route, status = response.status().as_u16(), code, ?took, "answered");
    }
    let html =
        response.headers().get(header::CONTENT_TYPE).is_some_and(|t| t.as_bytes().starts_with(b"text/html"));
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value| headers.insert(name, HeaderValue::from_static(value));
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    if html {
        set(header::CONTENT_SECURITY_POLICY, PAGE_POLICY);
        set(header::REFERRER_POLICY, "no-referrer");
    }
    response
}

/// Pages load from here alone and cannot be framed. Styles are set by the documentation's scripts.
const PAGE_POLICY: &str = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
                           object-src 'none'; base-uri 'none'; frame-ancestors 'none'";
