//! The analysis of finished matches: the command on files, and the same analysis by the server.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{HANG, TestServer};
use crate::matches::{LONG, SHORT, TestCaller, create, join, me, open, order, play_until, two_guests};
use crate::verify::run_on_input;

/// Runs `kibitz analyse` with these arguments and input: its exit code, its output and its errors.
fn analyse(arguments: &[&str], input: &[u8]) -> (Option<i32>, String, String) {
    run_on_input("analyse", arguments, input)
}

fn golden(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/matches/record/golden");
    folder.join(name).to_str().unwrap().to_owned()
}

#[test]
fn command_prints_tables_and_the_costliest_decisions() {
    for game in engines::games::GAMES {
        for end in ["played", "troubled", "abandoned"] {
            let file = golden(&format!("{}-{end}.json", game.info().slug));
            let (code, text, errors) = analyse(&["--nodes", "20", &file], b"");
            assert_eq!((code, errors.as_str()), (Some(0), ""), "{file}");
            assert!(text.contains("20 nodes a move") && text.contains("accuracy"), "{file}: {text}");
            let record: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
            let ended = record["events"].as_array().unwrap().last().unwrap();
            assert_eq!(
                text.contains("The match has no result."),
                ended["result"].is_null(),
                "{file}: {text}"
            );
        }
    }
}

#[test]
fn json_of_the_command_is_always_the_same() {
    let file = golden(&format!("{SHORT}-played.json"));
    let first = analyse(&["--json", &file], b"");
    assert_eq!(first, analyse(&["--json", "-"], &std::fs::read(&file).unwrap()));
    let analysis: Value = serde_json::from_str(&first.1).unwrap();
    let moves = analysis["decisions"].as_array().unwrap();
    assert!(moves.iter().enumerate().all(|(ply, one)| one["ply"] == ply));
    for seat in analysis["seats"].as_array().unwrap() {
        let account = &seat["account"];
        let parts =
            ["start", "own", "others", "luck", "correction"].map(|part| account[part].as_f64().unwrap());
        assert!((parts.iter().sum::<f64>() - account["result"].as_f64().unwrap()).abs() < 1e-9, "{seat}");
    }
}

#[test]
fn unusable_arguments_and_files_are_explained() {
    for (arguments, input, part) in [
        (&["/no/such/record.json"][..], &b""[..], "/no/such/record.json: No such file"),
        (&["-"], b"no record", "this is not JSON"),
        (&[], b"", "FILE"),
        (&["--nodes", "0", "-"], b"", "--nodes"),
    ] {
        let (code, line, errors) = analyse(arguments, input);
        assert_eq!((code, line.as_str()), (Some(2), ""), "{arguments:?}");
        assert!(errors.contains(part), "{errors}");
    }
}

/// Waits until the analysis of a match that the caller sees is done.
pub(crate) async fn done(host: &TestServer, caller: &TestCaller, path: &str) -> Value {
    let asking = async {
        loop {
            let answer = caller.get(host, &format!("{path}/analysis")).await.json();
            match answer["stage"].as_str() {
                Some("done") => return answer["analysis"].clone(),
                Some("pending") => tokio::time::sleep(Duration::from_millis(50)).await,
                _ => panic!("{answer}"),
            }
        }
    };
    tokio::time::timeout(HANG, asking).await.expect("the analysis is computed")
}

/// A match of two guests in which the first one resigns after this many moves.
async fn resigned(host: &TestServer, game: &str, plies: u64) -> (String, [TestCaller; 2]) {
    let (path, guests) = two_guests(host, game).await;
    play_until(host, &path, &guests, plies).await;
    guests[0].tell(host, &format!("{path}/resign")).await.json();
    (path, guests)
}

