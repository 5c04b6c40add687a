//! The pages of tournaments: the list, the form that creates one, and one tournament.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use engines::search::Level;
use maud::{Markup, html};

use crate::app::App;
use crate::domain::{EnginePlayer, TournamentStage};
use crate::error::Error;
use crate::http::TournamentOf;
use crate::http::request::extract::Query;
use crate::http::tournaments::{TournamentEntry, listed, page};
use crate::web::layout::{HtmlPage, found, needs_js};
use crate::web::start::{self, clocks};
use crate::web::words::{engine_name, t};

/// The list of tournaments, the newest first.
pub(super) async fn list(State(app): State<&'static App>, query: Query) -> Result<Response, Error> {
    let list = listed(app, query).await?;
    let page = HtmlPage::new(t("tournaments.title")).render(html! {
        h1 { (t("tournaments.title")) }
        p { (t("tournaments.about")) }
        p { a.button.main href="/tournaments/new" { (t("tournaments.new")) } }
        @if list.tournaments.is_empty() { p.soft { (t("tournaments.none")) } } @else {
            div.wide { table.results {
                thead { tr {
                    th scope="col" { (t("tournaments.name")) }
                    th scope="col" { (t("tournaments.game")) }
                    th scope="col" { (t("tournaments.stage")) }
                    th scope="col" { (t("tournaments.entrants")) }
                    th scope="col" { (t("tournaments.games")) }
                } }
                tbody { @for entry in &list.tournaments { (row(app, entry)) } }
            } }
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

/// One tournament: what does not change. `js/tournament.js` shows the rest and keeps it up to date.
pub(super) async fn one(
    State(app): State<&'static App>,
    TournamentOf(id): TournamentOf,
) -> Result<Response, Error> {
    let page = page::read(app, &id).await?;
    let api = format!("/v1/tournaments/{}", page.id);
    let html = HtmlPage::new(&page.title).module("tournament.js").render(html! {
        h1 { (page.title) }
        div #tournament data-tournament=(page.id) {
            (needs_js())
            div #facts {}
            p.trouble role="alert" hidden {}
            div #actions.actions {}
            (engines(app, &page.game))
            div #standings {}
            div #crosstable {}
            div #games {}
        }
        h2 { (t("tournaments.fairness")) }
        p.wrapped { (t("tournaments.commitment")) " " code { (page.commitment) } }
        div #secret {}
        h2 { (t("tournaments.downloads")) }
        p { a href={ (api) "/standings.csv" } { (t("tournaments.csv")) } " · " a href=(api) { "JSON" }
            span #records hidden { " · " a href={ (api) "/records" } { (t("tournaments.records")) } } }
    });
    Ok(found(html).into_response())
}

/// The choice of a built-in engine, for the organizer.
fn engines(app: &App, slug: &str) -> Markup {
    let Ok(offer) = app.games.find(slug) else { return html! {} };
    html! {
        form #engine.inline hidden {
            label { (t("tournaments.engine"))
                select name="name" {
                    @for engine in &offer.engines { @for level in Level::ALL {
                        option value=(EnginePlayer {
                            game: slug.to_owned(), engine: engine.name.clone(), version: engine.version, level,
                        }.name()) {
                            (engine_name(slug, &engine.name)) ", " (start::level(level).0)
                        }
                    } }
                }
            }
            button { (t("tournaments.engine.go")) }
        }
    }
}

/// The form that creates a tournament. `js/new-tournament.js` sends it.
pub(super) async fn new(State(app): State<&'static App>) -> Response {
    let page = HtmlPage::new(t("tournaments.new")).module("new-tournament.js");
    found(page.render(html! {
        h1 { (t("tournaments.new")) }
        (needs_js())
        p #sign-in.notice hidden { (t("tournaments.sign_in")) " "
            a href="/account?next=/tournaments/new" { (t("nav.account")) } }
        form.card #new inert {
            div.fields {
                label { (t("tournaments.title.label"))
                    input name="title" required maxlength="80" autocomplete="off";
                }
                label { (t("tournaments.game"))
                    select name="game" {
                        @for offer in app.games.offers() {
                            option value=(offer.info.slug) data-seats=(offer.info.max_seats) { (offer.info.title) }
                        }
                    }
                }
                label { (t("tournaments.format"))
                    select name="format" {
                        option value="round_robin" { (t("tournaments.format.round_robin")) }
                        option value="swiss" { (t("tournaments.format.swiss")) }
                        option value="ladder" { (t("tournaments.format.ladder")) }
                    }
                }
                (numeric("rounds", t("tournaments.rounds"), 5, 1, 64))
                (numeric("pairings", t("tournaments.pairings"), 20, 1, 1000))
                label { (t("start.clock")) select name="clock" { (clocks("clock.quick", false)) } }
                label.check { input type="checkbox" name="rated"; " " (t("tournaments.rated")) }
            }
            details.more-choices {
                summary { (t("tournaments.more")) }
                div.fields {
                    (numeric("seats", t("tournaments.table"), 2, 2, 4))
                    (numeric("deals", t("tournaments.deals"), 1, 1, 64))
                    label.check { input type="checkbox" name="duplicate" checked; " " (t("tournaments.duplicate")) }
                    (numeric("max_entrants", t("tournaments.max_entrants"), 32, 2, 256))
                    (numeric("max_running", t("tournaments.max_running"), 16, 1, 64))
                    (numeric("per_entrant", t("tournaments.per_entrant"), 1, 1, 64))
                    (numeric("grace", t("tournaments.grace"), 5, 1, 1440))
                }
            }
            p.trouble role="alert" hidden {}
            p { button.main { (t("tournaments.create")) } }
        }
    }))
}

/// A field for a number.
fn numeric(name: &'static str, label: &str, value: u32, least: u32, most: u32) -> Markup {
    html! {
        label { (label) input type="number" name=(name) value=(value) min=(least) max=(most) required; }
    }
}
