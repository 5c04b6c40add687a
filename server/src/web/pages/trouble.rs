//! Errors as pages, for people in a browser; programs get a problem in JSON.

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

use crate::app::App;
use crate::error::{Class, Code, Error};
use crate::request::problem::status;
use crate::web::layout;
use crate::web::layout::HtmlPage;
use crate::web::pages::home::{tiles, ways};
use crate::web::visit;
use crate::web::words::t;

/// Paths for programs: an error there stays a problem in JSON, whatever the client accepts.
const FOR_PROGRAMS: [&str; 3] = ["/v1/", "/web/", "/docs/"];

/// Middleware of the pages' routes: turns an error into a page if the client accepts HTML.
pub(in crate::web) async fn for_people(
    State(app): State<&'static App>,
    request: Request,
    next: Next,
) -> Response {
    let accepted = accepts_html(request.headers());
    let response = next.run(request).await;
    match response.extensions().get::<Code>() {
        Some(&code) if accepted => as_page(app, response, code),
        _ => response,
    }
}

/// The response to a request that no route handles: a page if the client accepts HTML, else a problem.
pub(crate) fn or_page(app: &App, error: Error, uri: &Uri, headers: &HeaderMap) -> Response {
    let code = error.code();
    let response = error.into_response();
    let for_program = FOR_PROGRAMS.iter().any(|begin| uri.path().starts_with(begin));
    if for_program || !accepts_html(headers) {
        return response;
    }
    visit::within(headers, uri.path(), || as_page(app, response, code))
}

/// The response with a page as its body. It keeps its status and other headers.
fn as_page(app: &App, response: Response, code: Code) -> Response {
    let (mut parts, _) = response.into_parts();
    parts.extensions.remove::<Error>();
    let page = layout::answer(page(app, code));
    parts.headers.extend(page.headers().clone());
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, page.into_body())
}

fn accepts_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|kinds| kinds.split(',').any(|kind| kind.trim().starts_with("text/html")))
}

/// The explanation in a title and a sentence, and the page that helps best: its path and name.
fn explained(code: Code) -> (&'static str, &'static str, Option<(&'static str, &'static str)>) {
    match code {
        Code::NoSuchMatch => ("trouble.no_match", "trouble.match", Some(("/matches", "home.all"))),
        Code::NoSuchPlayer => ("trouble.no_player", "trouble.player", Some(("/lobby", "trouble.lobby"))),
        Code::NoSuchTournament => {
            ("trouble.no_tournament", "trouble.tournament", Some(("/tournaments", "trouble.tournaments")))
        }
        Code::NoSuchPuzzle => ("trouble.no_puzzle", "trouble.puzzle", Some(("/puzzles", "puzzle.all"))),
        Code::Sealed => ("trouble.sealed", "problem.sealed", Some(("/tournaments", "trouble.tournaments"))),
        Code::UnknownGame => ("trouble.no_game", "trouble.game", None),
        Code::NotFound => ("trouble.title", "trouble.page", None),
        code if code.class() == Class::TooMany => ("trouble.many", "trouble.wait", None),
        code if !code.class().is_of_server() => ("trouble.refused", "trouble.request", None),
        _ => ("trouble.failed", "trouble.server", None),
    }
}

fn page(app: &App, code: Code) -> Markup {
    let (title, says, next) = explained(code);
    let (title, status, path) = (t(title), status(code), visit::path());
    let again = status.is_server_error() || status == StatusCode::TOO_MANY_REQUESTS;
    HtmlPage::new(title).render(html! {
        section.trouble {
            p.status { (status.as_u16()) }
            h1 { (title) }
            p.lead { (t(says)) }
            p.buttons {
                @if again { a.button.main href=(path) { (t("trouble.again")) } }
                @if let Some((path, name)) = next { a.button.main href=(path) { (t(name)) } }
                a.button.main[!again && next.is_none()] href="/" { (t("trouble.home")) }
            }
        }
        section aria-labelledby="games" {
            h2 #games { (t("home.games")) }
            (tiles(app, |slug| format!("/games/{slug}")))
        }
        section aria-labelledby="ways" {
            h2 #ways { (t("home.ways")) }
            (ways())
        }
        p.soft.more { (t("trouble.code")) " " a href={ "/docs/problems#" (code.name()) } { code { (code.name()) } } }
    })
}
