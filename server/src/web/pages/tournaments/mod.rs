//! The pages of tournaments: the list, the form that creates one, and one tournament.

mod tables;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use engines::search::Level;
use maud::{Markup, html};
use serde::Serialize;

use crate::app::App;
use crate::domain::{EnginePlayer, TournamentStage};
use crate::error::Error;
use crate::presentation::tournament as page;
use crate::presentation::tournament::TournamentPage;
use crate::presentation::tournament_list::{TournamentEntry, listed};
use crate::request::extract::UrlQuery;
use crate::request::path::TournamentOf;
use crate::tournaments::event::Format;
use crate::web::layout::{HtmlPage, data, found, needs_js, table};
use crate::web::pages::home::picture;
use crate::web::pages::tournaments::tables::{Tables, at_time, terms};
use crate::web::start::clocks;
use crate::web::words::{GameTexts, say, t};

/// The list of tournaments, the newest first.
pub(in crate::web) async fn list(
    State(app): State<&'static App>,
    query: UrlQuery,
) -> Result<Response, Error> {
    let list = listed(app, query).await?;
    let page = HtmlPage::new(t("tournaments.title")).about(t("tournaments.about")).render(html! {
        h1 #title { (t("tournaments.title")) }
        p { (t("tournaments.about")) }
        p { a.button.main href="/tournaments/new" { (t("tournaments.new")) } }
        @if list.tournaments.is_empty() { p.soft { (t("tournaments.none")) } } @else {
            (table("title", true, html! {
                thead { tr {
                    th scope="col" { (t("tournaments.name")) }
                    th scope="col" { (t("tournaments.game")) }
                    th scope="col" { (t("tournaments.stage")) }
                    th.spare scope="col" { (t("tournaments.entrants")) }
                    th.spare scope="col" { (t("tournaments.games")) }
                } }
                tbody { @for entry in &list.tournaments { (row(app, entry)) } }
            }))
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
            th scope="row" { a href={ "/tournaments/" (entry.id) } { (titled(&entry.summary.title)) } }
            td { (title_of(app, &entry.game)) }
            td { (stage_text(entry.stage)) }
            td.spare { (entry.summary.entrants) }
            td.spare { (entry.summary.finished) " / " (entry.summary.games) }
        }
    }
}

/// A tournament as a line of a list on other pages.
pub(in crate::web) fn card(app: &App, entry: &TournamentEntry) -> Markup {
    let summary = &entry.summary;
    let entrants = say("tournaments.entrant_count", &[("count", &summary.entrants.to_string())]);
    let progress = [("done", &*summary.finished.to_string()), ("games", &*summary.games.to_string())];
    html! {
        a.match href={ "/tournaments/" (entry.id) } {
            img.shot src=(picture(&entry.game)) alt="" width="122" height="64" loading="lazy";
            span.game { (titled(&summary.title)) }
            span.seats { (title_of(app, &entry.game)) " · " (entrants) }
            span.stage {
                @match (summary.starts_ms, entry.stage) {
                    (Some(starts), TournamentStage::Registration) => (at_time(t("tournaments.starts"), starts)),
                    _ => (stage_text(entry.stage)),
                }
                @if summary.games > 0 { " · " (say("tournaments.progress", &progress)) }
            }
        }
    }
}

/// A tournament's title; other words if it was removed.
fn titled(title: &str) -> &str {
    if title.is_empty() { t("tournaments.untitled") } else { title }
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

/// The facts about a tournament that the page's module needs, besides those that the page shows.
#[derive(Serialize)]
struct TournamentFacts<'a> {
    /// The place of its last event.
    seq: u32,
    stage: TournamentStage,
    format: Format,
    organizer: &'a str,
    /// Whether it has a title.
    titled: bool,
    /// Whether its organizer can delete it: no game has begun, and none will unless the organizer starts it.
    unplayed: bool,
    /// Whether bots can enter: everyone plays from every seat, and in some games a bot has only one.
    bots: bool,
    /// Whether bots that know the mirror dialogue can enter.
    mirror: bool,
    entrants: Vec<EntrantNow<'a>>,
    /// The games that are being played.
    running: Vec<GameNow<'a>>,
}

/// A game that is being played.
#[derive(Serialize)]
struct GameNow<'a> {
    #[serde(rename = "match")]
    match_id: &'a str,
    /// The names of its players.
    players: Vec<&'a str>,
    /// The same names for people.
    shown: Vec<&'a str>,
}

