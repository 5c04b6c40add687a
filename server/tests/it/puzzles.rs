//! Puzzles from analysed matches: which positions become some, the daily one, tries and ratings, and what they hide.

use std::collections::BTreeSet;

use engines::judge::{PUZZLE_MARGIN, PUZZLE_SAME};
use serde_json::{Value, json};

use crate::admin::AdminServer;
use crate::analyse::done;
use crate::client::TestServer;
use crate::club::begin;
use crate::matches::{SHORT, TestCaller, play_until};
use crate::mistakes::{analysed, player};

fn id_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

/// Analyses public matches of these two until there is a puzzle; returns it with the paths of the matches.
pub(crate) async fn some_puzzle(host: &TestServer, players: [&TestCaller; 2]) -> (Value, Vec<String>) {
    let mut paths = Vec::new();
    for round in 0..9 {
        let (path, _) =
            analysed(host, if round % 2 == 0 { players } else { [players[1], players[0]] }, false).await;
        paths.push(path);
        let daily = host.get(&format!("/v1/puzzles/daily?game={SHORT}")).await;
        if daily.status == 200 {
            return (daily.json(), paths);
        }
    }
    panic!("bad play gives puzzles");
}

/// A move of the puzzle that is right, or one that is not, by the answer to the try of a guest.
async fn choice(host: &TestServer, puzzle: &Value, right: bool) -> Value {
    let body = json!({ "notation": puzzle["moves"][0]["notation"] });
    let answer =
        host.post(&format!("/v1/puzzles/{}/tries", puzzle["id"].as_str().unwrap()), body).await.json();
    let found = answer["moves"].as_array().unwrap().iter().find(|one| one["right"] == right);
    json!({ "notation": found.unwrap()["notation"] })
}

