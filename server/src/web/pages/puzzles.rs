//! The pages of puzzles: the games that have some, and one puzzle on its board. The module of a puzzle does everything.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};

use crate::analysis::puzzles::Puzzle;
use crate::app::App;
use crate::catalogue::Offer;
use crate::error::Error;
use crate::request::extract::{UrlQuery, unknown};
use crate::request::path::PuzzleOf;
use crate::web::files::asset::{self, own_texts};
use crate::web::layout::{HtmlPage, data, found, needs_js};
use crate::web::pages::home::tiles;
use crate::web::visit::language;
use crate::web::words::{say, t};

/// The path of the pages.
pub(in crate::web) const PATH: &str = "/puzzles";

/// The path of the puzzles of a game.
pub(in crate::web) fn path_of_game(slug: &str) -> String {
    format!("{PATH}?game={slug}")
}

/// The list of games; with a game, a puzzle of it that the visitor has not tried.
pub(in crate::web) async fn list(
    State(app): State<&'static App>,
    query: UrlQuery,
) -> Result<Response, Error> {
    let mut game = None;
    for (name, value) in query.0 {
        match name.as_str() {
            "game" => game = Some(app.games.find(&value)?),
            _ => return Err(unknown(&name, "game")),
        }
    }
    match game {
        Some(offer) => board(app, offer, None).await,
        None => games(app).await,
    }
}

/// The page of a puzzle.
pub(in crate::web) async fn one(
    State(app): State<&'static App>,
    PuzzleOf(id): PuzzleOf,
) -> Result<Response, Error> {
    let Puzzle { stored, .. } = app.puzzles.get(&id).await?;
    board(app, app.games.find(&stored.game)?, Some(id.as_str())).await
}

async fn games(app: &App) -> Result<Response, Error> {
    let daily = daily(app).await?;
    Ok(found(HtmlPage::new(t("puzzle.title")).about(t("puzzle.about")).render(html! {
        h1 { (t("puzzle.title")) }
        p.lead { (t("puzzle.about")) }
        p.soft { (t("puzzle.source")) }
        (daily)
        (tiles(app, path_of_game))
    })))
}

/// The page with the board of a puzzle; `None`: the module asks for one.
async fn board(app: &App, offer: &Offer, puzzle: Option<&str>) -> Result<Response, Error> {
    let info = offer.info;
    let title = say("puzzle.of_game", &[("game", info.title)]);
    let own = asset::find(&format!("games/{}/board.js", info.slug)).is_some();
    let daily = app.puzzles.daily(info.slug).await?.map(|daily| daily.stored.id.to_string());
    let page = HtmlPage::new(&title)
        .about(t("puzzle.about"))
        .module("editor/puzzle.js")
        .styles(&["match/match.css", "board/stage.css", "editor/position.css"])
        // The layout is that of the analysis board.
        .main("position");
    Ok(found(page.around(html! {
        main #position data-game=(info.slug) data-own=[own.then_some("yes")] data-puzzle=[puzzle] data-daily=[daily] {
            h1 { (title) " " a href=(PATH) { (t("puzzle.all")) } }
            (needs_js())
            (data("texts", &own_texts("puzzle.", language().tag)))
        }
    })))
}

/// Links to the puzzles of today, one for each game that has puzzles; nothing if none has.
pub(in crate::web) async fn daily(app: &App) -> Result<Markup, Error> {
    let mut links = Vec::new();
    for offer in app.games.offers() {
        if let Some(puzzle) = app.puzzles.daily(offer.info.slug).await? {
            links.push((format!("{PATH}/{}", puzzle.stored.id), offer.info.title));
        }
    }
    Ok(html! {
        @if !links.is_empty() {
            p.daily.more {
                b { (t("puzzle.daily")) ":" }
                @for (path, title) in &links { " " a href=(path) { (title) } }
            }
        }
    })
}
