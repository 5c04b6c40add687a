//! The form that starts a match: one click on an opponent is enough; everything else has a default. `home/start.js` sends it.

use engines::search::Level;
use maud::{Markup, html};

use crate::catalogue::Offer;
use crate::web::files::asset;
use crate::web::layout::needs_js;
use crate::web::rules;
use crate::web::words::{GameTexts, engine_text, level_name, say, t};

/// The choice of no clock.
const NO_CLOCK: &str = "clock.none";

/// The clock of a match that one press begins: initial time and increment, in milliseconds. It is that of `clock.quick`.
pub(in crate::web) const QUICK_CLOCK: (u64, u64) = (180_000, 2_000);

/// The clocks on offer: initial time, increment and time for each move, in milliseconds; 0: no such limit.
const CLOCKS: [(&str, u64, u64, u64); 5] = [
    (NO_CLOCK, 0, 0, 0),
    ("clock.quick", QUICK_CLOCK.0, QUICK_CLOCK.1, 0),
    ("clock.medium", 600_000, 5_000, 0),
    ("clock.slow", 1_800_000, 10_000, 0),
    ("clock.move", 0, 0, 30_000),
];

/// The default number of players of a game with several possible numbers.
const USUAL_SEATS: u8 = 2;

/// The name and description of a level.
pub(in crate::web) fn level(level: Level) -> (&'static str, &'static str) {
    let about = match level {
        Level::Easy => t("level.easy.about"),
        Level::Medium => t("level.medium.about"),
        Level::Hard => t("level.hard.about"),
        Level::Max => t("level.max.about"),
    };
    (level_name(level), about)
}

/// The form for a game.
pub(in crate::web) fn start(offer: &Offer) -> Markup {
    let info = offer.info;
    let usual = USUAL_SEATS.clamp(info.min_seats, info.max_seats);
    html! {
        // Inert until its module is loaded: an earlier click would be lost.
        form.start #start inert data-game=(info.slug) aria-labelledby="start-title" {
            h2 #start-title { (t("start.title")) }
            @if info.min_seats < info.max_seats {
                fieldset.pills {
                    legend { (t("start.seats")) }
                    @for seats in info.min_seats..=info.max_seats {
                        label {
                            input type="radio" name="seats" value=(seats) checked[seats == usual];
                            span { (seats) }
                        }
                    }
                }
            } @else { input type="hidden" name="seats" value=(usual); }
            fieldset.opponents {
                legend { (t("start.against")) }
                @if asset::find(&format!("games/{}/tips.js", info.slug)).is_some() {
                    button.guided name="against" value="guided" {
                        b { (t("start.guided")) }
                        span { (t("start.guided.about")) }
                    }
                }
                @for (strength, l) in Level::ALL.into_iter().enumerate() {
                    button name="against" value=(l.name()) {
                        b { (level(l).0) }
                        (bars(strength))
                        span { (level(l).1) }
                    }
                }
                button.friend name="against" value="friend" {
                    b { (t("start.friend")) }
                    span { (t("start.friend.about")) }
                }
            }
            @if info.min_seats == 1 {
                p.alone { button name="against" value="alone" { b { (t("start.alone")) } } }
            }
            @if info.max_seats > 2 { (mixed(info.max_seats)) }
            (rated(info.slug))
            details.more-choices {
                summary { (t("start.more")) }
                div.choices { (choices()) (options(offer)) }
            }
            p.trouble role="alert" hidden {}
            (needs_js())
        }
    }
}

/// The strength of a level, 0 being the least, as four bars.
fn bars(strength: usize) -> Markup {
    html! {
        svg.bars viewBox="0 0 22 16" width="22" height="16" aria-hidden="true" {
            @for bar in 0..4_usize {
                rect.on[bar <= strength] x=(bar * 6) y=(12 - bar * 4) width="4" height=(4 + bar * 4) rx="1" {}
            }
        }
    }
}

