//! Counts and times requests by route, and refuses those from banned addresses. `tower-http` has no such layer.

use std::collections::HashSet;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use axum::BoxError;
use axum::body::{Body, Bytes, HttpBody};
use axum::extract::{MatchedPath, Request};
use axum::response::{IntoResponse, Response};
use tower::{Layer, Service};

use crate::app::App;
use crate::domain::request_id::{RequestId, run_for, work_for};
use crate::error::Code;
use crate::http::middleware::{banned, request_id};
use crate::request::in_flight::CountedBody;
use crate::request::origin::Peer;

/// The layer that counts and times requests.
#[derive(Clone, Copy)]
pub(super) struct MeasureLayer {
    app: &'static App,
    /// The routes that metrics may name.
    routes: &'static HashSet<&'static str>,
}

impl MeasureLayer {
    /// The layer for an app with these routes.
    pub(super) fn new(app: &'static App, routes: HashSet<&'static str>) -> Self {
        Self { app, routes: Box::leak(Box::new(routes)) }
    }

    /// The pattern of a request's route. Unknown paths are `other`, so that clients cannot fill the metrics with names.
    fn route(&self, request: &Request) -> &'static str {
        let matched = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
        matched.and_then(|path| self.routes.get(path)).copied().unwrap_or("other")
    }
}

impl<S> Layer<S> for MeasureLayer {
    type Service = MeasuredService<S>;

    fn layer(&self, inner: S) -> MeasuredService<S> {
        MeasuredService { measure: *self, inner }
    }
}

/// A service whose requests are counted and timed.
#[derive(Clone)]
pub(super) struct MeasuredService<S> {
    measure: MeasureLayer,
    inner: S,
}

impl<S, B> Service<Request> for MeasuredService<S>
where
    S: Service<Request, Response = axum::http::Response<B>, Error = Infallible, Future: Send + 'static>,
    B: HttpBody<Data = Bytes, Error: Into<BoxError>> + Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response, Infallible>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let started = Instant::now();
        let app = self.measure.app;
        let route = self.measure.route(&request);
        let finish = move |response: Response| {
            let code = response.extensions().get::<Code>().map_or("", |code| code.name());
            app.metrics.request(route, response.status(), code, started.elapsed());
            response
        };
        if let Some(banned) = banned::refusal(app, &request) {
            return Box::pin(std::future::ready(Ok(finish(banned.into_response()))));
        }
        let answering = request.extensions().get::<Peer>().map(|peer| peer.in_flight.begin());
        let id = request_id::of(request.extensions()).map(RequestId::from);
        let answer = run_for(id.clone(), || self.inner.call(request));
        let counted = |body: B| Body::new(CountedBody { body: Body::new(body), _answering: answering });
        Box::pin(work_for(id, async move { answer.await.map(|response| finish(response.map(counted))) }))
    }
}
