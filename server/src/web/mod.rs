//! The pages for people, at `/`. The server renders them; the modules of `server/web` make them live and use only the
//! public API. No page knows a game by name.

mod files;
mod layout;
mod notification_texts;
mod pages;
mod rules;
mod spoken_match;
mod start;
mod visit;
mod words;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;

use crate::app::App;
use files::{asset, pictures, reach};
use pages::{
    account, admin, api::problems, bots, game, home, leaderboard, lessons, lobby, matches, mistakes, player,
    puzzles, tournaments, trouble, tv,
};

pub(crate) use notification_texts::notification_text;
pub(crate) use pages::api::reference::routes as reference_routes;
pub(crate) use pages::trouble::or_page;

/// The paths of this module.
pub(crate) const PATHS: [&str; 36] = [
    "/",
    "/account",
    "/admin",
    "/bots",
    "/docs",
    "/docs/",
    "/docs/problems",
    "/lobby",
    "/matches",
    "/matches/{id}",
    "/matches/{id}/embed",
    "/matches/{id}/picture.png",
    "/matches/{id}/picture.svg",
    "/games/{game}",
    "/games/{game}/analysis",
    "/games/{game}/leaderboard",
    "/games/{game}/lessons",
    "/games/{game}/picture.png",
    "/players/{name}",
    "/players/{name}/mistakes/{game}",
    "/puzzles",
    "/puzzles/{id}",
    "/tournaments",
    "/tournaments/new",
    "/tournaments/{id}",
    "/tv",
    "/tv/embed",
    "/tv/{game}",
    "/tv/{game}/embed",
    "/language",
    "/manifest.webmanifest",
    "/robots.txt",
    "/service-worker.js",
    "/icons/{size}",
    "/web/version",
    "/web/{*path}",
];

/// The routes of the pages and of their files.
pub(crate) fn routes(app: &'static App) -> Router<&'static App> {
    Router::new()
        .route("/", get(home::page))
        .route("/account", get(account::page))
        .route("/admin", get(admin::page))
        .route("/bots", get(bots::page))
        .route("/docs/problems", get(problems::page))
        .route("/lobby", get(lobby::page))
        .route("/matches", get(matches::list))
        .route("/matches/{id}", get(matches::one))
        .route("/matches/{id}/embed", get(matches::embedded))
        .route("/games/{game}", get(game::page))
        .route("/games/{game}/analysis", get(game::analysis))
        .route("/games/{game}/leaderboard", get(leaderboard::page))
        .route("/games/{game}/lessons", get(lessons::page))
        .route("/players/{name}", get(player::page))
        .route("/players/{name}/mistakes/{game}", get(mistakes::page))
        .route("/puzzles", get(puzzles::list))
        .route("/puzzles/{id}", get(puzzles::one))
        .route("/tournaments", get(tournaments::list))
        .route("/tournaments/new", get(tournaments::new))
        .route("/tournaments/{id}", get(tournaments::one))
        .route("/tv", get(tv::page))
        .route("/tv/embed", get(tv::embedded))
        .route("/tv/{game}", get(tv::of_game))
        .route("/tv/{game}/embed", get(tv::game_embedded))
        .layer(from_fn_with_state(app, trouble::for_people))
        .route("/manifest.webmanifest", get(reach::manifest))
        .layer(from_fn(visit::answer))
        .route("/language", get(visit::choose))
        .route("/matches/{id}/picture.png", get(pictures::of_match))
        .route("/matches/{id}/picture.svg", get(pictures::of_match_svg))
        .route("/games/{game}/picture.png", get(pictures::of_game))
        .route("/robots.txt", get(reach::robots))
        .route("/service-worker.js", get(asset::service_worker))
        .route("/icons/{size}", get(pictures::icon))
        .route("/web/version", get(asset::current))
        .route("/web/{*path}", get(asset::serve))
}
