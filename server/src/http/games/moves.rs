//! `POST /v1/games/{game}/move`: a decision in a position, or the next lines of a dialogue.

use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use engines::erased::{AnyPosition, Awaits, EngineDecision, Position};
use engines::search::Level;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::app::App;
use crate::catalogue::Offer;
use crate::domain::ClientId;
use crate::engine_pool::{Task, TimedDecision};
use crate::error::{Code, Error};
use crate::http::games::dialogue::FencedDialogue;
use crate::http::games::options;
use crate::http::games::options::{DialogueOptions, SearchOptions};
use crate::http::openapi;
use crate::http::request::client::Client;
use crate::http::request::extract::{GameOf, Kind, Payload, Query};
use crate::http::request::json::Json;
use crate::http::request::seed::SeedText;
use crate::schema::EngineName;

/// The header of an answer that names a contradiction between the dialogue and our rules.
pub const REMARK: HeaderName = HeaderName::from_static("kibitz-remark");
/// Most such headers of an answer.
const MOST_REMARKS: usize = 8;

/// A position to decide in, and how.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "position": { "pits": [4, 3, 2, 4, 2, 3, 2], "banks": [0, 0], "to_move": 0 }, "think_ms": 300, "candidates": 3 }))]
pub struct MoveRequest {
    /// What the seat to move sees, by the game's schema.
    #[schemars(with = "AnyPosition")]
    pub position: Value,
    /// How long to think, in milliseconds. Default: what suits the game, or no limit beside `nodes`.
    pub think_ms: Option<u64>,
    /// When the answer must be there, in milliseconds from the request. Default: the thinking time that was asked
    /// for, and the time it takes to answer.
    pub deadline_ms: Option<u64>,
    /// Stop after so many nodes. With a seed too, the answer is the same every time.
    pub nodes: Option<u64>,
    /// How well to play.
    #[serde(default)]
    pub level: Level,
    /// Where all randomness comes from. Default: a fresh one, told in the answer.
    pub seed: Option<SeedText>,
    /// How many ranked moves to tell at most. Default: 1.
    pub candidates: Option<u16>,
    /// The engine's name. Default: the game's best.
    #[schemars(with = "Option<EngineName>")]
    pub engine: Option<String>,
}

/// A decision.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MoveAnswer {
    /// What the engine says.
    #[serde(flatten)]
    pub answer: EngineDecision,
    /// How long the engine thought, in milliseconds.
    pub elapsed_ms: f64,
    /// How long the search waited, before it began or while others had their turn, in milliseconds.
    pub queued_ms: f64,
    /// Where the randomness came from.
    pub seed: SeedText,
}

/// Decide in a position, or continue a dialogue.
///
/// With `application/json`: a position; the answer is the move. With `text/plain`: a transcript (`< ` what the bot
/// read, `> ` what it printed, `# ` a remark, `.` the end of its input), or an official input as the bot would read
/// it; the answer is the lines to print now, none when nothing is due, with remarks (`# `) where `candidates` asks for
/// them. The query parameters are for dialogues; any other one is a setting of the game's own. A dialogue goes on where
/// the referee tells what our rules forbid: each contradiction stands in a header `kibitz-remark` of the answer,
/// percent-encoded. A text in which no line makes sense is refused.
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
pub async fn decide(
    State(app): State<&'static App>,
    GameOf(offer): GameOf,
    Client(client): Client,
    query: Query,
    payload: Payload,
) -> Result<Response, Error> {
    match payload.kind {
        Kind::Json => in_position(app, offer, client, query, payload).await,
        Kind::Text => in_dialogue(app, offer, client, query, payload).await,
        kind => Err(kind.refuse("application/json or text/plain")),
    }
}

async fn in_position(
    app: &'static App,
    offer: &'static Offer,
    client: ClientId,
    query: Query,
    payload: Payload,
) -> Result<Response, Error> {
    let request = MoveRequest::read(&query, &payload)?;
    let (task, seed) = request.task(app, offer, client, payload.arrived)?;
    let thought = app.thinking.think(task)?.answer().await?;
    Ok(Json(MoveAnswer::of(thought, seed)).into_response())
}

impl MoveRequest {
    /// What a JSON body asks for.
    ///
    /// # Errors
    /// `bad_query`, and what is wrong with the body.
    pub fn read(query: &Query, payload: &Payload) -> Result<Self, Error> {
        if let Some((name, _)) = query.0.first() {
            let detail = format!("{name}: with JSON all wishes stand in the body, none in the query");
            return Err(Error::new(Code::BadQuery, detail));
        }
        payload.json()
    }

