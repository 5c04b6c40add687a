//! The page for authors of bots. Its commands run as written, from top to bottom; a test runs them.

use axum::extract::State;
use axum::response::Response;
use engines::game::Process;
use maud::{Markup, html};

use crate::app::App;
use crate::catalogue::Offer;
use crate::offered_files::{OfferedFile, OfferedFileKind};
use crate::web::layout::{HtmlPage, found};
use crate::web::visit::origin;
use crate::web::words::{GameWords, Harness, say, t};

/// The page: the things that a bot can do here, as commands.
pub(in crate::web) async fn page(State(app): State<&'static App>) -> Response {
    let offers = app.games.offers();
    // A game whose engine answers at once, so that the examples are fast.
    let quick = offers.iter().find(|offer| offer.engines.first().is_some_and(|engine| engine.instant));
    let example = quick.or(offers.first());
    // Without the list the page still says everything else.
    let files = app.offered.list().await.inspect_err(|e| tracing::error!(error = %e, "files to download"));
    let files = files.unwrap_or_default();
    let page = HtmlPage::new(t("bots.title")).about(t("bots.lead")).module("club/bots.js");
    found(page.render(html! {
        h1 { (t("bots.title")) }
        p.lead { (t("bots.lead")) }
        div.manual {
            (section("upload", t("bots.upload"), html! {
                p { (t("bots.upload.say")) }
                p { (t("bots.upload.compile")) " " code.wrapped { (COMPILE) } }
                p { (t("bots.upload.then")) }
                ul.own-bots hidden {}
                p.buttons { a.button.main href="/account#bots" { (t("bots.upload.go")) } }
            }))
            @if let Some(example) = example {
                (section("online", t("bots.online"), online(offers, example, &files)))
            }
            (section("tools", t("bots.tools"), html! {
                p { (t("bots.tools.say")) }
                (commands(&format!("export KIBITZ_SERVER={}", origin())))
                p { (t("bots.tools.build")) " " code { "cargo build --release -p kibitz -p kibitz-shim" } }
            }))
            (section("token", t("bots.token"), html! {
                p { (t("bots.token.say")) }
                (commands(TOKEN))
                p { (t("bots.token.keep")) }
            }))
            @if let Some(offer) = example { (examples(offer)) }
            (section("harness", t("bots.harness"), html! {
                p { (t("bots.harness.say")) }
                @for offer in offers {
                    @if let Some(harness) = GameWords::of(offer.info.slug).harness { (official(offer, &harness)) }
                }
            }))
            (section("more", t("bots.more"), html! {
                p { (t("bots.more.say")) " " a href="/docs/" { (t("foot.docs")) } " · "
                    a href="/docs/problems" { (t("foot.problems")) } }
            }))
        }
    }))
}

/// How a bot comes online from its author's machine. The page's module fills in the visitor's bot, a token and the chosen game
/// where `data-fill` names them.
fn online(offers: &[Offer], example: &Offer, files: &[OfferedFile]) -> Markup {
    let of = |kind| files.iter().filter(move |file| file.kind == kind);
    let several = of(OfferedFileKind::Shim).count() > 1;
    html! {
        p { (t("bots.online.say")) }
        @if of(OfferedFileKind::Shim).next().is_none() {
            p { (t("bots.online.none")) " " code.wrapped { "cargo build --release -p kibitz-shim" } }
        } @else {
            p { (t("bots.online.get")) }
            @for shim in of(OfferedFileKind::Shim) {
                @if several { h3 { (shim.platform.as_deref().unwrap_or(&shim.name)) } }
                pre.filled.commands { code { (download(shim)) } }
            }
        }
        p { (t("bots.online.token")) }
        form.online {
            label.bot hidden { (t("bots.online.bot")) select name="bot" {} }
            label { (t("matches.game"))
                select name="game" {
                    @for offer in offers.iter().filter(|offer| !offer.info.bot_seats.is_empty()) {
                        option value=(offer.info.slug) selected[offer.info.slug == example.info.slug] { (offer.info.title) }
                    }
                }
            }
            button.main.make hidden { (t("bots.online.make")) }
            a.button.guest href="/account" { (t("nav.account")) }
        }
        p.status role="status" { (t("bots.online.guest")) }
        pre.filled.commands { code {
            "(umask 077; echo '" span data-fill="token" { "kbt_..." } "' > bot.token)"
        } }
        p { (t("bots.online.run")) }
        pre.filled.commands { code {
            (if of(OfferedFileKind::Shim).next().is_some() { "./" } else { "" })
            "kibitz-shim play " (origin()) " --game " span data-fill="game" { (example.info.slug) }
            " --token-file bot.token -- ./my-bot"
        } }
        @for wheel in of(OfferedFileKind::Python) {
            p { (t("bots.online.python")) }
            pre.filled.commands { code {
                "pip install 'kibitz[client] @ " (origin()) "/downloads/" (wheel.name) "#sha256=" (wheel.sha256) "'"
            } }
        }
    }
}

