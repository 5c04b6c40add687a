//! Errors as pages, for people in a browser; programs get a problem in JSON.

use axum::extract::Request;
use axum::http::{HeaderMap, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};

use crate::error::{Code, Error};
use crate::web::layout;
use crate::web::layout::HtmlPage;
use crate::web::visit;
use crate::web::words::t;

/// Paths for programs: an error there stays a problem in JSON, whatever the client accepts.
const FOR_PROGRAMS: [&str; 3] = ["/v1/", "/web/", "/docs/"];

/// Middleware of the pages' routes: turns an error into a page if the client accepts HTML.
pub(super) async fn for_people(request: Request, next: Next) -> Response {
    let accepted = accepts_html(request.headers());
    let response = next.run(request).await;
    match response.extensions().get::<Code>() {
        Some(&code) if accepted => as_page(response, code),
        _ => response,
    }
}

/// The response to a request that no route handles: a page if the client accepts HTML, else a problem.
pub(crate) fn or_page(error: Error, uri: &Uri, headers: &HeaderMap) -> Response {
    let code = error.code();
    let response = error.into_response();
    let for_program = FOR_PROGRAMS.iter().any(|begin| uri.path().starts_with(begin));
    if for_program || !accepts_html(headers) {
        return response;
    }
    visit::within(headers, uri.path(), || as_page(response, code))
}

/// The response with a page as its body. It keeps its status and other headers.
fn as_page(response: Response, code: Code) -> Response {
    let (mut parts, _) = response.into_parts();
    parts.extensions.remove::<Error>();
    let page = layout::answer(page(code));
    parts.headers.extend(page.headers().clone());
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, page.into_body())
}

fn accepts_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok());
    accepted.is_some_and(|kinds| kinds.split(',').any(|kind| kind.trim().starts_with("text/html")))
}

fn page(code: Code) -> Markup {
    let (title, says) = match code {
        Code::NoSuchMatch => (t("trouble.title"), t("trouble.match")),
        Code::NoSuchPlayer => (t("trouble.title"), t("trouble.player")),
        Code::UnknownGame => (t("trouble.title"), t("trouble.game")),
        Code::NotFound => (t("trouble.title"), t("trouble.page")),
        code if code.status().is_client_error() => (code.title(), code.help()),
        code => (code.title(), t("trouble.server")),
    };
    let status = code.status();
    HtmlPage::new(title).render(html! {
        section.trouble {
            p.status { (status.as_u16()) }
            h1 { (title) }
            p { (says) }
            p { a.button href="/" { (t("trouble.home")) } }
        }
    })
}
