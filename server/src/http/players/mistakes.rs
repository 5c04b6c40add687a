//! `/v1/players/{name}/mistakes/{game}`: the costly decisions of a player over all analysed matches of a game.

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use engines::erased::{AnyPosition, MoveText};
use engines::game::Seat;
use engines::judge::MoveValue;
use engines::suite::SuitePosition;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::analysis::mistakes::{LEAST_LOSS, ShownMistake};
use crate::app::App;
use crate::catalogue::Offer;
use crate::domain::schema;
use crate::domain::{MatchId, PlayerRef};
use crate::error::{Code, Error};
use crate::http::downloads::{LINES, file};
use crate::http::openapi;
use crate::matches::ledger::Caller;
use crate::request::caller::Reads;
use crate::request::extract::{UrlQuery, unknown};
use crate::request::json::{Json, NO_STORE};
use crate::request::path::{GameOf, PlayerOf};
use crate::store::{self, MistakeFilter, PlayerProfile, StoredMistake};

/// How many decisions a page of the list holds by default, and at most. Each may need a match of its own.
const DEFAULT_LIMIT: u32 = 20;
const MAX_LIMIT: u32 = 50;

/// The costly decisions of a player.
#[derive(Serialize, JsonSchema)]
pub(crate) struct MistakeList {
    /// All decisions with a choice, counted by phase and kind. The filters do not change it.
    counts: Vec<MistakeCount>,
    /// The mean accuracy of all decisions with a choice, 0 to 100; `null`: there is none. The filters do not change it.
    accuracy: Option<f64>,
    /// Decisions that lost 5 points of winning probability or more, the costliest first.
    mistakes: Vec<MistakeEntry>,
    /// The value of `after` that requests the next page; `null`: there is none.
    next: Option<String>,
}

/// A position of a suite.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct SuiteLine(SuitePosition);

/// The decisions of a player in one phase and of one kind.
#[derive(Serialize, JsonSchema)]
struct MistakeCount {
    /// The phase of the match, as the game names it.
    phase: String,
    /// The kind of the move that was made, as the game names it.
    kind: String,
    /// The number of decisions.
    decisions: u64,
    /// The mean loss of expected score, 0 to 1.
    mean_loss: f64,
    /// How many lost 10 points or more: mistakes and blunders.
    mistakes: u64,
}

/// A costly decision.
#[derive(Serialize, JsonSchema)]
struct MistakeEntry {
    /// The match in which it was made.
    #[serde(rename = "match")]
    #[schemars(with = "schema::MatchId")]
    match_id: String,
    /// Moves made before it.
    ply: u32,
    /// The seat of the player.
    seat: Seat,
    /// The phase of the match, as the game names it.
    phase: String,
    /// The kind of the move that was made, as the game names it.
    kind: String,
    /// The move that was made.
    played: MoveText,
    /// What it was worth.
    value: MoveValue,
    /// The position, as the player saw it.
    #[schemars(with = "AnyPosition")]
    position: Value,
}

impl From<store::MistakeCount> for MistakeCount {
    fn from(count: store::MistakeCount) -> Self {
        let store::MistakeCount { phase, kind, decisions, lost, mistakes } = count;
        let mean = lost as f64 / 10_000.0 / decisions.max(1) as f64;
        Self { phase, kind, decisions, mean_loss: (mean * 1e4).round() / 1e4, mistakes }
    }
}

impl MistakeEntry {
    fn of(ShownMistake { id, decision, line }: ShownMistake) -> Option<Self> {
        Some(Self {
            match_id: id.to_string(),
            ply: decision.ply,
            seat: decision.seat,
            phase: decision.phase,
            kind: decision.kind,
            played: decision.played,
            value: decision.value?,
            position: line.position,
        })
    }
}

/// Reads a query for costly decisions. `limit`: their number if the query names none.
fn filter(
    player: &PlayerProfile,
    offer: &Offer,
    caller: &Caller,
    query: UrlQuery,
    limit: u32,
) -> Result<MistakeFilter, Error> {
    let is_side = |who: &PlayerRef| who.id == player.who.id || player.who.owner.as_ref() == Some(&who.id);
    let is_own = caller.player.as_ref().is_some_and(is_side);
    let mut filter = MistakeFilter {
        player: player.who.id.clone(),
        game: offer.info.slug.to_owned(),
        private: is_own,
        phase: None,
        kind: None,
        after: None,
        least_loss: LEAST_LOSS,
        limit,
    };
    let bad = |detail: String| Error::new(Code::BadQuery, detail);
    for (name, value) in query.0 {
        match name.as_str() {
            "phase" => filter.phase = Some(value),
            "kind" => filter.kind = Some(value),
            "after" => {
                let place = place(&value);
                filter.after =
                    Some(place.ok_or_else(|| bad("after: must be `next` of the previous page".into()))?);
            }
            "limit" => {
                let limit = value.parse().ok().filter(|n| (1..=MAX_LIMIT).contains(n));
                filter.limit = limit.ok_or_else(|| bad(format!("limit: must be from 1 to {MAX_LIMIT}")))?;
            }
            _ => return Err(unknown(&name, "phase, kind, after and limit")),
        }
    }
    Ok(filter)
}

