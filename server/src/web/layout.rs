//! The parts that all pages share: head, navigation, foot.

use axum::http::header;
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::web::files::asset::url;
use crate::web::files::pictures::PREVIEW;
use crate::web::visit::{self, Language};
use crate::web::words::{say, t};

/// A page to render.
pub(in crate::web) struct HtmlPage<'a> {
    title: &'a str,
    about: Option<&'a str>,
    picture: Option<String>,
    module: Option<&'static str>,
    styles: &'static [&'static str],
    /// Further elements of the head: before its style sheets, and after them.
    head: [Option<Markup>; 2],
    /// The id of the main element.
    main: &'static str,
    /// The language, if it is not the visitor's.
    language: Option<&'static str>,
    bare: bool,
}

impl<'a> HtmlPage<'a> {
    /// A page with this title.
    pub(in crate::web) fn new(title: &'a str) -> Self {
        Self {
            title,
            about: None,
            picture: None,
            module: None,
            styles: &["lib/page/pages.css"],
            head: [None, None],
            main: "main",
            language: None,
            bare: false,
        }
    }

    /// With this sentence as its description, for search engines and previews of links.
    pub(in crate::web) fn about(self, about: &'a str) -> Self {
        Self { about: Some(about), ..self }
    }

    /// With the picture at this path as its preview, 1200 by 630.
    pub(in crate::web) fn picture(self, path: String) -> Self {
        Self { picture: Some(path), ..self }
    }

    /// With this module, a path below `server/web`.
    pub(in crate::web) fn module(self, module: &'static str) -> Self {
        Self { module: Some(module), ..self }
    }

    /// With these style sheets instead of `pages.css`; `style.css` applies to all pages.
    pub(in crate::web) fn styles(self, styles: &'static [&'static str]) -> Self {
        Self { styles, ..self }
    }

    /// With these elements in its head before the style sheets, which scripts wait for, and after them.
    pub(in crate::web) fn head(self, before: Markup, after: Markup) -> Self {
        Self { head: [Some(before), Some(after)], ..self }
    }

    /// With another id of the main element.
    pub(in crate::web) fn main(self, main: &'static str) -> Self {
        Self { main, ..self }
    }

    /// In English for all visitors.
    pub(in crate::web) fn english(self) -> Self {
        Self { language: Some("en"), ..self }
    }

    /// Without navigation and foot, to be shown in other sites.
    pub(in crate::web) fn bare(self) -> Self {
        Self { bare: true, ..self }
    }

    /// The page around this content.
    pub(in crate::web) fn render(self, content: Markup) -> Markup {
        let main = self.main;
        self.around(html! { main id=(main) { (content) } })
    }

    /// The page around its main element.
    pub(in crate::web) fn around(mut self, main: Markup) -> Markup {
        let [before, after] = std::mem::take(&mut self.head);
        let language = self.language.unwrap_or(visit::language().tag);
        html! {
            (DOCTYPE)
            html lang=(language) {
                head {
                    meta charset="utf-8";
                    title { (say("page.title", &[("title", self.title)])) }
                    meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover";
                    (self.described())
                    link rel="icon" type="image/svg+xml" href=(url("icon.svg"));
                    link rel="manifest" href="/manifest.webmanifest";
                    // Not a module: it sets the theme before anything is drawn.
                    script src=(url("lib/page/theme.js")) {}
                    @if let Some(before) = before { (before) }
                    link rel="stylesheet" href=(url("lib/style.css"));
                    @for style in self.styles { link rel="stylesheet" href=(url(style)); }
                    // A page's own module brings `header.js` with it.
                    @if !self.bare && self.module.is_none() { script type="module" src=(url("lib/page/header.js")) {} }
                    @if let Some(module) = self.module {
                        script type="module" src=(url(module)) {}
                        (preload(&format!("{language}.json")))
                    }
                    @if let Some(after) = after { (after) }
                }
                // Style sheets ask for the page by this class: `body:has(#match)` would restyle the page at every change.
                body class={ (self.main) "-page" } {
                    @if !self.bare { a.skip href={ "#" (self.main) } { (t("page.skip")) } (top()) }
                    // The page's module shows it if it cannot start: it cannot load any text then.
                    @if self.module.is_some() { p.unfinished.notice id="unfinished" role="alert" hidden { (t("page.unfinished")) } }
                    (main)
                    @if !self.bare { (bottom()) }
                }
            }
        }
    }

    /// The facts that search engines and previews of links show of the page.
    fn described(&self) -> Markup {
        let address = |path: &str| format!("{}{path}", visit::origin());
        html! {
            @if let Some(about) = self.about {
                meta name="description" content=(about);
                meta property="og:site_name" content="kibitz";
                meta property="og:type" content="website";
                meta property="og:title" content=(self.title);
                meta property="og:description" content=(about);
                meta property="og:url" content=(address(&visit::path()));
                @if let Some(picture) = &self.picture {
                    meta property="og:image" content=(address(picture));
                    meta property="og:image:width" content=(PREVIEW.0);
                    meta property="og:image:height" content=(PREVIEW.1);
                    meta name="twitter:card" content="summary_large_image";
                }
            }
        }
    }
}

