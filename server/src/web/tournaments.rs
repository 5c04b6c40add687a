//! The pages of tournaments: the list, and one tournament with its standings, crosstable and games.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::app::App;
use crate::domain::{PlayerKind, TournamentStage};
use crate::error::Error;
use crate::http::TournamentOf;
use crate::http::request::extract::Query;
use crate::http::tournaments::page::{self, GameShown, GameStage, StandingShown, TournamentPage};
use crate::http::tournaments::{TournamentEntry, listed};
use crate::tournaments::event::Format;
use crate::web::layout::{HtmlPage, found};
use crate::web::leaderboard::kind_text;
use crate::web::words::{player_name, say, t};

/// The most games that a page lists; the API has all of them.
const MAX_GAMES: usize = 500;

/// The list of tournaments, the newest first.
pub(super) async fn list(State(app): State<&'static App>, query: Query) -> Result<Response, Error> {
    let list = listed(app, query).await?;
    let page = HtmlPage::new(t("tournaments.title")).render(html! {
        h1 { (t("tournaments.title")) }
        p { (t("tournaments.about")) }
        @if list.tournaments.is_empty() { p.soft { (t("tournaments.none")) } } @else {
            table.results {
                thead { tr {
                    th scope="col" { (t("tournaments.name")) }
                    th scope="col" { (t("tournaments.game")) }
                    th scope="col" { (t("tournaments.stage")) }
                    th scope="col" { (t("tournaments.entrants")) }
                    th scope="col" { (t("tournaments.games")) }
                } }
                tbody { @for entry in &list.tournaments { (row(app, entry)) } }
            }
        }
        @if let Some(next) = &list.next {
            p { a rel="next" href={ "/tournaments?before=" (next) } { (t("matches.more")) } }
        }
    });
    Ok(found(page).into_response())
}

fn row(app: &App, entry: &TournamentEntry) -> Markup {
    html! {
        tr {
            th scope="row" { a href={ "/tournaments/" (entry.id) } { (entry.summary.title) } }
            td { (title_of(app, &entry.game)) }
            td { (stage_text(entry.stage)) }
            td { (entry.summary.entrants) }
            td { (entry.summary.finished) " / " (entry.summary.games) }
        }
    }
}

fn title_of(app: &App, slug: &str) -> String {
    app.games.find(slug).map_or_else(|_| slug.to_owned(), |offer| offer.info.title.to_owned())
}

fn stage_text(stage: TournamentStage) -> &'static str {
    t(match stage {
        TournamentStage::Registration => "tournaments.registration",
        TournamentStage::Running => "tournaments.running",
        TournamentStage::Paused => "tournaments.paused",
        TournamentStage::Ended => "tournaments.ended",
        TournamentStage::Aborted => "tournaments.aborted",
    })
}

/// One tournament.
pub(super) async fn one(
    State(app): State<&'static App>,
    TournamentOf(id): TournamentOf,
) -> Result<Response, Error> {
    let page = page::read(app, &id).await?;
    let api = format!("/v1/tournaments/{}", page.id);
    let html = HtmlPage::new(&page.title).render(html! {
        h1 { (page.title) }
        p { a href={ "/games/" (page.game) } { (title_of(app, &page.game)) } " · " (stage_text(page.stage)) " · "
            (format_text(page.format)) " · " (say("tournaments.organizer", &[("name", &page.organizer)])) }
        h2 #standings { (t("tournaments.standings")) }
        @if page.standings.is_empty() { p.soft { (t("tournaments.no_entrants")) } } @else {
            div.wide { (standings(&page)) }
            p.soft { (t("tournaments.superiority_say")) }
        }
        @if !page.crosstable.is_empty() {
            h2 { (t("tournaments.crosstable")) }
            div.wide { (crosstable(&page)) }
        }
        @if !page.games.is_empty() {
            h2 { (t("tournaments.games")) }
            div.wide { (games(&page)) }
            @if page.games.len() > MAX_GAMES { p.soft { (t("tournaments.first_games")) } }
        }
        h2 { (t("tournaments.fairness")) }
        p { (t("tournaments.commitment")) " " code { (page.commitment) } }
        @if let (Some(secret), Some(salt)) = (&page.secret, &page.salt) {
            p { (t("tournaments.secret")) " " code { (secret) } " · " (t("tournaments.salt")) " " code { (salt) } }
        }
        p { a href={ (api) "/standings.csv" } { (t("tournaments.csv")) } " · " a href=(api) { "JSON" }
            @if page.stage.is_over() { " · " a href={ (api) "/records" } { (t("tournaments.records")) } } }
    });
    Ok(found(html).into_response())
}

fn format_text(format: Format) -> String {
    match format {
        Format::RoundRobin => t("tournaments.round_robin").to_owned(),
        Format::Swiss { rounds } => say("tournaments.swiss", &[("rounds", &rounds.to_string())]),
    }
}

