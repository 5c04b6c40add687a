//! `POST /v1/games/{game}/analysis`: what an engine thinks of a position, told as it finds it.

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
use crate::engine_pool::{AnalysisUpdate, TimedDecision};
use crate::error::Error;
use crate::http::games::moves::{MoveAnswer, MoveRequest, ms};
use crate::http::live::admit::Admitted;
use crate::http::live::form::Form;
use crate::http::matches::UNKEPT;
use crate::http::openapi;
use crate::http::problem::Problem;
use crate::http::request::client::Client;
use crate::http::request::extract::{GameOf, Payload, Query};
use crate::http::request::seed::SeedText;

/// How long an analysis takes that names neither a time nor a number of nodes, in milliseconds.
const USUAL_MS: u64 = 1000;

/// How many ranked moves are told to whoever names no number.
const CANDIDATES: u16 = 5;

/// A frame of an analysis.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum AnalysisFrame {
    /// What was found so far.
    Found {
        /// What the engine would say now.
        #[serde(flatten)]
        answer: EngineDecision,
        /// How long it has thought, in milliseconds.
        elapsed_ms: f64,
    },
    /// The last frame: what the engine says.
    Done {
        /// As the answer to a request for a move.
        #[serde(flatten)]
        answer: MoveAnswer,
    },
    /// The last frame, where the engine failed.
    Failed {
        /// Why.
        problem: Box<Problem>,
    },
}

impl AnalysisFrame {
    fn write(&self, form: Form) -> Bytes {
        let name = match self {
            Self::Found { .. } => "found",
            Self::Done { .. } => "done",
            Self::Failed { .. } => "failed",
        };
        form.write(name, None, &serde_json::to_vec(self).expect("plain values with text keys"))
    }
}

/// An analysis under way. Dropping it ends the search.
struct Analysis {
    form: Form,
    found: UnboundedReceiver<AnalysisUpdate>,
    /// The end; `None` after it was told.
    thought: Option<BoxFuture<'static, Result<TimedDecision, Error>>>,
    seed: SeedText,
    _admitted: Admitted,
}

impl Analysis {
    async fn next(mut self) -> Option<(Result<Bytes, Infallible>, Self)> {
        let thought = self.thought.as_mut()?;
        let frame = tokio::select! {
            // What was found is told before the end that came with it.
            biased;
            Some(AnalysisUpdate { answer, took }) = self.found.recv() => {
                AnalysisFrame::Found { answer, elapsed_ms: ms(took) }
            }
            end = thought => {
                self.thought = None;
                match end {
                    Ok(thought) => AnalysisFrame::Done { answer: MoveAnswer::of(thought, self.seed) },
                    Err(e) => {
                        e.log(None);
                        AnalysisFrame::Failed { problem: Box::new(e.problem(None)) }
                    }
                }
            }
        };
        Some((Ok(frame.write(self.form)), self))
    }
}

/// Analyse a position.
///
/// The request is that for a move; without a time or a number of nodes it takes a second, and five ranked moves are
/// told. The answer is a stream of JSON lines (the default) or, with `Accept: text/event-stream`, of server-sent
/// events: `found` with what the engine would say now, soon at first and at least every second then, as far as the
/// engine can tell before its end; and at last `done`, which is what a request for a move would have been answered, or
/// `failed`. Whoever leaves ends the search.
#[utoipa::path(post, path = "/v1/games/{game}/analysis", operation_id = "analysePosition", tag = "moves",
    params(openapi::GamePath),
    request_body = MoveRequest,
    responses((status = 200, description = "The stream.",
               content((AnalysisFrame = "application/x-ndjson"), (AnalysisFrame = "text/event-stream"))),
              openapi::Refusals))]
pub async fn analyse(
    State(app): State<&'static App>,
    GameOf(offer): GameOf,
    Client(client): Client,
    headers: HeaderMap,
    query: Query,
    payload: Payload,
) -> Result<Response, Error> {
    let form = Form::wanted(&headers, Form::Ndjson);
    let mut request = MoveRequest::read(&query, &payload)?;
    request.candidates = request.candidates.or(Some(CANDIDATES));
    if request.think_ms.is_none() && request.nodes.is_none() {
        request.think_ms = Some(USUAL_MS.min(app.limits.max_think_ms));
    }
    let admitted = Admitted::new(app, app.metrics.streams("analysis"), Some(client.network()))?;
    let (mut task, seed) = request.task(app, offer, client, payload.arrived)?;
    let (sender, found) = mpsc::unbounded_channel();
    task.updates = Some(sender);
    let thought = Box::pin(app.thinking.think(task)?.answer());
    let analysis = Analysis { form, found, thought: Some(thought), seed, _admitted: admitted };
    let body = Body::from_stream(stream::unfold(analysis, Analysis::next));
    Ok(([(header::CONTENT_TYPE, form.content_type()), UNKEPT, Form::unbuffered()], body).into_response())
}
