//! The page of the visitor's own account. The server does not know who asks, so the page has all parts, and `club/account.js`
//! shows those that apply: the forms for signing in, or the account.

use axum::extract::State;
use axum::response::Response;
use maud::{Markup, html};

use crate::accounts::Registration;
use crate::accounts::tokens::MAX_NAME;
use crate::app::App;
use crate::web::files::asset::own_texts;
use crate::web::layout::{HtmlPage, data, found, needs_js};
use crate::web::visit::language;
use crate::web::words::{say, t};

pub(in crate::web) async fn page(State(app): State<&'static App>) -> Response {
    let page = HtmlPage::new(t("account.title")).about(t("account.lead")).module("club/account.js");
    found(page.render(html! {
        div.account data-host=(app.accounts.passkey_host()) data-origin=[app.accounts.passkey_origin()] {
            h1 { (t("account.title")) }
            (needs_js())
            (data("texts", &own_texts("account.", language().tag)))
            p.trouble role="alert" hidden {}
            (confirmation())
            (signed_out(app.accounts.registration))
            (signed_in())
        }
    }))
}

/// The part for a visitor who follows the link that signs in.
fn confirmation() -> Markup {
    html! {
        section #confirm hidden {
            p { (t("account.confirm")) " " strong.name {} }
            p.buttons {
                button.main.yes type="button" { (t("account.confirm.yes")) }
                button.no type="button" { (t("account.confirm.no")) }
            }
        }
    }
}

fn signed_out(registration: Registration) -> Markup {
    html! {
        div #signed-out.cards hidden {
            @if registration == Registration::Closed {
                section.card aria-labelledby="create-title" {
                    h2 #create-title { (t("account.create")) }
                    p { (t("account.closed")) }
                }
            } @else { (create(registration)) }
            form.card #enter aria-labelledby="enter-title" {
                h2 #enter-title { (t("account.enter")) }
                p { button.passkey type="button" { (t("account.passkey.enter")) } }
                (no_passkeys())
                p { (t("account.enter.say")) }
                label { (t("account.key"))
                    // Browsers offer passkeys where it says so.
                    input name="key" type="password" required autocomplete="current-password webauthn" spellcheck="false";
                }
                button.main { (t("account.enter.go")) }
            }
        }
    }
}

/// The form that creates a name.
fn create(registration: Registration) -> Markup {
    html! {
        form.card #create aria-labelledby="create-title" {
            h2 #create-title { (t("account.create")) }
            p { (t("account.create.say")) }
            label { (t("account.name"))
                input name="name" required minlength="2" maxlength="32" autocomplete="username" spellcheck="false";
            }
            p.soft { (t("account.name.say")) }
            @if registration == Registration::Invitation {
                label { (t("account.invitation"))
                    input name="invitation" required autocomplete="off" spellcheck="false";
                }
                p.soft { (t("account.invitation.say")) }
            }
            button.main { (t("account.create.go")) }
        }
    }
}

fn signed_in() -> Markup {
    html! {
        div #signed-in hidden {
            p.lead { (t("account.signed_in")) " " a.name href="/account" {} }
            p #fresh.notice hidden { (t("account.fresh")) " " a href="/" hidden { (t("account.go_on")) } }
            div.cards {
                (key())
                (passkeys())
                (recovery())
                (sign_ins())
                (notifications())
                (vacation())
                (devices())
                (about())
                (bots())
                (tokens())
                (blocked())
                section.card aria-labelledby="leave-title" {
                    h2 #leave-title { (t("account.leave")) }
                    p.with-key { (t("account.sign_out.say")) }
                    p.without-key hidden { (t("account.sign_out.other")) }
                    p #sign-out {}
                    p { (t("account.delete.say")) }
                    p #delete {}
                }
            }
        }
    }
}

/// The key: to see, to keep, to replace.
fn key() -> Markup {
    html! {
        section.card #key aria-labelledby="key-title" {
            h2 #key-title { (t("account.key")) }
            p { (t("account.key.say")) }
            p.buttons.with-key {
                button.show type="button" { (t("account.key.show")) }
                button.save type="button" { (t("account.key.save")) }
            }
            p.without-key hidden { (t("account.key.other")) }
            div.shown hidden {}
            p { (t("account.rotate.say")) }
            p #rotate {}
        }
    }
}

/// The reason why no passkey can be used here; `club/passkeys.js` shows it.
fn no_passkeys() -> Markup {
    html! { p.soft.no-passkeys hidden {} }
}

/// The player's passkeys.
fn passkeys() -> Markup {
    html! {
        section.card #passkeys aria-labelledby="passkeys-title" {
            h2 #passkeys-title { (t("account.passkeys")) }
            p { (t("account.passkeys.say")) }
            ul.entries {}
            (no_passkeys())
            form #passkey {
                label { (t("account.passkey.name"))
                    input name="name" required maxlength=(MAX_NAME) autocomplete="off" spellcheck="false";
                }
                button { (t("account.passkey.go")) }
                " " span.done role="status" {}
            }
        }
    }
}

