//! The allowance of vacations, and who has one.

use serde_json::{Value, json};

use super::{DAY, HOUR, PATH, TimeMachine, end, player, take};
use crate::client::TestServer;
use crate::matches::TestCaller;

#[tokio::test]
async fn vacation_is_begun_moved_and_ended_within_the_allowance() {
    let there = TimeMachine::start(&["--vacation-days=2"]).await;
    let host = &there.host;
    let ann = player(host, "ann").await;
    let free = ann.get(host, PATH).await.json();
    let shown = |state: &Value| {
        ["begun_ms", "until_ms", "days_per_year", "left_hours"].map(|name| state[name].clone())
    };
    assert_eq!(shown(&free), [Value::Null, Value::Null, json!(2), json!(48)]);
    assert!(free["latest_ms"].as_i64().unwrap() >= there.now_ms() + 2 * DAY - HOUR, "{free}");

    take(host, &ann, there.now_ms() - 1).await.problem(422, "bad_field");
    take(host, &ann, there.now_ms() + 5 * DAY).await.problem(422, "bad_field");
    let until_ms = there.now_ms() + DAY;
    let begun = take(host, &ann, until_ms).await.json();
    assert_eq!(begun["until_ms"], until_ms);
    let used = 48 - begun["left_hours"].as_i64().unwrap();
    // A slow machine has begun it a little later; the end of a year may be in it.
    assert!((1..=25).contains(&used), "{begun}");
    assert_eq!(shown(&ann.get(host, PATH).await.json()), shown(&begun));

    // The same again changes nothing; it can be made longer and shorter.
    assert_eq!(shown(&take(host, &ann, until_ms).await.json()), shown(&begun));
    let longer = take(host, &ann, begun["latest_ms"].as_i64().unwrap()).await.json();
    assert_eq!(longer["begun_ms"], begun["begun_ms"], "it is the same vacation");
    take(host, &ann, begun["latest_ms"].as_i64().unwrap() + 1).await.problem(422, "bad_field");
    take(host, &ann, until_ms).await.json();
    end(host, &ann).await;
    end(host, &ann).await;
    let ended = ann.get(host, PATH).await.json();
    assert_eq!(
        (&ended["until_ms"], &ended["left_hours"]),
        (&Value::Null, &json!(47)),
        "a started hour counts"
    );
}

#[tokio::test]
async fn days_of_a_year_can_be_used_once() {
    let there = TimeMachine::start(&["--vacation-days=1"]).await;
    let ann = player(&there.host, "ann").await;
    let latest_ms = ann.get(&there.host, PATH).await.json()["latest_ms"].as_i64().unwrap();
    // Less than an hour is lost if the machine is slow, and counts as a whole one.
    take(&there.host, &ann, latest_ms).await.json();
    let rest_ms = latest_ms - there.now_ms() + 1;
    let there = there.pass(rest_ms).await;
    let after = ann.get(&there.host, PATH).await.json();
    assert_eq!(
        (&after["until_ms"], &after["left_hours"], &after["latest_ms"]),
        (&Value::Null, &json!(0), &Value::Null)
    );
    take(&there.host, &ann, there.now_ms() + HOUR).await.problem(409, "no_vacation_left");
    // The next year has its own days.
    let there = there.pass(366 * DAY).await;
    assert_eq!(ann.get(&there.host, PATH).await.json()["left_hours"], 24);
    take(&there.host, &ann, there.now_ms() + HOUR).await.json();
}

#[tokio::test]
async fn only_people_with_an_account_have_vacations() {
    let host = TestServer::start(&[]).await;
    let ann = player(&host, "ann").await;
    let bot = ann.post(&host, "/v1/me/bots", json!({ "name": "robo" })).await.made();
    let bot = TestCaller::with(bot["token"].as_str().unwrap());
    let far = i64::MAX;
    take(&host, &bot, far).await.problem(403, "not_a_person");
    bot.get(&host, PATH).await.problem(403, "not_a_person");
    TestCaller::anonymous().get(&host, PATH).await.problem(401, "token_needed");
    take(&host, &ann, far).await.problem(422, "bad_field");
}

#[tokio::test]
async fn operator_can_switch_vacations_off_and_those_that_go_on_stay() {
    let there = TimeMachine::start(&[]).await;
    let ann = player(&there.host, "ann").await;
    let until_ms = there.now_ms() + DAY;
    take(&there.host, &ann, until_ms).await.json();
    let off = TimeMachine { flags: &["--vacation-days=0"], ..there }.pass(HOUR).await;
    assert_eq!(ann.get(&off.host, "/v1/me").await.json()["vacation_until_ms"], until_ms);
    take(&off.host, &ann, until_ms + HOUR).await.problem(403, "vacation_off");
    end(&off.host, &ann).await;
    take(&off.host, &ann, until_ms).await.problem(403, "vacation_off");
    let state = ann.get(&off.host, PATH).await.json();
    assert_eq!((&state["days_per_year"], &state["latest_ms"]), (&json!(0), &Value::Null));
}
