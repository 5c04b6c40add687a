//! The pages from outside: everything that a browser needs of every page and file.

mod bots;
mod contest;
mod downloads;
mod files;
mod pages;
mod reach;
mod sizes;
mod texts;

use std::io::Read;
use std::path::{Path, PathBuf};

use http_body_util::Full;
use hyper::Request;
use serde_json::json;

use crate::client::{TestResponse, TestServer, exchange};
use crate::matches::{TestCaller, create, me, open, order};

/// Asks as browsers do, and unpacks the answer as they do.
pub(crate) async fn browse(host: &TestServer, path: &str) -> TestResponse {
    let accept = [("accept", "text/html,application/xhtml+xml,*/*;q=0.8"), ("accept-encoding", "gzip")];
    let mut reply = ask(host, "GET", path, &accept).await;
    if reply.header("content-encoding") == "gzip" {
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(&*reply.body).read_to_end(&mut plain).unwrap();
        reply.body = plain.into();
    }
    reply
}

pub(crate) async fn ask(
    host: &TestServer,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
) -> TestResponse {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    exchange(host.address(), request.body(Full::default()).unwrap()).await
}

/// A server on which there is something to see, and every kind of page of it.
pub(crate) async fn opened() -> (TestServer, Vec<String>) {
    let host = TestServer::start(&[]).await;
    host.post("/v1/players", json!({ "name": "ann" })).await.made();
    let (path, _) = create(&host, &TestCaller::anonymous(), order("ioiwari", &[me(), open()])).await;
    let mut pages: Vec<String> =
        ["/", "/account", "/lobby", "/matches", "/bots", "/players/ann", "/games/ioiwari/leaderboard"]
            .map(String::from)
            .to_vec();
    pages.push(path.replace("/v1/", "/"));
    pages.extend(engines::games::GAMES.iter().map(|game| format!("/games/{}", game.info().slug)));
    (host, pages)
}

/// The files of the pages on the disk, with their paths as they are served.
pub(crate) fn files() -> Vec<(String, PathBuf)> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    collect(&here.join("web"), "/web", &mut found);
    for game in engines::games::GAMES {
        let slug = game.info().slug;
        let board = here.join(format!("../engines/src/games/{slug}/board"));
        collect(&board, &format!("/web/games/{slug}"), &mut found);
    }
    // The README and the types for the type checker are not served.
    found.retain(|(path, _)| !path.ends_with(".md") && !path.ends_with(".ts"));
    assert!(found.len() > 15, "{found:?}");
    found
}

fn collect(folder: &Path, path: &str, found: &mut Vec<(String, PathBuf)>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let path = format!("{path}/{}", entry.file_name().to_str().unwrap());
        match entry.file_type().unwrap().is_dir() {
            true => collect(&entry.path(), &path, found),
            false => found.push((path, entry.path())),
        }
    }
}

/// The quoted texts that follow these words.
pub(crate) fn quoted<'a>(text: &'a str, before: &'a str) -> impl Iterator<Item = &'a str> {
    text.split(before).skip(1).filter_map(in_quotes)
}

/// The quoted text that this begins with.
pub(crate) fn in_quotes(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| "\"'".contains(*c))?;
    text[1..].split(quote).next()
}