/// The choice of a different opponent for each seat.
fn mixed(most: u8) -> Markup {
    html! {
        details.mixed {
            summary { (t("start.mixed")) }
            div.choices {
                @for seat in 1..most {
                    label data-seat=(seat) { (say("start.opponent", &[("number", &seat.to_string())]))
                        select name={ "opponent" (seat) } {
                            @for l in Level::ALL {
                                option value=(l.name()) selected[l == Level::Medium] {
                                    (engine_text(l))
                                }
                            }
                            option value="friend" { (t("start.friend")) }
                        }
                    }
                }
                button name="against" value="mixed" { (t("start.mixed.go")) }
            }
        }
    }
}

/// The choice whether the match is rated, and the reasons why it cannot be, which `home/start.js` shows as they apply.
fn rated(slug: &str) -> Markup {
    html! {
        div.rated {
            label.check { input type="checkbox" name="rated" value="yes" aria-describedby="no-rating"; " " (t("start.rated.match")) }
            // Shown to guests, who cannot tick the box.
            p #no-rating hidden { (t("rated.sign_in")) " " a href={ "/account?next=/games/" (slug) } { (t("nav.account")) } }
            p.soft { (t("start.rated.say")) }
            ul.why {
                li data-why="clock" hidden { (t("rated.clock")) }
                li data-why="private" hidden { (t("rated.private")) }
                li data-why="hints" hidden { (t("rated.hints")) }
                li data-why="alone" hidden { (t("rated.alone")) }
            }
        }
    }
}

/// The clocks as options, with this one chosen. `none`: whether there may be none.
pub(in crate::web) fn clocks(usual: &str, none: bool) -> Markup {
    let clocks = CLOCKS.into_iter().filter(|(name, ..)| none || *name != NO_CLOCK);
    html! {
        @for (name, initial, increment, each) in clocks {
            option value={ (initial) " " (increment) " " (each) } selected[name == usual] { (t(name)) }
        }
    }
}

/// The choice of a clock: none unless another is chosen.
fn clock() -> Markup {
    html! {
        label { (t("start.clock"))
            select name="clock" { (clocks(NO_CLOCK, true)) }
        }
    }
}

/// The same choice for the form that `lib/matches/play-from.js` makes on a page.
pub(in crate::web) fn clock_template() -> Markup {
    html! { template #clock-choice { (clock()) } }
}

/// The choices that have a default.
fn choices() -> Markup {
    html! {
        (clock())
        label { (t("start.seat"))
            select name="seat" {
                option value="first" { (t("start.seat.first")) }
                option value="last" { (t("start.seat.last")) }
                option value="lot" { (t("start.seat.lot")) }
            }
        }
        label { (t("start.name"))
            input name="name" maxlength="40" autocomplete="nickname" placeholder=(t("start.name.none"));
        }
        label { (t("start.watch"))
            select name="private" {
                option value="" { (t("start.watch.all")) }
                option value="private" { (t("start.watch.link")) }
            }
        }
        label { (t("start.hints"))
            select name="hints" {
                option value="" { (t("start.hints.usual")) }
                option value="yes" { (t("start.hints.yes")) }
                option value="no" { (t("start.hints.no")) }
            }
        }
    }
}

/// The choices of the game's own: its options of a deal that have names in its texts. People's options are chosen already.
fn options(offer: &Offer) -> Markup {
    let texts = GameTexts::of(offer.info.slug);
    let usual = offer.game.options_for_people(USUAL_SEATS.clamp(offer.info.min_seats, offer.info.max_seats));
    let text = |key: String| texts.get(&key).unwrap_or_default().to_owned();
    html! {
        @for (name, values) in rules::options(offer.info.slug) {
            label { (text(format!("option.{name}")))
                select name={ "option." (name) } {
                    @for value in values {
                        option value=(value) selected[usual.as_ref().is_some_and(|usual| usual[&name] == *value)] {
                            (text(format!("option.{name}.{value}")))
                        }
                    }
                }
            }
        }
    }
}
