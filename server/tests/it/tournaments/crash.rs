//! Round robins of two games, one with mirrored and one with duplicate deals, while servers are killed again and again.

use std::io::Write;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::standings::{assert_follow_from, assert_recomputed};
use super::{attempt, play_all, random_engine, request, round_robin};
use crate::client::HANG;
use crate::matches::TestCaller;
use crate::server_process::{ServerProcess, until};

const GAMES: [&str; 2] = ["ioiwari", "azul"];

/// Sends a request that succeeds sooner or later, to any server that is there; returns the answer.
pub(super) async fn ask(
    servers: &[SocketAddr],
    caller: &TestCaller,
    method: &str,
    path: &str,
    body: Option<Value>,
) -> Value {
    let (status, answer) = answer(servers, caller, method, path, body).await;
    assert!(status.is_success(), "{method} {path}: {status} {answer}");
    answer
}

/// As [`ask`], for requests that may be refused. A server that is losing its database counts as away.
async fn answer(
    servers: &[SocketAddr],
    caller: &TestCaller,
    method: &str,
    path: &str,
    body: Option<Value>,
) -> (hyper::StatusCode, Value) {
    let mut servers = servers.iter().cycle();
    until(|| {
        let (server, body) = (*servers.next().unwrap(), body.clone());
        async move {
            let answered = attempt(server, caller, method, path, body).await;
            answered.filter(|(status, _)| !status.is_server_error())
        }
    })
    .await
}

pub(super) async fn player(servers: &[SocketAddr], name: &str) -> TestCaller {
    let made =
        ask(servers, &TestCaller::anonymous(), "POST", "/v1/players", Some(json!({ "name": name }))).await;
    TestCaller::with(made["token"].as_str().unwrap())
}

