//! A player's page: results and matches.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};

use crate::app::App;
use crate::http::PlayerOf;
use crate::web::layout::{HtmlPage, found, needs_js};
use crate::web::words::t;

/// The page of a player.
pub(super) async fn page(State(app): State<&'static App>, PlayerOf(player): PlayerOf) -> Response {
    let name = &player.who.name;
    let page = HtmlPage::new(name).module("player.js");
    found(page.render(html! {
        h1 { (name) }
        p.soft { (t("player.since")) " " time data-ms=(player.created_ms) {} }
        h2 { (t("player.results")) }
        @if player.results.is_empty() { p.soft { (t("player.none")) } } @else {
            table.results {
                thead { tr {
                    th scope="col" { (t("player.game")) }
                    th scope="col" { (t("player.played")) }
                    th scope="col" { (t("player.won")) }
                    th scope="col" { (t("player.shared")) }
                } }
                tbody {
                    @for result in &player.results {
                        tr {
                            th scope="row" { (game(app, &result.game)) }
                            td { (result.played) }
                            td { (result.won) }
                            td { (result.shared) }
                        }
                    }
                }
            }
        }
        h2 { (t("player.matches")) }
        (needs_js())
        div.list data-list="matches" data-player=(name) aria-live="polite" {}
        p.more { button #next type="button" hidden { (t("matches.more")) } }
    }))
}

/// The name of a game that was played; a link if this server still offers the game.
fn game(app: &App, slug: &str) -> Markup {
    let offer = app.games.find(slug).ok();
    html! { @if let Some(offer) = offer { a href={ "/games/" (slug) } { (offer.info.title) } } @else { (slug) } }
}
