//! The facts about a request that its page needs: the visitor's language, the address of this server as the visitor
//! knows it, and the path. The middleware sets them for the time of the request, so that texts need no argument for
//! them.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;

/// The cookie with the language that the visitor has chosen.
const COOKIE: &str = "kibitz-language";

/// How long the choice is remembered, in seconds: a year.
const COOKIE_AGE: u32 = 31_536_000;

/// A language of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::web) struct Language {
    /// Its tag, which is also the name of its files.
    pub tag: &'static str,
    /// Its name in itself.
    pub name: &'static str,
    /// The character before the fraction of its numbers.
    pub decimal: char,
    /// The language whose texts it shares where it has none of its own.
    pub base: Option<&'static str>,
}

impl Language {
    /// All languages. The first is that of visitors whose languages are not here.
    pub(in crate::web) const ALL: [Self; 4] = [
        Self { tag: "en", name: "English", decimal: '.', base: None },
        Self { tag: "ro", name: "Română", decimal: ',', base: None },
        Self { tag: "pt", name: "Português", decimal: ',', base: None },
        Self { tag: "pt-BR", name: "Português (Brasil)", decimal: ',', base: Some("pt") },
    ];

    /// The language of this tag, such as `pt-BR`; of `ro-MD` it is that of `ro`.
    pub(in crate::web) fn of(tag: &str) -> Option<Self> {
        let named = |tag: &str| Self::ALL.into_iter().find(|language| language.tag.eq_ignore_ascii_case(tag));
        named(tag).or_else(|| named(tag.split('-').next()?))
    }

    /// Its tag, then the tags of those whose texts it shares, English last.
    pub(in crate::web) fn sources(self) -> impl Iterator<Item = &'static str> {
        let english = Self::ALL[0].tag;
        [Some(self.tag), self.base, (self.tag != english).then_some(english)].into_iter().flatten()
    }

    /// The visitor's language: the one chosen, else the one that the browser asks for most.
    fn asked(headers: &HeaderMap) -> Self {
        let text = |name| headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
        let mut cookies = text(header::COOKIE).flat_map(|value| value.split(';')).map(str::trim);
        let chosen = cookies.find_map(|cookie| cookie.strip_prefix(COOKIE)?.strip_prefix('='));
        let mut best: Option<(f32, Self)> = None;
        for range in text(header::ACCEPT_LANGUAGE).flat_map(|value| value.split(',')) {
            let (tag, weight) = range.split_once(";q=").unwrap_or((range, "1"));
            let weight = weight.trim().parse().unwrap_or(0.0);
            // Of equal weights the first counts.
            if let Some(language) = Self::of(tag.trim())
                && weight > best.map_or(0.0, |(most, _)| most)
            {
                best = Some((weight, language));
            }
        }
        chosen.and_then(Self::of).or(best.map(|(_, language)| language)).unwrap_or(Self::ALL[0])
    }
}

/// The known facts about the request.
#[derive(Clone, Debug)]
struct Visit {
    language: Language,
    origin: String,
    path: String,
}

tokio::task_local! {
    static VISIT: Visit;
}

/// The visitor's language; the first one outside a request.
pub(in crate::web) fn language() -> Language {
    VISIT.try_with(|visit| visit.language).unwrap_or(Language::ALL[0])
}

/// The scheme and host of this server as the visitor knows it; empty outside a request.
pub(in crate::web) fn origin() -> String {
    VISIT.try_with(|visit| visit.origin.clone()).unwrap_or_default()
}

/// The path of the request; `/` outside a request.
pub(in crate::web) fn path() -> String {
    VISIT.try_with(|visit| visit.path.clone()).unwrap_or_else(|_| "/".to_owned())
}

/// Middleware of the pages' routes: answers in the visitor's language.
pub(in crate::web) async fn answer(request: Request, next: Next) -> Response {
    let visit = Visit::of(request.headers(), request.uri().path());
    let language = HeaderValue::from_static(visit.language.tag);
    let mut response = VISIT.scope(visit, next.run(request)).await;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_LANGUAGE, language);
    headers.append(header::VARY, HeaderValue::from_static("accept-language, cookie"));
    response
}

/// Calls `render` as a page that answers a request with these headers.
pub(in crate::web) fn within<T>(headers: &HeaderMap, path: &str, render: impl FnOnce() -> T) -> T {
    VISIT.sync_scope(Visit::of(headers, path), render)
}

/// Calls `render` in this language, outside a request.
pub(in crate::web) fn in_language<T>(language: Language, render: impl FnOnce() -> T) -> T {
    VISIT.sync_scope(Visit { language, origin: String::new(), path: "/".to_owned() }, render)
}

impl Visit {
    fn of(headers: &HeaderMap, path: &str) -> Self {
        Self { language: Language::asked(headers), origin: server(headers), path: path.to_owned() }
    }
}

/// The address of this server, as the client addressed it.
pub(in crate::web) fn server(headers: &HeaderMap) -> String {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let plain = |host: &&str| host.bytes().all(|b| b.is_ascii_alphanumeric() || b"-.:[]".contains(&b));
    let host = text(header::HOST).filter(plain).filter(|host| !host.is_empty()).unwrap_or("127.0.0.1:8080");
    let scheme =
        if text(HeaderName::from_static("x-forwarded-proto")) == Some("https") { "https" } else { "http" };
    format!("{scheme}://{host}")
}

/// A choice of language.
#[derive(Deserialize)]
pub(in crate::web) struct Choice {
    to: String,
    #[serde(default)]
    back: String,
}

/// Remembers the visitor's choice of a language and leads back to the page, for browsers without JavaScript.
pub(in crate::web) async fn choose(choice: Result<Query<Choice>, QueryRejection>) -> Response {
    let Ok(Query(choice)) = choice else { return Redirect::to("/").into_response() };
    // Only a path of this server: not another host, nor a header's end.
    let local = choice.back.starts_with('/') && !choice.back[1..].starts_with(['/', '\\']);
    let back = if local && choice.back.bytes().all(|b| b.is_ascii_graphic()) { &*choice.back } else { "/" };
    let answer = Redirect::to(back);
    match Language::of(&choice.to) {
        Some(language) => {
            let tag = language.tag;
            let cookie = format!("{COOKIE}={tag}; Path=/; Max-Age={COOKIE_AGE}; SameSite=Lax");
            ([(header::SET_COOKIE, cookie)], answer).into_response()
        }
        None => answer.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(headers: &[(&str, &str)]) -> &'static str {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: HeaderName = name.parse().unwrap();
            map.append(name, value.parse().unwrap());
        }
        Language::asked(&map).tag
    }

    #[test]
    fn choice_counts_more_than_the_browser() {
        assert_eq!(asked(&[]), "en");
        assert_eq!(asked(&[("accept-language", "fr, de;q=0.8")]), "en");
        assert_eq!(asked(&[("accept-language", "ro-RO,ro;q=0.9,en-US;q=0.8,en;q=0.7")]), "ro");
        assert_eq!(asked(&[("accept-language", "fr, en;q=0.3, pt-BR;q=0.8")]), "pt-BR");
        assert_eq!(asked(&[("accept-language", "pt-AO, en;q=0.3")]), "pt");
        assert_eq!(asked(&[("cookie", "kibitz-language=pt-BR")]), "pt-BR");
        assert_eq!(asked(&[("accept-language", "ro;q=0, en")]), "en");
        assert_eq!(asked(&[("accept-language", "ro"), ("cookie", "a=b; kibitz-language=pt")]), "pt");
        assert_eq!(asked(&[("accept-language", "ro"), ("cookie", "kibitz-language=xx")]), "ro");
    }
}
