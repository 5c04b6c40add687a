//! The operator's routes for programs of bots.

use axum::extract::{RawPathParams, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::domain::ProgramHash;
use crate::domain::schema::HEX;
use crate::domain::time::Millis;
use crate::error::{Code, Error};
use crate::http::admin::AdminToken;
use crate::http::openapi;
use crate::programs::ProgramShown;
use crate::request::extract::{Payload, UrlQuery, unknown};
use crate::request::json::{Json, NO_STORE};
use crate::store::{BannedProgram, ListedProgram, refused_by_store};

/// How many programs a page of the list holds.
const PAGE: u32 = 100;

/// A module to disable.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DisableRequest {
    /// The reason, which the owners of its bots see: at most 200 characters on one line.
    #[serde(default)]
    #[schemars(length(max = 200))]
    reason: String,
}

/// Programs of all bots.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AdminPrograms {
    /// The programs, those of a bot one after the other.
    programs: Vec<AdminProgram>,
    /// The modules that are disabled.
    disabled: Vec<DisabledModule>,
    /// The value of `after` that requests the next page; `null`: there is none.
    next: Option<String>,
}

/// A program in the operator's list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AdminProgram {
    /// The name of the bot.
    bot: String,
    /// The name of its owner.
    owner: String,
    /// The program, as its owner sees it.
    #[serde(flatten)]
    program: ProgramShown,
}

/// The module of a program, which no bot may run any more.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DisabledModule {
    /// Its SHA-256, hexadecimal.
    #[schemars(with = "String", regex(pattern = HEX))]
    hash: ProgramHash,
    /// The operator's reason.
    reason: String,
    /// Since when, in milliseconds since 1970.
    created_ms: Millis,
}

impl From<ListedProgram> for AdminProgram {
    fn from(ListedProgram { bot, owner, program }: ListedProgram) -> Self {
        Self { bot, owner, program: program.into() }
    }
}

impl From<BannedProgram> for DisabledModule {
    fn from(BannedProgram { hash, reason, created_ms }: BannedProgram) -> Self {
        Self { hash, reason, created_ms }
    }
}

/// List the programs of all bots, and the modules that are disabled.
#[utoipa::path(get, path = "/v1/admin/programs", operation_id = "adminListPrograms", tag = "admin", security(("admin" = [])),
    params(
        ("hash" = Option<String>, Query, description = "Only programs of the module with this hash."),
        ("after" = Option<String>, Query, description = "`next` of the previous page.")),
    responses((status = 200, description = "The list.", body = AdminPrograms), openapi::Refusals))]
pub(crate) async fn list(
    State(app): State<&'static App>,
    _: AdminToken,
    query: UrlQuery,
) -> Result<Response, Error> {
    let (mut hash, mut after) = (None, (String::new(), 0));
    for (name, value) in query.0 {
        match name.as_str() {
            "hash" => hash = Some(hash_of(&value, Code::BadQuery)?),
            "after" => {
                let place = value.rsplit_once('.');
                let place = place.and_then(|(bot, number)| Some((bot.to_owned(), number.parse().ok()?)));
                let bad = || Error::new(Code::BadQuery, "after: must be `next` of a page before");
                after = place.ok_or_else(bad)?;
            }
            _ => return Err(unknown(&name, "hash and after")),
        }
    }
    let listed = app.programs.list(after, hash.clone(), PAGE).await?;
    let next = listed.last().filter(|_| listed.len() == PAGE as usize);
    let next = next.map(|last| format!("{}.{}", last.program.bot, last.program.number));
    let banned = app.matches.store().banned_programs().await.map_err(|e| refused_by_store(&e))?;
    let is_asked = |ban: &BannedProgram| hash.as_ref().is_none_or(|hash| ban.hash == *hash);
    let disabled = banned.into_iter().filter(is_asked).map(DisabledModule::from).collect();
    let programs = listed.into_iter().map(AdminProgram::from).collect();
    Ok(([NO_STORE], Json(AdminPrograms { programs, disabled, next })).into_response())
}

/// Disable a module: its programs stop playing, and it cannot be uploaded. Sent again, it changes the reason.
#[utoipa::path(put, path = "/v1/admin/programs/{hash}/ban", operation_id = "adminDisableProgram", tag = "admin",
    security(("admin" = [])), params(openapi::ProgramHashPath), request_body = DisableRequest,
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn disable(
    State(app): State<&'static App>,
    _: AdminToken,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    let DisableRequest { reason } = payload.json()?;
    app.programs.disable(&path_hash(&params)?, &reason).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Enable a module again.
#[utoipa::path(delete, path = "/v1/admin/programs/{hash}/ban", operation_id = "adminEnableProgram", tag = "admin",
    security(("admin" = [])), params(openapi::ProgramHashPath),
    responses((status = 204, description = "Done."), openapi::Refusals))]
pub(crate) async fn enable(
    State(app): State<&'static App>,
    _: AdminToken,
    params: RawPathParams,
    payload: Payload,
) -> Result<StatusCode, Error> {
    payload.nothing()?;
    app.programs.enable(&path_hash(&params)?).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn path_hash(params: &RawPathParams) -> Result<ProgramHash, Error> {
    let text = params.iter().find(|(name, _)| *name == "hash").map_or("", |(_, value)| value);
    hash_of(text, Code::NoSuchProgram)
}

fn hash_of(text: &str, code: Code) -> Result<ProgramHash, Error> {
    ProgramHash::parse(text)
        .ok_or_else(|| Error::new(code, "hash: must be 64 hexadecimal digits in lower case"))
}
