//! Files of finished matches, read by the server for the analysis page.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use engines::games::GAMES;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use crate::client::{TestResponse, TestServer};

/// The files of a folder and of its folders, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        match entry.is_dir() {
            true => found.extend(files(&entry)),
            false => found.push(entry),
        }
    }
    found.sort();
    found
}

/// Sends a file as browsers do.
async fn send(host: &TestServer, game: &str, query: &str, bytes: Vec<u8>) -> TestResponse {
    let path = format!("/v1/games/{game}/files{query}");
    host.send("POST", &path, Some("application/octet-stream"), bytes).await
}

/// The problem of a refusal.
fn problem(reply: &TestResponse) -> Value {
    assert_eq!(reply.status, 422, "{reply:?}");
    serde_json::from_slice(&reply.body).unwrap()
}

/// The match can be shown: each position is one of the game, and the seat to move is the one of the turn.
async fn is_shown(host: &TestServer, game: &str, shown: &Value) {
    let turns = shown["turns"].as_array().unwrap();
    assert!(!turns.is_empty(), "{shown}");
    for turn in turns.iter().step_by(9) {
        let body = json!({ "position": turn["position"] });
        let legal = host.post(&format!("/v1/games/{game}/legal-moves"), body).await.json();
        assert_eq!(legal["seat"], turn["seat"], "{legal} {turn}");
    }
}

#[tokio::test]
async fn example_files_of_every_game_are_read() {
    let host = TestServer::start(&["--side-work-ms", "60000"]).await;
    for game in GAMES {
        let slug = game.info().slug;
        let golden =
            Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../engines/src/games/{slug}/golden"));
        let mut read = 0;
        for file in files(&golden) {
            let reply = send(&host, slug, "", std::fs::read(&file).unwrap()).await;
            if reply.status == 200 {
                read += 1;
                is_shown(&host, slug, &reply.json()).await;
            } else {
                assert_eq!(problem(&reply)["code"], "bad_file", "{}: {}", file.display(), reply.text());
            }
        }
        assert!(read > 0, "no file of {slug} is read");
    }
}

#[tokio::test]
async fn records_show_every_turn_and_the_result() {
    let host = TestServer::start(&["--side-work-ms", "60000"]).await;
    for game in GAMES {
        let slug = game.info().slug;
        let record = |end: &str| {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/matches/record/golden");
            std::fs::read(folder.join(format!("{slug}-{end}.json"))).unwrap()
        };
        let bytes = record("played");
        let whole: Value = serde_json::from_slice(&bytes).unwrap();
        let events = whole["events"].as_array().unwrap();
        let moves =
            events.iter().filter(|event| ["moved", "fouled"].contains(&event["type"].as_str().unwrap()));
        let shown = send(&host, slug, "", bytes.clone()).await.json();
        assert_eq!(shown["turns"].as_array().unwrap().len(), moves.count(), "{slug}");
        assert_eq!(shown["end"]["points"], events.last().unwrap()["result"]["points"]);
        is_shown(&host, slug, &shown).await;
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&bytes).unwrap();
        assert_eq!(send(&host, slug, "", packed.finish().unwrap()).await.json(), shown, "packed");
        let both = [bytes.clone(), b"\n".to_vec(), record("troubled")].concat();
        let second = send(&host, slug, "?match=1", both.clone()).await.json();
        assert_eq!((second["matches"].as_array().unwrap().len(), second["shown"].as_u64()), (2, Some(1)));
        let troubled: Value = serde_json::from_slice(&record("troubled")).unwrap();
        let fouls = troubled["events"].as_array().unwrap().iter().filter(|event| event["type"] == "fouled");
        let told: Vec<&Value> =
            second["turns"].as_array().unwrap().iter().filter(|turn| turn["fault"].is_string()).collect();
        assert!(told.len() <= fouls.count() && (told.is_empty() || told[0]["fault"] != ""), "{told:?}");

        let cut = bytes[..bytes.len() / 2].to_vec();
        let unplayable = String::from_utf8(bytes).unwrap().replacen(
            "\"ply\":1,\"notation\":\"",
            "\"ply\":1,\"notation\":\"no ",
            1,
        );
        for (bad, part) in [
            (cut, "line 1, column "),
            (unplayable.into_bytes(), "ply 1"),
            (b"\n  <!doctype html>".to_vec(), "line 2, column 3: this is a web page"),
            (b"hello".to_vec(), "line 1, column 1: this is the beginning of none of these: a record, "),
            (b"hello \xff".to_vec(), "line 1, column 7: "),
            (b"\x1f\x8b\x08damaged".to_vec(), "it cannot be unpacked"),
            (Vec::new(), "line 1, column 1: the file is empty"),
        ] {
            let reply = send(&host, slug, "", bad).await;
            let problem = problem(&reply);
            assert_eq!(problem["code"], "bad_file", "{problem}");
            assert!(problem["detail"].as_str().unwrap().contains(part), "{slug}, {part}: {problem}");
        }
        assert_eq!(problem(&send(&host, slug, "?match=7", both).await)["code"], "bad_file");
    }
    let [one, other] = [GAMES[0], GAMES[1]].map(|game| game.info());
    let path = format!("src/matches/record/golden/{}-played.json", other.slug);
    let foreign = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let problem = problem(&send(&host, one.slug, "", foreign).await);
    assert!(problem["detail"].as_str().unwrap().contains(other.title), "{problem}");
}

#[tokio::test]
async fn unpacked_size_is_bounded() {
    let host = TestServer::start(&[]).await;
    let mut bomb = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..64 {
        bomb.write_all(&[b' '; 1 << 20]).unwrap();
    }
    let problem = problem(&send(&host, GAMES[0].info().slug, "", bomb.finish().unwrap()).await);
    assert!(problem["detail"].as_str().unwrap().contains("no file of more than 8 MiB"), "{problem}");
}
