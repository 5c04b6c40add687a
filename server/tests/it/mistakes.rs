//! The costly decisions of players over their analysed matches: lists, counts, the suite, and who sees them.

use serde_json::{Value, json};

use crate::analyse::done;
use crate::client::TestServer;
use crate::matches::{SHORT, TestCaller, create, join, me, open, order, play_until};
use crate::verify::run_on_input;

/// A new player's token.
pub(crate) async fn player(host: &TestServer, name: &str) -> TestCaller {
    let made = host.post("/v1/players", json!({ "name": name })).await.made();
    TestCaller::with(made["token"].as_str().unwrap())
}

/// A finished match of two players with its analysis.
pub(crate) async fn analysed(host: &TestServer, players: [&TestCaller; 2], private: bool) -> (String, Value) {
    let mut wanted = order(SHORT, &[me(), open()]);
    wanted["private"] = json!(private);
    let (path, made) = create(host, players[0], wanted).await;
    let joiner = TestCaller { key: made["key"].as_str().map(str::to_owned), ..players[1].clone() };
    join(host, &joiner, &path).await;
    play_until(host, &path, &[players[0].clone(), players[1].clone()], u64::MAX).await;
    players[0].tell(host, &format!("{path}/analysis")).await.json();
    let analysis = done(host, players[0], &path).await;
    (path, analysis)
}

/// A new bot's token.
async fn bot(host: &TestServer, owner: &TestCaller, name: &str) -> TestCaller {
    let made = owner.post(host, "/v1/me/bots", json!({ "name": name })).await.made();
    TestCaller::with(made["token"].as_str().unwrap())
}

/// The losses of a seat's decisions, the greatest first, those of 5 points or more.
fn losses(analysis: &Value, seat: u64) -> Vec<f64> {
    let decisions = analysis["decisions"].as_array().unwrap().iter().filter(|one| one["seat"] == seat);
    let mut losses: Vec<f64> =
        decisions.filter_map(|one| one["value"]["loss"].as_f64()).filter(|loss| *loss >= 0.05).collect();
    losses.sort_by(|a, b| b.total_cmp(a));
    losses
}

fn listed(list: &Value) -> Vec<f64> {
    list["mistakes"].as_array().unwrap().iter().map(|one| one["value"]["loss"].as_f64().unwrap()).collect()
}

/// The sum of a field of the counts.
fn counted(list: &Value, field: &str) -> u64 {
    list["counts"].as_array().unwrap().iter().map(|one| one[field].as_u64().unwrap()).sum()
}

