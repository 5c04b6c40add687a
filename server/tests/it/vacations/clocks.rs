//! The clock of a player on vacation stands, and the log says for how long.

use serde_json::{Value, json};

use super::{
    DAY, HOUR, TimeMachine, assert_about, at_seat, end, play, player, take, used_ms, verified, waits_for_ann,
};
use crate::matches::{EventStream, SHORT, TestCaller, create, join, me, open};
use crate::server_process::until;

/// The server is not there when the vacation ends.
#[tokio::test]
async fn turn_of_a_player_on_vacation_does_not_run_out_before_the_time_that_is_left() {
    let there = TimeMachine::start(&[]).await;
    let (ann, ben) = (player(&there.host, "ann").await, player(&there.host, "ben").await);
    let path = waits_for_ann(&there.host, &ann, &ben).await;
    let there = there.pass(DAY / 4).await;
    let until_ms = there.now_ms() + 5 * DAY;
    take(&there.host, &ann, until_ms).await.json();
    let page = ben.page(&there.host, &path).await;
    assert_eq!(at_seat(&page), until_ms);
    assert_eq!(
        (&page["clock"]["paused"], &page["clock"]["paused_until_ms"]),
        (&json!(true), &json!(until_ms))
    );
    assert_about(used_ms(&page), DAY / 4);
    assert_eq!(ben.get(&there.host, "/v1/players/ann").await.json()["vacation_until_ms"], until_ms);

    let there = there.pass(3 * DAY).await;
    let page = ben.page(&there.host, &path).await;
    assert_eq!((&page["stage"], &page["clock"]["paused_until_ms"]), (&json!("running"), &json!(until_ms)));
    assert_about(used_ms(&page), DAY / 4);

    // Two days to the end of the vacation, and half a day after it.
    let there = there.pass(2 * DAY + DAY / 2).await;
    let page = ben.page(&there.host, &path).await;
    assert_eq!((&page["stage"], at_seat(&page)), (&json!("running"), &Value::Null));
    assert_about(used_ms(&page), DAY / 4 + DAY / 2);
    assert_eq!(ben.get(&there.host, "/v1/players/ann").await.json()["vacation_until_ms"], Value::Null);

    let there = there.pass(DAY / 4).await;
    until(|| async { (ben.page(&there.host, &path).await["stage"] == "over").then_some(()) }).await;
    let events = verified(&there.host, &ben, &path).await;
    let fouled = events.iter().find(|event| event["type"] == "fouled").unwrap();
    assert_eq!((&fouled["kind"], &fouled["times"]["think_us"]), (&json!("time"), &json!(DAY * 1_000)));
    // All time between the move before and the time-out is the player's, or was taken out.
    let moved = events.iter().find(|event| event["type"] == "moved").unwrap();
    let resumed = events.iter().filter(|event| event["type"] == "resumed");
    let part = |event: &Value, name: &str| event[name].as_i64().unwrap_or(0);
    let taken_out: i64 = resumed.clone().map(|event| part(event, "away_ms") + part(event, "grace_ms")).sum();
    let waited = part(fouled, "at_ms") - part(moved, "at_ms");
    assert_about(waited, DAY + taken_out);
    assert_about(taken_out, 5 * DAY);
    assert!(resumed.clone().any(|event| event["vacation"] == true), "{events:?}");
}

#[tokio::test]
async fn player_on_vacation_can_move_and_stays_on_vacation() {
    let there = TimeMachine::start(&[]).await;
    let (ann, ben) = (player(&there.host, "ann").await, player(&there.host, "ben").await);
    let path = waits_for_ann(&there.host, &ann, &ben).await;
    let until_ms = there.now_ms() + 9 * DAY;
    take(&there.host, &ann, until_ms).await.json();
    let there = there.pass(4 * DAY).await;
    let moved = play(&there.host, &ann, &path).await;
    assert_about(moved["times"]["think_us"].as_i64().unwrap() / 1_000, 0);
    let page = ben.page(&there.host, &path).await;
    // Ben's time runs, at most after the grace of the restart.
    assert_eq!((at_seat(&page), &page["turn"]), (&json!(until_ms), &page["you"]));
    assert_ne!(page["clock"]["paused_until_ms"], until_ms);
    // It stops again when it is ann's turn.
    play(&there.host, &ben, &path).await;
    let page = ben.page(&there.host, &path).await;
    assert_eq!(page["clock"]["paused_until_ms"], until_ms);
    // The time of ben, who is not on vacation, runs out.
    play(&there.host, &ann, &path).await;
    let there = there.pass(DAY).await;
    until(|| async { (ben.page(&there.host, &path).await["stage"] == "over").then_some(()) }).await;
    let events = verified(&there.host, &ben, &path).await;
    let vacations = events.iter().filter(|event| event["vacation"] == true);
    let taken_out: i64 = vacations.map(|event| event["away_ms"].as_i64().unwrap()).sum();
    assert_about(taken_out, 4 * DAY);
}