/// The place of a page: `LOSS.MATCH.PLY`.
fn place(text: &str) -> Option<StoredMistake> {
    let mut parts = text.split('.');
    let place = StoredMistake {
        loss: parts.next()?.parse().ok()?,
        id: MatchId::parse(parts.next()?)?,
        ply: parts.next()?.parse().ok()?,
    };
    parts.next().is_none().then_some(place)
}

/// The decisions with their positions, and the place of the next page.
async fn found(
    app: &'static App,
    offer: &'static Offer,
    filter: MistakeFilter,
    caller: &Caller,
) -> Result<(Vec<ShownMistake>, Option<String>), Error> {
    let (found, next) = app.analyses.mistakes(offer.game, filter, caller).await?;
    let shown = match caller.network {
        Some(network) => app.side_work.run(network, move || found.positions()).await??,
        None => found.positions()?,
    };
    Ok((shown, next.map(|StoredMistake { id, ply, loss }| format!("{loss}.{id}.{ply}"))))
}

/// List the costly decisions of a player over all analysed matches of a game.
///
/// Each decision of an analysed match has a phase and a kind, which the game defines. The list has the decisions that lost 5
/// points of winning probability or more, the costliest first, each with its position as the player saw it; the counts show
/// where a player loses most. Only matches with an analysis count ([`askForAnalysis`](#operation/askForAnalysis)). Those of private
/// matches are listed for the player alone, and those of a bot for its owner, too. A page can have fewer entries than `limit` although there is a `next`.
#[utoipa::path(get, path = "/v1/players/{name}/mistakes/{game}", operation_id = "listMistakes", tag = "players",
    security((), ("token" = ["read"])),
    params(openapi::PlayerPath, openapi::GamePath, openapi::MistakesQuery),
    responses((status = 200, description = "The list.", body = MistakeList), openapi::Refusals))]
pub(crate) async fn list(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    PlayerOf(player): PlayerOf,
    GameOf(offer): GameOf,
    query: UrlQuery,
) -> Result<Response, Error> {
    let filter = filter(&player, offer, &caller, query, DEFAULT_LIMIT)?;
    let counts = app.analyses.mistake_counts(filter.clone()).await?;
    let accuracy = app.analyses.accuracy(filter.clone()).await?;
    let (shown, next) = found(app, offer, filter, &caller).await?;
    let list = MistakeList {
        accuracy: accuracy.map(|mean| (mean * 10.0).round() / 10.0),
        counts: counts.into_iter().map(MistakeCount::from).collect(),
        mistakes: shown.into_iter().filter_map(MistakeEntry::of).collect(),
        next,
    };
    Ok(([NO_STORE], Json(list)).into_response())
}

/// Download the costly decisions of a player as a suite for `kibitz suite`.
///
/// JSON lines, one position each, with the move that was made and the better one. The order, the filters and the visibility are those
/// of [`listMistakes`](#operation/listMistakes).
#[utoipa::path(get, path = "/v1/players/{name}/mistakes/{game}/suite", operation_id = "getMistakeSuite", tag = "players",
    security((), ("token" = ["read"])),
    params(openapi::PlayerPath, openapi::GamePath, openapi::MistakesQuery),
    responses((status = 200, description = "The suite: one `SuiteLine` per line.", content((String = "application/x-ndjson"))),
              openapi::Refusals))]
pub(crate) async fn suite(
    State(app): State<&'static App>,
    Reads(caller): Reads,
    PlayerOf(player): PlayerOf,
    GameOf(offer): GameOf,
    query: UrlQuery,
) -> Result<Response, Error> {
    let filter = filter(&player, offer, &caller, query, MAX_LIMIT)?;
    let (shown, _) = found(app, offer, filter, &caller).await?;
    let line = |one: ShownMistake| {
        serde_json::to_string(&SuiteLine(one.line))
            .expect("a position of a suite is plain values with text keys")
            + "\n"
    };
    let text: String = shown.into_iter().map(line).collect();
    let name = format!("mistakes-{}-{}.jsonl", player.who.name, offer.info.slug);
    Ok(file(app, LINES, &name, Body::from(text)))
}