fn standings(page: &TournamentPage) -> Markup {
    html! {
        table.results {
            thead { tr {
                th scope="col" { (t("tournaments.player")) }
                th scope="col" { (t("tournaments.place")) }
                th scope="col" { (t("tournaments.points")) }
                th scope="col" { (t("tournaments.played")) }
                th scope="col" { (t("tournaments.won")) }
                th scope="col" { (t("tournaments.direct")) }
                th scope="col" { "Buchholz" }
                th scope="col" { "Sonneborn-Berger" }
                th scope="col" { (t("tournaments.score")) }
                th scope="col" { (t("tournaments.superiority")) }
            } }
            tbody { @for line in &page.standings { (standing(page, line)) } }
        }
    }
}

fn standing(page: &TournamentPage, line: &StandingShown) -> Markup {
    let percent = |value: f64| format!("{:.0}%", 100.0 * value);
    html! {
        tr {
            th scope="row" { (player(page, line.entrant)) }
            td { (line.place) }
            td { (number(line.points)) }
            td { (line.games) }
            td { (line.won) }
            td { (number(line.direct)) }
            td { (number(line.buchholz)) }
            td { (number(line.sonneborn_berger)) }
            td { @if let Some(score) = line.score {
                (percent(score.mean))
                @if let (Some(low), Some(high)) = (score.low, score.high) { " (" (percent(low)) "–" (percent(high)) ")" }
            } @else { "–" } }
            td { @if let Some(likelihood) = line.superiority { (percent(likelihood)) } @else { "–" } }
        }
    }
}

/// At most two digits after the point.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// An entrant, with a link to the player's page.
fn player(page: &TournamentPage, entrant: usize) -> Markup {
    let Some(entrant) = page.entrants.get(entrant) else { return html! {} };
    html! {
        a href={ "/players/" (utf8_percent_encode(&entrant.name, NON_ALPHANUMERIC)) } { (player_name(&entrant.name)) }
        @if entrant.kind != PlayerKind::Person { " " span.soft { (kind_text(entrant.kind)) } }
        @if !entrant.takes_part { " " span.soft { (t("tournaments.left")) } }
    }
}

/// Rows and columns in the order of the standings.
fn crosstable(page: &TournamentPage) -> Markup {
    let order: Vec<usize> = page.standings.iter().map(|line| line.entrant).collect();
    let cells: std::collections::HashMap<_, _> =
        page.crosstable.iter().map(|cell| ((cell.entrant, cell.opponent), cell)).collect();
    html! {
        table.results {
            thead { tr {
                th scope="col" { (t("tournaments.player")) }
                @for (place, entrant) in order.iter().enumerate() {
                    th scope="col" { abbr title=(player_name(&page.entrants[*entrant].name)) { (place + 1) } }
                }
            } }
            tbody {
                @for (place, own) in order.iter().enumerate() {
                    tr {
                        th scope="row" { (place + 1) ". " (player_name(&page.entrants[*own].name)) }
                        @for other in &order {
                            td { @if let Some(cell) = cells.get(&(*own, *other)) {
                                (number(cell.points)) " / " (cell.games)
                            } @else if own == other { "×" } }
                        }
                    }
                }
            }
        }
    }
}

fn games(page: &TournamentPage) -> Markup {
    html! {
        table.results {
            thead { tr {
                th scope="col" { (t("tournaments.seats")) }
                th scope="col" { (t("tournaments.round")) }
                th scope="col" { (t("tournaments.deal")) }
                th scope="col" { (t("tournaments.result")) }
                th scope="col" { (t("tournaments.match")) }
            } }
            tbody { @for game in page.games.iter().take(MAX_GAMES) { (game_row(page, game)) } }
        }
    }
}

fn game_row(page: &TournamentPage, game: &GameShown) -> Markup {
    let name_of = |entrant: &usize| page.entrants.get(*entrant).map(|entrant| player_name(&entrant.name));
    let names: Vec<_> = game.seats.iter().filter_map(name_of).collect();
    let scores = game.scores.as_ref().map(|scores| {
        let scores: Vec<String> = scores.iter().map(|score| number(*score)).collect();
        scores.join(" – ")
    });
    let stage = t(match game.stage {
        GameStage::Waiting => "tournaments.waiting",
        GameStage::Running => "tournaments.playing",
        GameStage::Finished => "tournaments.finished",
        GameStage::Void => "tournaments.void",
    });
    html! {
        tr {
            th scope="row" { (names.join(" – ")) }
            td { (game.round) }
            td { (game.deal) }
            td { @if let Some(scores) = scores { (scores) } @else { (stage) } }
            td { @if let Some(id) = &game.match_id { a href={ "/matches/" (id) } { (t("tournaments.watch")) } } }
        }
    }
}
