//! Matches in which programs play that their owners have uploaded: they go on whatever happens to the process that runs programs, and
//! every decision can be proved.

use std::env;
use std::fs;
use std::ops::RangeInclusive;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::client::{HANG, TestServer};
use crate::hosted_programs::{Owner, source};
use crate::matches::TestCaller;
use crate::programs::{compiled, written};

/// How many matches two bots play at a time.
const AT_A_TIME: usize = 8;

/// A server on which one player may create all these matches, and have them at a time.
pub(crate) async fn server(flags: &[&str]) -> TestServer {
    let roomy = [
        "--max-matches-per-address=5000",
        "--max-matches-per-player=5000",
        "--creations-per-minute=600000",
        "--creations-burst=600000",
    ];
    TestServer::start(&[&roomy, flags].concat()).await
}

/// Two bots of one owner, for which this module plays in a game.
pub(crate) async fn two_bots(host: &TestServer, game: &str, module: &[u8]) -> Owner {
    let ann = Owner::new(host, "ann", "robo").await;
    ann.person.post(host, "/v1/me/bots", json!({ "name": "other" })).await.made();
    for bot in ["robo", "other"] {
        assert_eq!(ann.put(host, bot, &format!("game={game}"), module).await.status, 201);
        let program = ann.checked(host, bot, 1).await;
        assert_eq!(program["state"], "active", "{program}");
        let policy = format!("/v1/me/bots/{bot}/policy");
        let mut wider = ann.person.get(host, &policy).await.json();
        // The most: a match that has just ended still counts for a moment.
        wider["concurrent"] = json!(64);
        let changed = ann.person.send(host, "PUT", &policy, &[], Some(wider.to_string())).await;
        assert_eq!(changed.status, 204, "{changed:?}");
    }
    ann
}

/// Creates a match between players with these names; returns its id.
pub(crate) async fn begin(host: &TestServer, ann: &Owner, game: &str, seed: u64, names: &[&str]) -> String {
    let seats: Vec<Value> = names.iter().map(|name| json!({ "kind": "player", "name": name })).collect();
    let order = json!({ "game": game, "seats": seats, "seed": seed, "clock": { "initial_ms": 60_000 } });
    ann.person.post(host, "/v1/matches", order).await.made()["id"].as_str().unwrap().to_owned()
}

