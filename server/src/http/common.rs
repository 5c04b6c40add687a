//! What every answer has in common, in one layer: counted and timed, open to pages of other sites, with the headers
//! all have, and no panic goes through. It must not know routes.

use std::any::Any;
use std::collections::HashSet;
use std::convert::Infallible;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use serde::Serialize;
use tower::{Layer, Service};

use crate::app::App;
use crate::error::{Code, Error};

/// Pages load from here, ask here, and do nothing else; they cannot be framed.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                           base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// The layer.
#[derive(Clone, Copy)]
pub struct Common {
    app: &'static App,
    /// The routes, as they stand in metrics.
    routes: &'static HashSet<&'static str>,
}

impl Common {
    /// For an app with these routes.
    pub fn new(app: &'static App, routes: HashSet<&'static str>) -> Self {
        Self { app, routes: Box::leak(Box::new(routes)) }
    }

    /// The route of a request by its pattern; `other` for paths that lead nowhere, so that nobody can fill the
    /// metrics with names.
    fn route(&self, request: &Request) -> &'static str {
        let matched = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
        matched.and_then(|path| self.routes.get(path)).copied().unwrap_or("other")
    }

    fn finish(
        &self,
        route: &'static str,
        method: &Method,
        began: Instant,
        mut response: Response,
    ) -> Response {
        let code = response.extensions().get::<Code>().map_or("", |code| code.name());
        let took = began.elapsed();
        self.app.metrics.request(route, response.status(), code, took);
        tracing::debug!(%method, route, status = response.status().as_u16(), code, ?took, "answered");
        add_headers(response.headers_mut());
        response
    }
}

/// What pages of other sites may read besides what they always may.
const EXPOSED: [header::HeaderName; 5] = [
    header::CONTENT_DISPOSITION,
    header::ETAG,
    header::LOCATION,
    header::RETRY_AFTER,
    header::WWW_AUTHENTICATE,
];
const EXPOSED_TEXT: &str = "content-disposition, etag, location, retry-after, www-authenticate";

fn add_headers(headers: &mut HeaderMap) {
    let fixed = HeaderValue::from_static;
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, fixed("*"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, fixed("nosniff"));
    if EXPOSED.iter().any(|name| headers.contains_key(name)) {
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, fixed(EXPOSED_TEXT));
    }
    if headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"text/html")) {
        headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(fixed(PAGE_POLICY));
        headers.insert(header::REFERRER_POLICY, fixed("no-referrer"));
    }
}

/// Whether a browser asks what a page of another site may do (Fetch standard, CORS-preflight request).
fn is_preflight(request: &Request) -> bool {
    request.method() == Method::OPTIONS
        && request.headers().contains_key(header::ORIGIN)
        && request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer: anything that can be asked for; no cookies are of use here. The star does not stand for
/// `Authorization` (Fetch standard, CORS non-wildcard request-header name).
fn preflight() -> Response {
    let allowed = [
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD, POST, DELETE"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "*, Authorization"),
        (header::ACCESS_CONTROL_MAX_AGE, "86400"),
    ];
    (StatusCode::NO_CONTENT, allowed).into_response()
}

fn panicked(panic: &(dyn Any + Send)) -> Response {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
    Error::new(Code::Internal, format!("a handler panicked: {text}")).into_response()
}

impl<S> Layer<S> for Common {
    type Service = Commoned<S>;

    fn layer(&self, inner: S) -> Commoned<S> {
        Commoned { common: *self, inner }
    }
}

/// A service with what is common around it.
#[derive(Clone)]
pub struct Commoned<S> {
    common: Common,
    inner: S,
}

impl<S> Service<Request> for Commoned<S>
where
    S: Service<Request, Response = Response, Error = Infallible, Future: Send + 'static>,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let began = Instant::now();
        let common = self.common;
        let route = common.route(&request);
        let method = request.method().clone();
        if is_preflight(&request) {
            return Box::pin(async move { Ok(common.finish(route, &method, began, preflight())) });
        }
        let inner = AssertUnwindSafe(self.inner.call(request)).catch_unwind();
        Box::pin(async move {
            let response = match inner.await {
                Ok(Ok(response)) => response,
                Ok(Err(never)) => match never {},
                Err(panic) => panicked(&*panic),
            };
            Ok(common.finish(route, &method, began, response))
        })
    }
}

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
