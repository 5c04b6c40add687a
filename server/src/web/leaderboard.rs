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
use crate::web::layout::{HtmlPage, found, table};
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
    // Engines cannot be challenged.
    let challenged = board.players.iter().any(|entry| entry.kind != PlayerKind::Engine);
    let page = HtmlPage::new(&title).about(t("board.about")).render(html! {
        h1 #title { (title) }
        p.lead { (t("board.about")) }
        p { a.button.main href={ "/games/" (info.slug) } { (say("board.play_game", &[("game", info.title)])) } }
        nav.tabs aria-label=(t("board.kinds")) {
            (choice(&here, None, kind.as_deref()))
            @for of in PlayerKind::ALL { (choice(&here, Some(of), kind.as_deref())) }
        }
        @if board.players.is_empty() { p.none { (t("board.none")) } } @else {
            div.leaders { (table("title", true, html! {
                thead { tr {
                    th scope="col" { (t("board.rank")) }
                    th scope="col" { (t("board.player")) }
                    th scope="col" { (t("board.rating")) }
                    th.spare scope="col" { (t("board.played")) }
                    @if challenged { th scope="col" { span.ear { (t("challenge.button")) } } }
                } }
                tbody { @for entry in &board.players { (row(info.slug, entry, challenged)) } }
            })) }
            p.soft { (t("board.provisional")) }
        }
        @if let Some(next) = next { p.more { a rel="next" href=(next) { (t("matches.more")) } } }
        section aria-labelledby="boards" {
            h2 #boards { (t("lobby.boards")) }
            (boards(app, Some(info.slug)))
        }
        (challenge(app))
    });
    Ok(found(page).into_response())
}

/// Links to the leaderboards of all games. `current`: the short name of the game whose leaderboard the page shows.
pub(super) fn boards(app: &App, current: Option<&str>) -> Markup {
    let games = app.games.offers().iter().map(|offer| offer.info);
    html! {
        nav.tabs aria-labelledby="boards" {
            @for info in games {
                @let here = (current == Some(info.slug)).then_some("page");
                a href={ "/games/" (info.slug) "/leaderboard" } aria-current=[here] { (info.title) }
            }
        }
    }
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
    html! { a href=(path) aria-current=[(name == shown).then_some("page")] { (text) } }
}

/// `challenged`: the table has a column for the button that challenges a player.
fn row(game: &str, entry: &LeaderboardEntry, challenged: bool) -> Markup {
    html! {
        tr {
            td { @if let Some(rank) = entry.rank { (rank) } @else { "–" } }
            th scope="row" {
                a href=(player::path(&entry.name)) { (player_name(&entry.name)) }
                " " span.soft { (kind_text(entry.kind)) }
            }
            (rating_cell(entry.rating.points, entry.rating.margin, entry.rating.provisional))
            td.spare { (entry.played) }
            @if challenged {
                td { @if entry.kind != PlayerKind::Engine { (challenge_button(&entry.name, Some(game))) } }
            }
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

/// A cell of a table: the rating, marked if it is provisional, and its margin.
pub(super) fn rating_cell(points: i64, margin: i64, provisional: bool) -> Markup {
    html! {
        td.rating {
            (points) @if provisional { abbr title=(t("board.provisional")) { "?" } }
            " " span.soft { "± " (margin) }
        }
    }
}

/// The same for a rating.
pub(super) fn cell_of(rating: Rating) -> Markup {
    // Ratings are far from the bounds of i64.
    rating_cell(rating.points().round() as i64, rating.margin().round() as i64, rating.is_provisional())
}
