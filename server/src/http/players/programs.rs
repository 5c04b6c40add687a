//! `/v1/me/bots/{name}/programs` and `/v1/players/{name}/programs`: the programs of bots.

use axum::extract::{RawPathParams, State};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::app::App;
use crate::domain::{PlayerKind, PlayerRef, ProgramState};
use crate::error::{Code, Error};
use crate::http::openapi;
use crate::http::players::bots::bot_of;
use crate::http::players::player_of;
use crate::lobby::Policy;
use crate::programs::{ProgramPatch, ProgramShown, ProgramUpload, ProgramsShown, PublicProgram};
use crate::request::caller::{Anyone, Manages, Reads};
use crate::request::extract::{ModulePayload, Payload, UrlQuery, unknown};
use crate::request::json::{Json, NO_STORE};
use crate::request::path::PlayerOf;

/// What to change about a program. Fields that are left out stay as they are.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(example = json!({ "state": "active" }))]
pub(crate) struct ProgramRequest {
    /// The new note: at most 200 characters on one line.
    #[schemars(length(max = 200))]
    note: Option<String>,
    /// `active`: it plays from now on, instead of the one before. `retired`: it plays no longer.
    state: Option<WantedState>,
    /// Whether others may download it.
    published: Option<bool>,
}

/// A state that the owner of a program can choose.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "WantedProgramState")]
pub(crate) enum WantedState {
    /// It plays.
    Active,
    /// It does not play.
    Retired,
}

/// The programs of a bot that everybody may know.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PublicPrograms {
    /// Those that play and those that are published, the newest first.
    programs: Vec<PublicProgram>,
}

/// A WebAssembly module for WASI preview 1, in the binary format, of at most 16 MiB.
#[derive(JsonSchema)]
#[schemars(extend("format" = "binary"))]
pub(crate) struct ModuleFile(#[expect(dead_code, reason = "only its schema is used")] String);

/// The number of the program in the path.
fn number(params: &RawPathParams) -> Result<u32, Error> {
    let text = params.iter().find(|(name, _)| *name == "number").map_or("", |(_, value)| value);
    let missing = || Error::new(Code::NoSuchProgram, "the number of a program is a whole number from 1 on");
    text.parse().ok().filter(|n| *n > 0).ok_or_else(missing)
}

/// Upload a program of one of the caller's bots, in one game.
///
/// The body is a WebAssembly module for WASI preview 1 of at most 16 MiB, which speaks the contest's dialogue. It is checked in the
/// background: `GET` the program until its state is no longer `checking`. When it has passed, it becomes the active program of the
/// bot in this game, unless `activate` is `false`. Sent again, the same module of the same game is the same program.
#[utoipa::path(put, path = "/v1/me/bots/{name}/programs", operation_id = "uploadProgram", tag = "players",
    security(("token" = ["manage"])),
    params(openapi::PlayerPath, openapi::UploadQuery),
    request_body(content((ModuleFile = "application/wasm"), (ModuleFile = "application/octet-stream")), description = "The module."),
    responses((status = 201, description = "The new program.", body = ProgramShown),
              (status = 200, description = "The bot has this program already.", body = ProgramShown),
              openapi::Refusals))]
pub(crate) async fn upload(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    params: RawPathParams,
    query: UrlQuery,
    module: ModulePayload,
) -> Result<Response, Error> {
    let bot = bot_of(app, &player_of(caller)?, &params).await?;
    let (program, is_new) = app.programs.upload(&bot, wanted(query, module.0.clone())?).await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, [NO_STORE], Json(program)).into_response())
}

/// Reads the query of an upload.
fn wanted(query: UrlQuery, module: Bytes) -> Result<ProgramUpload, Error> {
    let bad = |detail: &str| Error::new(Code::BadQuery, detail);
    let mut game = None;
    let mut upload = ProgramUpload { game: String::new(), module, note: String::new(), activate: true };
    for (name, value) in query.0 {
        match name.as_str() {
            "game" => game = Some(value),
            "note" => upload.note = value,
            "activate" => {
                upload.activate = value.parse().map_err(|_| bad("activate: must be true or false"))?;
            }
            _ => return Err(unknown(&name, "game, note and activate")),
        }
    }
    let game = game.ok_or_else(|| bad("game: this parameter is required"))?;
    Ok(ProgramUpload { game, ..upload })
}

