//! The home page: the games, and the matches being played or just finished.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};

use crate::app::App;
use crate::catalogue::Offer;
use crate::web::files::asset;
use crate::web::layout::{HtmlPage, found, needs_js};
use crate::web::pages::game;
use crate::web::words::{GameWords, t};

/// The other offers of the site, besides a match against an engine or a friend: the path, the texts of its name and of
/// its description.
const WAYS: [(&str, &str, &str); 3] = [
    ("/lobby", "lobby.pair.go", "home.way.people"),
    ("/tournaments", "nav.tournaments", "home.way.tournaments"),
    ("/bots", "bots.title", "home.way.bots"),
];

/// The home page.
pub(in crate::web) async fn page(State(app): State<&'static App>) -> Response {
    let page = HtmlPage::new(t("home.title"))
        .about(t("home.lead"))
        .picture("/icons/preview.png".to_owned())
        .module("home/home.js");
    found(page.render(html! {
        section.hero {
            div {
                h1 { (t("home.title")) }
                p.lead { (t("home.lead")) }
            }
            (ways())
        }
        section #mine hidden aria-labelledby="mine-title" {
            h2 #mine-title { (t("home.mine")) }
            div.list data-list="mine" {}
            details #past hidden { summary { (t("home.past")) } div.list data-list="past" {} }
        }
        section aria-labelledby="games" {
            h2 #games { (t("home.games")) }
            ul.games { @for offer in app.games.offers() { li { (card(offer)) } } }
        }
        div.columns {
            section aria-labelledby="live" {
                h2 #live { (t("home.live")) }
                (needs_js())
                div.list data-list="running" {}
            }
            section aria-labelledby="recent" {
                h2 #recent { (t("home.recent")) }
                div.list data-list="over" {}
            }
        }
        p.more { a href="/matches" { (t("home.all")) } }
    }))
}

/// Links to the [`WAYS`].
pub(in crate::web) fn ways() -> Markup {
    html! {
        nav.ways aria-label=(t("home.ways")) {
            @for (path, name, about) in WAYS {
                a href=(path) { b { (t(name)) } span { (t(about)) } }
            }
        }
    }
}

/// A game as a card that links to its page.
fn card(offer: &Offer) -> Markup {
    let info = offer.info;
    let words = GameWords::of(info.slug);
    html! {
        a.game href={ "/games/" (info.slug) } {
            img src=(picture(info.slug)) alt="" width="400" height="300";
            span.name { (info.title) }
            span.about { (words.about.as_deref().unwrap_or(info.summary)) }
            span.seats { (game::seats(info)) }
            span.go aria-hidden="true" { (t("home.play")) }
        }
    }
}

/// All games as a list of small links, each with the game's picture. `path`: of a link, for the game's short name.
pub(in crate::web) fn tiles(app: &App, path: impl Fn(&str) -> String) -> Markup {
    html! {
        ul.boards { @for offer in app.games.offers() {
            li { a href=(path(offer.info.slug)) {
                img src=(picture(offer.info.slug)) alt="" width="40" height="30" loading="lazy";
                (offer.info.title)
            } }
        } }
    }
}

/// The path of a game's picture; a generic one for a game without a picture.
pub(in crate::web) fn picture(slug: &str) -> String {
    let own = format!("games/{slug}/picture.svg");
    asset::url(if asset::find(&own).is_some() { &own } else { "picture.svg" })
}
