//! The pages of matches: the list, and the page on which a match is played, watched and replayed. The page of a match
//! that everyone may see contains the facts that its module needs. A private match looks like one that does not exist:
//! the page's module asks with the match's key.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};

use crate::app::App;
use crate::domain::MatchId;
use crate::error::{Code, Error};
use crate::presentation::game::entry;
use crate::request::path::MatchOf;
use crate::web::files::asset;
use crate::web::layout::{HtmlPage, data, embeddable, found, needs_js, preload};
use crate::web::pages::lessons;
use crate::web::spoken_match::SpokenMatch;
use crate::web::start::clock_template;
use crate::web::visit::language;
use crate::web::words::t;

/// The list of matches, filtered by game, stage and player.
pub(in crate::web) async fn list(State(app): State<&'static App>) -> Response {
    let page = HtmlPage::new(t("matches.title")).about(t("matches.about")).module("home/matches.js");
    found(page.render(html! {
        h1 { (t("matches.title")) }
        form.filters #filters {
            label { (t("matches.game"))
                select name="game" {
                    option value="" { (t("matches.any_game")) }
                    @for offer in app.games.offers() { option value=(offer.info.slug) { (offer.info.title) } }
                }
            }
            label { (t("matches.stage"))
                select name="stage" {
                    option value="" { (t("matches.any_stage")) }
                    option value="open" { (t("stage.open")) }
                    option value="running" { (t("stage.running")) }
                    option value="over" { (t("stage.over")) }
                }
            }
            label { (t("matches.player")) input name="player" autocomplete="off" spellcheck="false" maxlength="32"; }
            noscript { button { (t("matches.filter")) } }
        }
        p #player hidden {}
        (needs_js())
        div.list data-list="matches" aria-live="polite" {}
        p.more { button #next type="button" hidden { (t("matches.more")) } }
    }))
}

/// The page of a match.
pub(in crate::web) async fn one(State(app): State<&'static App>, MatchOf(id): MatchOf) -> Response {
    let spoken = SpokenMatch::of(app, &id).await;
    found(page(app, &id, spoken.as_ref(), false))
}

/// The page of a match that everyone may see, to be shown in other sites: it is for watching only.
pub(in crate::web) async fn embedded(
    State(app): State<&'static App>,
    MatchOf(id): MatchOf,
) -> Result<Response, Error> {
    let spoken = SpokenMatch::of(app, &id).await;
    let spoken = spoken.ok_or_else(|| Error::new(Code::NoSuchMatch, "no public match has this id"))?;
    Ok(embeddable(page(app, &id, Some(&spoken), true)))
}

/// The page says whether the match waits for players, which decides how a phone lays the page out until the module has
/// started. It lists the games that have a board, so that its module requests no missing file, and those that have lessons.
fn page(app: &'static App, id: &MatchId, spoken: Option<&SpokenMatch>, embed: bool) -> Markup {
    let slugs: Vec<_> = app.games.offers().iter().map(|offer| offer.info.slug).collect();
    let with = |has: fn(&str) -> bool| slugs.iter().copied().filter(|slug| has(slug)).collect::<Vec<_>>();
    let boards = with(|slug| asset::find(&format!("games/{slug}/board.js")).is_some());
    let lessons = with(lessons::are_there);
    let title = spoken.map_or_else(|| t("match.title").to_owned(), SpokenMatch::title);
    let says = spoken.map(SpokenMatch::says);
    let mut page = HtmlPage::new(&title)
        .module("match/match.js")
        .styles(&["match/match.css", "board/stage.css"])
        .main("match");
    if let (Some(spoken), Some(says)) = (spoken, &says) {
        let board = boards.contains(&spoken.slug()).then(|| spoken.slug());
        page = page
            .about(says)
            .picture(format!("/matches/{id}/picture.png?ply={}", spoken.ply()))
            .head(html! { (spoken.data()) (early()) }, needed(spoken, board));
    } else {
        page = page.head(html! { (early()) }, html! { meta name="robots" content="noindex"; });
    }
    if embed {
        page = page.bare();
    }
    page.around(html! {
        main #match data-match=(id.to_string()) data-boards=(boards.join(" ")) data-lessons=(lessons.join(" "))
            data-embed[embed]
            data-stage=[spoken.filter(|spoken| spoken.is_open()).map(|_| "open")]
            data-retention-days=[app.retention_days.filter(|_| spoken.is_none())] {
            @if let Some(spoken) = spoken { (spoken.render()) }
            (needs_js())
        }
        @if !embed { (clock_template()) }
    })
}

/// The script that asks for the match while the other files are on their way.
fn early() -> Markup {
    html! { script src=(asset::url("match/early.js")) {} }
}

/// The parts of the head that the page's module will need: the facts of the match's game, and the files of its board.
fn needed(spoken: &SpokenMatch, board: Option<&str>) -> Markup {
    let offer = spoken.offer();
    let facts = serde_json::to_string(&entry(offer)).unwrap_or_default();
    html! {
        (data("game", &facts))
        @if let Some(slug) = board {
            link rel="stylesheet" href=(asset::url(&format!("games/{slug}/board.css")));
            link rel="modulepreload" href=(asset::url(&format!("games/{slug}/board.js")));
            (preload(&format!("games/{slug}/{}.json", language().tag)))
        }
    }
}