/// List the programs of one of the caller's bots, the newest first, with the fuel that they have used today.
///
/// The last ten programs of a bot are kept, and active ones that are older.
#[utoipa::path(get, path = "/v1/me/bots/{name}/programs", operation_id = "listOwnPrograms", tag = "players",
    security(("token" = ["read"])), params(openapi::PlayerPath),
    responses((status = 200, description = "The list.", body = ProgramsShown), openapi::Refusals))]
pub(crate) async fn list(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    params: RawPathParams,
) -> Result<Response, Error> {
    let bot = bot_of(app, &player_of(caller)?, &params).await?;
    Ok(([NO_STORE], Json(app.programs.of_bot(&bot).await?)).into_response())
}

/// Get a program of one of the caller's bots, with the report of its check.
#[utoipa::path(get, path = "/v1/me/bots/{name}/programs/{number}", operation_id = "getOwnProgram", tag = "players",
    security(("token" = ["read"])), params(openapi::PlayerPath, openapi::ProgramPath, openapi::TextQuery),
    responses((status = 200, description = "The program. With `format=text`, its state in the first line and then the report.",
               content((ProgramShown = "application/json"), (String = "text/plain"))),
              openapi::Refusals))]
pub(crate) async fn read(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    params: RawPathParams,
    query: UrlQuery,
) -> Result<Response, Error> {
    let mut as_text = false;
    for (name, value) in query.0 {
        match (name.as_str(), value.as_str()) {
            ("format", "text") => as_text = true,
            ("format", "json") => as_text = false,
            ("format", _) => return Err(Error::new(Code::BadQuery, "format: must be json or text")),
            _ => return Err(unknown(&name, "format")),
        }
    }
    let bot = bot_of(app, &player_of(caller)?, &params).await?;
    let program = app.programs.one(&bot, number(&params)?).await?;
    if as_text {
        let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
        return Ok(([NO_STORE], kind, text(&program)).into_response());
    }
    Ok(([NO_STORE], Json(program)).into_response())
}

/// The longest text, in bytes: `kibitz-shim upload` reads no more.
const LONGEST_TEXT: usize = 12 * 1024;

/// The state in the first line, then the report.
fn text(program: &ProgramShown) -> String {
    let mut text = format!("{}\n", program.state.name());
    for line in program.report.iter().flat_map(|report| &report.lines) {
        if text.len() + line.len() >= LONGEST_TEXT {
            text.push_str("...\n");
            break;
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// Change the note of a program, activate or retire it, or publish it.
///
/// Activating another module than the bot played with before makes its rating in this game less certain.
#[utoipa::path(patch, path = "/v1/me/bots/{name}/programs/{number}", operation_id = "changeProgram", tag = "players",
    security(("token" = ["manage"])), params(openapi::PlayerPath, openapi::ProgramPath),
    request_body = ProgramRequest,
    responses((status = 200, description = "The program.", body = ProgramShown), openapi::Refusals))]
pub(crate) async fn change(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    params: RawPathParams,
    payload: Payload,
) -> Result<Response, Error> {
    let ProgramRequest { note, state, published } = payload.json()?;
    let state = state.map(|state| match state {
        WantedState::Active => ProgramState::Active,
        WantedState::Retired => ProgramState::Retired,
    });
    let bot = bot_of(app, &player_of(caller)?, &params).await?;
    let patch = ProgramPatch { note, state, published };
    let program = app.programs.patch(&bot, number(&params)?, patch).await?;
    Ok(([NO_STORE], Json(program)).into_response())
}

/// Delete a program of one of the caller's bots, in any state.
#[utoipa::path(delete, path = "/v1/me/bots/{name}/programs/{number}", operation_id = "deleteProgram", tag = "players",
    security(("token" = ["manage"])), params(openapi::PlayerPath, openapi::ProgramPath),
    responses((status = 204, description = "The program was deleted."), openapi::Refusals))]
