//! A game's page: what it is, how it is played, and the form that starts a match.

use axum::response::Response;
use engines::game::Info;
use maud::html;

use crate::http::GameOf;
use crate::web::home::picture;
use crate::web::layout::{HtmlPage, found};
use crate::web::start::start;
use crate::web::words::{GameWords, say, t};

/// The page of a game.
pub(super) async fn page(GameOf(offer): GameOf) -> Response {
    let info = offer.info;
    let words = GameWords::of(info.slug);
    let about = words.about.as_deref().unwrap_or(info.summary);
    let page = HtmlPage::new(info.title).about(about).module("game.js");
    found(page.render(html! {
        div.game-page {
            section.intro {
                img.picture src=(picture(info.slug)) alt="" width="800" height="600";
                div { h1 { (info.title) } p.lead { (about) } }
            }
            (start(offer))
            @if !words.how.is_empty() {
                section.how aria-labelledby="how" {
                    h2 #how { (t("game.how")) }
                    @for paragraph in &words.how { p { (paragraph) } }
                }
            }
        }
        section aria-labelledby="engines" {
            h2 #engines { (t("game.engines")) }
            dl.engines {
                @for engine in &offer.engines { dt { (engine.name) " " (engine.version) } dd { (engine.summary) } }
            }
        }
        section aria-labelledby="live" {
            h2 #live { (t("game.matches")) }
            p { a href={ "/games/" (info.slug) "/leaderboard" } { (say("board.title", &[("game", info.title)])) } }
            div.list data-list="matches" data-game=(info.slug) {}
        }
    }))
}

/// The number of players, in words.
pub(super) fn seats(info: &Info) -> String {
    let (least, most) = (info.min_seats.to_string(), info.max_seats.to_string());
    match least == most {
        true => say("seats.fixed", &[("seats", &least)]),
        false => say("seats.range", &[("least", &least), ("most", &most)]),
    }
}
