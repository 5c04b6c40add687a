//! A player's page: the kind of player, ratings, results and matches.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::accounts::About;
use crate::app::App;
use crate::domain::PlayerKind;
use crate::request::path::PlayerOf;
use crate::store::PlayerProfile;
use crate::web::files::asset::{self, own_texts};
use crate::web::layout::{HtmlPage, data, found, needs_js, table};
use crate::web::pages::leaderboard::{cell_of, kind_text};
use crate::web::pages::lobby::{challenge, challenge_button};
use crate::web::pages::mistakes;
use crate::web::visit::language;
use crate::web::words::{iso_date, player_name, say, t};

/// The characters to encode in a part of a path: the same as for `encodeURIComponent`, with which modules make links.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// The least number of finished matches of a game from which the page asks for the player's first moves.
const FIRST_MOVES: u64 = 5;

/// The path of a player's page.
pub(in crate::web) fn path(name: &str) -> String {
    format!("/players/{}", utf8_percent_encode(name, ENCODED))
}

/// The page of a player.
pub(in crate::web) async fn page(State(app): State<&'static App>, PlayerOf(player): PlayerOf) -> Response {
    let name = &player.who.name;
    let shown = player_name(name);
    let results = say("matches.player_page", &[("name", &shown)]);
    // Only a board can say its moves.
    let has_board = |game: &str| asset::find(&format!("games/{game}/board.js")).is_some();
    let begun: Vec<&str> = player
        .results
        .iter()
        .filter(|result| result.played >= FIRST_MOVES && has_board(&result.game))
        .map(|result| result.game.as_str())
        .collect();
    let page = HtmlPage::new(&shown).about(&results).module("club/player.js");
    found(page.render(html! {
        h1 { (shown) }
        (about(&player))
        @if let Some(vacation) = app.matches.vacations().of(&player.who.id, app.matches.now().ms()) {
            p.vacation { (say("match.vacation", &[("date", &iso_date(vacation.until_ms - 1))])) }
        }
        @if player.kind != PlayerKind::Engine {
            p.buttons { (challenge_button(name, None)) span data-block=(player.owner.as_ref().unwrap_or(name)) {} span #follow {} " " span #report {} }
        }
        p.soft { (t("player.since")) " "
            time data-ms=(player.created_ms) { (iso_date(player.created_ms)) } }
        @if player.kind == PlayerKind::Bot {
            section #programs data-programs=(name) data-owner=(player.owner.as_deref().unwrap_or_default()) hidden {
                h2 { (t("programs.title")) }
                div.program-list {}
            }
            (data("texts", &own_texts("programs.", language().tag)))
        }
        @if !player.ratings.is_empty() { (ratings(app, &player)) }
        // A part for each game with a rating: its history as a graph, and the results against each opponent.
        div.histories data-player=(name) {
            @for rating in &player.ratings {
                section data-rating=(rating.game) aria-label=(title(app, &rating.game)) {
                    h3 { (title(app, &rating.game)) }
                    div.history {}
                    div.proud {}
                    div.opponents-of {}
                }
            }
        }
        @if player.kind == PlayerKind::Bot {
            section #faults data-faults=(name) data-owner=(player.owner.as_deref().unwrap_or_default()) {
                h2 { (t("faults.title")) }
                div.fault-list {}
                div.checks {}
            }
        }
        h2 #results { (t("player.results")) }
        @if player.results.is_empty() { p.soft { (t("player.none")) } } @else {
            (table("results", false, html! {
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
            }))
        }
        @if player.kind != PlayerKind::Engine && !begun.is_empty() {
            section #first-moves data-games=(begun.join(" ")) data-move=(t("player.first.move")) data-played=(t("player.first.played")) hidden {
                h2 { (t("player.first")) }
                p.soft { (t("player.first.say")) }
                div.tables {}
            }
        }
        @if player.kind != PlayerKind::Engine {
            @for result in &player.results {
                @if let Ok(offer) = app.games.find(&result.game) {
                    p { a href=(mistakes::path(name, offer.info.slug)) { (say("mistakes.link", &[("game", offer.info.title)])) } }
                }
            }
        }
        h2 { (t("player.matches")) }
        (needs_js())
        @if player.results.len() > 1 {
            p { label.filter { (t("matches.game"))
                select #game {
                    option value="" { (t("matches.any_game")) }
                    @for result in &player.results {
                        option value=(result.game) { (title(app, &result.game)) }
                    }
                }
            } }
        }
        div.list data-list="matches" data-player=(name) aria-live="polite" {}
        p.more { button #next type="button" hidden { (t("matches.more")) } }
        (challenge(app))
    }))
}

/// The kind of player, the owner, and the player's description of itself.
fn about(player: &PlayerProfile) -> Markup {
    let About { description, version, source } = About::read(player.about.as_deref());
    html! {
        @if player.kind != PlayerKind::Person {
            p {
                (kind_text(player.kind))
                @if let Some(version) = version { " " (version) }
                @if let Some(owner) = &player.owner {
                    " · " (t("player.owner")) " " a href=(path(owner)) { (owner) }
                }
            }
        }
        @if let Some(description) = description { p { (description) } }
        @if let Some(source) = source { p { a href=(source) rel="nofollow noopener noreferrer ugc" { (source) } } }
    }
}

/// The ratings in all games.
fn ratings(app: &App, player: &PlayerProfile) -> Markup {
    html! {
        h2 #ratings { (t("player.ratings")) }
        (table("ratings", false, html! {
            thead { tr {
                th scope="col" { (t("player.game")) }
                th scope="col" { (t("board.rank")) }
                th scope="col" { (t("board.rating")) }
                th scope="col" { (t("board.played")) }
            } }
            tbody {
                @for rating in &player.ratings {
                    tr {
                        th scope="row" {
                            @if let Ok(offer) = app.games.find(&rating.game) {
                                a href={ "/games/" (rating.game) "/leaderboard" } { (offer.info.title) }
                            } @else { (rating.game) }
                        }
                        td { @if let Some(rank) = rating.rank { (rank) } @else { "–" } }
                        (cell_of(rating.rating))
                        td { (rating.played) }
                    }
                }
            }
        }))
    }
}

/// The title of a game; its short name if this server no longer offers it.
fn title<'a>(app: &App, slug: &'a str) -> std::borrow::Cow<'a, str> {
    app.games.find(slug).map_or(slug.into(), |offer| offer.info.title.to_owned().into())
}

/// The name of a game that was played; a link if this server still offers the game.
fn game(app: &App, slug: &str) -> Markup {
    let offer = app.games.find(slug).ok();
    html! { @if let Some(offer) = offer { a href={ "/games/" (slug) } { (offer.info.title) } } @else { (slug) } }
}