#[tokio::test]
async fn match_that_sleeps_is_looked_at_again_when_the_vacation_is_made_shorter() {
    let there = TimeMachine::start(&["--unload-after-ms=1"]).await;
    let (ann, ben) = (player(&there.host, "ann").await, player(&there.host, "ben").await);
    let path = waits_for_ann(&there.host, &ann, &ben).await;
    take(&there.host, &ann, there.now_ms() + 20 * DAY).await.json();
    let there = there.pass(10 * DAY).await;
    let wakes_in = async |least: i64, most: i64| {
        until(|| async {
            let db = rusqlite::Connection::open(&there.database).unwrap();
            let wake = db.query_row("SELECT wake_ms FROM matches", [], |row| row.get::<_, Option<i64>>(0));
            let wake_ms = wake.unwrap()? - there.now_ms();
            (least..most).contains(&wake_ms).then_some(())
        })
        .await;
    };
    // While the vacation lasts, once an hour.
    wakes_in(0, HOUR + 1).await;
    end(&there.host, &ann).await;
    wakes_in(HOUR + 1, DAY).await;
    let page = ben.page(&there.host, &path).await;
    assert_eq!(at_seat(&page), &Value::Null);
    // At most the grace of the restart goes on.
    assert!(
        page["clock"]["paused_until_ms"].as_i64().is_none_or(|end| end < there.now_ms() + HOUR),
        "{page}"
    );
    assert_about(used_ms(&page), 0);
    let there = there.pass(DAY).await;
    until(|| async { (ben.page(&there.host, &path).await["stage"] == "over").then_some(()) }).await;
    verified(&there.host, &ben, &path).await;
}

#[tokio::test]
async fn open_page_is_told_of_vacations() {
    let there = TimeMachine::start(&[]).await;
    let host = &there.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let path = waits_for_ann(host, &ann, &ben).await;
    let mut stream = EventStream::ndjson(host, &ben, &format!("{path}/events")).await.opened();
    stream.next().await.unwrap();
    let until_ms = there.now_ms() + DAY;
    take(host, &ann, until_ms).await.json();
    let mut next_clock = async || loop {
        let frame = stream.next().await.unwrap();
        if frame.kind == "clock" || frame.kind == "resumed" {
            break frame;
        }
    };
    let frame = next_clock().await;
    assert_eq!((frame.kind.as_str(), &frame.json["clock"]["paused_until_ms"]), ("clock", &json!(until_ms)));
    end(host, &ann).await;
    // What was taken out is an event.
    let frame = next_clock().await;
    assert_eq!((&frame.json["vacation"], &frame.json["clock"]["paused"]), (&json!(true), &json!(false)));
}

/// Only where the time for a move is of days does anyone need to know.
#[tokio::test]
async fn vacation_does_not_count_in_a_fast_match() {
    let there = TimeMachine::start(&[]).await;
    let host = &there.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    for clock in [json!({ "move_ms": DAY - 1 }), json!({ "initial_ms": 2 * DAY }), Value::Null] {
        let order = json!({ "game": SHORT, "seats": [me(), open()], "clock": clock, "seed": 7 });
        let (path, _) = create(host, &ben, order).await;
        join(host, &ann, &path).await;
        play(host, &ben, &path).await;
        take(host, &ann, there.now_ms() + DAY).await.json();
        let page = TestCaller::anonymous().page(host, &path).await;
        assert_eq!(at_seat(&page), &Value::Null, "{clock}");
        assert!(page["clock"].is_null() || page["clock"]["paused"] == false, "{page}");
        end(host, &ann).await;
    }
}
