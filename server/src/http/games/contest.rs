//! Continues the dialogue of a contest: `POST /v1/games/{game}/dialogue` with JSON, which generated clients use, and
//! `POST /v1/games/{game}/move` with plain text. Both do the same.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use engines::erased::Awaits;
use engines::protocol::{Lines, Settings};
use engines::search::Level;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::catalogue::Offer;
use crate::domain::ClientId;
use crate::domain::schema::EngineName;
use crate::error::{Code, Error};
use crate::http::games::dialogue::{FencedDialogue, Reader};
use crate::http::games::options;
use crate::http::games::options::{DialogueOptions, SearchOptions};
use crate::http::openapi;
use crate::request::client::Client;
use crate::request::extract::{Payload, UrlQuery, unknown};
use crate::request::json::Json;
use crate::request::path::GameOf;
use crate::request::seed::SeedText;

/// The response header with a contradiction between the dialogue and our rules.
pub(crate) const REMARK: HeaderName = HeaderName::from_static("kibitz-remark");
/// The most such headers in one response.
const MOST_REMARKS: usize = 8;

/// The dialogue of a contest, and the options of the engine's decisions.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "text": "4 3 2 4 2 3 2", "think_ms": 300 }))]
pub(crate) struct DialogueRequest {
    /// A transcript (`< ` what the bot read, `> ` what it printed, `# ` a remark, `.` the end of its input), or an official
    /// input as the bot would read it. The lines end with `\n`.
    text: String,
    /// The thinking time of one decision, in milliseconds. Default: what the contest allows.
    think_ms: Option<u64>,
    /// The deadline of the answer, in milliseconds after the request. Default: the thinking time and some time for the answer.
    deadline_ms: Option<u64>,
    /// Stop a search after this number of nodes.
    nodes: Option<u64>,
    /// The level of play.
    #[serde(default)]
    level: Level,
    /// The source of all randomness. Default: a fresh seed.
    seed: Option<SeedText>,
    /// Adds lines that begin with `# ` before the lines of each decision: one about the engine's search, then at most this many
    /// ranked moves.
    candidates: Option<u16>,
    /// The engine's name. Default: the game's best.
    #[schemars(with = "Option<EngineName>")]
    engine: Option<String>,
    /// How much time has passed since the last line, in milliseconds. Default: 0.
    silence_ms: Option<u64>,
    /// The game's own settings, by their names.
    #[serde(default)]
    settings: BTreeMap<String, String>,
}

impl DialogueRequest {
    fn options(&self, app: &App, offer: &Offer, client: ClientId) -> Result<DialogueOptions, Error> {
        let mut search = SearchOptions::new(offer.engine(self.engine.as_deref())?, client, &app.limits);
        if let Some(ms) = self.think_ms {
            search.set_think(ms)?;
        }
        if let Some(ms) = self.deadline_ms {
            search.set_deadline(ms);
        }
        (search.nodes, search.level) = (self.nodes, self.level);
        search.seed = self.seed.as_ref().map(|seed| seed.0);
        search.candidates = self.candidates.unwrap_or(1).into();
        let silence = Duration::from_millis(self.silence_ms.unwrap_or(0));
        let settings = Settings(self.settings.clone());
        Ok(DialogueOptions { search, silence, remarks: self.candidates.is_some(), settings })
    }
}

/// A wrong setting of a JSON request.
pub(super) fn bad_setting(e: Error) -> Error {
    if e.code() == Code::BadQuery {
        Error::new(Code::BadField, format!("settings: {}", e.detail()))
    } else {
        e
    }
}

/// The lines that the bot prints now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DialogueAnswer {
    /// The lines to print now; none: no line is due.
    lines: Vec<String>,
    /// The contradictions to the rules, one sentence each.
    remarks: Vec<String>,
}

/// Continue a contest's dialogue.
///
/// The same as `POST /v1/games/{game}/move` with `text/plain`, for clients that send and read JSON: the answer contains the lines
/// that the bot prints now. If the referee sends something that our rules forbid, the dialogue goes on, and `remarks`
/// has a sentence for each contradiction. A text in which no line makes sense is refused.
#[utoipa::path(post, path = "/v1/games/{game}/dialogue", operation_id = "continueDialogue", tag = "moves",
    params(openapi::GamePath),
    request_body = DialogueRequest,
    responses((status = 200, description = "The lines to print now.", body = DialogueAnswer), openapi::Refusals))]