    /// The task that this is, and where its randomness comes from.
    ///
    /// # Errors
    /// `unknown_engine`, `think_too_long`, and what is wrong with the position.
    pub fn task(
        self,
        app: &'static App,
        offer: &'static Offer,
        client: ClientId,
        arrived: Instant,
    ) -> Result<(Task, SeedText), Error> {
        let request = self;
        let mut ask = SearchOptions::new(offer.engine(request.engine.as_deref())?, client, &app.limits);
        if let Some(ms) = request.think_ms {
            ask.thinking(ms)?;
        }
        if let Some(ms) = request.deadline_ms {
            ask.within(ms);
        }
        ask.nodes = request.nodes;
        ask.level = request.level;
        ask.candidates = request.candidates.unwrap_or(1).into();
        let position = position(offer, &request.position)?;
        position.askable()?;
        let seed = request.seed.unwrap_or_else(SeedText::fresh);
        Ok((ask.task(offer.info, position.into(), arrived, seed.0), seed))
    }
}

impl MoveAnswer {
    /// What came of a thought with this seed.
    pub fn of(thought: TimedDecision, seed: SeedText) -> Self {
        let (elapsed_ms, queued_ms) = (ms(thought.took), ms(thought.queued));
        Self { answer: thought.answer, elapsed_ms, queued_ms, seed }
    }
}

/// The position of a request, checked.
///
/// # Errors
/// `bad_position`, with the path in the request.
pub fn position(offer: &Offer, json: &Value) -> Result<Box<dyn Position>, Error> {
    offer.game.position(json).map_err(|refusal| {
        let e = Error::from(refusal);
        if e.code() == Code::BadPosition {
            Error::new(e.code(), format!("position: {}", e.detail()))
        } else {
            e
        }
    })
}

/// Milliseconds with three decimals.
pub fn ms(time: Duration) -> f64 {
    time.as_micros() as f64 / 1000.0
}

async fn in_dialogue(
    app: &'static App,
    offer: &'static Offer,
    client: ClientId,
    query: Query,
    payload: Payload,
) -> Result<Response, Error> {
    let DialogueOptions { ask, silence, remarks, settings } =
        DialogueOptions::parse(query.0, offer, client, &app.limits)?;
    let session = options::session(offer, &settings)?;
    let (mut talk, mut awaits) = FencedDialogue::new(session).hear_all(payload.text()?.to_owned()).await?;
    let mut silence = Some(silence);
    let mut decisions = 0;
    let mut text = String::new();
    loop {
        add_lines(&mut text, &mut talk);
        let (next, then) = match awaits {
            Awaits::Decision(question) => {
                decisions += 1;
                // A named deadline holds for all of the answer, the usual one for each decision.
                let asked = if ask.deadline.is_some() { payload.arrived } else { Instant::now() };
                if decisions > 1 && payload.arrived.elapsed() > app.limits.max_think() {
                    return Err(too_many(app, decisions - 1));
                }
                let task = ask.dialogue_task(question, asked, false);
                let thought = app.thinking.think(task)?.answer().await?;
                if remarks {
                    text.push_str(&thought.remarks());
                }
                talk.decide(thought.answer.mv.notation).await?
            }
            Awaits::EntryWithin(time) if silence.take_if(|waited| *waited >= time).is_some() => {
                talk.silence().await?
            }
            Awaits::Entry | Awaits::EntryWithin(_) | Awaits::Nothing => break,
        };
        (talk, awaits) = (next, then);
    }
    let mut remarks = talk.take_remarks();
    if text.is_empty() && !talk.has_understood() && !remarks.is_empty() {
        return Err(Error::new(Code::BadDialogue, remarks.swap_remove(0)));
    }
    let mut response = ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response();
    for remark in remarks.iter().take(MOST_REMARKS).filter_map(|remark| header_text(remark)) {
        response.headers_mut().append(REMARK, remark);
    }
    Ok(response)
}

/// Adds the lines to print now to the answer.
fn add_lines(text: &mut String, talk: &mut FencedDialogue) {
    for line in talk.take_lines() {
        text.push_str(&line);
        text.push('\n');
    }
}

/// The text percent-encoded (RFC 3986): a header holds plain ASCII, and remarks name cards.
fn header_text(text: &str) -> Option<HeaderValue> {
    const ENCODED: &AsciiSet = &CONTROLS.add(b'%');
    HeaderValue::try_from(utf8_percent_encode(text, ENCODED).to_string()).ok()
}

fn too_many(app: &App, made: usize) -> Error {
    let detail = format!(
        "the dialogue leaves more than {made} decisions open, which took longer than {} ms, the limit here",
        app.limits.max_think_ms
    );
    Error::new(Code::TooManyDecisions, detail)
}