#[tokio::test]
async fn mistakes_of_a_player_are_listed_with_their_positions() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let path = format!("/v1/players/ann/mistakes/{SHORT}");
    let empty = host.get(&path).await.json();
    assert_eq!(empty, json!({ "counts": [], "accuracy": null, "mistakes": [], "next": null }));
    let (_, one) = analysed(&host, [&ann, &ben], false).await;
    let (_, two) = analysed(&host, [&ben, &ann], false).await;
    let mut expected = losses(&one, 0);
    expected.extend(losses(&two, 1));
    expected.sort_by(|a, b| b.total_cmp(a));
    assert!(expected.len() >= 2, "both play badly: {expected:?}");

    let list = host.get(&format!("{path}?limit=50")).await.json();
    assert_eq!((listed(&list), &list["next"]), (expected.clone(), &Value::Null));
    let decisions =
        one["seats"][0]["decisions"].as_u64().unwrap() + two["seats"][1]["decisions"].as_u64().unwrap();
    assert_eq!(counted(&list, "decisions"), decisions);
    let seats = [&one["seats"][0], &two["seats"][1]];
    let weighted = |seat: &Value| seat["accuracy"].as_f64().unwrap() * seat["decisions"].as_f64().unwrap();
    let accuracy = seats.into_iter().map(weighted).sum::<f64>() / decisions as f64;
    let told = list["accuracy"].as_f64().unwrap();
    assert!((told - accuracy).abs() <= 0.11, "{told} is {accuracy}, but for what both round");
    assert_eq!(counted(&list, "mistakes"), expected.iter().filter(|loss| **loss >= 0.1).count() as u64);
    for one in list["mistakes"].as_array().unwrap() {
        assert_eq!(one["position"]["viewer"], json!({ "seat": one["seat"] }), "as the player saw it");
        let asked = json!({ "position": one["position"] });
        let legal = host.post(&format!("/v1/games/{SHORT}/legal-moves"), asked).await.json();
        let is_legal = |notation: &Value| {
            legal["moves"].as_array().unwrap().iter().any(|mv| mv["notation"] == *notation)
        };
        assert!(is_legal(&one["played"]["notation"]) && is_legal(&one["value"]["best"]["notation"]), "{one}");
    }

    // Page by page, each filter, and what is no query.
    let mut paged = Vec::new();
    let mut next = String::new();
    loop {
        let page = host.get(&format!("{path}?limit=1{next}")).await.json();
        paged.extend(listed(&page));
        let Some(after) = page["next"].as_str() else { break };
        next = format!("&after={after}");
    }
    assert_eq!(paged, expected);
    let mut by_kind = 0;
    for count in list["counts"].as_array().unwrap() {
        let [phase, kind] = ["phase", "kind"].map(|field| count[field].as_str().unwrap());
        let some = host.get(&format!("{path}?limit=50&phase={phase}&kind={kind}")).await.json();
        assert!(
            some["mistakes"]
                .as_array()
                .unwrap()
                .iter()
                .all(|one| one["phase"] == phase && one["kind"] == kind)
        );
        assert_eq!(some["counts"], list["counts"]);
        by_kind += listed(&some).len();
    }
    assert_eq!(by_kind, expected.len());
    for query in ["after=x", "limit=51", "limit=0", "colour=red"] {
        host.get(&format!("{path}?{query}")).await.problem(400, "bad_query");
    }
    host.get("/v1/players/ann/mistakes/chess").await.problem(404, "unknown_game");
    host.get(&format!("/v1/players/zoe/mistakes/{SHORT}")).await.problem(404, "no_such_player");

    // The same as a suite, which the engine solves.
    let suite = host.get(&format!("{path}/suite")).await.text().to_owned();
    assert_eq!(suite.lines().count(), expected.len());
    let (code, out, errors) =
        run_on_input("suite", &["-", "-p", "engine:nodes=1", "--min-score", "100"], suite.as_bytes());
    assert_eq!((code, errors.as_str()), (Some(0), ""), "{out}");
}

#[tokio::test]
async fn mistakes_of_private_matches_are_for_the_player_alone() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let (_, analysis) = analysed(&host, [&ann, &ben], true).await;
    assert!(!losses(&analysis, 0).is_empty(), "ann plays badly");
    let path = format!("/v1/players/ann/mistakes/{SHORT}");
    let nothing = json!({ "counts": [], "accuracy": null, "mistakes": [], "next": null });
    assert_eq!(host.get(&path).await.json(), nothing);
    // Ben sat in the match, and sees it among his own, but not in ann's list.
    assert_eq!(ben.get(&host, &path).await.json(), nothing);
    assert_eq!(host.get(&format!("{path}/suite")).await.text(), "");
    assert_eq!(listed(&ann.get(&host, &path).await.json()), losses(&analysis, 0));
    let suite = ann.get(&host, &format!("{path}/suite")).await.text().to_owned();
    assert_eq!(suite.lines().count(), losses(&analysis, 0).len());
}

/// The owner may do what the bot's token may: see the match, and have it analysed.
#[tokio::test]
async fn mistakes_of_private_matches_of_a_bot_are_for_its_owner_too() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let robo = bot(&host, &ann, "robo").await;
    let (match_path, analysis) = analysed(&host, [&robo, &ben], true).await;
    assert!(!losses(&analysis, 0).is_empty(), "it plays badly");
    let path = format!("/v1/players/robo/mistakes/{SHORT}");
    for (caller, sees) in [(&robo, true), (&ann, true), (&ben, false), (&TestCaller::anonymous(), false)] {
        let list = caller.get(&host, &path).await.json();
        let expected = if sees { losses(&analysis, 0) } else { Vec::new() };
        assert_eq!((listed(&list), counted(&list, "decisions") > 0), (expected.clone(), sees));
        let suite = caller.get(&host, &format!("{path}/suite")).await.text().to_owned();
        assert_eq!(suite.lines().count(), expected.len());
    }
    let carl = player(&host, "carl").await;
    carl.get(&host, &match_path).await.problem(404, "no_such_match");
    assert_eq!(ann.page(&host, &match_path).await["stage"], "over");
    assert_eq!(ann.get(&host, &format!("{match_path}/analysis")).await.json()["stage"], "done");
}