pub(crate) async fn in_json(
    State(app): State<&'static App>,
    GameOf(offer): GameOf,
    Client(client): Client,
    query: UrlQuery,
    payload: Payload,
) -> Result<Json<DialogueAnswer>, Error> {
    if let Some((name, _)) = query.0.first() {
        return Err(unknown(name, "none: all options are in the body"));
    }
    let request: DialogueRequest = payload.json()?;
    let options = request.options(app, offer, client.clone())?;
    let contest = Contest { app, offer, client, arrived: payload.arrived };
    let (text, remarks) = contest.go_on(options, request.text).await.map_err(bad_setting)?;
    Ok(Json(DialogueAnswer { lines: text.lines().map(str::to_owned).collect(), remarks }))
}

/// The answer to a request for a move whose body is plain text.
pub(super) async fn in_text(
    app: &'static App,
    offer: &'static Offer,
    client: ClientId,
    query: UrlQuery,
    payload: Payload,
) -> Result<Response, Error> {
    let options = DialogueOptions::parse(query.0, offer, client.clone(), &app.limits)?;
    let contest = Contest { app, offer, client, arrived: payload.arrived };
    let (text, remarks) = contest.go_on(options, payload.text()?.to_owned()).await?;
    let mut response = ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response();
    for remark in remarks.iter().take(MOST_REMARKS).filter_map(|remark| header_text(remark)) {
        response.headers_mut().append(REMARK, remark);
    }
    Ok(response)
}

/// A request to continue a dialogue.
struct Contest {
    app: &'static App,
    offer: &'static Offer,
    client: ClientId,
    /// The time at which the request arrived.
    arrived: Instant,
}

impl Contest {
    /// Reads the text and makes all decisions that are due. Returns the lines to print, and the contradictions to the rules.
    ///
    /// # Errors
    /// `bad_dialogue`, `bad_query` for a wrong setting, `too_many_decisions`, and those of the engine.
    async fn go_on(self, options: DialogueOptions, text: String) -> Result<(String, Lines), Error> {
        let Self { app, offer, ref client, arrived } = self;
        let DialogueOptions { search, silence, remarks, settings } = options;
        let session = options::session(offer, &settings)?;
        let reader = Reader::new(app, client, offer);
        let (mut dialogue, mut awaits) = FencedDialogue::new(session).hear_all(text, reader).await?;
        let mut silence = Some(silence);
        let mut decisions = 0;
        let mut text = String::new();
        loop {
            add_lines(&mut text, &mut dialogue);
            let (next, then) = match awaits {
                Awaits::Decision(question) => {
                    decisions += 1;
                    // The caller's deadline applies to the whole answer, the default one to each decision.
                    let asked = if search.deadline.is_some() { arrived } else { Instant::now() };
                    if decisions > 1 && arrived.elapsed() > app.limits.max_think() {
                        return Err(too_many_decisions(app, decisions - 1));
                    }
                    let task = search.dialogue_task(question, asked, false);
                    let decision = app.engine_pool.think(task)?.answer().await?;
                    if remarks {
                        text.push_str(&decision.remarks());
                    }
                    dialogue.decide(decision.answer.mv.notation).await?
                }
                Awaits::EntryWithin(time) if silence.take_if(|waited| *waited >= time).is_some() => {
                    dialogue.silence().await?
                }
                Awaits::Entry | Awaits::EntryWithin(_) | Awaits::Nothing => break,
            };
            (dialogue, awaits) = (next, then);
        }
        let mut remarks = dialogue.take_remarks();
        if text.is_empty() && !dialogue.has_understood() && !remarks.is_empty() {
            return Err(Error::new(Code::BadDialogue, remarks.swap_remove(0)));
        }
        Ok((text, remarks))
    }
}

/// Adds the lines to print now to the answer.
fn add_lines(text: &mut String, dialogue: &mut FencedDialogue) {
    for line in dialogue.take_lines() {
        text.push_str(&line);
        text.push('\n');
    }
}

/// Percent-encodes the text (RFC 3986): a header holds plain ASCII, and remarks contain card symbols.
fn header_text(text: &str) -> Option<HeaderValue> {
    const ENCODED: &AsciiSet = &CONTROLS.add(b'%');
    HeaderValue::try_from(utf8_percent_encode(text, ENCODED).to_string()).ok()
}

fn too_many_decisions(app: &App, made: usize) -> Error {
    let detail = format!(
        "the dialogue leaves more than {made} decisions open, which took longer than {} ms, the limit here",
        app.limits.max_think_ms
    );
    Error::new(Code::TooManyDecisions, detail)
}
