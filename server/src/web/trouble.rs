//! What goes wrong, for those who look at it in a browser: a page instead of a problem in JSON.

use axum::extract::Request;
use axum::http::{HeaderMap, header};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use maud::{Markup, html};

use super::layout::Page;
use super::words::t;
use crate::error::Code;

/// Paths for programs: what goes wrong there stays a problem in JSON, whoever asks.
const FOR_PROGRAMS: [&str; 3] = ["/v1/", "/web/", "/docs/"];

/// Around all routes: who asks for a page gets a page.
pub async fn for_people(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let person =
        !FOR_PROGRAMS.iter().any(|begin| path.starts_with(begin)) && asks_for_a_page(request.headers());
    let mut response = next.run(request).await;
    if let Some(code) = response.extensions().get::<Code>().copied().filter(|_| person) {
        let (mut parts, _) = response.into_parts();
        let page = Html(page(code).into_string()).into_response();
        parts.headers.extend(page.headers().clone());
        parts.headers.remove(header::CONTENT_LENGTH);
        response = Response::from_parts(parts, page.into_body());
    }
    response
}

fn asks_for_a_page(headers: &HeaderMap) -> bool {
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
    Page::new(title).render(html! {
        section.trouble {
            p.status { (status.as_u16()) }
            h1 { (title) }
            p { (says) }
            p { a.button href="/" { (t("trouble.home")) } }
        }
    })
}
