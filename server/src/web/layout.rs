//! What all pages share: head, navigation, foot.

use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::web::words::{say, t};

/// A page to render.
pub(super) struct HtmlPage<'a> {
    title: &'a str,
    about: Option<&'a str>,
    module: Option<&'static str>,
    styles: &'static [&'static str],
    /// The id of the main element.
    main: &'static str,
}

impl<'a> HtmlPage<'a> {
    /// A page with this title.
    pub(super) fn new(title: &'a str) -> Self {
        Self { title, about: None, module: None, styles: &["pages.css"], main: "main" }
    }

    /// With this sentence as its description, for search engines.
    pub(super) fn about(self, about: &'a str) -> Self {
        Self { about: Some(about), ..self }
    }

    /// With this module of `js/`.
    pub(super) fn module(self, module: &'static str) -> Self {
        Self { module: Some(module), ..self }
    }

    /// With these style sheets instead of `pages.css`; `style.css` applies to all pages.
    pub(super) fn styles(self, styles: &'static [&'static str]) -> Self {
        Self { styles, ..self }
    }

    /// With another id of the main element.
    pub(super) fn main(self, main: &'static str) -> Self {
        Self { main, ..self }
    }

    /// The page around this content.
    pub(super) fn render(self, content: Markup) -> Markup {
        let main = self.main;
        self.around(html! { main id=(main) { (content) } })
    }

    /// The page around its main element.
    pub(super) fn around(self, main: Markup) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    title { (say("page.title", &[("title", self.title)])) }
                    meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover";
                    @if let Some(about) = self.about { meta name="description" content=(about); }
                    link rel="icon" type="image/svg+xml" href="/web/icon.svg";
                    // Not a module: it sets the theme before anything is drawn.
                    script src="/web/js/theme.js" {}
                    link rel="stylesheet" href="/web/style.css";
                    @for style in self.styles { link rel="stylesheet" href={ "/web/" (style) }; }
                    script type="module" src="/web/js/club.js" {}
                    @if let Some(module) = self.module { script type="module" src={ "/web/js/" (module) } {} }
                }
                body {
                    a.skip href={ "#" (self.main) } { (t("page.skip")) }
                    header.top {
                        a.brand href="/" { img src="/web/icon.svg" alt="" width="28" height="28"; "kibitz" }
                        nav aria-label=(t("page.nav")) {
                            a href="/lobby" { (t("nav.lobby")) }
                            a href="/matches" { (t("nav.matches")) }
                            a href="/tournaments" { (t("nav.tournaments")) }
                            a href="/bots" { (t("nav.bots")) }
                            a href="/docs/" { (t("nav.api")) }
                        }
                        // `club.js` shows the name of the player who is signed in.
                        a.account href="/account" { (t("nav.account")) }
                        button.theme type="button" hidden aria-label=(t("theme.change")) title=(t("theme.change")) {
                            svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" {
                                circle cx="12" cy="12" r="8.5" fill="none" stroke="currentColor" stroke-width="1.8" {}
                                path d="M12 3.5a8.5 8.5 0 0 1 0 17z" fill="currentColor" {}
                            }
                        }
                    }
                    // The page's module shows it if it cannot start: it cannot load any text then.
                    @if self.module.is_some() { p.unfinished.notice id="unfinished" role="alert" hidden { (t("page.unfinished")) } }
                    (main)
                    footer.bottom {
                        p { (t("foot.about")) }
                        p { a href="/docs/" { (t("foot.docs")) } " · " a href="/openapi.json" { (t("foot.openapi")) }
                            " · " a href="/docs/problems" { (t("foot.problems")) } }
                    }
                }
            }
        }
    }
}

/// A notice for browsers without JavaScript.
pub(super) fn needs_js() -> Markup {
    html! { noscript { p.notice { (t("page.noscript")) } } }
}

/// What a page may do: load from this server and call it; it cannot be framed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// A page as a response.
pub(super) fn answer<T>(page: PreEscaped<T>) -> Response
where
    Html<T>: IntoResponse,
{
    let headers = [(header::CONTENT_SECURITY_POLICY, POLICY), (header::REFERRER_POLICY, "no-referrer")];
    (headers, Html(page.0)).into_response()
}

/// A page as a successful response.
pub(crate) fn found<T>(page: PreEscaped<T>) -> Response
where
    Html<T>: IntoResponse,
{
    ([(header::CACHE_CONTROL, "no-cache")], answer(page)).into_response()
}
