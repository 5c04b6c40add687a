//! `POST /v1/games/{game}/analysis`: streams an engine's findings in a position while it searches.

use std::convert::Infallible;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use engines::erased::EngineDecision;
use futures_util::future::BoxFuture;
use futures_util::stream;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::mpsc::{self, UnboundedReceiver};

use crate::app::App;
use crate::domain::request_id::{RequestId, run_for};
use crate::engine_pool::{AnalysisUpdate, TimedDecision};
use crate::error::Error;
use crate::http::games::moves::{MoveAnswer, MoveRequest, ms};
use crate::http::live::admit::ConnectionPermit;
use crate::http::live::form::StreamFormat;
use crate::http::openapi;
use crate::request::client::Client;
use crate::request::extract::{Payload, UrlQuery};
use crate::request::json::NO_STORE;
use crate::request::path::GameOf;
use crate::request::problem::Problem;
use crate::request::seed::SeedText;

/// How long an analysis takes if the request names neither a time nor a number of nodes, in milliseconds.
const DEFAULT_THINK_MS: u64 = 1000;

/// How many ranked moves a frame holds if the request names no number.
const DEFAULT_CANDIDATES: u16 = 5;

/// A frame of the stream of an analysis.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum AnalysisFrame {
    /// The findings of the engine so far.
    Found {
        /// The decision that the engine would make now.
        #[serde(flatten)]
        answer: EngineDecision,
        /// The time that the engine has thought so far, in milliseconds.
        elapsed_ms: f64,
    },
    /// The last frame: the decision.
    Done {
        /// The same as the answer to a request for a move.
        #[serde(flatten)]
        answer: MoveAnswer,
    },
    /// The last frame if the engine failed.
    Failed {
        /// The error.
        problem: Box<Problem>,
    },
}

impl AnalysisFrame {
    fn write(&self, form: StreamFormat) -> Bytes {
        let name = match self {
            Self::Found { .. } => "found",
            Self::Done { .. } => "done",
            Self::Failed { .. } => "failed",
        };
        form.write(name, None, &serde_json::to_vec(self).expect("plain values with text keys"))
    }
}

/// An analysis in progress. Dropping it stops the search.
struct Analysis {
    form: StreamFormat,
    found: UnboundedReceiver<AnalysisUpdate>,
    /// The decision; `None` after its frame was written.
    decision: Option<BoxFuture<'static, Result<TimedDecision, Error>>>,
    seed: SeedText,
    /// The request, which the frames outlast.
    request: Option<RequestId>,
    _admitted: ConnectionPermit,
}

impl Analysis {
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        let decision = self.decision.as_mut()?;
        let frame = tokio::select! {
            // Frames found before the end come before the last frame.
            biased;
            Some(AnalysisUpdate { answer, took }) = self.found.recv() => {
                AnalysisFrame::Found { answer, elapsed_ms: ms(took) }
            }
            result = decision => {
                self.decision = None;
                match result {
                    Ok(decision) => AnalysisFrame::Done { answer: MoveAnswer::of(decision, self.seed) },
                    Err(e) => {
                        let problem = run_for(self.request.take(), || {
                            e.log();
                            e.problem()
                        });
                        AnalysisFrame::Failed { problem: Box::new(problem) }
                    }
                }
            }
        };
        Some((Ok(frame.write(self.form)), self))
    }
}

/// Analyse a position.
///
/// The request is the same as for a move. Without a time or a number of nodes, the search takes one second and each
/// frame holds five ranked moves. The answer is a stream of JSON lines (the default) or, with
/// `Accept: text/event-stream`, of server-sent events. Frames `found` hold the decision that the engine would make now.
/// The first one comes soon, then at least one every second, if the engine can report before its end. The last frame
/// is `done`, with the answer that a request for a move would get, or `failed`. Closing the connection stops the
/// search.
#[utoipa::path(post, path = "/v1/games/{game}/analysis", operation_id = "analysePosition", tag = "moves",
    params(openapi::GamePath),
    request_body = MoveRequest,
    responses((status = 200, description = "The stream.",
               content((AnalysisFrame = "application/x-ndjson"), (AnalysisFrame = "text/event-stream"))),
              openapi::Refusals))]
pub(crate) async fn analyse(
    State(app): State<&'static App>,
    GameOf(offer): GameOf,
    Client(client): Client,
    headers: HeaderMap,
    query: UrlQuery,
    payload: Payload,
) -> Result<Response, Error> {
    let form = StreamFormat::wanted(&headers, StreamFormat::Ndjson);
    let mut request = MoveRequest::read(&query, &payload)?;
    request.candidates = request.candidates.or(Some(DEFAULT_CANDIDATES));
    if request.think_ms.is_none() && request.nodes.is_none() {
        request.think_ms = Some(DEFAULT_THINK_MS.min(app.limits.max_think_ms));
    }
    let admitted = ConnectionPermit::new(app, app.metrics.streams("analysis"), Some(client.network()), None)?;
    let (mut task, seed) = request.task(app, offer, client, payload.arrived)?;
    let (sender, found) = mpsc::unbounded_channel();
    task.updates = Some(sender);
    let decision = Box::pin(app.engine_pool.think(task)?.answer());
    let request = RequestId::current();
    let analysis = Analysis { form, found, decision: Some(decision), seed, request, _admitted: admitted };
    let body = Body::from_stream(stream::unfold(analysis, Analysis::next));
    Ok(([(header::CONTENT_TYPE, form.content_type()), NO_STORE, StreamFormat::unbuffered()], body)
        .into_response())
}
