//! `POST /v1/games/{game}/move`: decides in a position, or continues a dialogue.

use std::time::{Duration, Instant};

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use engines::erased::{AnyPosition, EngineDecision, Position};
use engines::game::Info;
use engines::search::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::app::App;
use crate::catalogue::Offer;
use crate::domain::ClientId;
use crate::domain::schema::EngineName;
use crate::engine_pool::{Task, TimedDecision};
use crate::error::{Code, Error};
use crate::http::games::contest;
use crate::http::games::options::SearchOptions;
use crate::http::openapi;
use crate::request::client::Client;
use crate::request::extract::{MediaType, Payload, UrlQuery};
use crate::request::json::Json;
use crate::request::path::GameOf;
use crate::request::seed::SeedText;

/// A position to decide in, and the options of the decision.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
// The API's description has an example for each game, with a position of its own.
#[schemars(example = json!({ "position": null, "think_ms": 300, "candidates": 3 }))]
pub(crate) struct MoveRequest {
    /// The view of the seat to move, in the game's schema.
    #[schemars(with = "AnyPosition")]
    pub position: Box<RawValue>,
    /// How long to think, in milliseconds. Default: the game's usual time, or no limit if `nodes` is given.
    pub think_ms: Option<u64>,
    /// The deadline of the answer, in milliseconds after the request. Default: the thinking time and some time for the
    /// answer.
    pub deadline_ms: Option<u64>,
    /// Stop after this number of nodes. With a seed too, the same request always gets the same answer.
    pub nodes: Option<u64>,
    /// The level of play.
    #[serde(default)]
    pub level: Level,
    /// The source of all randomness. Default: a fresh seed, which the answer contains.
    pub seed: Option<SeedText>,
    /// The most ranked moves to return. Default: 1.
    pub candidates: Option<u16>,
    /// The engine's name. Default: the game's best.
    #[schemars(with = "Option<EngineName>")]
    pub engine: Option<String>,
}

/// A decision.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MoveAnswer {
    /// The engine's decision.
    #[serde(flatten)]
    pub answer: EngineDecision,
    /// How long the engine thought, in milliseconds.
    pub elapsed_ms: f64,
    /// How long the search waited, before it began and while other searches ran, in milliseconds.
    pub queued_ms: f64,
    /// The seed of all randomness.
    pub seed: SeedText,
}

/// Decide in a position, or continue a dialogue.
///
/// With `application/json`, the body is a position and the answer is the move. With `text/plain`, the body is a
/// transcript (`< ` what the bot read, `> ` what it printed, `# ` a remark, `.` the end of its input), or an official
/// input as the bot would read it. The answer is the lines to print now, or nothing when no line is due; if
/// `candidates` is given, remarks (`# `) precede the lines of each decision. The query parameters apply to dialogues;
/// any parameter not listed here is a setting of the game. If the referee sends something that our rules forbid, the
/// dialogue goes on, and the answer has a header `kibitz-remark` for each contradiction, percent-encoded. A text in
/// which no line makes sense is refused. `POST /v1/games/{game}/dialogue` does the same with JSON.
#[utoipa::path(
    post, path = "/v1/games/{game}/move", operation_id = "requestMove", tag = "moves",
    params(openapi::GamePath, openapi::DialogueQuery, openapi::SilenceQuery),
    request_body(content((MoveRequest = "application/json"), (String = "text/plain"))),
    responses(
        (status = 200, description = "The move, or the lines to print now.",
         content((MoveAnswer = "application/json"), (String = "text/plain"))),
        openapi::Refusals,
    )
)]
pub(crate) async fn decide(
    State(app): State<&'static App>,
    GameOf(offer): GameOf,
    Client(client): Client,
    query: UrlQuery,
    payload: Payload,
) -> Result<Response, Error> {
    match payload.media_type {
        MediaType::Json => in_position(app, offer, client, query, payload).await,
        MediaType::Text => contest::in_text(app, offer, client, query, payload).await,
        other => Err(other.refuse("application/json or text/plain")),
    }
}

async fn in_position(
    app: &'static App,
    offer: &'static Offer,
    client: ClientId,
    query: UrlQuery,
    payload: Payload,
) -> Result<Response, Error> {
    let request = MoveRequest::read(&query, &payload)?;
    let (task, seed) = request.task(app, offer, client, payload.arrived)?;
    let decision = app.engine_pool.think(task)?.answer().await?;
    Ok(Json(MoveAnswer::of(decision, seed)).into_response())
}

impl MoveRequest {
    /// Reads the request's JSON body.
    ///
    /// # Errors
    /// `bad_query`, and those of [`Payload::json`].
    pub(crate) fn read(query: &UrlQuery, payload: &Payload) -> Result<Self, Error> {
        if let Some((name, _)) = query.0.first() {
            let detail = format!("{name}: a JSON request takes all options in its body, none in the query");
            return Err(Error::new(Code::BadQuery, detail));
        }
        payload.json()
    }

    /// The task for the engine pool, and its seed.
    ///
    /// # Errors
    /// `unknown_engine`, `think_too_long`, and those of [`position`].
    pub(crate) fn task(
        self,
        app: &'static App,
        offer: &'static Offer,
        client: ClientId,
        arrived: Instant,
    ) -> Result<(Task, SeedText), Error> {
        let request = self;
        let mut search = SearchOptions::new(offer.engine(request.engine.as_deref())?, client, &app.limits);
        if let Some(ms) = request.think_ms {
            search.set_think(ms)?;
        }
        if let Some(ms) = request.deadline_ms {
            search.set_deadline(ms);
        }
        search.nodes = request.nodes;
        search.level = request.level;
        search.candidates = request.candidates.unwrap_or(1).into();
        let position = position(offer, &request.position)?;
        position.askable()?;
        let seed = request.seed.unwrap_or_else(SeedText::fresh);
        Ok((search.task(offer.info, position.into(), arrived, seed.0), seed))
    }
}

impl MoveAnswer {
    /// The answer for this decision.
    pub(crate) fn of(decision: TimedDecision, seed: SeedText) -> Self {
        let (elapsed_ms, queued_ms) = (ms(decision.took), ms(decision.queued));
        Self { answer: decision.answer, elapsed_ms, queued_ms, seed }
    }
}

/// Parses and checks the position of a request. A text that is longer than any position of the game is not parsed.
///
/// # Errors
/// `body_too_large`; `bad_json`; `bad_position`, with the path of the wrong field.
pub(crate) fn position(offer: &Offer, json: &RawValue) -> Result<Box<dyn Position>, Error> {
    let Info { title, max_position_bytes: most, .. } = offer.info;
    if json.get().len() > *most {
        let detail = format!("position: a position of {title} has at most {most} bytes");
        return Err(Error::new(Code::BodyTooLarge, detail));
    }
    let json: Value =
        serde_json::from_str(json.get()).map_err(|e| Error::new(Code::BadJson, format!("position: {e}")))?;
    offer.game.position(&json).map_err(|refusal| {
        let e = Error::from(refusal);
        if e.code() == Code::BadPosition {
            Error::new(e.code(), format!("position: {}", e.detail()))
        } else {
            e
        }
    })
}

/// Milliseconds with three decimals.
pub(crate) fn ms(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}