/// The record of a match, once it is over.
pub(crate) async fn record(host: &TestServer, id: &str) -> Value {
    let path = format!("/v1/matches/{id}/record");
    let over = async {
        loop {
            let response = host.get(&path).await;
            if response.status == 200 {
                return response.json();
            }
            response.problem(409, "match_not_over");
            sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(HANG, over).await.expect("the match ends")
}

/// The decisions of a record: each with its seat, what was decided, and its fuel.
pub(crate) fn decisions(record: &Value) -> Vec<Value> {
    let is_decision = |event: &&Value| event["type"] == "moved" || event["type"] == "fouled";
    let decision = |event: &Value| {
        json!([
            event["seat"],
            event["notation"],
            event["kind"],
            event["detail"],
            event["instead"],
            event["times"]["fuel"]
        ])
    };
    record["events"].as_array().unwrap().iter().filter(is_decision).map(decision).collect()
}

/// Checks a record with these modules.
fn verified(folder: &Path, record: &Value) -> Output {
    let file = folder.join("record.json");
    fs::write(&file, record.to_string()).unwrap();
    let mut verify = Command::new(env!("CARGO_BIN_EXE_kibitz"));
    verify.arg("verify").arg("--programs").arg(folder).arg(&file).output().unwrap()
}

/// Ends the processes that run programs, as an operator's mistake or a lack of memory would.
fn end_runners() {
    let own = std::process::id().to_string();
    let found = Command::new("pgrep").args(["-P", &own, "-f", "kibitz bots"]).output().unwrap();
    for id in String::from_utf8(found.stdout).unwrap().lines() {
        // It may have ended meanwhile.
        let _ = kill_process(Pid::from_raw(id.parse().unwrap()).unwrap(), Signal::KILL);
    }
}

#[tokio::test]
async fn program_plays_a_match_that_can_be_proved() {
    let folder = TempDir::new().unwrap();
    let module = compiled(folder.path(), &source("splendor.c"));
    let host = server(&[]).await;
    let ann = two_bots(&host, "splendor", &fs::read(&module).unwrap()).await;
    let id = begin(&host, &ann, "splendor", 7, &["robo", "other"]).await;
    let true_record = record(&host, &id).await;
    let created = &true_record["events"][0];
    let hash = &created["seats"][0]["program"]["hash"];
    assert_eq!((hash.as_str().unwrap().len(), &created["seats"][1]["program"]["number"]), (64, &json!(1)));
    let moves = decisions(&true_record);
    assert!(moves.len() > 20 && moves.iter().all(|one| one[5].as_u64().unwrap() > 1000), "{moves:?}");
    let ranks = &true_record["events"].as_array().unwrap().last().unwrap()["result"]["ranks"];
    for (seat, bot) in ["robo", "other"].into_iter().enumerate() {
        let [won, drawn, lost] = match (ranks[seat].as_u64().unwrap(), ranks[1 - seat].as_u64().unwrap()) {
            (1, 1) => [0, 1, 0],
            (1, _) => [1, 0, 0],
            _ => [0, 0, 1],
        };
        let results = &ann.checked(&host, bot, 1).await["results"];
        assert_eq!(
            *results,
            json!({ "won": won, "drawn": drawn, "lost": lost, "mistakes": 0, "rating": null })
        );
    }
    let proved = verified(folder.path(), &true_record);
    let text = String::from_utf8(proved.stdout).unwrap();
    assert!(proved.status.success() && text.matches("all as recorded").count() == 2, "{text}");

    // The server runs it again for those who do not have the module.
    let again = host.get(&format!("/v1/matches/{id}/record/verify?programs=true")).await.json();
    assert_eq!(
        (&again["true"], &again["programs"][1]["difference"]),
        (&json!(true), &Value::Null),
        "{again}"
    );
    let fuel: u64 = moves.iter().filter(|one| one[0] == 0).map(|one| one[5].as_u64().unwrap()).sum();
    assert_eq!(again["programs"][0]["fuel"], json!(fuel));

    // The page of the match names the programs, and the dialogue of a seat has the fuel of its decisions.
    let shown = host.get(&format!("/v1/matches/{id}")).await.json();
    assert_eq!(shown["seats"][0]["program"], json!({ "hash": hash, "number": 1 }));
    let dialogue = host.get(&format!("/v1/matches/{id}/seats/0/dialogue")).await.json();
    let lines = dialogue["lines"].as_array().unwrap();
    assert!(lines.iter().all(|line| line["fuel"].is_null() || line["used_ms"].is_u64()), "{dialogue}");
    assert_eq!(lines.iter().filter_map(|line| line["fuel"].as_u64()).sum::<u64>(), fuel);

    // One unit of fuel more, in one decision.
    let at =
        true_record["events"].as_array().unwrap().iter().rposition(|event| event["type"] == "moved").unwrap();
    let mut false_record = true_record.clone();
    let fuel = false_record["events"][at]["times"]["fuel"].as_u64().unwrap() + 1;
    false_record["events"][at]["times"]["fuel"] = json!(fuel);
    let proved = verified(folder.path(), &false_record);
    let text = String::from_utf8(proved.stdout).unwrap();
    assert!(proved.status.code() == Some(1) && text.contains("units of fuel, the program uses"), "{text}");

    // Another module than the one that played.
    let other = TempDir::new().unwrap();
    written(other.path(), "other", "int main(void) { return 0; }");
    let proved = verified(other.path(), &true_record);
    assert!(proved.status.code() == Some(2), "{proved:?}");
    assert!(String::from_utf8(proved.stderr).unwrap().contains("no module with the hash"));
}

#[tokio::test]
async fn nobody_else_plays_a_hosted_seat() {
    let folder = TempDir::new().unwrap();
    // It thinks long enough in its first turn that this turn is seen.
    let text = fs::read_to_string(source("ioiwari.c")).unwrap();
    let slow =
        "({ static int began; if (!began++) for (volatile long n = 0; n < 100000000; n++) {} gain > most; })";
    let module = fs::read(written(folder.path(), "slow", &text.replace("gain > most", slow))).unwrap();
    let host = server(&[]).await;
    let ann = Owner::new(&host, "ann", "robo").await;
    let made = ann.person.post(&host, "/v1/me/bots", json!({ "name": "mine" })).await.made();
    let bot = TestCaller::with(made["token"].as_str().unwrap());
    assert_eq!(ann.put(&host, "mine", "game=ioiwari", &module).await.status, 201);
    assert_eq!(ann.checked(&host, "mine", 1).await["state"], "active");
    let seats = json!([{ "kind": "player", "name": "mine" }, { "kind": "me" }]);
    let order = json!({ "game": "ioiwari", "seats": seats, "clock": { "initial_ms": 60_000 } });
    let id = ann.person.post(&host, "/v1/matches", order).await.made()["id"].as_str().unwrap().to_owned();
    let shown = ann.person.get(&host, &format!("/v1/matches/{id}")).await.json();
    assert_eq!(shown["stage"], "running", "its seat is taken at once: {shown}");
    let mv = json!({ "ply": 0, "notation": "1" });
    bot.post(&host, &format!("/v1/matches/{id}/moves"), mv).await.problem(409, "hosted_seat");
    let mut refused = bot.dial(&host, "/v1/me/live").await;
    let (_, reason) = refused.closed().await;
    assert!(reason.contains("a program plays for mine"), "its own client cannot come online: {reason}");
}

#[tokio::test]
async fn hosted_bot_accepts_challenges() {
    let folder = TempDir::new().unwrap();
    let module = fs::read(compiled(folder.path(), &source("ioiwari.c"))).unwrap();
    let host = server(&[]).await;
    let ann = Owner::new(&host, "ann", "robo").await;
    assert_eq!(ann.put(&host, "robo", "game=ioiwari", &module).await.status, 201);
    assert_eq!(ann.checked(&host, "robo", 1).await["state"], "active");
    let bob = host.post("/v1/players", json!({ "name": "bob" })).await.made();
    let bob = TestCaller::with(bob["token"].as_str().unwrap());
    let wanted = json!({ "game": "ioiwari", "seat": 1 });
    let accepted = async {
        // Until it is online, it is refused.
        let id = loop {
            let response = bob.post(&host, "/v1/players/robo/challenges", wanted.clone()).await;
            if response.status == 201 {
                break response.made()["id"].as_str().unwrap().to_owned();
            }
            sleep(Duration::from_millis(20)).await;
        };
        loop {
            let challenge = bob.get(&host, &format!("/v1/challenges/{id}")).await.json();
            if challenge["match"].is_string() {
                return challenge["match"].as_str().unwrap().to_owned();
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    let id = tokio::time::timeout(HANG, accepted).await.expect("it accepts");
    let moved = async {
        while bob.get(&host, &format!("/v1/matches/{id}")).await.json()["ply"] == 0 {
            sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(HANG, moved).await.expect("it moves");
}

/// How many matches of each game are played twice; a measurement has more.
pub(crate) fn matches_of_each_game() -> u64 {
    env::var("KIBITZ_HOSTED_MATCHES")
        .map_or(1, |number| number.parse().expect("KIBITZ_HOSTED_MATCHES is a number"))
}

/// All decisions of matches with these seeds between the two bots of this owner, one list for each seed.
pub(crate) async fn played(
    host: &TestServer,
    game: &str,
    ann: &Owner,
    seeds: RangeInclusive<u64>,
) -> Vec<Vec<Value>> {
    let ends = stream::iter(seeds).map(|seed| async move {
        let id = begin(host, ann, game, seed, &["robo", "other"]).await;
        decisions(&record(host, &id).await)
    });
    ends.buffered(AT_A_TIME).collect().await
}

/// Plays the same matches on a quiet server, and on a server with one slot, whose runner is killed again and again: every decision
/// and its fuel are the same.
async fn decides_the_same_everywhere(game: &str) {
    let folder = TempDir::new().unwrap();
    let module = fs::read(compiled(folder.path(), &source(&format!("{game}.c")))).unwrap();
    let quiet = server(&["--threads=2"]).await;
    let first =
        played(&quiet, game, &two_bots(&quiet, game, &module).await, 1..=matches_of_each_game()).await;
    assert!(first.iter().all(|decisions| decisions.len() > 4), "{first:?}");
    drop(quiet);
    let narrow = server(&["--threads=1", "--bots-memory=64"]).await;
    let ann = two_bots(&narrow, game, &module).await;
    let killer = tokio::spawn(async {
        // Not for ever, so that even a slow machine comes to the end of each match.
        for pause in (1..=8).map(|n| 300 + 97 * n) {
            sleep(Duration::from_millis(pause)).await;
            end_runners();
        }
    });
    let again = played(&narrow, game, &ann, 1..=matches_of_each_game()).await;
    killer.abort();
    assert_eq!(first, again);
}

#[tokio::test]
async fn azul_programs_decide_the_same_everywhere() {
    decides_the_same_everywhere("azul").await;
}

#[tokio::test]
async fn buraco_programs_decide_the_same_everywhere() {
    decides_the_same_everywhere("buraco").await;
}

#[tokio::test]
async fn ioiwari_programs_decide_the_same_everywhere() {
    decides_the_same_everywhere("ioiwari").await;
}

#[tokio::test]
async fn septica_programs_decide_the_same_everywhere() {
    decides_the_same_everywhere("septica").await;
}

#[tokio::test]
async fn splendor_programs_decide_the_same_everywhere() {
    decides_the_same_everywhere("splendor").await;
}

/// Programs read the logs of their matches for their turns, and the actors of the matches read, too. There are more matches here than
/// connections for reading.
#[tokio::test]
async fn many_matches_of_programs_go_on_beside_each_other() {
    let folder = TempDir::new().unwrap();
    let module = fs::read(compiled(folder.path(), &source("buraco.c"))).unwrap();
    let host = server(&["--threads=1"]).await;
    let ann = two_bots(&host, "buraco", &module).await;
    let played = played(&host, "buraco", &ann, 1..=4 * AT_A_TIME as u64).await;
    assert!(played.iter().all(|decisions| decisions.len() > 4), "{played:?}");
}