/// An entrant who takes part.
#[derive(Serialize)]
struct EntrantNow<'a> {
    name: &'a str,
    /// The name for people.
    shown: &'a str,
}

/// One tournament. When something has changed, `club/tournament.js` asks for this page again and puts its parts in place; it
/// offers what the visitor can do.
pub(in crate::web) async fn one(
    State(app): State<&'static App>,
    TournamentOf(id): TournamentOf,
) -> Result<Response, Error> {
    let page = page::read(app, &id).await?;
    let unplayed = app.tournaments.look(app.matches, &id).await?.state.is_unplayed();
    let texts = GameTexts::of(&page.game);
    let has_contest = app.games.find(&page.game).is_ok_and(|offer| offer.info.has_contest());
    let tables = Tables::of(&page, &texts, has_contest);
    let (game, stage) = (title_of(app, &page.game), stage_text(page.stage));
    let about = about(&page, &tables, &game, stage);
    let title = titled(&page.title);
    let html = HtmlPage::new(title)
        .about(&about)
        .picture(format!("/games/{}/picture.png", page.game))
        .module("club/tournament.js");
    Ok(found(html.render(html! {
        h1 #title { (title) }
        (now(app, &page, &tables, unplayed))
        div #tournament data-tournament=(page.id) {
            p #own.notice role="status" hidden {}
            div #podium { (tables.podium()) }
            div #facts { (tables.facts(stage, &game)) }
            p.trouble role="alert" hidden {}
            @if !page.stage.is_over() { (needs_js()) }
            div #actions.actions {}
            p #report {}
            (engines(app, &page, &texts))
            div #live { (tables.live()) }
            div #standings { (tables.standings()) }
            div #crosstable { (tables.crosstable()) }
            div #games { (tables.games()) }
        }
        h2 { (t("tournaments.fairness")) }
        p.wrapped { (t("tournaments.commitment")) " " code { (page.commitment) } }
        div #secret { @if let (Some(secret), Some(salt)) = (&page.secret, &page.salt) {
            p.wrapped { (t("tournaments.secret")) " " code { (secret) } " · " (t("tournaments.salt")) " " code { (salt) } }
        } }
        h2 { (t("tournaments.downloads")) }
        p #downloads { (downloads(&page)) }
    }))
    .into_response())
}

fn now(app: &App, page: &TournamentPage, tables: &Tables, unplayed: bool) -> Markup {
    let entrants = page.entrants.iter().enumerate().filter(|(_, entrant)| entrant.takes_part);
    let can_hold_all = |mirror| {
        app.games.find(&page.game).is_ok_and(|offer| offer.info.bot_can_hold_all(page.seats, mirror))
    };
    let now = TournamentFacts {
        seq: page.seq,
        stage: page.stage,
        format: page.format,
        organizer: &page.organizer,
        titled: !page.title.is_empty(),
        unplayed,
        bots: matches!(page.format, Format::Gauntlet { .. }) || can_hold_all(false),
        mirror: can_hold_all(true),
        entrants: entrants
            .map(|(index, entrant)| EntrantNow { name: &entrant.name, shown: tables.name(index) })
            .collect(),
        running: running(page, tables),
    };
    data("now", &serde_json::to_string(&now).unwrap_or_default())
}

fn running<'a>(page: &'a TournamentPage, tables: &'a Tables) -> Vec<GameNow<'a>> {
    let running = page.games.iter().filter(|game| game.stage == page::GameStage::Running);
    let game = |game: &'a page::GameShown| {
        let match_id = game.match_id.as_deref()?;
        let players = game.seats.iter().map(|entrant| &*page.entrants[*entrant].name).collect();
        let shown = game.seats.iter().map(|entrant| tables.name(*entrant)).collect();
        Some(GameNow { match_id, players, shown })
    };
    running.filter_map(game).collect()
}

