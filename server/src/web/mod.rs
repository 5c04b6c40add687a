//! The pages for people, at `/`. The server renders them; the modules of `server/web/js` make them live and use only the
//! public API. No page knows a game by name.

mod asset;
mod bots;
mod game;
mod home;
mod layout;
mod leaderboard;
mod matches;
mod player;
mod problems;
mod reference;
mod start;
mod tournaments;
mod trouble;
mod words;

use axum::Router;
use axum::middleware::from_fn;
use axum::routing::get;

use crate::app::App;

pub(crate) use layout::found;
pub(crate) use reference::render as reference;
pub(crate) use trouble::or_page;

/// The paths of this module.
pub(crate) const PATHS: [&str; 12] = [
    "/",
    "/bots",
    "/docs/problems",
    "/matches",
    "/matches/{id}",
    "/games/{game}",
    "/games/{game}/analysis",
    "/games/{game}/leaderboard",
    "/players/{name}",
    "/tournaments",
    "/tournaments/{id}",
    "/web/{*path}",
];

/// The routes of the pages and of their files.
pub(crate) fn routes() -> Router<&'static App> {
    Router::new()
        .route("/", get(home::page))
        .route("/bots", get(bots::page))
        .route("/docs/problems", get(problems::page))
        .route("/matches", get(matches::list))
        .route("/matches/{id}", get(matches::one))
        .route("/games/{game}", get(game::page))
        .route("/games/{game}/analysis", get(game::analysis))
        .route("/games/{game}/leaderboard", get(leaderboard::page))
        .route("/players/{name}", get(player::page))
        .route("/tournaments", get(tournaments::list))
        .route("/tournaments/{id}", get(tournaments::one))
        .layer(from_fn(trouble::for_people))
        .route("/web/{*path}", get(asset::serve))
}