/// Downloads a shim, checks its hash, and makes it a program.
fn download(shim: &OfferedFile) -> String {
    let check = match shim.platform.as_deref() {
        Some(platform) if platform.ends_with("macos") => "shasum -a 256 -c",
        _ => "sha256sum -c",
    };
    format!(
        "curl -fsS -o kibitz-shim {}/downloads/{}\necho '{}  kibitz-shim' | {check}\nchmod +x kibitz-shim",
        origin(),
        shim.name,
        shim.sha256
    )
}

/// Compiles a bot in C with Debian's clang. Most bots need nothing else.
const COMPILE: &str = "clang --target=wasm32-wasi -O2 -o bot.wasm bot.c";

const TOKEN: &str = "\
name=bot-$(date +%s)-$$      # choose your own
curl -sS $KIBITZ_SERVER/v1/players -H 'content-type: application/json' \\
  -d \"{\\\"name\\\": \\\"$name\\\"}\" > player.json
export KIBITZ_TOKEN=$(jq -r .token player.json)
curl -sS $KIBITZ_SERVER/v1/me -H \"authorization: Bearer $KIBITZ_TOKEN\"";

/// The examples that use one game.
fn examples(offer: &Offer) -> Markup {
    let slug = offer.info.slug;
    let bot = offer.info.bot_seats.first().copied().unwrap_or(0);
    let seats = offer.info.min_seats.max(bot + 1).max(2.min(offer.info.max_seats));
    let chairs: Vec<_> = (0..seats).map(|seat| if seat == bot { OPEN } else { EASY }).collect();
    let chairs = chairs.join(", ");
    html! {
        (section("move", t("bots.move"), html! {
            p { (t("bots.move.say")) }
            (commands(&format!("\
game={slug}
curl -sS $KIBITZ_SERVER/v1/games/$game/positions -H 'content-type: application/json' -d '{{\"seed\": 7}}' |
  jq '{{position, think_ms: 300}}' |
  curl -sS $KIBITZ_SERVER/v1/games/$game/move -H 'content-type: application/json' -d @-")))
            p { (t("bots.move.watch")) }
            (commands("\
curl -sS $KIBITZ_SERVER/v1/games/$game/positions -H 'content-type: application/json' -d '{\"seed\": 7}' |
  jq '{position, think_ms: 1000, candidates: 3}' |
  curl -sSN $KIBITZ_SERVER/v1/games/$game/analysis -H 'content-type: application/json' -d @-"))
        }))
        (section("seat", t("bots.seat"), html! {
            p { (t("bots.seat.say")) }
            (commands(&format!("\
cp \"$(command -v kibitz-shim)\" my-bot      # put your own program here; this one needs the game's name
match=$(curl -sS $KIBITZ_SERVER/v1/matches -H 'content-type: application/json' \\
  -d '{{\"game\": \"{slug}\", \"seats\": [{chairs}]}}' | jq -r .id)
echo \"watch it: $KIBITZ_SERVER/matches/$match\"
kibitz-shim join $KIBITZ_SERVER/v1/matches/$match -- ./my-bot {slug}")))
            p { (t("bots.seat.token")) }
            p { (t("bots.seat.process")) " "
                @match offer.info.process {
                    Process::PerMatch => (say("bots.seat.per_match", &[("game", offer.info.title)])),
                    Process::PerMove => (say("bots.seat.per_move", &[("game", offer.info.title)])),
                }
            }
        }))
        (section("arena", t("bots.arena"), html! {
            p { (t("bots.arena.say")) }
            (commands(&format!("\
kibitz arena {slug} --player mine='cmd:./my-bot {slug}' --player easy=engine:level=easy --games 4
kibitz arena {slug} --player engine=engine --player theirs=server:$KIBITZ_SERVER,think=50ms --games 4")))
        }))
    }
}

const OPEN: &str = r#"{"kind": "open"}"#;
const EASY: &str = r#"{"kind": "engine", "level": "easy"}"#;

/// A game's official harness.
fn official(offer: &Offer, harness: &Harness) -> Markup {
    let info = offer.info;
    html! {
        h3 id=(info.slug) { (info.title) }
        @for paragraph in &harness.say { p { (paragraph) } }
        (commands(&format!("cp \"$(command -v kibitz-shim)\" kibitz-{}\n{}", info.slug, harness.trial)))
    }
}

fn section(name: &str, title: &str, content: Markup) -> Markup {
    html! { section aria-labelledby=(name) { h2 id=(name) { (title) } (content) } }
}

/// A block of commands to copy.
pub(in crate::web) fn commands(text: &str) -> Markup {
    html! { pre.commands { code { (text) } } }
}
