//! The pages of matches: the list, and the page on which a match is played, watched and replayed. The server does not
//! look the match up, because the answer would reveal private matches: the page's module asks with the match's key.

use axum::extract::State;
use axum::response::Response;
use maud::html;

use crate::app::App;
use crate::http::MatchOf;
use crate::web::asset;
use crate::web::layout::{HtmlPage, found, needs_js};
use crate::web::words::t;

/// The list of matches, filtered by game, stage and player.
pub(super) async fn list(State(app): State<&'static App>) -> Response {
    let page = HtmlPage::new(t("matches.title")).module("matches.js");
    found(page.render(html! {
        h1 { (t("matches.title")) }
        form.filters #filters {
            label { (t("matches.game"))
                select name="game" {
                    option value="" { (t("matches.any_game")) }
                    @for offer in app.games.offers() { option value=(offer.info.slug) { (offer.info.title) } }
                }
            }
            label { (t("matches.stage"))
                select name="stage" {
                    option value="" { (t("matches.any_stage")) }
                    option value="open" { (t("stage.open")) }
                    option value="running" { (t("stage.running")) }
                    option value="over" { (t("stage.over")) }
                }
            }
            label { (t("matches.player")) input name="player" autocomplete="off" spellcheck="false" maxlength="32"; }
            noscript { button { (t("matches.filter")) } }
        }
        p #player hidden {}
        (needs_js())
        div.list data-list="matches" aria-live="polite" {}
        p.more { button #next type="button" hidden { (t("matches.more")) } }
    }))
}

/// The page of a match. It lists the games that have a board, so that its module requests no missing file.
pub(super) async fn one(State(app): State<&'static App>, MatchOf(id): MatchOf) -> Response {
    let id = id.to_string();
    let slugs = app.games.offers().iter().map(|offer| offer.info.slug);
    let boards: Vec<_> =
        slugs.filter(|slug| asset::find(&format!("games/{slug}/board.js")).is_some()).collect();
    let page =
        HtmlPage::new(t("match.title")).module("match.js").styles(&["match.css", "stage.css"]).main("match");
    found(page.around(html! { main #match data-match=(id) data-boards=(boards.join(" ")) { (needs_js()) } }))
}
