//! A game's leaderboard: its players by rating, people, bots and built-in engines.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::app::App;
use crate::domain::PlayerKind;
use crate::error::Error;
use crate::http::GameOf;
use crate::http::ratings::{LeaderboardEntry, board};
use crate::http::request::extract::Query;
use crate::ratings::Rating;
use crate::web::layout::{HtmlPage, found};
use crate::web::lobby::{challenge, challenge_button};
use crate::web::player;
use crate::web::words::{player_name, say, t};

/// The leaderboard of a game.
pub(super) async fn page(
    State(app): State<&'static App>,
    GameOf(offer): GameOf,
    query: Query,
) -> Result<Response, Error> {
    let info = offer.info;
    let kind = query.0.iter().find(|(name, _)| name == "kind").map(|(_, kind)| kind.clone());
    let board = board(app, info.slug, query).await?;
    let here = format!("/games/{}/leaderboard", info.slug);
    let title = say("board.title", &[("game", info.title)]);
    let next = board.next.as_ref().map(|next| {
        let kind = kind.as_ref().map_or_else(String::new, |kind| format!("&kind={kind}"));
        format!("{here}?after={}{kind}", utf8_percent_encode(next, NON_ALPHANUMERIC))
    });
    let page = HtmlPage::new(&title).render(html! {
        h1 { (title) }
        p { a href={ "/games/" (info.slug) } { (info.title) } }
        p { (t("board.about")) }
        p {
            (choice(&here, None, kind.as_deref()))
            @for of in PlayerKind::ALL { " · " (choice(&here, Some(of), kind.as_deref())) }
        }
        @if board.players.is_empty() { p.soft { (t("board.none")) } } @else {
            div.wide { table.results {
                thead { tr {
                    th scope="col" { (t("board.player")) }
                    th scope="col" { (t("board.rank")) }
                    th scope="col" { (t("board.rating")) }
                    th scope="col" { (t("board.margin")) }
                    th scope="col" { (t("board.played")) }
                    th scope="col" { span.ear { (t("challenge.button")) } }
                } }
                tbody { @for entry in &board.players { (row(info.slug, entry)) } }
            } }
        }
        @if let Some(next) = next { p { a rel="next" href=(next) { (t("matches.more")) } } }
        p.soft { (t("board.provisional")) }
        (challenge(app))
    });
    Ok(found(page).into_response())
}

/// A link to the list of one kind of players, or of all.
fn choice(here: &str, kind: Option<PlayerKind>, shown: Option<&str>) -> Markup {
    let name = kind.map(PlayerKind::name);
    let path = name.map_or_else(|| here.to_owned(), |name| format!("{here}?kind={name}"));
    let text = t(match kind {
        None => "board.all",
        Some(PlayerKind::Person) => "board.people",
        Some(PlayerKind::Bot) => "board.bots",
        Some(PlayerKind::Engine) => "board.engines",
    });
    html! { @if name == shown { strong { (text) } } @else { a href=(path) { (text) } } }
}

fn row(game: &str, entry: &LeaderboardEntry) -> Markup {
    html! {
        tr {
            th scope="row" {
                a href=(player::path(&entry.name)) { (player_name(&entry.name)) }
                " " span.soft { (kind_text(entry.kind)) }
            }
            td { @if let Some(rank) = entry.rank { (rank) } @else { "–" } }
            (rating_cells(entry.rating.points, entry.rating.margin, entry.rating.provisional))
            td { (entry.played) }
            td { @if entry.kind != PlayerKind::Engine { (challenge_button(&entry.name, Some(game))) } }
        }
    }
}

/// The kind of a player, in a word; nothing for people.
pub(super) fn kind_text(kind: PlayerKind) -> &'static str {
    match kind {
        PlayerKind::Person => "",
        PlayerKind::Bot => t("kind.bot"),
        PlayerKind::Engine => t("kind.engine"),
    }
}

/// Two cells of a table: the rating, marked if it is provisional, and its margin.
pub(super) fn rating_cells(points: i64, margin: i64, provisional: bool) -> Markup {
    html! {
        td { (points) @if provisional { abbr title=(t("board.provisional")) { "?" } } }
        td { "± " (margin) }
    }
}

/// The same for a rating.
pub(super) fn cells_of(rating: Rating) -> Markup {
    // Ratings are far from the bounds of i64.
    rating_cells(rating.points().round() as i64, rating.margin().round() as i64, rating.is_provisional())
}