/// The player's recovery codes.
fn recovery() -> Markup {
    html! {
        section.card #recovery aria-labelledby="recovery-title" {
            h2 #recovery-title { (t("account.recovery")) }
            p { (t("account.recovery.say")) }
            p.left role="status" {}
            div.shown hidden {}
            p.make {}
        }
    }
}

/// The browsers that have signed in.
fn sign_ins() -> Markup {
    html! {
        section.card #sign-ins aria-labelledby="sign-ins-title" {
            h2 #sign-ins-title { (t("account.sign_ins")) }
            p { (t("account.sign_ins.say")) }
            ul.entries {}
        }
    }
}

/// The notifications while no page is open: in this browser, and in others. `club/notifications.js` shows what applies.
fn notifications() -> Markup {
    html! {
        section.card #notifications aria-labelledby="notifications-title" {
            h2 #notifications-title { (t("account.push")) }
            p { (t("account.push.say")) }
            p.soft.no-push hidden {}
            div.here hidden {
                @for (kind, text) in NOTIFICATION_KINDS {
                    label.check { input type="checkbox" name=(kind) checked autocomplete="off"; " " (t(text)) }
                }
                p.buttons {
                    button.main.on type="button" { (t("account.push.on")) }
                    button.try type="button" hidden { (t("account.push.try")) }
                    button.off type="button" hidden { (t("account.push.off")) }
                    " " span.done role="status" {}
                }
            }
            h3 { (t("account.push.others")) }
            ul.entries {}
        }
    }
}

/// The player's vacation. `club/account/vacation.js` shows what applies.
fn vacation() -> Markup {
    html! {
        section.card #vacation aria-labelledby="vacation-title" {
            h2 #vacation-title { (t("account.vacation")) }
            p { (t("account.vacation.say")) }
            p.now hidden {}
            p.left.soft role="status" {}
            form hidden {
                label { span {} input type="date" name="until" required; }
                p.buttons {
                    button.main {}
                    " " span.done role="status" {}
                }
            }
            p.end hidden {}
        }
    }
}

/// What a player can be notified of, as the API names it, and the text of each.
const NOTIFICATION_KINDS: [(&str, &str); 4] = [
    ("turn", "account.push.turn"),
    ("reminder", "account.push.reminder"),
    ("challenge", "account.push.challenge"),
    ("tournament", "account.push.tournament"),
];

/// The instructions for signing in on another device.
fn devices() -> Markup {
    html! {
        section.card.with-key #devices aria-labelledby="devices-title" {
            h2 #devices-title { (t("account.devices")) }
            p { (t("account.devices.say")) }
            button.show type="button" { (t("account.devices.show")) }
            div.shown hidden {}
        }
    }
}

/// The player's description of themselves.
fn about() -> Markup {
    html! {
        form.card #about aria-labelledby="about-title" {
            h2 #about-title { (t("account.about")) }
            label { (t("account.description")) textarea name="description" rows="3" maxlength="500" {} }
            label { (t("account.link")) input name="source" type="url" maxlength="200" placeholder="https:"; }
            button { (t("account.about.go")) }
            " " span.done role="status" {}
        }
    }
}

/// The player's bots.
fn bots() -> Markup {
    html! {
        section.card #bots aria-labelledby="bots-title" {
            h2 #bots-title { (t("account.bots")) }
            p { (t("account.bots.say")) " " a href="/bots" { (t("account.bots.how")) } }
            ul.entries.bots {}
            div.token hidden {}
            form #bot {
                label { (t("account.bot.name"))
                    input name="name" required minlength="2" maxlength="32" autocomplete="off" spellcheck="false";
                }
                label { (t("account.bot.version")) input name="version" maxlength="40" autocomplete="off"; }
                button { (t("account.bot.go")) }
            }
        }
    }
}

/// How long a token is valid that the page makes, in days.
const LIFETIME_DAYS: [u32; 3] = [30, 90, 365];

/// The player's tokens for programs. `club/tokens.js` adds the choice of each bot.
fn tokens() -> Markup {
    html! {
        section.card #tokens aria-labelledby="tokens-title" {
            h2 #tokens-title { (t("account.tokens")) }
            p { (t("account.tokens.say")) }
            ul.entries {}
            div.token hidden {}
            form #token {
                label { (t("account.token.name"))
                    input name="name" required maxlength=(MAX_NAME) autocomplete="off" spellcheck="false";
                }
                label { (t("account.token.scope"))
                    select name="scope" {
                        option value="play" { (t("account.token.scope.play")) }
                        option value="read" { (t("account.token.scope.read")) }
                        option value="manage" { (t("account.token.scope.manage")) }
                    }
                }
                label { (t("account.token.lifetime"))
                    select name="lifetime" {
                        @for days in LIFETIME_DAYS {
                            option value=(u64::from(days) * 86_400_000) {
                                (say("account.token.days", &[("days", &days.to_string())]))
                            }
                        }
                        option value="" { (t("account.token.without_end")) }
                    }
                }
                button { (t("account.token.go")) }
            }
        }
    }
}

/// The players whom the player has blocked.
fn blocked() -> Markup {
    html! {
        section.card #blocked aria-labelledby="blocked-title" {
            h2 #blocked-title { (t("account.blocked")) }
            p { (t("account.blocked.say")) }
            ul.entries {}
        }
    }
}
