//! A game's page: what it is, the form that starts a match, how it is played, and its engines.

use axum::response::Response;
use engines::erased::EngineInfo;
use engines::game::Info;
use maud::{Markup, html};

use crate::catalogue::Offer;
use crate::request::path::GameOf;
use crate::web::files::asset;
use crate::web::layout::{HtmlPage, found, needs_js};
use crate::web::pages::home::picture;
use crate::web::pages::{lessons, puzzles};
use crate::web::rules;
use crate::web::start::{clock_template, start};
use crate::web::words::{GameWords, engine_name, game_text, say, t};

/// The page of a game.
pub(in crate::web) async fn page(GameOf(offer): GameOf) -> Response {
    let info = offer.info;
    let words = GameWords::of(info.slug);
    let about = words.about.as_deref().unwrap_or(info.summary);
    let page = HtmlPage::new(info.title).about(about);
    let page = page
        .picture(format!("/games/{}/picture.png", info.slug))
        .module("home/game.js")
        .styles(&["lib/page/pages.css", "teach/teach.css"]);
    found(page.render(html! {
        div.game-page {
            section.intro {
                img.picture src=(picture(info.slug)) alt="" width="800" height="600";
                div {
                    h1 { (info.title) }
                    p.lead { (about) }
                    p.soft {
                        (seats(info)) " · " a href="#how" { (t("game.how")) }
                        @if lessons::are_there(info.slug) { " · " a href=(lessons::path(info.slug)) { (t("lesson.title")) } }
                    }
                }
            }
            (start(offer))
            div {
                nav.ways aria-label=(say("game.more", &[("game", info.title)])) {
                    @if lessons::are_there(info.slug) {
                        a href=(lessons::path(info.slug)) { b { (t("lesson.title")) } span { (t("lesson.say")) } }
                    }
                    a href={ "/games/" (info.slug) "/analysis" } {
                        b { (t("game.analysis")) } span { (t("game.analysis.say")) }
                    }
                    a href=(puzzles::path_of_game(info.slug)) {
                        b { (t("puzzle.title")) } span { (t("puzzle.say")) }
                    }
                    a href={ "/games/" (info.slug) "/leaderboard" } {
                        b { (t("game.board")) } span { (t("game.board.say")) }
                    }
                }
                section aria-labelledby="live" {
                    h2 #live { (t("game.matches")) }
                    (needs_js())
                    div.list data-list="matches" data-game=(info.slug) {}
                    p.more { a href={ "/matches?game=" (info.slug) } { (t("home.all")) } }
                }
            }
        }
        section.how aria-labelledby="how" {
            h2 #how { (t("game.how")) }
            (rules::explained(info.slug, words.how.as_deref()))
        }
        (engines(offer))
    }))
}

/// The engines of a game: the best one, the strength of its levels, and the others for authors of bots.
fn engines(offer: &Offer) -> Markup {
    let slug = offer.info.slug;
    html! {
        section aria-labelledby="engines" {
            h2 #engines { (t("game.engines")) }
            @if let Some((main, others)) = offer.engines.split_first() {
                dl.engines { (engine(t("game.main_engine"), slug, main)) }
                @if let Some(levels) = game_text(slug, "levels") {
                    p.levels { b { (t("game.levels")) } " " (levels) }
                }
                @if !others.is_empty() {
                    details {
                        summary { (t("game.other_engines")) }
                        dl.engines { @for other in others { (engine(&engine_name(slug, &other.name), slug, other)) } }
                        p.soft {
                            (t("game.engine_api"))
                            @for other in &offer.engines { " " code title=(engine_name(slug, &other.name)) { (other.name) } }
                        }
                    }
                }
            }
        }
    }
}

/// The page on which a visitor analyses a position of their own. Its module does everything.
pub(in crate::web) async fn analysis(GameOf(offer): GameOf) -> Response {
    let info = offer.info;
    let title = say("position.title", &[("game", info.title)]);
    let own = asset::find(&format!("games/{}/board.js", info.slug)).is_some();
    let page = HtmlPage::new(&title)
        .about(t("game.analysis.say"))
        .module("editor/position.js")
        .styles(&["match/match.css", "board/stage.css", "editor/position.css"])
        .main("position");
    found(page.around(html! {
        main #position data-game=(info.slug) data-own=[own.then_some("yes")] data-contest[info.has_contest()] {
            h1 { (title) " " a href={ "/games/" (info.slug) } { (t("position.game")) } }
            (needs_js())
        }
        (clock_template())
    }))
}

/// An engine by this name for people, with its style and strength.
fn engine(name: &str, slug: &str, engine: &EngineInfo) -> Markup {
    let version = engine.version.to_string();
    let about = game_text(slug, &format!("engine.{}.about", engine.name));
    html! {
        dt {
            (name) " "
            span.soft { (say("game.engine_version", &[("version", &version)])) }
        }
        dd { (about.as_deref().unwrap_or(&engine.summary)) }
    }
}

/// The number of players, in words.
pub(in crate::web) fn seats(info: &Info) -> String {
    let (least, most) = (info.min_seats.to_string(), info.max_seats.to_string());
    match least == most {
        true => say("seats.fixed", &[("seats", &least)]),
        false => say("seats.range", &[("least", &least), ("most", &most)]),
    }
}
