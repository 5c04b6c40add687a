//! A ladder tournament over the API: entrants play whenever they are free, and come and leave meanwhile.

use serde_json::json;

use super::standings::assert_follow_from;
use super::{create, enter, enter_engines, random_engine, request, until, until_ended};
use crate::client::TestServer;
use crate::club::player;
use crate::matches::SHORT;

#[tokio::test]
async fn ladder_is_played_with_late_entry_until_each_has_its_pairings() {
    let host = TestServer::start(&["--engine-matches=8"]).await;
    let ann = player(&host, "ann").await;
    let mut wanted = request(SHORT, json!({ "kind": "ladder", "pairings": 3 }));
    wanted["rated"] = json!(true);
    let path = create(&host, &ann, wanted).await;
    enter_engines(&host, &ann, &path).await;
    ann.tell(&host, &format!("{path}/start")).await.json();
    ann.tell(&host, &format!("{path}/pause")).await.json();
    for level in ["medium", "max"] {
        enter(&host, &ann, &path, &random_engine(SHORT, level)).await;
    }
    ann.tell(&host, &format!("{path}/resume")).await.json();
    until(&host, &path, |page| page["games"].as_array().unwrap().len() > 2).await;
    let page = until_ended(&host, &path).await;
    assert_eq!(page["format"], json!({ "kind": "ladder", "pairings": 3 }));
    let records = host.get(&format!("{path}/records")).await;
    let records: Vec<_> = records.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_follow_from(&page, &records);
    let games = page["games"].as_array().unwrap();
    let played = |entrant: u64| {
        games.iter().filter(|game| game["seats"].as_array().unwrap().contains(&json!(entrant))).count()
    };
    // Each pairing has two games. The last entrant may lack an opponent for the last one.
    let full = (0..4).filter(|entrant| played(*entrant) == 6).count();
    assert!(full >= 3 && (0..4).all(|entrant| played(entrant) <= 6), "{games:?}");
}