/// Starts a tournament of two people and two engines; returns its path.
pub(super) async fn begin(server: &[SocketAddr], game: &str, people: [&TestCaller; 2]) -> String {
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

pub(super) fn finished(page: &Value) -> usize {
    page["games"].as_array().unwrap().iter().filter(|game| game["stage"] == "finished").count()
}

/// Checks that a running tournament reveals nothing of deals that are still to be played.
async fn assert_sealed(servers: &[SocketAddr], page: &Value) {
    assert!(page.get("secret").is_none() && page.get("salt").is_none(), "{page}");
    let nobody = TestCaller::anonymous();
    let records = format!("/v1/tournaments/{}/records", page["id"].as_str().unwrap());
    // Unless it was opened meanwhile.
    let refused = async |path: &str, is_open: &dyn Fn(&Value) -> bool| {
        let (status, problem) = answer(servers, &nobody, "GET", path, None).await;
        if status.is_success() {
            let tournament = format!("/v1/tournaments/{}", page["id"].as_str().unwrap());
            let now = ask(servers, &nobody, "GET", &tournament, None).await;
            assert!(is_open(&now), "{path} was open too early: {now}");
        } else {
            assert_eq!((status.as_u16(), &problem["code"]), (409, &json!("sealed")), "{path}: {problem}");
        }
    };
    refused(&records, &|now| now["stage"] == "ended").await;
    let games = page["games"].as_array().unwrap();
    for sealed in [true, false] {
        let is_wanted = |game: &Value| game["stage"] == "finished" && game["sealed"] == sealed;
        let Some(number) = games.iter().position(is_wanted) else { continue };
        let Some(id) = games[number]["match"].as_str() else { continue };
        let path = format!("/v1/matches/{id}");
        if sealed {
            for part in ["", "/record", "/record/verify", "/events?since=0", "/events?since=0&seat=1"] {
                refused(&format!("{path}{part}"), &|now| now["games"][number]["sealed"] == false).await;
            }
            continue;
        }
        let shown = ask(servers, &nobody, "GET", &path, None).await;
        assert_eq!((&shown["stage"], &shown["seed_from"]), (&json!("over"), &json!("host")));
        assert!(shown.get("seed").is_none() && shown.get("salt").is_none(), "{shown}");
        assert_eq!(shown["tournament"]["id"], page["id"]);
    }
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

/// Waits until this many games of the tournaments are finished. `sealed`: whether it was checked already that running
/// tournaments reveal nothing.
async fn until_finished(servers: &[SocketAddr], paths: &[String], enough: usize, mut sealed: bool) {
    let wait = async {
        loop {
            let mut done = 0;
            for path in paths {
                let page = ask(servers, &TestCaller::anonymous(), "GET", path, None).await;
                done += finished(&page);
                if page["stage"] == "running" && finished(&page) > 0 && !sealed {
                    assert_sealed(servers, &page).await;
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
}

/// Waits for the end of a tournament of four entrants, and checks that everything follows from its records.
async fn assert_ended(servers: &[SocketAddr], path: &str) {
    let page = until(|| async {
        let page = ask(servers, &TestCaller::anonymous(), "GET", path, None).await;
        (page["stage"] == "ended").then_some(page)
    })
    .await;
    assert_eq!(page["games"].as_array().unwrap().len(), 24);
    let get = async |path: String| TestCaller::anonymous().send_to(servers[0], "GET", &path, &[], None).await;
    let reply = get(format!("{path}/records")).await;
    assert_eq!(reply.status, 200);
    let records: Vec<Value> = reply.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(records.len(), 24, "no match was played twice");
    records.iter().for_each(assert_verified);
    assert_follow_from(&page, &records);
    let csv = get(format!("{path}/standings.csv")).await;
    assert_recomputed(&page, &records, Some(csv.text()));
    let first = csv.text().lines().nth(1).unwrap().to_owned();
    let best = &page["entrants"][page["standings"][0]["entrant"].as_u64().unwrap() as usize]["name"];
    assert!(first.starts_with(&format!("1,\"{}\",", best.as_str().unwrap())), "{first}");
    // Nothing besides the games was created.
    let list = format!("/v1/matches?game={}&limit=100", page["game"].as_str().unwrap());
    let all = ask(servers, &TestCaller::anonymous(), "GET", &list, None).await;
    assert_eq!(all["matches"].as_array().unwrap().len(), 24);
}

/// Plays both tournaments on these servers. `kill`: called each time that enough games are finished.
async fn play_tournaments(servers: &[SocketAddr], mut kill: impl AsyncFnMut(usize)) {
    let people = [player(servers, "ann").await, player(servers, "ben").await];
    let mut paths = Vec::new();
    for game in GAMES {
        paths.push(begin(servers, game, [&people[0], &people[1]]).await);
    }
    let stop = Arc::new(AtomicBool::new(false));
    let clients: Vec<_> = people
        .iter()
        .map(|caller| tokio::spawn(play_all(servers.to_vec(), caller.clone(), Arc::clone(&stop))))
        .collect();
    // Killed when this many of the 48 games are finished.
    for (time, enough) in [1, 9, 20].into_iter().enumerate() {
        // Later the tournament may end at any moment.
        until_finished(servers, &paths, enough, enough > 1).await;
        kill(time).await;
    }
    for path in &paths {
        assert_ended(servers, path).await;
    }
    stop.store(true, Ordering::Relaxed);
    for client in clients {
        client.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tournaments_survive_a_killed_server_and_follow_from_their_records() {
    let mut server = ServerProcess::start(&["--threads=1", "--creations-burst=1000"]);
    let address = server.address;
    play_tournaments(&[address], async |_| tokio::task::block_in_place(|| server.kill_and_restart())).await;
}

/// One of two nodes runs a tournament. Each of them is killed, so the one that runs it is.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tournaments_on_postgres_survive_each_of_two_nodes_being_killed() {
    let url = tokio::task::spawn_blocking(kibitz_test_support::database).await.unwrap();
    let start =
        move || [0, 1].map(|_| ServerProcess::start_on(&url, &["--threads=1", "--creations-burst=1000"]));
    let mut nodes = tokio::task::spawn_blocking(start).await.unwrap();
    let servers = [nodes[0].address, nodes[1].address];
    play_tournaments(&servers, async |time| {
        let node = &mut nodes[time % 2];
        node.kill();
        // Longer than its lease: the other node goes on alone.
        tokio::time::sleep(Duration::from_secs(6)).await;
        tokio::task::block_in_place(|| node.begin());
    })
    .await;
}