/// JSON as data for a page's module, in an element with this id. Not a script: nothing runs it.
pub(in crate::web) fn data(id: &str, json: &str) -> Markup {
    // No text in it can end the element.
    html! { script type="application/json" id=(id) { (PreEscaped(json.replace('<', "\\u003c"))) } }
}

/// Makes the browser load a file that a module will ask for.
pub(in crate::web) fn preload(path: &str) -> Markup {
    html! { link rel="preload" as="fetch" crossorigin="anonymous" href=(url(path)); }
}

/// The bar at the top.
fn top() -> Markup {
    html! {
        header.top {
            a.brand href="/" { img src=(url("icon.svg")) alt="" width="28" height="28"; "kibitz" }
            nav aria-label=(t("page.nav")) {
                a href="/lobby" { (t("nav.lobby")) }
                a href="/matches" { (t("nav.matches")) }
                a href="/tournaments" { (t("nav.tournaments")) }
                a href="/puzzles" { (t("puzzle.title")) }
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
    }
}

/// The foot, with the choice of a language.
fn bottom() -> Markup {
    let back = utf8_percent_encode(&visit::path(), NON_ALPHANUMERIC).to_string();
    html! {
        footer.bottom {
            p { (t("foot.about")) }
            p { a href="/docs/" { (t("foot.docs")) } " · " a href="/openapi.json" { (t("foot.openapi")) }
                " · " a href="/docs/problems" { (t("foot.problems")) } }
            nav.languages aria-label=(t("foot.languages")) {
                @for language in Language::ALL {
                    @let current = language == visit::language();
                    a href={ "/language?to=" (language.tag) "&back=" (back) } lang=(language.tag) hreflang=(language.tag)
                        rel="nofollow" data-language=(language.tag) aria-current=[current.then_some("true")] { (language.name) }
                }
            }
        }
    }
}

/// A table that scrolls in itself on a small screen, also by keyboard. `title`: the id of its heading. `spare`: some columns
/// have this class; a narrow screen shows them only if the visitor asks for all.
pub(in crate::web) fn table(title: &str, spare: bool, content: Markup) -> Markup {
    html! {
        @if spare { label.check.every-column { input type="checkbox" autocomplete="off"; " " (t("page.columns")) } }
        div.wide role="region" tabindex="0" aria-labelledby=(title) { table.results { (content) } }
    }
}

/// A notice for browsers without JavaScript.
pub(in crate::web) fn needs_js() -> Markup {
    html! { noscript { p.notice { (t("page.noscript")) } } }
}

/// The content security policy of a page: it may load from this server and call it; it cannot be framed.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// The same for a page that other sites may show in a frame.
const EMBEDDED_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
                               connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
                               frame-ancestors *";

fn with_policy(page: String, policy: &'static str) -> Response {
    let headers = [(header::CONTENT_SECURITY_POLICY, policy), (header::REFERRER_POLICY, "no-referrer")];
    (headers, Html(page)).into_response()
}

/// A page as a response.
pub(in crate::web) fn answer(page: Markup) -> Response {
    with_policy(page.0, POLICY)
}

/// A page as a successful response.
pub(crate) fn found(page: Markup) -> Response {
    ([(header::CACHE_CONTROL, "no-cache")], answer(page)).into_response()
}

/// A page that other sites may show in a frame, as a successful response.
pub(in crate::web) fn embeddable(page: Markup) -> Response {
    ([(header::CACHE_CONTROL, "no-cache")], with_policy(page.0, EMBEDDED_POLICY)).into_response()
}