#[tokio::test]
async fn server_computes_what_the_command_prints_and_keeps_it() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    let host = TestServer::on(&database, &[]).await;
    let (path, guests) = two_guests(&host, SHORT).await;
    let analysis = format!("{path}/analysis");
    guests[0].tell(&host, &analysis).await.problem(409, "match_not_over");
    host.get(&analysis).await.problem(409, "match_not_over");
    play_until(&host, &path, &guests, u64::MAX).await;
    assert_eq!(host.get(&analysis).await.json(), json!({ "stage": "none" }));
    let answer = guests[0].tell(&host, &analysis).await.json();
    assert!(["pending", "done"].contains(&answer["stage"].as_str().unwrap()), "{answer}");
    let computed = done(&host, &TestCaller::anonymous(), &path).await;
    let record = host.get(&format!("{path}/record")).await.text().to_owned();
    let (code, printed, _) = analyse(&["--json", "-"], record.as_bytes());
    assert_eq!((code, &serde_json::from_str::<Value>(&printed).unwrap()), (Some(0), &computed));
    assert_eq!(guests[1].tell(&host, &analysis).await.json()["analysis"], computed, "it is asked for again");
    host.stop().await;
    let host = TestServer::on(&database, &[]).await;
    assert_eq!(done(&host, &TestCaller::anonymous(), &path).await, computed);
}

#[tokio::test]
async fn analysis_goes_on_after_a_restart() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("kibitz.db");
    let host = TestServer::on(&database, &["--threads=1"]).await;
    let (path, guests) = resigned(&host, LONG, 20).await;
    guests[0].tell(&host, &format!("{path}/analysis")).await.json();
    host.stop().await;
    let host = TestServer::on(&database, &["--threads=1"]).await;
    let computed = done(&host, &TestCaller::anonymous(), &path).await;
    assert_eq!(computed["decisions"].as_array().unwrap().len(), 20);
    let account = &computed["seats"][0]["account"];
    assert_eq!(account["result"], json!(0.0));
    assert!(account["own"].as_f64().unwrap() < -0.01, "giving up cost what was left: {account}");
}

/// The game `slow` has an engine that thinks as long as it may, so its analyses stay pending.
#[tokio::test]
async fn pending_analyses_are_limited_and_belong_to_their_askers() {
    let host = TestServer::start(&[]).await;
    let ann = host.post("/v1/players", json!({ "name": "ann" })).await.made();
    let ann = TestCaller::with(ann["token"].as_str().unwrap());
    let mut paths = Vec::new();
    for _ in 0..4 {
        paths.push(format!("{}/analysis", resigned(&host, "slow", 1).await.0));
    }
    for path in &paths[..3] {
        let pending = json!({ "stage": "pending", "judged": 0, "moves": 1, "yours": true });
        assert_eq!(ann.tell(&host, path).await.json(), pending);
        assert_eq!(ann.tell(&host, path).await.json(), pending, "the same again");
    }
    ann.tell(&host, &paths[3]).await.problem(429, "too_many");
    assert_eq!(host.get(&paths[0]).await.json()["yours"], false);
    host.send("DELETE", &paths[0], None, "").await.problem(403, "not_your_analysis");
    let cancelled = ann.send(&host, "DELETE", &paths[0], &[], None).await;
    assert_eq!(cancelled.status, 204);
    assert_eq!(host.get(&paths[0]).await.json(), json!({ "stage": "none" }));
    assert_eq!(ann.tell(&host, &paths[3]).await.json()["stage"], "pending", "there is room again");
    host.stop().await;
}

#[tokio::test]
async fn analysis_of_a_private_match_is_for_those_who_see_it() {
    let host = TestServer::start(&[]).await;
    let mut wanted = order(SHORT, &[me(), open()]);
    wanted["private"] = json!(true);
    let (path, made) = create(&host, &TestCaller::anonymous(), wanted).await;
    let key = TestCaller { token: None, key: made["key"].as_str().map(str::to_owned) };
    let joined = join(&host, &key, &path).await;
    let guests = [TestCaller::seated(&made), TestCaller::seated(&joined)];
    play_until(&host, &path, &guests, u64::MAX).await;
    let analysis = format!("{path}/analysis");
    for method in ["GET", "POST", "DELETE"] {
        host.send(method, &analysis, None, "").await.problem(404, "no_such_match");
    }
    assert_eq!(key.get(&host, &analysis).await.json(), json!({ "stage": "none" }));
    guests[1].tell(&host, &analysis).await.json();
}
