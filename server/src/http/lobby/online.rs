//! `GET /v1/bots`: the bots that are online.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::domain::time::Millis;
use crate::error::Error;
use crate::http::matches::UNKEPT;
use crate::http::openapi;
use crate::http::players::profile::RatingShown;
use crate::http::request::caller::Who;
use crate::http::request::extract::{Query, unknown};
use crate::http::request::json::Json;
use crate::lobby::{Policy, bots_online};
use crate::players::About;
use crate::schema::{GameSlug, PlayerName};

/// The bots that are online.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BotsOnline {
    /// One entry for each connection on which a bot says what it accepts, in the order of names.
    bots: Vec<BotOnline>,
}

/// A bot that is online.
#[derive(Debug, Serialize, JsonSchema)]
struct BotOnline {
    /// The name.
    #[schemars(with = "PlayerName")]
    name: String,
    /// The person who owns it.
    #[schemars(with = "Option<PlayerName>")]
    owner: Option<String>,
    /// What it says of itself.
    about: About,
    /// What it accepts.
    policy: Policy,
    /// The number of matches that it is playing.
    playing: usize,
    /// Since when it is online, in milliseconds since 1970.
    since_ms: Millis,
    /// Its ratings in the games of its policy.
    ratings: Vec<BotRating>,
}

/// A bot's rating in a game.
#[derive(Debug, Serialize, JsonSchema)]
struct BotRating {
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// The rating.
    #[serde(flatten)]
    rating: RatingShown,
}

/// List the bots that are online, with what they accept and their ratings.
#[utoipa::path(get, path = "/v1/bots", operation_id = "listBotsOnline", tag = "players",
    params(openapi::GameQuery),
    responses((status = 200, description = "The list.", body = BotsOnline), openapi::Refusals))]
pub(crate) async fn list(State(app): State<&'static App>, _: Who, query: Query) -> Result<Response, Error> {
    let mut game = None;
    for (name, value) in query.0 {
        match name.as_str() {
            "game" => game = Some(app.games.find(&value)?.info.slug),
            _ => return Err(unknown(&name, "game")),
        }
    }
    let rows = app.lobby.now();
    let mut bots: Vec<BotOnline> = bots_online(&rows)
        .filter(|(_, policy)| game.is_none_or(|game| policy.games.iter().any(|played| played == game)))
        .map(|(open, policy)| {
            let id = &open.player.who.id;
            let of_bot =
                rows.ratings.iter().filter(|(player, game, _)| player == id && policy.games.contains(game));
            BotOnline {
                name: open.player.who.name.clone(),
                owner: open.owner.clone(),
                about: About::read(open.about.as_deref()),
                playing: rows.matches.iter().filter(|found| found.player == *id).count(),
                since_ms: open.since_ms,
                ratings: of_bot
                    .map(|(_, game, rating)| BotRating { game: game.clone(), rating: (*rating).into() })
                    .collect(),
                policy,
            }
        })
        .collect();
    bots.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(([UNKEPT], Json(BotsOnline { bots })).into_response())
}