pub(crate) async fn delete(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    let bot = bot_of(app, &player_of(caller)?, &params).await?;
    app.programs.delete(&bot, number(&params)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Download the module of a program of one of the caller's bots.
#[utoipa::path(get, path = "/v1/me/bots/{name}/programs/{number}/module", operation_id = "downloadOwnProgram", tag = "players",
    security(("token" = ["read"])), params(openapi::PlayerPath, openapi::ProgramPath),
    responses((status = 200, description = "The module.", content_type = "application/wasm", body = ModuleFile), openapi::Refusals))]
pub(crate) async fn module(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    params: RawPathParams,
) -> Result<Response, Error> {
    let bot = bot_of(app, &player_of(caller)?, &params).await?;
    file(app, &bot, number(&params)?, false).await
}

/// The module of a program as a file.
async fn file(app: &App, bot: &PlayerRef, number: u32, only_published: bool) -> Result<Response, Error> {
    let module = app.programs.module(bot, number, only_published).await?;
    let name = utf8_percent_encode(&format!("{}-{number}.wasm", bot.name), NON_ALPHANUMERIC).to_string();
    // RFC 6266.
    let place = HeaderValue::from_str(&format!("attachment; filename*=UTF-8''{name}"));
    let place = (header::CONTENT_DISPOSITION, place.unwrap_or(HeaderValue::from_static("attachment")));
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static("application/wasm"));
    Ok(([NO_STORE, kind, place], module).into_response())
}

/// Get the policy of one of the caller's bots for the matches that its programs play.
///
/// The usual policy: the games of its active programs, two matches at a time, against anyone, on the ladder too.
#[utoipa::path(get, path = "/v1/me/bots/{name}/policy", operation_id = "getBotPolicy", tag = "players",
    security(("token" = ["read"])), params(openapi::PlayerPath),
    responses((status = 200, description = "The policy.", body = Policy), openapi::Refusals))]
pub(crate) async fn policy(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    params: RawPathParams,
) -> Result<Response, Error> {
    let bot = bot_of(app, &player_of(caller)?, &params).await?;
    Ok(([NO_STORE], Json(app.programs.policy(&bot).await?)).into_response())
}

/// Replace the policy of one of the caller's bots for the matches that its programs play.
///
/// It has no `referee`: the check of each program finds the settings of the dialogue that the program needs.
#[utoipa::path(put, path = "/v1/me/bots/{name}/policy", operation_id = "setBotPolicy", tag = "players",
    security(("token" = ["manage"])), params(openapi::PlayerPath), request_body = Policy,
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn set_policy(
    State(app): State<&'static App>,
    Manages(caller): Manages,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    let policy: Policy = payload.json()?;
    let bot = bot_of(app, &player_of(caller)?, &params).await?;
    app.programs.set_policy(&bot, &policy).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// List the programs of a bot that play now, and those that its owner has published.
#[utoipa::path(get, path = "/v1/players/{name}/programs", operation_id = "listPrograms", tag = "players",
    params(openapi::PlayerPath),
    responses((status = 200, description = "The list.", body = PublicPrograms), openapi::Refusals))]
pub(crate) async fn public(
    State(app): State<&'static App>,
    _: Anyone,
    PlayerOf(player): PlayerOf,
) -> Result<Json<PublicPrograms>, Error> {
    if player.kind != PlayerKind::Bot {
        return Err(no_bot());
    }
    Ok(Json(PublicPrograms { programs: app.programs.public(&player.who).await? }))
}

fn no_bot() -> Error {
    Error::new(Code::NotABot, "only bots have programs")
}

/// Download the module of a program that its owner has published.
#[utoipa::path(get, path = "/v1/players/{name}/programs/{number}/module", operation_id = "downloadProgram", tag = "players",
    params(openapi::PlayerPath, openapi::ProgramPath),
    responses((status = 200, description = "The module.", content_type = "application/wasm", body = ModuleFile), openapi::Refusals))]
pub(crate) async fn public_module(
    State(app): State<&'static App>,
    _: Anyone,
    PlayerOf(player): PlayerOf,
    params: RawPathParams,
) -> Result<Response, Error> {
    if player.kind != PlayerKind::Bot {
        return Err(no_bot());
    }
    file(app, &player.who, number(&params)?, true).await
}
