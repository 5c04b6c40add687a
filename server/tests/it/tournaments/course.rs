//! The course of a tournament: late entry and withdrawal in a Swiss tournament, forfeits, events, pages, aborting.

use std::collections::HashSet;

use serde_json::{Value, json};

use super::{create, enter, enter_engines, random_engine, request, round_robin, until, until_ended};
use crate::client::TestServer;
use crate::club::player;
use crate::matches::{SHORT, TestCaller};

/// The match of the running game of this entrant.
fn match_of(page: &Value, entrant: usize) -> Option<String> {
    let games = page["games"].as_array().unwrap();
    let game = games.iter().find(|game| {
        game["stage"] == "running" && game["seats"].as_array().unwrap().iter().any(|seat| seat == entrant)
    })?;
    Some(format!("/v1/matches/{}", game["match"].as_str()?))
}

/// Joins and resigns all matches that wait for this caller. Each request is refused while it is not the time for it.
async fn resign_all(host: &TestServer, caller: &TestCaller) {
    let list = caller.get(host, "/v1/me/matches").await.json();
    for entry in list["matches"].as_array().unwrap().iter().filter(|entry| entry["stage"] != "over") {
        let path = format!("/v1/matches/{}", entry["id"].as_str().unwrap());
        caller.tell(host, &format!("{path}/join")).await;
        caller.tell(host, &format!("{path}/resign")).await;
    }
}

