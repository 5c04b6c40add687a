//! The moves with which a player begins most often.

use serde_json::{Value, json};

use crate::client::TestServer;
use crate::matches::{SHORT, TestCaller, create, join, me, open, order};
use crate::mistakes::player;

/// A match of two players that the first begins with this move; then one of them resigns.
async fn begun(
    host: &TestServer,
    [first, second]: [&TestCaller; 2],
    notation: &str,
    first_wins: bool,
    private: bool,
) {
    let mut wanted = order(SHORT, &[me(), open()]);
    wanted["private"] = json!(private);
    let (path, made) = create(host, first, wanted).await;
    let key = made["key"].as_str().map(str::to_owned);
    let [first, second] = [first, second].map(|who| TestCaller { key: key.clone(), ..who.clone() });
    join(host, &second, &path).await;
    first.play(host, &path, &json!(0), &json!(notation)).await.json();
    let loser = if first_wins { &second } else { &first };
    loser.tell(host, &format!("{path}/resign")).await.json();
}

#[tokio::test]
async fn first_moves_of_a_player_are_counted_with_the_score() {
    let host = TestServer::start(&[]).await;
    let (ann, ben) = (player(&host, "ann").await, player(&host, "ben").await);
    let path = format!("/v1/players/ann/first-moves/{SHORT}");
    assert_eq!(host.get(&path).await.json(), json!({ "matches": 0, "moves": [] }));
    for _ in 0..3 {
        begun(&host, [&ann, &ben], "3", true, false).await;
    }
    begun(&host, [&ann, &ben], "2", false, false).await;
    begun(&host, [&ann, &ben], "3", false, true).await;
    // Three times can be chance, and the private match does not count.
    assert_eq!(host.get(&path).await.json(), json!({ "matches": 4, "moves": [] }));
    begun(&host, [&ann, &ben], "3", false, false).await;
    let list = host.get(&path).await.json();
    let moves = list["moves"].as_array().unwrap();
    assert_eq!((&list["matches"], moves.len()), (&json!(5), 2));
    let counted = |one: &Value| (one["notation"].clone(), one["played"].clone(), one["score"].clone());
    assert_eq!(counted(&moves[0]), (json!("3"), json!(4), json!(0.75)));
    assert_eq!(counted(&moves[1]), (json!("2"), json!(1), json!(0.0)));
    for one in moves {
        assert_eq!(one["position"]["viewer"], json!({ "seat": 0 }), "as the player saw it");
        let asked = json!({ "position": one["position"], "notations": [one["notation"]] });
        let legal = host.post(&format!("/v1/games/{SHORT}/legal-moves"), asked).await.json();
        assert_eq!(legal["checked"][0]["move"], one["move"]);
        assert_eq!(
            host.get(&format!("/v1/matches/{}", one["match"].as_str().unwrap())).await.json()["stage"],
            "over"
        );
    }
    // Ben held the other seat and has not moved.
    let others = host.get(&format!("/v1/players/ben/first-moves/{SHORT}")).await.json();
    assert_eq!(others, json!({ "matches": 5, "moves": [] }));
}
