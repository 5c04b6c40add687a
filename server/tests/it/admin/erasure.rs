//! What an account wrote goes with the account: from every answer of every server, and from the database file.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{AdminServer, player};
use crate::client::TestServer;
use crate::club::one_move_each;
use crate::exports::month_of;
use crate::hosted_programs::put;
use crate::matches::{LONG, SHORT, TestCaller, create, join, me, open, order};
use crate::server_process::until;

/// A text that nothing else contains. Names are written in their own way in some places.
const MARKER: &str = "Quixmark";

fn holds_marker(bytes: &[u8]) -> bool {
    bytes.windows(MARKER.len()).any(|part| part.eq_ignore_ascii_case(MARKER.as_bytes()))
}

/// The ids that the others know after the deletion.
struct Traces {
    matches: Vec<String>,
    tournaments: Vec<String>,
    challenge: String,
}

/// Writes the marker wherever a player can write something.
async fn write_everywhere(host: &TestServer, who: &TestCaller, others: [&TestCaller; 2]) -> Traces {
    let [ben, cyd] = others;
    let about =
        json!({ "description": MARKER, "version": MARKER, "source": format!("https://{MARKER}.example/") });
    assert_eq!(who.send(host, "PUT", "/v1/me/about", &[], Some(about.to_string())).await.status, 204);
    let bot = json!({ "name": format!("{MARKER}-bot"), "about": about });
    let key = [("idempotency-key", "quixmark-and-more")];
    let bot = who.send(host, "POST", "/v1/me/bots", &key, Some(bot.to_string())).await.made();
    let bot = TestCaller::with(bot["token"].as_str().unwrap());
    // A program with the marker in a section of its own.
    let module = format!("\0asm\x01\0\0\0\0\x0a\x01n{MARKER}");
    let path = format!("/v1/me/bots/{MARKER}-bot/programs?game=ioiwari&note={MARKER}");
    let uploaded = put(host, who, &path, Some("application/wasm"), module.as_bytes()).await;
    assert_eq!(uploaded.status, 201, "{uploaded:?}");
    // A finished match, one that goes on without the player, one that the player only created, and one that the player left.
    let rated = json!({ "game": SHORT, "seats": [me(), open()], "rated": true, "clock": { "initial_ms": 3_600_000 } });
    let (finished, _) = create(host, who, rated).await;
    join(host, ben, &finished).await;
    one_move_each(host, &finished, &[who, ben]).await;
    ben.tell(host, &format!("{finished}/resign")).await.json();
    let (running, _) = create(host, who, order(LONG, &[me(), open(), open()])).await;
    join(host, ben, &running).await;
    join(host, cyd, &running).await;
    let (created, _) = create(host, who, order(SHORT, &[open(), open()])).await;
    let (left, _) = create(host, ben, order(SHORT, &[me(), open()])).await;
    join(host, &bot, &left).await;
    for path in [&finished, &running] {
        who.post(host, &format!("{path}/chat"), json!({ "text": format!("{MARKER} says") })).await.json();
    }
    // A tournament that has begun, one that has not, and one of another organizer.
    let cup = |title: &str| json!({ "title": title, "game": SHORT, "format": { "kind": "round_robin" }, "clock": { "initial_ms": 3_600_000 } });
    let mut tournaments = Vec::new();
    for (organizer, title) in [(who, MARKER), (who, MARKER), (ben, "Cup")] {
        let made = organizer.post(host, "/v1/tournaments", cup(title)).await.made();
        tournaments.push(format!("/v1/tournaments/{}", made["id"].as_str().unwrap()));
    }
    for path in [&tournaments[0], &tournaments[2]] {
        for caller in [who, ben] {
            caller.tell(host, &format!("{path}/entries")).await.made();
        }
    }
    who.tell(host, &format!("{}/start", tournaments[0])).await.json();
    let page =
        crate::tournaments::until(host, &tournaments[0], |page| page["games"][0]["match"].is_string()).await;
    let game = format!("/v1/matches/{}", page["games"][0]["match"].as_str().unwrap());
    // A declined challenge and a report.
    let challenge =
        cyd.post(host, &format!("/v1/players/{MARKER}/challenges"), json!({ "game": SHORT })).await.made();
    let challenge = format!("/v1/challenges/{}", challenge["id"].as_str().unwrap());
    who.post(host, &format!("{challenge}/decline"), json!({ "reason": MARKER })).await.json();
    let report = json!({ "about": { "kind": "player", "name": "ben" }, "reason": MARKER });
    who.post(host, "/v1/reports", report).await.made();
    let report = json!({ "about": { "kind": "player", "name": MARKER }, "reason": "odd" });
    ben.post(host, "/v1/reports", report).await.made();
    Traces { matches: vec![finished, running, created, left, game], tournaments, challenge }
}

