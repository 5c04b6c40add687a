//! The facts that the pages contain for a request's visitor and about matches: languages, previews, the embed address.

use serde_json::json;

use super::{ask, browse};
use crate::client::TestServer;
use crate::matches::{TestCaller, create, me, open, order};

const LANGUAGES: [(&str, &str); 3] = [("en", "Matches"), ("ro", "Partide"), ("pt", "Partidas")];

#[tokio::test]
async fn pages_speak_the_visitors_language() {
    let host = TestServer::start(&[]).await;
    for (tag, title) in LANGUAGES {
        let heading = format!("<h1>{title}</h1>");
        let accept = format!("fr, {tag};q=0.8, xx;q=0.1");
        let cookie = format!("kibitz-language={tag}");
        for headers in [("accept-language", &*accept), ("cookie", &*cookie)] {
            let page = ask(&host, "GET", "/matches", &[headers]).await;
            assert!(page.text().contains(&heading), "{headers:?}");
            assert!(page.text().contains(&format!("<html lang=\"{tag}\">")), "{headers:?}");
            assert_eq!(page.header("content-language"), tag);
            assert!(page.header("vary").contains("accept-language"), "{}", page.header("vary"));
        }
        // A page for an error, also of a path that no page has.
        for path in ["/games/chess", "/nothing"] {
            let html = [("accept", "text/html"), ("accept-language", tag)];
            let page = ask(&host, "GET", path, &html).await;
            assert!(page.text().contains(&format!("<html lang=\"{tag}\">")), "{path}: {tag}");
        }
    }
    // The API and its reference are English.
    let page = ask(&host, "GET", "/docs/", &[("accept-language", "ro")]).await;
    assert!(page.text().contains("<html lang=\"en\">"));
}

#[tokio::test]
async fn tables_of_texts_are_complete_in_every_language() {
    let host = TestServer::start(&[]).await;
    let page = browse(&host, "/").await;
    let version = page.text().split("/web/").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let games = engines::games::GAMES.iter().map(|game| format!("games/{}/", game.info().slug));
    for folder in std::iter::once(String::new()).chain(games) {
        // Those of the pages lack what only the server says.
        let english = host.get(&format!("/web/{version}/{folder}en.json")).await.json();
        assert!(english.as_object().unwrap().len() > 20, "{folder}");
        for (tag, _) in LANGUAGES {
            let table = host.get(&format!("/web/{version}/{folder}{tag}.json")).await.json();
            for key in english.as_object().unwrap().keys() {
                assert!(!table[key].is_null(), "{folder}{tag}: {key}");
            }
        }
        host.get(&format!("/web/{version}/{folder}fr.json")).await.problem(404, "not_found");
    }
}

#[tokio::test]
async fn private_match_is_shown_to_no_visitor() {
    let host = TestServer::start(&[]).await;
    let caller = TestCaller::anonymous();
    let (public, _) = create(&host, &caller, order("ioiwari", &[me(), open()])).await;
    let mut secret = order("ioiwari", &[json!({ "kind": "me", "name": "Ana" }), open()]);
    secret["private"] = json!(true);
    let (private, _) = create(&host, &caller, secret).await;
    let [public, private] = [public, private].map(|path| path.replace("/v1/", "/"));
    let page = browse(&host, &public).await;
    assert!(page.text().contains("id=\"page\"") && page.text().contains("og:image"));
    let page = browse(&host, &private).await;
    assert!(!page.text().contains("id=\"page\"") && !page.text().contains("og:"), "{}", page.text());
    assert!(!page.text().contains("Ana") && page.text().contains("noindex"));
    for part in ["embed", "picture.png", "picture.svg"] {
        assert_eq!(host.get(&format!("{private}/{part}")).await.status, 404, "{part}");
        assert_eq!(host.get(&format!("{public}/{part}")).await.status, 200, "{part}");
    }
    let embedded = host.get(&format!("{public}/embed")).await;
    assert!(embedded.header("content-security-policy").ends_with("frame-ancestors *"));
    assert!(host.get(&public).await.header("content-security-policy").ends_with("frame-ancestors 'none'"));
}