#[tokio::test]
async fn puzzle_has_one_clearly_best_move_and_shows_it_only_after_a_try() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    host.get(&format!("/v1/puzzles/daily?game={SHORT}")).await.problem(404, "no_such_puzzle");
    let (_, paths) = some_puzzle(&host, [&ann, &ben]).await;
    let mut seen = BTreeSet::new();
    // A player gets each puzzle once.
    loop {
        let next = ann.get(&host, &format!("/v1/puzzles/next?game={SHORT}")).await;
        if next.status == 404 {
            next.problem(404, "no_such_puzzle");
            break;
        }
        let puzzle = next.json();
        let path = format!("/v1/puzzles/{}", puzzle["id"].as_str().unwrap());
        assert!(seen.insert(path.clone()), "{path} came twice");
        assert_eq!(host.get(&path).await.json()["position"], puzzle["position"]);
        let (seat, position) = (&puzzle["seat"], &puzzle["position"]);
        assert_eq!(position["viewer"], json!({ "seat": seat }), "as the seat saw it");
        let asked = json!({ "position": position });
        let legal = host.post(&format!("/v1/games/{SHORT}/legal-moves"), asked).await.json();
        let notations = |moves: &Value| -> BTreeSet<String> {
            moves.as_array().unwrap().iter().map(|one| one["notation"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!((&legal["seat"], notations(&legal["moves"])), (seat, notations(&puzzle["moves"])));
        for part in ["best", "value", "right", "played", "match", "ply", "engine"] {
            assert!(
                puzzle["moves"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .chain([&puzzle])
                    .all(|one| one.get(part).is_none())
            );
        }
        let tried = puzzle["moves"][0]["notation"].clone();
        let answer = ann.post(&host, &format!("{path}/tries"), json!({ "notation": tried })).await.json();
        check_solution(&host, &puzzle, &answer, &paths).await;
    }
    assert!(!seen.is_empty());
}

/// Checks the solution by the rule for puzzles.
async fn check_solution(host: &TestServer, puzzle: &Value, answer: &Value, paths: &[String]) {
    let moves = answer["moves"].as_array().unwrap();
    let value = |one: &Value| one["value"].as_f64().unwrap();
    let best = value(&moves[0]);
    assert_eq!((&moves[0]["right"], &moves[0]["notation"]), (&json!(true), &answer["best"]["notation"]));
    let right = moves.iter().filter(|one| one["right"] == true).count();
    assert!(moves.len() >= 3 && 3 * right <= moves.len(), "{answer}");
    for one in &moves[1..] {
        let loss = best - value(one);
        // The values are rounded to four decimals.
        let is_right = loss.abs() < PUZZLE_SAME + 1e-4;
        assert_eq!(one["right"], is_right, "{one}");
        assert!(is_right || loss > PUZZLE_MARGIN - 1e-4, "{one}");
    }
    let of = |notation: &Value| moves.iter().find(|one| one["notation"] == *notation).unwrap();
    assert_eq!(of(&answer["played"]["notation"])["right"], false, "it was missed in the match");
    assert_eq!(&answer["tried"], of(&answer["tried"]["notation"]));
    assert_eq!(answer["right"], answer["tried"]["right"]);
    let path = format!("/v1/matches/{}", answer["match"].as_str().unwrap());
    assert!(paths.contains(&path), "{path}");
    let analysis = host.get(&format!("{path}/analysis")).await.json()["analysis"].clone();
    let decision = &analysis["decisions"][answer["ply"].as_u64().unwrap() as usize];
    assert_eq!((&decision["seat"], &decision["played"]), (&puzzle["seat"], &answer["played"]));
    assert_eq!(decision["value"]["best"], answer["best"]);
    assert_eq!(
        [&answer["engine"], &answer["nodes"], &answer["judge"]],
        [&analysis["engine"], &analysis["nodes"], &analysis["judge"]]
    );
}

#[tokio::test]
async fn daily_puzzle_is_the_same_for_all_on_every_server() {
    let place = AdminServer::start(&[]).await;
    let (host, other) = (&place.host, place.another().await);
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let (daily, _) = some_puzzle(host, [&ann, &ben]).await;
    let path = format!("/v1/puzzles/daily?game={SHORT}");
    for server in [host, &other] {
        for caller in [&ann, &ben, &TestCaller::anonymous()] {
            assert_eq!(caller.get(server, &path).await.json()["id"], daily["id"]);
        }
    }
    // Neither a try nor other puzzles change it.
    let tries = format!("/v1/puzzles/{}/tries", daily["id"].as_str().unwrap());
    ann.post(&other, &tries, choice(&other, &daily, false).await).await.json();
    analysed(host, [&ben, &ann], false).await;
    assert_eq!(other.get(&path).await.json()["id"], daily["id"]);
    for (query, status, code) in [
        ("daily", 400, "bad_query"),
        ("next", 400, "bad_query"),
        ("daily?game=chess", 404, "unknown_game"),
        ("daily?game=ioiwari&except=x", 400, "bad_query"),
        ("next?game=ioiwari&except=x", 400, "bad_query"),
        ("daily?game=azul", 404, "no_such_puzzle"),
        ("x", 404, "no_such_puzzle"),
    ] {
        host.get(&format!("/v1/puzzles/{query}")).await.problem(status, code);
    }
}

#[tokio::test]
async fn only_the_first_try_of_a_person_counts() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let made = ann.post(&host, "/v1/me/bots", json!({ "name": "robo" })).await.made();
    let robo = TestCaller::with(made["token"].as_str().unwrap());
    let (puzzle, _) = some_puzzle(&host, [&ann, &ben]).await;
    let path = format!("/v1/puzzles/{}", puzzle["id"].as_str().unwrap());
    let tries = format!("{path}/tries");
    let (right, wrong) = (choice(&host, &puzzle, true).await, choice(&host, &puzzle, false).await);
    // Guests and bots count for nobody.
    for caller in [&TestCaller::anonymous(), &robo] {
        let answer = caller.post(&host, &tries, right.clone()).await.json();
        assert_eq!((&answer["right"], &answer["counted"]), (&json!(true), &Value::Null));
        let page = caller.get(&host, &path).await.json();
        assert_eq!((&page["tries"], &page["solver"]), (&json!(0), &Value::Null));
    }
    let before = ann.get(&host, &path).await.json();
    assert_eq!(
        (&before["solver"]["rating"]["points"], &before["solver"]["tried"]),
        (&json!(1500), &Value::Null)
    );
    let first = ann.post(&host, &tries, wrong.clone()).await.json();
    let points = |rating: &Value| rating["points"].as_i64().unwrap();
    assert_eq!((&first["right"], &first["counted"]["right"]), (&json!(false), &json!(false)));
    assert!(points(&first["counted"]["after"]) < points(&first["counted"]["before"]));
    assert!(points(&first["rating"]) > points(&before["rating"]), "the puzzle has won");
    let again = ann.post(&host, &tries, right.clone()).await.json();
    assert_eq!((&again["right"], &again["counted"]), (&json!(true), &Value::Null));
    let after = ann.get(&host, &path).await.json();
    assert_eq!(after["rating"], first["rating"]);
    assert_eq!((&after["tries"], &after["solved"]), (&json!(1), &json!(0)));
    assert_eq!(after["solver"]["tried"], first["counted"]);
    assert_eq!((&after["solver"]["tries"], &after["solver"]["solved"]), (&json!(1), &json!(0)));
    let solved = ben.post(&host, &tries, right).await.json();
    assert!(points(&solved["counted"]["after"]) > points(&solved["counted"]["before"]));
    // The ratings of matches are others.
    assert_eq!(ann.get(&host, "/v1/players/ann").await.json()["ratings"], json!([]));
    host.post(&tries, json!({})).await.problem(422, "bad_field");
    host.post(&tries, json!({ "notation": "x" })).await.problem(422, "bad_move");
    let is_listed =
        |text: &String| puzzle["moves"].as_array().unwrap().iter().any(|one| one["notation"] == *text);
    // All pits can have beads.
    if let Some(illegal) = (1..=7).map(|pit| pit.to_string()).find(|text| !is_listed(text)) {
        host.post(&tries, json!({ "notation": illegal })).await.problem(422, "illegal_move");
    }
}

#[tokio::test]
async fn private_matches_give_no_puzzles() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let mut lost = 0;
    for _ in 0..3 {
        let (_, analysis) = analysed(&host, [&ann, &ben], true).await;
        let losses =
            analysis["decisions"].as_array().unwrap().iter().filter_map(|one| one["value"]["loss"].as_f64());
        lost += losses.filter(|loss| *loss >= PUZZLE_MARGIN).count();
    }
    assert!(lost > 0, "both play badly");
    for caller in [&ann, &ben, &TestCaller::anonymous()] {
        for which in ["daily", "next"] {
            let path = format!("/v1/puzzles/{which}?game={SHORT}");
            caller.get(&host, &path).await.problem(404, "no_such_puzzle");
        }
    }
}

#[tokio::test]
async fn puzzles_go_with_their_match_and_with_its_result() {
    let place = AdminServer::start(&[]).await;
    let host = &place.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    for how in ["delete", "annul"] {
        // A rated match, so that its result can be annulled.
        let (puzzle, path) = loop {
            let path = begin(host, [&ann, &ben]).await;
            play_until(host, &path, &[ann.clone(), ben.clone()], u64::MAX).await;
            ann.tell(host, &format!("{path}/analysis")).await.json();
            done(host, &ann, &path).await;
            let next = host.get(&format!("/v1/puzzles/next?game={SHORT}")).await;
            if next.status == 200 {
                break (next.json(), path);
            }
        };
        let puzzle = format!("/v1/puzzles/{}", puzzle["id"].as_str().unwrap());
        AdminServer::said(&place.admin(&["matches", how, id_of(&path)]).await);
        host.get(&puzzle).await.problem(404, "no_such_puzzle");
        host.get(&format!("/v1/puzzles/next?game={SHORT}")).await.problem(404, "no_such_puzzle");
    }
}
