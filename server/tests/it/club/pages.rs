//! Leaderboards and players' pages: for programs and for people.

use serde_json::{Value, json};

use super::{begin, one_move_each, player, random_engine, rated, shown};
use crate::client::TestServer;
use crate::matches::{SHORT, TestCaller, create, me};

/// Some players with rated matches.
async fn played(host: &TestServer) {
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let about = json!({ "description": "<b>bold</b>", "source": "https://example.org/?a=1&b=2" });
    let made = ben.post(host, "/v1/me/bots", json!({ "name": "robo", "about": about })).await.made();
    let robo = TestCaller::with(made["token"].as_str().unwrap());
    for loser in [&ben, &robo] {
        let path = begin(host, [&ann, loser]).await;
        one_move_each(host, &path, &[&ann, loser]).await;
        loser.tell(host, &format!("{path}/resign")).await.json();
    }
    let (path, _) = create(host, &robo, rated(SHORT, &[me(), random_engine()])).await;
    one_move_each(host, &path, &[&robo]).await;
    robo.tell(host, &format!("{path}/resign")).await.json();
}

#[tokio::test]
async fn leaderboard_has_filters_and_pages() {
    let host = TestServer::start(&[]).await;
    let path = format!("/v1/games/{SHORT}/leaderboard");
    assert_eq!(host.get(&path).await.json(), json!({ "game": SHORT, "players": [], "next": null }));
    played(&host).await;
    let board = host.get(&path).await.json();
    let players = board["players"].as_array().unwrap();
    let names = |players: &[Value]| -> Vec<String> {
        players.iter().map(|entry| entry["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(players.len(), 4);
    assert_eq!((&players[0]["name"], &players[3]["name"]), (&json!("ann"), &json!("robo")));
    assert_eq!(
        (&players[3]["kind"], &players[3]["owner"], &players[3]["played"]),
        (&json!("bot"), &json!("ben"), &json!(2))
    );
    let least = |entry: &Value| entry["mu"].as_f64().unwrap() - 1.96 * entry["sigma"].as_f64().unwrap();
    assert!(players.iter().all(|entry| entry["provisional"] == true && entry["rank"].is_null()), "{board}");
    assert!(players.is_sorted_by(|a, b| least(a) >= least(b)));
    for entry in players {
        let rating = shown(&host, entry["name"].as_str().unwrap(), SHORT).await.unwrap().0;
        assert_eq!(entry["points"], rating.points().round() as i64);
        assert_eq!(entry["margin"], rating.margin().round() as i64);
    }
    let (mut paged, mut next) = (Vec::new(), String::new());
    loop {
        let page = host.get(&format!("{path}?limit=3{next}")).await.json();
        paged.extend(page["players"].as_array().unwrap().clone());
        let Some(after) = page["next"].as_str() else { break };
        next = format!("&after={after}");
    }
    assert_eq!(paged, *players);
    for (kind, expected) in [("person", vec!["ann", "ben"]), ("bot", vec!["robo"])] {
        let page = host.get(&format!("{path}?kind={kind}")).await.json();
        assert_eq!(names(page["players"].as_array().unwrap()), expected);
    }
    let engines = host.get(&format!("{path}?kind=engine")).await.json();
    assert!(engines["players"][0]["name"].as_str().unwrap().starts_with("ioiwari:random:"));
    assert_eq!(host.get(&format!("{path}?provisional=false")).await.json()["players"], json!([]));
    for wrong in ["kind=dog", "provisional=1", "after=x", "limit=0", "limit=201", "x=1"] {
        host.get(&format!("{path}?{wrong}")).await.problem(400, "bad_query");
    }
    host.get("/v1/games/chess/leaderboard").await.problem(404, "unknown_game");
    for wrong in ["points=0", "points=501", "x=1"] {
        host.get(&format!("/v1/players/ann/ratings/{SHORT}?{wrong}")).await.problem(400, "bad_query");
    }
    let one = host.get(&format!("/v1/players/ann/ratings/{SHORT}?points=1")).await.json();
    assert_eq!((&one["history"][0]["played"], &one["history"][1]), (&json!(2), &Value::Null));
    for wrong in ["after=x", "limit=0", "x=1"] {
        host.get(&format!("/v1/players/ann/opponents/{SHORT}?{wrong}")).await.problem(400, "bad_query");
    }
    let first = host.get(&format!("/v1/players/robo/opponents/{SHORT}?limit=1")).await.json();
    let after = first["next"].as_str().unwrap();
    let second = host.get(&format!("/v1/players/robo/opponents/{SHORT}?limit=1&after={after}")).await.json();
    assert_eq!(second["next"], Value::Null);
    assert_ne!(first["opponents"][0]["name"], second["opponents"][0]["name"]);
}

#[tokio::test]
async fn pages_for_people_show_ratings() {
    let host = TestServer::start(&[]).await;
    let path = format!("/games/{SHORT}/leaderboard");
    assert!(host.get(&path).await.text().contains("No rated matches yet."));
    played(&host).await;
    let page = host.get(&path).await;
    for part in
        ["Leaderboard of Ioiwari", "href=\"/players/ann\"", "href=\"/players/ioiwari%3Arandom%3A", "kind=bot"]
    {
        assert!(page.text().contains(part), "no {part} in {}", page.text());
    }
    let bots = host.get(&format!("{path}?kind=bot")).await;
    assert!(bots.text().contains(">robo<") && !bots.text().contains(">ann<"));
    assert_eq!(host.get(&format!("{path}?kind=dog")).await.status, 400);
    let robo = host.get("/players/robo").await;
    for part in
        ["owned by", "href=\"/players/ben\"", "&lt;b&gt;bold", "https://example.org/?a=1&amp;b=2", "± "]
    {
        assert!(robo.text().contains(part), "no {part} in {}", robo.text());
    }
    assert!(!robo.text().contains("<b>bold"));
    assert!(!host.get("/players/ben").await.text().contains("owned by"));
    let engine = host.get("/players/ioiwari%3Arandom%3A1%3Amax").await;
    assert!(engine.status == 404 || engine.text().contains("built-in engine"), "{engine:?}");
}
