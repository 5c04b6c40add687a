//! The policy of pages, and the pages of missing paths.

use std::collections::BTreeSet;

use super::{ask, browse, files, opened, quoted};
use crate::client::TestServer;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
                      manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

#[tokio::test]
async fn pages_load_from_this_server_only_and_have_nothing_inline() {
    let (host, mut pages) = opened().await;
    pages.extend(
        ["/docs/", "/docs/problems", "/nothing", "/games/chess", "/players/unknown", "/matches/x"]
            .map(String::from),
    );
    for path in &pages {
        let page = browse(&host, path).await;
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8", "{path}");
        assert_eq!(page.header("content-security-policy"), POLICY, "{path}");
        assert_eq!(page.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(page.header("referrer-policy"), "no-referrer", "{path}");
        let text = page.text();
        assert!(text.starts_with("<!DOCTYPE html>") || text.starts_with("<!doctype html>"), "{path}");
        assert!(text.contains("<html lang=\"en\">") && text.contains("<title>"), "{path}");
        assert_eq!(
            text.matches("<script").count(),
            text.matches("<script src=\"/web/").count()
                + text.matches("<script type=\"module\" src=\"/web/").count()
                // Data, which nothing runs.
                + text.matches("<script type=\"application/json\" id=").count(),
            "{path}"
        );
        assert!(
            !text.contains("<style") && !text.contains(" style=") && !text.contains("javascript:"),
            "{path}"
        );
        let listener = text.split(" on").skip(1).any(|rest| {
            let name = rest.split('=').next().unwrap_or("");
            rest.contains('=') && !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase())
        });
        assert!(!listener, "{path} holds a listener");
        for link in quoted(text, "src=").chain(quoted(text, "href=")) {
            assert!(link.starts_with(['/', '#']) && !link.starts_with("//"), "{path} leads to {link}");
        }
    }
}

#[tokio::test]
async fn links_of_the_pages_resolve() {
    let (host, mut pages) = opened().await;
    pages.push("/docs/".to_owned());
    // Most links are on every page; each is followed once.
    let mut followed = BTreeSet::new();
    for path in &pages {
        let page = browse(&host, path).await;
        assert_eq!(page.status, 200, "{path}");
        for link in quoted(page.text(), "src=").chain(quoted(page.text(), "href=")) {
            if !link.starts_with('#') && !followed.insert(link.to_owned()) {
                continue;
            }
            match link.strip_prefix('#') {
                // The choice of a language leads back.
                None if link.starts_with("/language?") => {
                    assert_eq!(host.get(link).await.status, 303, "{path}: {link}");
                }
                Some(place) => assert!(page.text().contains(&format!("id=\"{place}\"")), "{path}: {link}"),
                None => assert_eq!(browse(&host, link).await.status, 200, "{path}: {link}"),
            }
        }
    }
}

#[tokio::test]
async fn missing_paths_are_pages_for_people_and_problems_for_programs() {
    let host = TestServer::start(&[]).await;
    for (path, code) in [
        ("/nothing", "not_found"),
        ("/games/chess", "unknown_game"),
        ("/players/unknown", "no_such_player"),
        ("/matches/garbled", "no_such_match"),
    ] {
        host.get(path).await.problem(404, code);
        let page = browse(&host, path).await;
        assert_eq!(
            (page.status.as_u16(), page.header("content-type")),
            (404, "text/html; charset=utf-8"),
            "{path}"
        );
        assert!(page.text().contains("<h1>") && page.text().contains("href=\"/\""), "{path}");
    }
    let page = ask(&host, "POST", "/bots", &[("accept", "text/html")]).await;
    assert_eq!((page.status.as_u16(), page.header("allow")), (405, "GET,HEAD"));
    assert!(page.header("content-type").starts_with("text/html"));
    // The API answers every client with a problem.
    browse(&host, "/v1/matches/garbled").await.problem(404, "no_such_match");
    browse(&host, "/web/lib/nothing.js").await.problem(404, "not_found");
    // The page does not reveal whether the match exists: a private match looks the same.
    let nowhere = browse(&host, "/matches/0198c0de-1111-7000-8000-000000000000").await;
    assert_eq!(nowhere.status, 200);
    // HEAD is GET without its body.
    let head = ask(&host, "HEAD", "/", &[]).await;
    assert_eq!((head.status.as_u16(), head.body.len()), (200, 0));
}

#[tokio::test]
async fn names_chosen_by_others_stay_text() {
    let host = TestServer::start(&[]).await;
    for name in ["x\"><script>alert(1)</script>", "$(reboot)", "a;reboot", "a`b`", ""] {
        let page = ask(&host, "GET", "/bots", &[("host", name)]).await;
        assert!(
            page.text().contains("KIBITZ_SERVER=http://127.0.0.1:8080\n")
                || page.status != 200
                || page.text().contains("KIBITZ_SERVER=http://127.0.0.1:8080<"),
            "{name:?}: {page:?}"
        );
    }
    let page = ask(&host, "GET", "/bots", &[("host", "play.example"), ("x-forwarded-proto", "https")]).await;
    assert!(page.text().contains("KIBITZ_SERVER=https://play.example<"), "{}", page.text());
    let page = browse(&host, "/players/%3Cscript%3E").await;
    assert!(page.status == 404 && !page.text().contains("<script>"), "{}", page.text());
    // The modules make elements by their names and texts, and never out of markup.
    for (path, file) in files().iter().filter(|(path, _)| path.ends_with(".js")) {
        let text = std::fs::read_to_string(file).unwrap();
        for markup in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "DOMParser",
            "eval(",
            "new Function",
        ] {
            assert!(!text.contains(markup), "{path} holds {markup}");
        }
        // One function takes the elements of the server's own page.
        assert!(!text.contains("responseType") || path == "/web/lib/api.js", "{path} asks for markup");
    }
}
