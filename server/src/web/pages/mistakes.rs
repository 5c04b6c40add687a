//! A player's costliest decisions in a game: a table by phase and kind, and a list with links to the analysis board.

use axum::extract::State;
use axum::response::Response;
use maud::html;

use crate::app::App;
use crate::request::path::{GameOf, PlayerOf};
use crate::web::files::asset;
use crate::web::layout::{HtmlPage, found, needs_js};
use crate::web::pages::player::path as player_path;
use crate::web::words::{player_name, say, t};

/// The path of the page.
pub(in crate::web) fn path(player: &str, game: &str) -> String {
    format!("{}/mistakes/{game}", player_path(player))
}

/// The page of a player's costliest decisions in a game.
pub(in crate::web) async fn page(
    State(_): State<&'static App>,
    PlayerOf(player): PlayerOf,
    GameOf(offer): GameOf,
) -> Response {
    let name = &player.who.name;
    let shown = player_name(name);
    let title = say("mistakes.title", &[("name", &shown), ("game", offer.info.title)]);
    let slug = offer.info.slug;
    let has_board = asset::find(&format!("games/{slug}/board.js")).is_some();
    found(HtmlPage::new(&title).about(t("mistakes.about")).module("club/mistakes.js").render(html! {
        h1 { (title) }
        p { a href=(player_path(name)) { (say("matches.player_page", &[("name", &shown)])) } }
        p { (t("mistakes.about")) }
        (needs_js())
        div #mistakes data-player=(name) data-game=(slug) data-board[has_board] aria-live="polite" {}
        p.more { button #next type="button" hidden { (t("matches.more")) } }
    }))
}
