//! Round robins with duplicate deals over two games, while the server is killed again and again.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::standings::assert_follow_from;
use super::{attempt, play_all, random_engine, request, round_robin};
use crate::client::HANG;
use crate::matches::TestCaller;
use crate::server_process::{ServerProcess, until};

const GAMES: [&str; 2] = ["ioiwari", "azul"];

/// The answer to a request that succeeds sooner or later.
async fn ask(
    server: &ServerProcess,
    caller: &TestCaller,
    method: &str,
    path: &str,
    body: Option<Value>,
) -> Value {
    until(|| async {
        let (status, answer) = attempt(server.address, caller, method, path, body.clone()).await?;
        assert!(status.is_success(), "{method} {path}: {status} {answer}");
        Some(answer)
    })
    .await
}

async fn player(server: &ServerProcess, name: &str) -> TestCaller {
    let made =
        ask(server, &TestCaller::anonymous(), "POST", "/v1/players", Some(json!({ "name": name }))).await;
    TestCaller::with(made["token"].as_str().unwrap())
}

/// Starts a tournament of two people and two engines; its path.
async fn begin(server: &ServerProcess, game: &str, people: [&TestCaller; 2]) -> String {
    let settings = json!({ "deals": 2, "rated": true, "per_entrant": 2, "max_running": 6 });
    let mut wanted = request(game, round_robin());
    wanted.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
    let page = ask(server, people[0], "POST", "/v1/tournaments", Some(wanted)).await;
    let path = format!("/v1/tournaments/{}", page["id"].as_str().unwrap());
    let entries = format!("{path}/entries");
    for person in people {
        ask(server, person, "POST", &entries, None).await;
    }
    for level in ["easy", "hard"] {
        let name = random_engine(game, level);
        ask(server, people[0], "POST", &entries, Some(json!({ "name": name }))).await;
    }
    let started = ask(server, people[0], "POST", &format!("{path}/start"), None).await;
    assert_eq!(started["stage"], "running");
    path
}

fn finished(page: &Value) -> usize {
    page["games"].as_array().unwrap().iter().filter(|game| game["stage"] == "finished").count()
}

/// Checks that a tournament that goes on tells nothing of its deals.
async fn assert_sealed(server: &ServerProcess, page: &Value) {
    assert!(page.get("secret").is_none() && page.get("salt").is_none(), "{page}");
    let Some(game) = page["games"].as_array().unwrap().iter().find(|game| game["stage"] == "finished") else {
        return;
    };
    let path = format!("/v1/matches/{}", game["match"].as_str().unwrap());
    let shown = ask(server, &TestCaller::anonymous(), "GET", &path, None).await;
    assert_eq!((&shown["stage"], &shown["seed_from"]), (&json!("over"), &json!("host")));
    assert!(shown.get("seed").is_none() && shown.get("salt").is_none(), "{shown}");
    assert_eq!(shown["tournament"]["id"], page["id"]);
    for secret in ["/record", "/record/verify", "/events?since=0&seat=1"] {
        let (status, problem) = until(|| {
            let path = format!("{path}{secret}");
            async move { attempt(server.address, &TestCaller::anonymous(), "GET", &path, None).await }
        })
        .await;
        assert_eq!((status.as_u16(), &problem["code"]), (409, &json!("sealed")), "{secret}: {problem}");
    }
    let records = format!("/v1/tournaments/{}/records", page["id"].as_str().unwrap());
    let (status, problem) = until(|| {
        let records = &records;
        async move { attempt(server.address, &TestCaller::anonymous(), "GET", records, None).await }
    })
    .await;
    assert_eq!((status.as_u16(), &problem["code"]), (409, &json!("sealed")));
}

fn assert_verified(record: &Value) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_kibitz"))
        .args(["verify", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(record.to_string().as_bytes()).unwrap();
    let verdict = child.wait_with_output().unwrap();
    assert!(verdict.status.success(), "{}", String::from_utf8_lossy(&verdict.stdout));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tournaments_survive_a_killed_server_and_follow_from_their_records() {
    let mut server = ServerProcess::start(&["--threads=1", "--creations-burst=1000"]);
    let people = [player(&server, "ann").await, player(&server, "ben").await];
    let mut paths = Vec::new();
    for game in GAMES {
        paths.push(begin(&server, game, [&people[0], &people[1]]).await);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = people
        .iter()
        .map(|caller| tokio::spawn(play_all(server.address, caller.clone(), Arc::clone(&stop))))
        .collect();
    // Killed when this many of the 48 games are finished.
    for enough in [1, 9, 20] {
        // Later the tournament may end at any moment.
        let mut sealed = enough > 1;
        let wait = async {
            loop {
                let mut done = 0;
                for path in &paths {
                    let page = ask(&server, &TestCaller::anonymous(), "GET", path, None).await;
                    done += finished(&page);
                    if page["stage"] == "running" && finished(&page) > 0 && !sealed {
                        assert_sealed(&server, &page).await;
                        sealed = true;
                    }
                }
                if done >= enough {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(HANG, wait).await.expect("games are played");
        server.kill_and_restart();
    }
    for path in &paths {
        let page = until(|| async {
            let page = ask(&server, &TestCaller::anonymous(), "GET", path, None).await;
            (page["stage"] == "ended").then_some(page)
        })
        .await;
        assert_eq!(page["games"].as_array().unwrap().len(), 24);
        let reply = TestCaller::anonymous()
            .send_to(server.address, "GET", &format!("{path}/records"), &[], None)
            .await;
        assert_eq!(reply.status, 200);
        let records: Vec<Value> =
            reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(records.len(), 24, "no match was played twice");
        records.iter().for_each(assert_verified);
        assert_follow_from(&page, &records);
        let csv = TestCaller::anonymous()
            .send_to(server.address, "GET", &format!("{path}/standings.csv"), &[], None)
            .await;
        let first = csv.text().lines().nth(1).unwrap().to_owned();
        let best = &page["entrants"][page["standings"][0]["entrant"].as_u64().unwrap() as usize]["name"];
        assert!(first.starts_with(&format!("1,\"{}\",", best.as_str().unwrap())), "{first}");
        // Nothing besides the games was created.
        let game = page["game"].as_str().unwrap();
        let list = format!("/v1/matches?game={game}&limit=100");
        let all = ask(&server, &TestCaller::anonymous(), "GET", &list, None).await;
        assert_eq!(all["matches"].as_array().unwrap().len(), 24);
    }
    stop.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.unwrap();
    }
}
