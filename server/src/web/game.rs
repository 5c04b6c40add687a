//! A game's page: what it is, how it is played, and the form that starts a match.

use axum::response::Response;
use engines::erased::EngineInfo;
use engines::game::Info;
use maud::{Markup, html};

use crate::http::GameOf;
use crate::web::home::picture;
use crate::web::layout::{HtmlPage, found};
use crate::web::start::start;
use crate::web::words::{GameWords, engine_about, engine_name, say, t};

/// The page of a game.
pub(super) async fn page(GameOf(offer): GameOf) -> Response {
    let info = offer.info;
    let words = GameWords::of(info.slug);
    let about = words.about.as_deref().unwrap_or(info.summary);
    let page = HtmlPage::new(info.title).about(about);
    let page = page.picture(format!("/games/{}/picture.png", info.slug)).module("game.js");
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
            @if let Some((main, others)) = offer.engines.split_first() {
                dl.engines { (engine(info.slug, main)) }
                @if !others.is_empty() {
                    details {
                        summary { (t("game.other_engines")) }
                        dl.engines { @for other in others { (engine(info.slug, other)) } }
                    }
                }
            }
        }
        section aria-labelledby="live" {
            h2 #live { (t("game.matches")) }
            p { a href={ "/games/" (info.slug) "/leaderboard" } { (say("board.title", &[("game", info.title)])) } }
            div.list data-list="matches" data-game=(info.slug) {}
        }
    }))
}

/// An engine by its name for people, with the name by which bots choose it.
fn engine(slug: &str, engine: &EngineInfo) -> Markup {
    let version = engine.version.to_string();
    html! {
        dt {
            (engine_name(slug, &engine.name)) " "
            span.soft { (say("game.engine_version", &[("name", &engine.name), ("version", &version)])) }
        }
        dd { @if let Some(about) = engine_about(slug, &engine.name) { (about) } @else { (engine.summary) } }
    }
}

/// The number of players, in words.
pub(super) fn seats(info: &Info) -> String {
    let (least, most) = (info.min_seats.to_string(), info.max_seats.to_string());
    match least == most {
        true => say("seats.fixed", &[("seats", &least)]),
        false => say("seats.range", &[("least", &least), ("most", &most)]),
    }
}
