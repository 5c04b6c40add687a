//! Hints of a match: agreed on when it is created, and visible before joining.

use serde_json::Value;

use super::{SHORT, TestCaller, create, join, me, open, order, quick};
use crate::client::TestServer;

/// The `hints` field of pages, events, lists and records of a match with these seats and this wish.
async fn said(host: &TestServer, seats: &[Value], wish: Option<bool>) -> bool {
    let mut wanted = order(SHORT, seats);
    if let Some(hints) = wish {
        wanted["hints"] = hints.into();
    }
    let (path, made) = create(host, &TestCaller::anonymous(), wanted).await;
    let page = TestCaller::anonymous().page(host, &path).await;
    let hints = page["hints"].as_bool().unwrap();
    let listed = host.get("/v1/matches?limit=1").await.json();
    assert_eq!(listed["matches"][0]["hints"], hints, "{listed}");
    if seats.contains(&me()) {
        TestCaller::seated(&made).tell(host, &format!("{path}/abort")).await.json();
        let record = TestCaller::anonymous().get(host, &format!("{path}/record")).await.json();
        assert_eq!(record["events"][0]["hints"], hints, "{record}");
    }
    hints
}

#[tokio::test]
async fn match_shows_whether_hints_are_agreed_on() {
    let host = TestServer::start(&[]).await;
    assert!(said(&host, &[me(), quick()], None).await, "no opponent can object");
    assert!(said(&host, &[open(), quick()], None).await);
    assert!(!said(&host, &[me(), open()], None).await, "two people");
    assert!(!said(&host, &[me(), me()], None).await);
    assert!(said(&host, &[me(), open()], Some(true)).await);
    assert!(!said(&host, &[me(), quick()], Some(false)).await);
}

#[tokio::test]
async fn rematch_keeps_the_agreement_on_hints() {
    let host = TestServer::start(&[]).await;
    let mut wanted = order(SHORT, &[me(), open()]);
    wanted["hints"] = true.into();
    let (path, made) = create(&host, &TestCaller::anonymous(), wanted).await;
    let guest = TestCaller::seated(&made);
    join(&host, &TestCaller::anonymous(), &path).await;
    guest.tell(&host, &format!("{path}/resign")).await.json();
    let again = guest.tell(&host, &format!("{path}/rematch")).await.json();
    assert_eq!(TestCaller::anonymous().page(&host, again["url"].as_str().unwrap()).await["hints"], true);
}
