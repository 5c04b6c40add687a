//! `/tv`: the match that is most worth watching, of any game or of one, and then the next one. `watch/show.js` shows it, with the
//! chat of its spectators; other sites can frame it, without the chat.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

use crate::app::App;
use crate::domain::Stage;
use crate::error::Error;
use crate::presentation::featured::{FeaturedMatch, featured};
use crate::request::path::GameOf;
use crate::web::files::asset;
use crate::web::layout::{HtmlPage, embeddable, found, needs_js};
use crate::web::words::{say, t};

/// The match of any game.
pub(in crate::web) async fn page(State(app): State<&'static App>) -> Result<Response, Error> {
    Ok(found(tv(app, None, false).await?).into_response())
}

/// The match of one game.
pub(in crate::web) async fn of_game(
    State(app): State<&'static App>,
    GameOf(offer): GameOf,
) -> Result<Response, Error> {
    Ok(found(tv(app, Some(offer.info.slug), false).await?).into_response())
}

/// The match of any game, for other sites.
pub(in crate::web) async fn embedded(State(app): State<&'static App>) -> Result<Response, Error> {
    Ok(embeddable(tv(app, None, true).await?))
}

/// The match of one game, for other sites.
pub(in crate::web) async fn game_embedded(
    State(app): State<&'static App>,
    GameOf(offer): GameOf,
) -> Result<Response, Error> {
    Ok(embeddable(tv(app, Some(offer.info.slug), true).await?))
}

async fn tv(app: &'static App, game: Option<&'static str>, embed: bool) -> Result<Markup, Error> {
    let shown = featured(app, game).await?;
    let title = t("tv.title");
    let mut page = HtmlPage::new(title).about(t("tv.about")).module("watch/tv.js").styles(&[
        "lib/page/pages.css",
        "watch/watch.css",
        "match/chat.css",
    ]);
    if embed {
        page = page.bare();
    }
    Ok(page.render(html! {
        h1.ear[embed] { (title) }
        @if !embed { (channels(app, game)) }
        (needs_js())
        @match &shown {
            Some(shown) => div.watch {
                (window(shown))
                @if !embed && app.matches.spectators_talk() { section.chat aria-label=(t("chat.title")) hidden {} }
            },
            None => p.none { (t("tv.none")) },
        }
        @if !embed { p.soft { (t("tv.about")) } }
    }))
}

/// Links to the channels: of any game, and of each.
fn channels(app: &App, current: Option<&str>) -> Markup {
    html! {
        nav.tabs aria-label=(t("tv.channels")) {
            a href="/tv" aria-current=[current.is_none().then_some("page")] { (t("tv.best")) }
            @for offer in app.games.offers() {
                @let slug = offer.info.slug;
                a href={ "/tv/" (slug) } aria-current=[(current == Some(slug)).then_some("page")] { (offer.info.title) }
            }
        }
    }
}

/// The place in which `watch/show.js` shows this match.
pub(in crate::web) fn window(shown: &FeaturedMatch) -> Markup {
    let live = shown.stage != Stage::Over;
    let spectators = shown.spectators.to_string();
    html! {
        @let own = asset::find(&format!("games/{}/board.js", shown.game)).is_some();
        section.show data-own[own] data-match=(shown.id.to_string()) data-game=(shown.game) data-live[live] aria-labelledby="show-title" {
            header {
                h2 #show-title { (t(if live { "tv.live" } else { "tv.replay" })) }
                span.watching data-spectators=(spectators) hidden[shown.spectators == 0] {
                    (say("tv.spectators", &[("count", &spectators)]))
                }
                a href={ "/matches/" (shown.id.to_string()) } { (t("tv.open")) }
            }
            div.screen {}
        }
    }
}
