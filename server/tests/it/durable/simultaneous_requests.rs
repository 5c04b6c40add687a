//! The same request, or conflicting ones, sent many times at once: one takes effect, and all senders get the same answer.

use std::collections::BTreeSet;
use std::net::SocketAddr;

use engines::rng::{Rng, Seed};
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::retrying_client::{PlayedMatch, ask};
use crate::client::TestResponse;

/// Sends the same request this many times at once, to the servers in turn.
async fn storm(
    servers: &[SocketAddr],
    times: usize,
    path: &str,
    header: Option<(&str, &str)>,
    body: impl Fn(usize) -> Value,
) -> Vec<TestResponse> {
    let requests = servers.iter().cycle().take(times).enumerate().map(|(n, server)| {
        let (server, path, body) = (*server, path.to_owned(), body(n));
        let header = header.map(|(name, value)| (name.to_owned(), value.to_owned()));
        tokio::spawn(async move {
            let header = header.as_ref().map(|(name, value)| (name.as_str(), value.as_str()));
            ask(server, "POST", &path, header.as_slice(), &body).await.unwrap()
        })
    });
    let requests: Vec<_> = requests.collect();
    join_all(requests).await.into_iter().map(Result::unwrap).collect()
}

fn statuses(replies: &[TestResponse]) -> Vec<u16> {
    let mut statuses: Vec<_> = replies.iter().map(|reply| reply.status.as_u16()).collect();
    statuses.sort_unstable();
    statuses
}

fn bodies(replies: &[TestResponse]) -> BTreeSet<&[u8]> {
    replies.iter().map(|reply| &*reply.body).collect()
}

fn two(game: &str) -> Value {
    json!({ "game": game, "seats": [{ "kind": "me" }, { "kind": "me" }] })
}

/// Many create one match with one key: there is one match.
pub(super) async fn creations(servers: &[SocketAddr]) {
    let key = ("idempotency-key", "one-key-for-all-of-the-storm");
    let replies = storm(servers, 30, "/v1/matches", Some(key), |_| two("azul")).await;
    assert!(replies.iter().all(|reply| reply.status == 201), "{replies:?}");
    assert_eq!(bodies(&replies).len(), 1, "one match, one answer");
    let other = storm(servers, 2, "/v1/matches", Some(key), |_| two("ioiwari")).await;
    other.iter().for_each(|reply| drop(reply.problem(422, "idempotency_key_reused")));
}

/// Many want one seat: exactly one gets it.
pub(super) async fn joins(servers: &[SocketAddr]) {
    let seats = json!([{ "kind": "me" }, { "kind": "open" }, { "kind": "open" }]);
    let order = json!({ "game": "splendor", "seats": seats });
    let mut table = PlayedMatch::create(servers, &order, "the match that all want to join").await;
    let path = format!("/v1/matches/{}/join", table.id);
    let replies = storm(servers, 30, &path, None, |n| json!({ "seat": 1, "name": format!("n{n}") })).await;
    assert_eq!(statuses(&replies)[..2], [200, 409], "{replies:?}");
    let refused = replies.iter().filter(|reply| reply.status != 200);
    refused.for_each(|reply| drop(reply.problem(409, "seat_taken")));
    // The last seat, with an idempotency key: repeated requests get the same seat, and no other request gets one.
    let key = ("idempotency-key", "one-key-for-the-last-seat");
    let replies = storm(servers, 20, &path, Some(key), |_| json!({ "name": "last" })).await;
    assert_eq!((statuses(&replies)[19], bodies(&replies).len()), (200, 1), "{replies:?}");
    let late = storm(servers, 2, &path, None, |_| json!({})).await;
    assert_eq!(statuses(&late), [409, 409]);
    table.servers.truncate(1);
    assert_eq!(table.page(None).await["stage"], "running");
}

