//! The bytes that opening a page costs: everything it loads, compressed as for browsers.

use std::collections::BTreeSet;

use super::{ask, opened, quoted};
use crate::client::TestServer;

const FIRST_PAGE: usize = 150 << 10;
const BOARD_PAGE: usize = 250 << 10;

/// The bytes of all that this loads, and of all that those files load.
async fn cost(host: &TestServer, path: &str, seen: &mut BTreeSet<String>) -> usize {
    let mut waiting = vec![path.to_owned()];
    let mut bytes = 0;
    while let Some(path) = waiting.pop() {
        if !seen.insert(path.clone()) {
            continue;
        }
        let reply = ask(host, "GET", &path, &[("accept", "text/html"), ("accept-encoding", "gzip")]).await;
        assert_eq!(reply.status, 200, "{path}");
        bytes += reply.body.len()
            + reply.headers.iter().map(|(k, v)| k.as_str().len() + v.len() + 4).sum::<usize>();
        let text = host.get(&path).await;
        let (text, folder) = (text.text(), path.rsplit_once('/').map_or("", |(folder, _)| folder));
        if path.ends_with(".js") {
            for part in
                quoted(text, "from ").chain(quoted(text, "import ")).filter(|part| part.ends_with(".js"))
            {
                waiting.push(resolve(folder, part));
            }
        } else if !path.contains('.') {
            let links = quoted(text, "src=").chain(quoted(text, "<link rel=\"stylesheet\" href="));
            waiting.extend(links.chain(quoted(text, "type=\"image/svg+xml\" href=")).map(String::from));
        }
    }
    bytes
}

fn resolve(folder: &str, part: &str) -> String {
    match part
        .strip_prefix("./")
        .map(|part| (folder, part))
        .or_else(|| part.strip_prefix("../").and_then(|part| Some((folder.rsplit_once('/')?.0, part))))
    {
        Some((folder, part)) => format!("{folder}/{part}"),
        None => part.to_owned(),
    }
}

#[tokio::test]
async fn pages_are_small() {
    let (host, pages) = opened().await;
    for path in &pages {
        let mut seen = BTreeSet::new();
        let mut bytes = cost(&host, path, &mut seen).await;
        // The files that the modules load.
        for asked in [
            "/web/en.json",
            "/v1/games",
            "/v1/matches?stage=over&limit=8",
            "/v1/matches?stage=running&limit=8",
        ] {
            bytes += host.get(asked).await.body.len();
        }
        assert!(bytes < FIRST_PAGE, "{path}: {bytes} bytes");
        // The page, its icon, two style sheets and the theme at least; otherwise the links were not read.
        assert!(seen.len() >= 5, "{path} loads more than {seen:?}");
    }
}

#[tokio::test]
async fn boards_are_small() {
    let (host, pages) = opened().await;
    let page = pages.iter().find(|page| page.starts_with("/matches/")).unwrap();
    for game in engines::games::GAMES {
        let mut seen = BTreeSet::new();
        let mut bytes = cost(&host, page, &mut seen).await;
        bytes += host.get("/web/en.json").await.body.len() + host.get("/v1/games").await.body.len();
        for part in ["board.js", "board.css", "en.json"] {
            let part = format!("/web/games/{}/{part}", game.info().slug);
            if host.get(&part).await.status == 200 {
                bytes += cost(&host, &part, &mut seen).await;
            }
        }
        assert!(bytes < BOARD_PAGE, "{}: {bytes} bytes", game.info().slug);
    }
}
