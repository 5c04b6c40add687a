//! The home page: the games, and the matches being played or just finished.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

use crate::app::App;
use crate::catalogue::Offer;
use crate::error::Error;
use crate::presentation::featured::featured;
use crate::presentation::leaderboard::board;
use crate::presentation::tournament_list::{TournamentEntry, listed};
use crate::request::extract::UrlQuery;
use crate::web::files::asset;
use crate::web::layout::{HtmlPage, found, needs_js};
use crate::web::pages::lobby::tiles_of_two;
use crate::web::pages::tournaments::card as tournament_card;
use crate::web::pages::{game, player, puzzles, tv};
use crate::web::words::{GameWords, t};

/// The other offers of the site, besides a match against an engine or a friend: the path, the texts of its name and of
/// its description.
const WAYS: [(&str, &str, &str); 4] = [
    ("/lobby", "lobby.pair.go", "home.way.people"),
    ("/tv", "tv.title", "home.way.tv"),
    ("/tournaments", "nav.tournaments", "home.way.tournaments"),
    ("/bots", "bots.title", "home.way.bots"),
];

/// How many players of each leaderboard are shown, and how many tournaments.
const TOP: &str = "3";
const TOURNAMENTS: &str = "3";

/// The home page.
pub(in crate::web) async fn page(State(app): State<&'static App>) -> Result<Response, Error> {
    let page = HtmlPage::new(t("home.title"))
        .about(t("home.lead"))
        .picture("/icons/preview.png".to_owned())
        .module("home/home.js")
        .styles(&["lib/page/home.css", "watch/watch.css"]);
    let shown = featured(app, None).await?;
    Ok(found(page.render(html! {
        section.hero {
            div.begin {
                h1 { (t("home.title")) }
                p.lead { (t("home.lead")) }
                (quick(app))
            }
            @if let Some(shown) = &shown { (tv::window(shown)) } @else { (ways()) }
        }
        section #mine hidden aria-labelledby="mine-title" {
            h2 #mine-title { (t("home.mine")) }
            div.list data-list="mine" {}
            details #past hidden { summary { (t("home.past")) } div.list data-list="past" {} }
        }
        section aria-labelledby="games" {
            h2 #games { (t("home.games")) }
            ul.games { @for offer in app.games.offers() { li { (card(offer)) } } }
            (puzzles::daily(app).await?)
        }
        @if shown.is_some() { (ways()) }
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
        div.columns {
            (tournaments(app).await?)
            (leaders(app).await?)
        }
    }))
    .into_response())
}

/// One press on a game begins a match with a short clock: against people, or an engine if none comes. `home/quick.js` does it.
fn quick(app: &App) -> Markup {
    html! {
        (tiles_of_two(app))
        p.quick-say.soft {
            span.guest { (t("home.quick.guest")) }
            span.player hidden { (t("home.quick.player")) }
        }
        p.quick-wait role="status" hidden { span.status {} " " button type="button" { (t("lobby.pair.cancel")) } }
        p.quick-trouble.trouble role="alert" hidden {}
    }
}

/// The tournaments that are open or being played; nothing if there are none.
async fn tournaments(app: &App) -> Result<Markup, Error> {
    let list = listed(app, UrlQuery(vec![("limit".to_owned(), "20".to_owned())])).await?;
    let now = |entry: &TournamentEntry| !entry.stage.is_over();
    let most = TOURNAMENTS.parse().unwrap_or(3);
    let entries: Vec<_> = list.tournaments.iter().filter(|entry| now(entry)).take(most).collect();
    Ok(html! {
        @if !entries.is_empty() {
            section aria-labelledby="tournaments" {
                h2 #tournaments { (t("nav.tournaments")) }
                div.list { @for entry in entries { (tournament_card(app, entry)) } }
            }
        }
    })
}

/// The best players of each game; nothing if no game has a rated player.
async fn leaders(app: &App) -> Result<Markup, Error> {
    let mut boards = Vec::new();
    for offer in app.games.offers() {
        let query = [("kind", "person"), ("provisional", "true"), ("limit", TOP)];
        let query = UrlQuery(query.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
        let board = board(app, offer.info.slug, query).await?;
        if !board.players.is_empty() {
            boards.push((offer.info, board));
        }
    }
    Ok(html! {
        @if !boards.is_empty() {
            section.tops aria-labelledby="tops" {
                h2 #tops { (t("lobby.boards")) }
                ul { @for (info, board) in &boards { li {
                    h3 { a href={ "/games/" (info.slug) "/leaderboard" } { (info.title) } }
                    ol { @for entry in &board.players { li {
                        a href=(player::path(&entry.name)) { (entry.name) }
                        " " span.soft { (entry.rating.points) @if entry.rating.provisional { "?" } }
                    } } }
                } } }
            }
        }
    })
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
