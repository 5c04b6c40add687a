//! `GET /v1/players/{name}/faults`: the last faults of a bot.

use std::fmt::Write;

use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};

use crate::app::App;
use crate::domain::time::utc;
use crate::domain::{MatchId, PlayerKind};
use crate::error::{Code, Error};
use crate::http::openapi;
use crate::matches::bots::bot_faults::{BotFaults, FaultPage};
use crate::request::caller::Reads;
use crate::request::extract::{UrlQuery, unknown};
use crate::request::json::{Json, NO_STORE};
use crate::request::path::PlayerOf;

/// How many faults a page holds by default, and at most.
const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 100;

/// The longest text, in bytes: `kibitz-shim faults` reads no more.
const LONGEST_TEXT: usize = 12 * 1024;

/// List the last faults of a bot: crashes, lines and moves that its referee refused, and late moves.
///
/// The bot and its owner see all of them, also those of running and private matches, with the last lines that the bot wrote to
/// standard error in that turn. Everybody else sees those in public matches that are over. A turn after the bot had dropped out is
/// no fault. `version` is the number of the program that played, or else what the bot's description named when the fault happened. With `format=text` the answer is a
/// text for people, of at most 12 KiB.
#[utoipa::path(get, path = "/v1/players/{name}/faults", operation_id = "listBotFaults", tag = "players",
    security((), ("token" = ["read"])),
    params(openapi::PlayerPath, openapi::FaultQuery),
    responses((status = 200, description = "The faults.", content((BotFaults = "application/json"), (String = "text/plain"))),
              openapi::Refusals))]
pub(crate) async fn faults(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    PlayerOf(player): PlayerOf,
    query: UrlQuery,
) -> Result<Response, Error> {
    let (page, as_text) = page(app, query)?;
    if player.kind != PlayerKind::Bot {
        return Err(Error::new(Code::NotABot, "only bots have a list of faults"));
    }
    let bot = player.who;
    let faults = app.matches.bot_faults(&bot, &caller, page).await?;
    if as_text {
        let kind = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
        return Ok(([NO_STORE], kind, text(app, &bot.name, &faults)).into_response());
    }
    Ok(([NO_STORE], Json(faults)).into_response())
}

/// Reads the query: the page, and whether to answer with a text.
fn page(app: &App, query: UrlQuery) -> Result<(FaultPage, bool), Error> {
    let bad = |detail: String| Error::new(Code::BadQuery, detail);
    let (mut page, mut as_text) = (FaultPage { limit: DEFAULT_LIMIT, ..FaultPage::default() }, false);
    for (name, value) in query.0 {
        match name.as_str() {
            "game" => {
                let offer = app.games.find(&value).map_err(|e| bad(format!("game: {}", e.detail())))?;
                page.game = Some(offer.info.slug.to_owned());
            }
            "before" => {
                let place = value.split_once('.');
                let place = place.and_then(|(id, seq)| Some((MatchId::parse(id)?, seq.parse().ok()?)));
                let place = place.ok_or_else(|| bad("before: must be `next` of a page before".into()))?;
                page.before = Some(place);
            }
            "limit" => {
                let limit = value.parse().ok().filter(|n| (1..=MAX_LIMIT).contains(n));
                page.limit = limit.ok_or_else(|| bad(format!("limit: must be from 1 to {MAX_LIMIT}")))?;
            }
            "format" => {
                as_text = match value.as_str() {
                    "json" => false,
                    "text" => true,
                    _ => return Err(bad("format: must be json or text".into())),
                };
            }
            _ => return Err(unknown(&name, "game, before, limit and format")),
        }
    }
    Ok((page, as_text))
}

/// The faults as a text for people.
fn text(app: &App, name: &str, faults: &BotFaults) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let mut line = |line: String| {
        if text.len() + line.len() < LONGEST_TEXT {
            let _ = writeln!(text, "{line}");
        }
    };
    if faults.faults.is_empty() {
        line(format!("{name} has no faults"));
    }
    for group in &faults.groups {
        let times = if group.count == 1 { "time" } else { "times" };
        line(format!(
            "{}: {}, {} {times}{}, first {}, last {}",
            group.game,
            group.kind.summary(),
            group.count,
            of_version(group.version.as_deref()),
            utc(group.first_ms),
            utc(group.last_ms),
        ));
    }
    for fault in &faults.faults {
        let game = app.games.find(&fault.game).ok().map(|offer| offer.game);
        line(String::new());
        let version = of_version(fault.version.as_deref());
        line(format!(
            "{} {}{version}: /matches/{}?seat={}&ply={}",
            utc(fault.at_ms),
            fault.game,
            fault.id,
            fault.seat,
            fault.ply
        ));
        line(format!("  {}", fault.in_words(game)));
        fault.lines.iter().for_each(|one| line(format!("  {} ms | {}", one.ms, one.text)));
    }
    text
}

fn of_version(version: Option<&str>) -> String {
    version.map_or_else(String::new, |version| format!(" (version {version})"))
}