/// The tournament in a sentence, for search engines and previews of links: its terms, how far it is, and who leads.
fn about(page: &TournamentPage, tables: &Tables, game: &str, stage: &str) -> String {
    let leader = page.standings.first().filter(|line| line.games > 0);
    let leader = leader.map(|line| format!("1. {}", tables.name(line.entrant)));
    let said = [game.to_owned()].into_iter().chain(terms(page)).chain([stage.to_owned()]).chain(leader);
    said.collect::<Vec<_>>().join(" · ")
}

fn downloads(page: &TournamentPage) -> Markup {
    let api = format!("/v1/tournaments/{}", page.id);
    html! {
        a href={ (api) "/standings.csv" } { (t("tournaments.csv")) } " · " a href=(api) { "JSON" }
        @if page.stage.is_over() { " · " a href={ (api) "/records" } { (t("tournaments.records")) } }
    }
}

/// The choice of a built-in engine, for the organizer.
fn engines(app: &App, page: &TournamentPage, texts: &GameTexts) -> Markup {
    let slug = &page.game;
    let Ok(offer) = app.games.find(slug) else { return html! {} };
    html! {
        form #engine.inline hidden {
            label { (t("tournaments.engine"))
                select name="name" {
                    @for engine in &offer.engines { @for level in Level::ALL {
                        option value=(EnginePlayer {
                            game: slug.clone(), engine: engine.name.clone(), version: engine.version, level,
                        }.name()) {
                            (texts.engine_at(&engine.name, level))
                        }
                    } }
                }
            }
            @if matches!(page.format, Format::Gauntlet { .. }) {
                label.check { input type="checkbox" name="opponent" checked; " " (t("tournaments.as_opponent")) }
            }
            button { (t("tournaments.engine.go")) }
        }
    }
}

/// The form that creates a tournament. `club/new-tournament.js` sends it.
pub(in crate::web) async fn new(State(app): State<&'static App>) -> Response {
    let page =
        HtmlPage::new(t("tournaments.new")).about(t("tournaments.about")).module("club/new-tournament.js");
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
                            option value=(offer.info.slug) data-seats=(offer.info.max_seats)
                                data-mirror[offer.info.perfect_information] data-only-seat[offer.info.bot_seats.len() == 1]
                                data-contest[offer.info.has_contest()] { (offer.info.title) }
                        }
                    }
                }
                label { (t("tournaments.format"))
                    select name="format" {
                        option value="round_robin" { (t("tournaments.format.round_robin")) }
                        option value="sampled_round_robin" { (t("tournaments.format.sampled_round_robin")) }
                        option value="gauntlet" { (t("tournaments.format.gauntlet")) }
                        option value="swiss" { (t("tournaments.format.swiss")) }
                        option value="ladder" { (t("tournaments.format.ladder")) }
                    }
                }
                (numeric("rounds", t("tournaments.rounds"), 5, 1, 64))
                (numeric("games", t("tournaments.games_each"), 12, 2, 1000))
                label { (t("tournaments.hours")) input type="number" name="hours" min="1" max="744"; }
                (numeric("pairings", t("tournaments.pairings"), 20, 1, 1000))
                label { (t("start.clock")) select name="clock" { (clocks("clock.quick", false)) } }
                label { (t("tournaments.starts_at")) input type="datetime-local" name="starts"; }
                label.check { input type="checkbox" name="rated"; " " (t("tournaments.rated")) }
            }
            details.more-choices {
                summary { (t("tournaments.more")) }
                div.fields {
                    (numeric("seats", t("tournaments.table"), 2, 2, 4))
                    (numeric("deals", t("tournaments.deals"), 1, 1, 64))
                    label { (t("tournaments.dealing"))
                        select name="dealing" {
                            option value="" { (t("tournaments.dealing.usual")) }
                            option value="duplicate" { (t("tournaments.dealing.duplicate")) }
                            option value="mirror" { (t("tournaments.dealing.mirror")) }
                            option value="independent" { (t("tournaments.dealing.independent")) }
                        }
                    }
                    (numeric("max_entrants", t("tournaments.max_entrants"), 32, 2, 256))
                    (numeric("max_running", t("tournaments.max_running"), 16, 1, 64))
                    (numeric("per_entrant", t("tournaments.per_entrant"), 1, 1, 64))
                    (numeric("grace", t("tournaments.grace"), 5, 1, 1440))
                    label { (t("tournaments.window")) input type="number" name="window" min="1" max="744"; }
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
