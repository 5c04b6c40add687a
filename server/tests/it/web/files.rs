//! The files of the pages: their media types and tags; they refer to no other host.

use std::io::Read;

use super::{ask, files};
use crate::client::TestServer;

#[tokio::test]
async fn files_are_served_as_they_are_and_asked_for_again() {
    let host = TestServer::start(&[]).await;
    for (path, file) in files() {
        let plain = host.get(&path).await;
        assert_eq!(plain.status, 200, "{path}");
        let content = std::fs::read(&file).unwrap();
        assert_eq!(plain.body, content, "{path}");
        let kind = match path.rsplit('.').next().unwrap() {
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "json" => "application/json",
            "svg" => "image/svg+xml",
            other => panic!("{path}: unknown media type of {other}"),
        };
        assert_eq!(plain.header("content-type"), kind, "{path}");
        assert_eq!(
            (plain.header("cache-control"), plain.header("vary")),
            ("no-cache", "accept-encoding"),
            "{path}"
        );
        assert_eq!(plain.header("x-content-type-options"), "nosniff");
        let packed = ask(&host, "GET", &path, &[("accept-encoding", "deflate, gzip;q=0.5")]).await;
        assert!(packed.body.len() <= plain.body.len(), "{path}");
        if packed.header("content-encoding") == "gzip" {
            let mut unpacked = Vec::new();
            flate2::read::GzDecoder::new(&*packed.body).read_to_end(&mut unpacked).unwrap();
            assert_eq!(unpacked, content, "{path}");
            assert_ne!(packed.header("etag"), plain.header("etag"), "{path}: they differ byte by byte");
        }
        for (reply, coding) in [(&plain, "identity"), (&packed, "gzip")] {
            let tag = reply.header("etag").to_owned();
            assert!(tag.starts_with('"') && tag.ends_with('"') && tag.len() > 20, "{path}: {tag}");
            for known in [tag.clone(), format!("\"other\", W/{tag}"), "*".to_owned()] {
                let headers = [("if-none-match", &*known), ("accept-encoding", coding)];
                let same = ask(&host, "GET", &path, &headers).await;
                assert_eq!((same.status.as_u16(), same.body.len()), (304, 0), "{path}: {known}");
                assert_eq!(same.header("etag"), tag, "{path}");
            }
            let headers = [("if-none-match", "\"other\""), ("accept-encoding", coding)];
            assert_eq!(ask(&host, "GET", &path, &headers).await.status, 200, "{path}");
        }
        let head = ask(&host, "HEAD", &path, &[]).await;
        assert_eq!((head.status.as_u16(), head.body.len()), (200, 0), "{path}");
        assert_eq!(head.header("etag"), plain.header("etag"), "{path}");
        let refused = ask(&host, "GET", &path, &[("accept-encoding", "gzip;q=0")]).await;
        assert_eq!(refused.header("content-encoding"), "", "{path}");
    }
}

/// The first clients get gzip, because Brotli takes the server a moment.
#[tokio::test]
async fn brotli_follows_for_clients_that_take_it() {
    const PATH: &str = "/web/lib/page/theme.js";
    let host = TestServer::start(&[]).await;
    let asked = async |codings: &str| ask(&host, "GET", PATH, &[("accept-encoding", codings)]).await;
    let plain = asked("identity").await;
    let mut packed = asked("gzip, br").await;
    assert_eq!(packed.header("content-encoding"), "gzip");
    for _ in 0..3_000 {
        if packed.header("content-encoding") == "br" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        packed = asked("gzip, br").await;
    }
    assert_eq!(packed.header("content-encoding"), "br", "a minute later");
    let mut unpacked = Vec::new();
    brotli::BrotliDecompress(&mut &*packed.body, &mut unpacked).unwrap();
    assert_eq!(unpacked, plain.body);
    let gzip = asked("gzip").await;
    assert!(packed.body.len() < gzip.body.len(), "{} bytes, {} in gzip", packed.body.len(), gzip.body.len());
    let tags = [&plain, &packed, &gzip].map(|reply| reply.header("etag").to_owned());
    assert!(tags[0] != tags[1] && tags[0] != tags[2] && tags[1] != tags[2], "{tags:?}");
    assert_eq!(asked("gzip, br;q=0").await.header("content-encoding"), "gzip");
}

#[tokio::test]
async fn other_files_are_not_served() {
    let host = TestServer::start(&[]).await;
    let slug = engines::games::GAMES[0].info().slug;
    for path in [
        "/web/",
        "/web/README.md",
        "/web/types.ts",
        "/web/lib",
        "/web/lib/nothing.js",
        "/web/../Cargo.toml",
        "/web/%2e%2e/Cargo.toml",
        "/web/..%2fbuild.rs",
        "/web/games/chess/board.js",
        &format!("/web/games/{slug}/README.md"),
        &format!("/web/games/{slug}/../mod.rs"),
        &format!("/web/games/{slug}/rules/mod.rs"),
        &format!("/web/games/{slug}/board/about.en.json"),
    ] {
        host.get(path).await.problem(404, "not_found");
    }
    host.send("POST", "/web/lib/style.css", None, "").await.problem(405, "method_not_allowed");
}

#[test]
fn files_refer_to_no_other_host() {
    // A namespace is only a name and is never requested.
    const NAMES: [&str; 1] = ["http://www.w3.org/"];
    for (path, file) in files() {
        let mut text = std::fs::read_to_string(&file).unwrap();
        for name in NAMES {
            text = text.replace(name, "");
        }
        for other in ["http://", "https://", "ws://", "wss://", "'//", "\"//", "(//"] {
            assert!(!text.contains(other), "{path} holds {other}");
        }
        if path.ends_with(".svg") {
            assert!(
                !text.contains("<script") && !text.contains("<style") && !text.contains(" style="),
                "{path}"
            );
        }
    }
}

#[test]
fn pages_name_no_game() {
    for (path, file) in files().iter().filter(|(path, _)| !path.starts_with("/web/games/")) {
        let text = std::fs::read_to_string(file).unwrap().to_lowercase();
        for game in engines::games::GAMES {
            assert!(!text.contains(game.info().slug), "{path} names {}", game.info().slug);
        }
    }
}