/// The paths of everything that can be read about the traces.
fn paths(traces: &Traces) -> Vec<String> {
    let mut paths: Vec<String> = [
        "/v1/matches?limit=100",
        "/v1/tournaments",
        "/v1/bots",
        "/v1/lobby",
        "/v1/me/matches",
        "/v1/me/challenges",
        "/v1/me/blocks",
        "/v1/players/ben",
        "/v1/players/ben/matches",
        "/",
        "/lobby",
        "/matches",
        "/tournaments",
        "/players/ben",
    ]
    .map(str::to_owned)
    .into();
    paths.extend([SHORT, LONG].map(|game| format!("/v1/games/{game}/leaderboard")));
    paths.extend([SHORT, LONG].map(|game| format!("/v1/players/ben/opponents/{game}")));
    paths.extend([SHORT, LONG].map(|game| format!("/games/{game}/leaderboard")));
    for path in &traces.matches {
        let id = path.rsplit('/').next().unwrap();
        paths.extend(["", "/chat", "/record", "/record/verify"].map(|part| format!("{path}{part}")));
        paths.extend(["", "/embed", "/picture.svg"].map(|part| format!("/matches/{id}{part}")));
    }
    for path in &traces.tournaments {
        let id = path.rsplit('/').next().unwrap();
        paths.extend(["", "/standings.csv", "/records"].map(|part| format!("{path}{part}")));
        paths.push(format!("/tournaments/{id}"));
    }
    let month = month_of(traces.matches[0].rsplit('/').next().unwrap());
    paths.extend([SHORT, LONG].map(|game| format!("/v1/games/{game}/records?month={month}")));
    paths.push("/v1/players/ben/records".to_owned());
    paths.push(traces.challenge.clone());
    paths
}

/// The paths whose answers contain the marker.
async fn found(hosts: &[&TestServer], callers: &[&TestCaller], traces: &Traces) -> Vec<String> {
    let mut found = Vec::new();
    for host in hosts {
        for caller in callers {
            for path in paths(traces) {
                let reply = caller.get(host, &path).await;
                assert!(reply.status.as_u16() < 500, "{path}: {reply:?}");
                if holds_marker(&reply.body) {
                    found.push(path);
                }
            }
        }
    }
    found
}

/// The files of the database in this folder that contain the marker.
fn files_with_marker(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|file| file.is_file() && holds_marker(&std::fs::read(file).unwrap())).collect()
}

#[tokio::test]
async fn deleted_account_leaves_nothing_that_it_wrote() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("kibitz.db");
    let servers = answers_lose_the_marker(&database).await;
    // The names leave the logs on disk within seconds.
    until(|| async {
        let backup = folder.path().join("backup");
        let _ = std::fs::remove_file(&backup);
        let args = ["backup", backup.to_str().unwrap(), "--database", database.to_str().unwrap()];
        AdminServer::said(&servers.0.admin(&args).await);
        let clean = !holds_marker(&std::fs::read(&backup).unwrap());
        std::fs::remove_file(&backup).unwrap();
        clean.then_some(())
    })
    .await;
    let (AdminServer { host, .. }, other) = servers;
    host.stop().await;
    other.stop().await;
    assert_eq!(files_with_marker(folder.path()), Vec::<PathBuf>::new());
}

#[tokio::test]
async fn deleted_account_leaves_nothing_that_it_wrote_on_postgres() {
    let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
    answers_lose_the_marker(Path::new(&url)).await;
}

/// Checks the answers of two servers on this database, before and after the deletion.
async fn answers_lose_the_marker(database: &Path) -> (AdminServer, TestServer) {
    let place = AdminServer::start_on(database, &[]).await;
    let (host, other) = (&place.host, TestServer::on(database, &[]).await);
    let (who, ben, cyd) = (player(host, MARKER).await, player(host, "ben").await, player(host, "cyd").await);
    let traces = write_everywhere(host, &who, [&ben, &cyd]).await;
    let callers = [&TestCaller::anonymous(), &ben, &cyd];
    let hosts = [host, &other];
    let before = found(&hosts, &callers, &traces).await;
    for part in
        ["/chat", "/record", "/v1/tournaments", "/v1/challenges/", "/leaderboard", "/opponents/", "/matches/"]
    {
        assert!(before.iter().any(|path| path.contains(part)), "{part} shows the marker before: {before:?}");
    }
    let record = ben.get(host, &format!("{}/record", traces.matches[0])).await.json();

    assert_eq!(who.send(host, "DELETE", "/v1/me", &[], None).await.status, 204);
    let nothing = until(|| async {
        let found = found(&hosts, &callers, &traces).await;
        found.is_empty().then_some(found)
    })
    .await;
    assert!(nothing.is_empty());
    let reports = AdminServer::said(&place.admin(&["reports", "--json"]).await);
    assert!(!holds_marker(reports.as_bytes()), "{reports}");
    // The record is the same, but for the name, and still true.
    let verdict = ben.get(host, &format!("{}/record/verify", traces.matches[0])).await.json();
    assert_eq!(verdict["true"], true, "{verdict}");
    let after = ben.get(host, &format!("{}/record", traces.matches[0])).await.json();
    let named = |record: &Value| record["events"][0]["seats"][0]["name"].as_str().unwrap().to_owned();
    assert_eq!(record.to_string().replace(&named(&record), &named(&after)), after.to_string());
    let check = AdminServer::said(&place.admin(&["ratings", "--check"]).await);
    assert!(check.contains("as recomputed"), "{check}");
    // The tournament that had not begun is gone, the one that has begun has lost its title.
    host.get(&traces.tournaments[1]).await.problem(404, "no_such_tournament");
    assert_eq!(host.get(&traces.tournaments[0]).await.json()["title"], "");
    (place, other)
}