#[tokio::test]
async fn entrants_come_late_and_leave_in_a_swiss_tournament() {
    let host = TestServer::start(&[]).await;
    let (ann, late) = (player(&host, "ann").await, player(&host, "late").await);
    let mut wanted = request(SHORT, json!({ "kind": "swiss", "rounds": 2 }));
    wanted["grace_ms"] = json!(3_600_000);
    let path = create(&host, &ann, wanted).await;
    let follow = {
        let (address, path) = (host.address(), format!("{path}/events"));
        tokio::spawn(async move {
            let accept = [("accept", "application/x-ndjson")];
            TestCaller::anonymous().send_to(address, "GET", &path, &accept, None).await
        })
    };
    enter(&host, &ann, &path, "ann").await;
    enter_engines(&host, &ann, &path).await;
    let third = random_engine(SHORT, "max");
    enter(&host, &ann, &path, &third).await;
    ann.tell(&host, &format!("{path}/start")).await.json();
    // The round lasts until ann has played.
    let page = until(&host, &path, |page| match_of(page, 0).is_some()).await;
    let first = match_of(&page, 0).unwrap();
    ann.tell(&host, &format!("{first}/join")).await.json();
    ann.tell(&host, &format!("{first}/leave")).await.problem(409, "started");
    enter(&host, &late, &path, "late").await;
    let third = third.replace(':', "%3A");
    let left = ann.send(&host, "DELETE", &format!("{path}/entries/{third}"), &[], None).await;
    assert_eq!(left.status, 204);
    if ann.page(&host, &first).await["you"] == 0 {
        ann.tell(&host, &format!("{first}/abort")).await.json();
        assert_eq!(ann.page(&host, &first).await["result"]["ranks"], json!([2, 1]), "it counts as a loss");
    }
    let wait = async {
        loop {
            resign_all(&host, &ann).await;
            resign_all(&host, &late).await;
            if host.get(&path).await.json()["stage"] == "ended" {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(crate::client::HANG, wait).await.expect("it ends");
    let page = host.get(&path).await.json();
    let games = page["games"].as_array().unwrap();
    let of_round =
        |round: u64| -> Vec<&Value> { games.iter().filter(|game| game["round"] == round).collect() };
    let plays = |games: &[&Value], entrant: u64| {
        games.iter().any(|game| game["seats"].as_array().unwrap().contains(&json!(entrant)))
    };
    let (one, two) = (of_round(1), of_round(2));
    assert!(plays(&one, 3) && !plays(&one, 4) && !plays(&two, 3) && plays(&two, 4), "{games:?}");
    let pairs: HashSet<Vec<u64>> = games
        .iter()
        .map(|game| {
            let mut pair: Vec<u64> =
                game["seats"].as_array().unwrap().iter().map(|seat| seat.as_u64().unwrap()).collect();
            pair.sort_unstable();
            pair
        })
        .collect();
    assert_eq!((pairs.len(), games.len()), (4, 8), "no pair meets twice, and each plays from both seats");
    assert_eq!(
        (&page["entrants"][3]["takes_part"], &page["entrants"][4]["name"]),
        (&json!(false), &json!("late"))
    );
    let ann_line = page["standings"].as_array().unwrap().iter().find(|line| line["entrant"] == 0).unwrap();
    let against_late = pairs.contains(&vec![0, 4]);
    assert!(against_late || ann_line["points"] == 0.0, "ann lost all others: {ann_line}");
    assert_events(follow.await.unwrap().text(), &page);
}

/// Checks the events that a reader saw who followed from the beginning to the end.
fn assert_events(text: &str, page: &Value) {
    let lines: Vec<Value> = text
        .lines()
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let seqs: Vec<u64> = lines.iter().map(|line| line["seq"].as_u64().unwrap()).collect();
    assert_eq!(
        seqs[1..],
        ((seqs[0] + 1)..=page["seq"].as_u64().unwrap()).collect::<Vec<_>>(),
        "without gaps"
    );
    let last = lines.last().unwrap();
    assert_eq!(
        (&last["type"], &last["secret"], &last["salt"]),
        (&json!("ended"), &page["secret"], &page["salt"])
    );
    let before = &text[..text.trim_end().rfind('\n').unwrap()];
    for secret in [&page["secret"], &page["salt"]] {
        assert!(!before.contains(secret.as_str().unwrap()), "the secret was told early");
    }
    let count = |kind: &str| lines.iter().filter(|line| line["type"] == kind).count();
    assert_eq!((count("paired"), count("game_ended"), count("withdrew"), count("started")), (2, 8, 1, 1));
}

#[tokio::test]
async fn absent_player_forfeits_and_the_pages_show_it() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    let mut wanted = request(SHORT, round_robin());
    wanted["grace_ms"] = json!(1000);
    wanted["title"] = json!("<b>Cup</b>");
    let path = create(&host, &ann, wanted).await;
    enter(&host, &ann, &path, "ann").await;
    enter_engines(&host, &ann, &path).await;
    ann.tell(&host, &format!("{path}/start")).await.json();
    let late = player(&host, "late").await.tell(&host, &format!("{path}/entries")).await;
    late.problem(409, "tournament_stage");
    let page = until_ended(&host, &path).await;
    let ann_line = page["standings"].as_array().unwrap().last().unwrap();
    assert_eq!(
        (&ann_line["entrant"], &ann_line["points"], &ann_line["games"]),
        (&json!(0), &json!(0.0), &json!(4))
    );
    for game in page["games"].as_array().unwrap() {
        let seat = game["seats"].as_array().unwrap().iter().position(|seat| seat == 0);
        if let Some(seat) = seat {
            assert_eq!((&game["scores"][seat], &game["scores"][1 - seat]), (&json!(0.0), &json!(1.0)));
            let record = host.get(&format!("/v1/matches/{}/record", game["match"].as_str().unwrap())).await;
            assert_eq!(record.json()["events"].as_array().unwrap().last().unwrap()["how"], "abandoned");
        }
    }
    let list = host.get("/v1/tournaments").await.json();
    let entry = &list["tournaments"][0];
    assert_eq!(
        (&entry["stage"], &entry["entrants"], &entry["finished"]),
        (&json!("ended"), &json!(3), &json!(6))
    );
    let html = host.get("/tournaments").await;
    assert!(html.text().contains("&lt;b&gt;Cup&lt;/b&gt;") && !html.text().contains("<b>Cup"));
    let html = host.get(&path.replace("/v1", "")).await;
    // The page's module shows the rest, which a test in the browser reads.
    let commitment = page["commitment"].as_str().unwrap();
    for part in ["&lt;b&gt;Cup", "/club/tournament.js", "standings.csv", "/records", commitment] {
        assert!(html.text().contains(part), "no {part} in {}", html.text());
    }
}

#[tokio::test]
async fn aborted_tournament_ends_its_matches_before_it_tells_its_secret() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let path = create(&host, &ann, request(SHORT, round_robin())).await;
    enter(&host, &ann, &path, "ann").await;
    enter(&host, &ben, &path, "ben").await;
    ann.tell(&host, &format!("{path}/start")).await.json();
    let page = until(&host, &path, |page| match_of(page, 0).is_some()).await;
    let running = match_of(&page, 0).unwrap();
    for caller in [&ann, &ben] {
        caller.tell(&host, &format!("{running}/join")).await.json();
    }
    let paused = ann.tell(&host, &format!("{path}/pause")).await.json();
    assert_eq!(paused["stage"], "paused");
    assert_eq!(ann.page(&host, &running).await["stage"], "running", "running matches go on");
    ann.tell(&host, &format!("{path}/pause")).await.problem(409, "tournament_stage");
    ann.tell(&host, &format!("{path}/resume")).await.json();
    ben.tell(&host, &format!("{path}/abort")).await.problem(403, "not_your_tournament");
    let over = ann.tell(&host, &format!("{path}/abort")).await.json();
    assert_eq!((&over["stage"], over["secret"].is_string()), (&json!("aborted"), true));
    assert_eq!(ann.page(&host, &running).await["ended"], "terminated");
    host.get(&format!("{running}/record")).await.json();
    ann.tell(&host, &format!("{path}/abort")).await.problem(409, "tournament_stage");
}

/// The games of a pair beyond the limit of a day are played, unrated.
#[tokio::test]
async fn tournament_rates_a_pair_only_up_to_the_limit_of_a_day() {
    let host = TestServer::start(&["--max-rated-per-pair=3"]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let mut wanted = request(SHORT, round_robin());
    (wanted["rated"], wanted["deals"]) = (json!(true), json!(3));
    let path = create(&host, &ann, wanted).await;
    enter(&host, &ann, &path, &random_engine(SHORT, "easy")).await;
    ben.tell(&host, &format!("{path}/entries")).await.made();
    ann.tell(&host, &format!("{path}/start")).await.json();
    let page = loop {
        resign_all(&host, &ben).await;
        let page = host.get(&path).await.json();
        if page["stage"] == "ended" {
            break page;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    };
    let games = page["games"].as_array().unwrap();
    let mut rated = 0;
    for game in games {
        let id = game["match"].as_str().unwrap();
        let shown = TestCaller::anonymous().page(&host, &format!("/v1/matches/{id}")).await;
        rated += usize::from(shown["rated"].as_bool().unwrap());
    }
    assert!(games.len() > 3, "{page}");
    assert_eq!(rated, 3, "of {} games of one pair", games.len());
}