/// One move, sent many times at once: it is made once.
pub(super) async fn same_moves(servers: &[SocketAddr], times: usize) {
    let mut table = PlayedMatch::create(servers, &two("septica"), "the match of the same moves").await;
    let mut rng = Rng::new(&Seed::from(1));
    for ply in 0..6 {
        let page = table.page_at(ply).await;
        let seat = page["turn"].as_u64().unwrap();
        let choice = rng.pick(page["legal_moves"].as_array().unwrap()).unwrap();
        let body = json!({ "ply": ply, "notation": choice["notation"] });
        let bearer = table.bearer(Some(seat as usize)).unwrap();
        let path = format!("/v1/matches/{}/moves", table.id);
        let replies = storm(servers, times, &path, Some(("authorization", &bearer)), |_| body.clone()).await;
        assert!(replies.iter().all(|reply| reply.status == 200), "{replies:?}");
        assert_eq!(bodies(&replies).len(), 1, "one move, one answer");
    }
    table.servers.truncate(1);
    let events = table.events().await;
    assert_eq!(events.iter().filter(|event| event["type"] == "moved").count(), 6);
}

/// Two moves for one ply at once: one is made, the other is refused with the current page.
pub(super) async fn rival_moves(servers: &[SocketAddr]) {
    let mut table = PlayedMatch::create(servers, &two("azul"), "the match of rival moves").await;
    for ply in 0..8 {
        let page = table.page_at(ply).await;
        let seat = page["turn"].as_u64().unwrap() as usize;
        let moves: Vec<_> = page["legal_moves"].as_array().unwrap().iter().take(2).cloned().collect();
        let bearer = table.bearer(Some(seat)).unwrap();
        let path = format!("/v1/matches/{}/moves", table.id);
        let body = |n: usize| json!({ "ply": ply, "notation": moves[n / 2 % 2]["notation"] });
        let replies = storm(servers, 8, &path, Some(("authorization", &bearer)), body).await;
        assert_eq!(statuses(&replies), [200, 200, 200, 200, 412, 412, 412, 412], "{replies:?}");
        let (won, lost): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 200);
        assert!(won.iter().all(|reply| reply.body == won[0].body));
        for reply in lost {
            let problem = reply.problem(412, "stale_ply");
            assert!(problem["ply"].as_u64() > Some(ply), "{problem}");
            assert_eq!(problem["match"]["you"], seat);
        }
    }
    table.servers.truncate(1);
    let plies: Vec<_> = table.events().await.iter().filter_map(|event| event["ply"].as_u64()).collect();
    assert_eq!(plies, (0..8).collect::<Vec<_>>());
}

/// Two seats end one match at once in different ways: it ends once.
pub(super) async fn ends(servers: &[SocketAddr]) {
    for (n, first) in ["resign", "abort"].into_iter().cycle().take(8).enumerate() {
        let mut table =
            PlayedMatch::create(servers, &two("ioiwari"), &format!("the match of two ends {n}")).await;
        let asked = servers.iter().cycle().zip([(0, first), (1, "resign"), (1, "abort"), (0, "abort")]);
        let asked =
            asked.map(|(server, (seat, what))| {
                let bearer = table.bearer(Some(seat)).unwrap();
                let path = format!("/v1/matches/{}/{what}", table.id);
                async move {
                    ask(*server, "POST", &path, &[("authorization", &bearer)], &Value::Null).await.unwrap()
                }
            });
        let replies = join_all(asked.collect::<Vec<_>>()).await;
        assert!(replies.iter().any(|reply| reply.status == 200), "{replies:?}");
        let refused = replies.iter().filter(|reply| reply.status != 200);
        refused.for_each(|reply| drop(reply.problem(409, "match_over")));
        table.servers.truncate(1);
        let events = table.record().await["events"].as_array().unwrap().clone();
        let count = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
        assert_eq!(count("ended"), 1);
        assert!(count("went_out") <= 1, "{events:?}");
        let how = events.last().unwrap()["how"].as_str().unwrap();
        assert!(["walkover", "aborted"].contains(&how), "{how}");
    }
}
