//! The lobby: quick pairing, players who are online, players who wait; and the dialog that challenges a player, which
//! other pages use too. `club/lobby.js` and `lib/page/challenge.js` make them work.

use axum::extract::State;
use axum::response::Response;
use engines::game::Info;
use maud::{Markup, html};

use crate::app::App;
use crate::web::layout::{HtmlPage, found, needs_js};
use crate::web::pages::home::{picture, tiles};
use crate::web::pages::leaderboard::boards;
use crate::web::start::{QUICK_CLOCK, clocks};
use crate::web::words::{say, t};

/// The clock that these forms propose.
const USUAL_CLOCK: &str = "clock.medium";

/// The parts of the lobby besides quick pairing, and the texts of their names; a phone shows the first one first.
const PARTS: [(&str, &str); 4] = [
    ("seats", "lobby.part.seats"),
    ("online", "lobby.part.online"),
    ("engines", "game.engines"),
    ("more", "lobby.part.more"),
];

/// The lobby.
pub(in crate::web) async fn page(State(app): State<&'static App>) -> Response {
    let page = HtmlPage::new(t("lobby.title")).about(t("lobby.lead")).module("club/lobby.js");
    found(page.render(html! {
        h1 { (t("lobby.title")) }
        p.lead { (t("lobby.lead")) }
        (needs_js())
        div.lobby {
            div {
                (pairing(app))
                section #mine hidden aria-labelledby="mine-title" {
                    h2 #mine-title { (t("home.mine")) }
                    a href="/#mine" aria-label=(t("lobby.all_mine")) { (t("lobby.all")) }
                    div.list data-list="mine" {}
                }
            }
            div.rest {
                (choice())
                div {
                    (section("at-once", "engines", t("lobby.at_once"), html! {
                        p { (t("lobby.at_once.say")) }
                        (tiles(app, |slug| format!("/games/{slug}")))
                    }))
                    (section("people", "online", t("lobby.people"), html! { ul.online data-list="people" {} }))
                    (section("online-bots", "online", t("lobby.bots"), html! { ul.online data-list="bots" {} }))
                }
                div {
                    (section("open", "seats", t("lobby.open"), html! {
                        div.list data-list="open" {}
                        p.more { a href="/matches?stage=open" { (t("lobby.all_open")) } }
                        h3 { (t("lobby.waiting")) }
                        ul.online data-list="waiting" {}
                    }))
                    (section("boards", "more", t("lobby.boards"), boards(app, None)))
                    (section("recent", "more", t("home.recent"), html! {
                        div.list data-list="over" {}
                        p.more { a href="/matches" { (t("home.all")) } }
                    }))
                }
            }
        }
        (challenge(app))
    }))
}

/// `part`: a phone shows the sections of one part at a time.
fn section(name: &str, part: &str, title: &str, content: Markup) -> Markup {
    html! { section data-part=(part) aria-labelledby=(name) { h2 id=(name) { (title) } (content) } }
}

/// The choice of the part that a phone shows; a large screen shows all of them. `pages.css` has a rule for each part.
fn choice() -> Markup {
    html! {
        fieldset.parts {
            legend.ear { (t("lobby.show")) }
            @for (part, name) in PARTS {
                label { input type="radio" name="part" value=(part) checked[part == PARTS[0].0] autocomplete="off";
                    span data-part-name=(part) { (t(name)) } }
            }
        }
    }
}

/// The form for quick pairing.
fn pairing(app: &App) -> Markup {
    html! {
        form.card #pair inert aria-labelledby="pair-title" {
            h2 #pair-title { (t("lobby.pair")) }
            p { (t("lobby.pair.say")) }
            (tiles_of_two(app))
            details.more-choices {
                summary { (t("lobby.pair.more")) }
                div.fields {
                    (games(app))
                    label { (t("start.clock")) select name="clock" { (clocks(USUAL_CLOCK, true)) } }
                    label { (t("lobby.against"))
                        select name="against" {
                            option value="all" { (t("lobby.against.all")) }
                            option value="person" { (t("lobby.against.people")) }
                        }
                    }
                    label.check { input type="checkbox" name="rated"; " " (t("start.rated")) }
                }
                p.soft.why hidden { (t("rated.clock")) }
                p.buttons.idle { button.main { (t("lobby.pair.go")) } }
            }
            p.trouble role="alert" hidden {}
            p.buttons.busy hidden {
                span.status role="status" {}
                button.cancel type="button" { (t("lobby.pair.cancel")) }
            }
            p.sign-in hidden { a.button.main href="/account?next=/lobby" { (t("lobby.sign_in")) } }
        }
    }
}

/// The games for two, each a button that finds an opponent with the short clock.
pub(in crate::web) fn tiles_of_two(app: &App) -> Markup {
    let clock = say("clock.short.minutes", &[("minutes", &(QUICK_CLOCK.0 / 60_000).to_string())]);
    html! {
        ul.quick aria-label=(t("home.quick")) data-clock={ (QUICK_CLOCK.0) " " (QUICK_CLOCK.1) " 0" } {
            @for offer in app.games.offers().iter().filter(|offer| for_two(offer.info)) {
                @let info = offer.info;
                li { button type="button" data-quick=(info.slug) data-options=[offer.game.options_for_people(2).map(|options| options.to_string())] {
                    img src=(picture(info.slug)) alt="" width="56" height="42";
                    b { (info.title) }
                    span { (clock) }
                } }
            }
        }
    }
}

/// Whether a game can be played by two.
pub(in crate::web) fn for_two(info: &Info) -> bool {
    (info.min_seats..=info.max_seats).contains(&2)
}

/// The dialog that challenges a player. A button with `data-challenge="NAME"` opens it.
pub(in crate::web) fn challenge(app: &App) -> Markup {
    html! {
        dialog #challenge aria-labelledby="challenge-title" {
            form.card method="dialog" {
                h2 #challenge-title { (t("challenge.title")) " " span.name {} }
                div.fields {
                    (games(app))
                    label { (t("start.clock")) select name="clock" { (clocks(USUAL_CLOCK, true)) } }
                    label { (t("start.seat"))
                        select name="seat" {
                            option value="" { (t("start.seat.lot")) }
                            option value="0" { (t("start.seat.first")) }
                            option value="1" { (t("challenge.second")) }
                        }
                    }
                    label { (t("challenge.open"))
                        select name="open_ms" {
                            option value="300000" { (t("challenge.open.short")) }
                            option value="3600000" { (t("challenge.open.hour")) }
                            option value="86400000" { (t("challenge.open.day")) }
                        }
                    }
                    label.check { input type="checkbox" name="rated"; " " (t("start.rated")) }
                }
                p.soft.why hidden { (t("rated.clock")) }
                p.trouble role="alert" hidden {}
                p.buttons {
                    button.main value="send" { (t("challenge.go")) }
                    button.cancel type="button" { (t("challenge.cancel")) }
                }
            }
        }
    }
}

/// A button that opens the dialog for this player.
pub(in crate::web) fn challenge_button(name: &str, game: Option<&str>) -> Markup {
    html! {
        button.challenge type="button" data-challenge=(name) data-game=[game] { (t("challenge.button")) }
    }
}

/// The choice of a game for two.
fn games(app: &App) -> Markup {
    let offers = app.games.offers().iter().map(|offer| offer.info);
    html! {
        label { (t("lobby.game"))
            select name="game" {
                @for info in offers.filter(|info| for_two(info)) {
                    option value=(info.slug) { (info.title) }
                }
            }
        }
    }
}
