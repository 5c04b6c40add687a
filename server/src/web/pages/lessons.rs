//! The lessons of a game: positions on its board, each with a task. The module does everything; the game's folder has the lessons.

use axum::response::Response;
use maud::html;

use crate::error::{Code, Error};
use crate::request::path::GameOf;
use crate::web::files::asset::{self, own_texts};
use crate::web::layout::{HtmlPage, data, found, needs_js};
use crate::web::pages::puzzles;
use crate::web::visit::language;
use crate::web::words::{say, t};

/// Whether a game has lessons.
pub(in crate::web) fn are_there(slug: &str) -> bool {
    asset::find(&format!("games/{slug}/lessons/lessons.json")).is_some()
}

/// The path of a game's lessons.
pub(in crate::web) fn path(slug: &str) -> String {
    format!("/games/{slug}/lessons")
}

/// The page of a game's lessons.
///
/// # Errors
/// `not_found` if the game has none.
pub(in crate::web) async fn page(GameOf(offer): GameOf) -> Result<Response, Error> {
    let info = offer.info;
    let slug = info.slug;
    if !are_there(slug) {
        return Err(Error::new(Code::NotFound, format!("{} has no lessons", info.title)));
    }
    let title = say("lesson.of_game", &[("game", info.title)]);
    let own = asset::find(&format!("games/{slug}/board.js")).is_some();
    let page = HtmlPage::new(&title)
        .about(t("lesson.about"))
        .module("teach/lessons.js")
        .styles(&["match/match.css", "board/stage.css", "editor/position.css", "teach/lessons.css"])
        // The layout is that of the analysis board.
        .main("position");
    Ok(found(page.around(html! {
        main.lessons #position data-game=(slug) data-own=[own.then_some("yes")] data-puzzles=(puzzles::path_of_game(slug)) {
            h1 { (title) " " a href={ "/games/" (slug) } { (t("position.game")) } }
            (needs_js())
            (data("texts", &own_texts("lesson.", language().tag)))
        }
    })))
}
