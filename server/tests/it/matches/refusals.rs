//! Wrong requests to hosted matches: each gets a problem with a code, and the match is unchanged.

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{LONG, SHORT, TestCaller, choose, create, join, me, open, order, quick, two_guests};
use crate::client::TestServer;
use crate::server_process::until;

#[tokio::test]
async fn impossible_orders_are_refused() {
    let host = TestServer::start(&[]).await;
    let with = |field: &str, value: Value| {
        let mut order = order(SHORT, &[me(), open()]);
        order[field] = value;
        order
    };
    for (order, status, code, part) in [
        (json!({}), 422, "bad_field", "game"),
        (json!([]), 422, "bad_field", "object"),
        (with("game", json!("chess")), 404, "unknown_game", "ioiwari"),
        (with("seats", json!([])), 422, "bad_seats", ""),
        (with("seats", json!([me()])), 422, "bad_seats", ""),
        (with("seats", json!([me(), me(), me(), me(), me()])), 422, "bad_seats", ""),
        (with("seats", json!(vec![open(); 300])), 422, "bad_seats", ""),
        (with("seats", json!([me(), { "kind": "dog" }])), 422, "bad_field", "seats[1].kind: "),
        (with("seats", json!([me(), { "kind": "open", "name": "x" }])), 422, "bad_field", "seats[1]"),
        (with("seats", json!([me(), { "kind": "player" }])), 422, "bad_field", "seats[1]"),
        (with("seats", json!([me(), { "kind": "player", "name": "zed" }])), 404, "no_such_player", ""),
        (with("seats", json!([me(), { "kind": "engine", "engine": "x" }])), 422, "unknown_engine", "random"),
        (
            with("seats", json!([me(), { "kind": "engine", "level": "x" }])),
            422,
            "bad_field",
            "seats[1].level: ",
        ),
        (
            with("seats", json!([me(), { "kind": "engine", "think_ms": 1e9 as u64 }])),
            422,
            "think_too_long",
            "30000",
        ),
        (with("seats", json!([{ "kind": "me", "name": "" }, open()])), 422, "bad_field", "seats[0].name"),
        (with("seats", json!([{ "kind": "me", "name": "a\nb" }, open()])), 422, "bad_field", "name"),
        (with("options", json!({ "pits": 3 })), 422, "bad_options", "pits"),
        (with("clock", json!({})), 422, "bad_field", "clock"),
        (with("clock", json!({ "initial_ms": 0 })), 422, "bad_field", "clock.initial_ms"),
        (with("clock", json!({ "move_ms": -1 })), 422, "bad_field", "clock.move_ms"),
        (with("clock", json!({ "move_ms": 100, "increment_ms": 5 })), 422, "bad_field", "increment_ms"),
        (with("idle_ms", json!(1)), 422, "bad_field", "idle_ms"),
        (with("private", json!("yes")), 422, "bad_field", "private"),
        (with("seed", json!("x")), 422, "bad_field", "seed"),
        (with("sead", json!(1)), 422, "bad_field", "sead"),
    ] {
        let text = order.to_string();
        let refused = TestCaller::anonymous().post(&host, "/v1/matches", order).await;
        let problem = refused.problem(status, code);
        assert!(problem["detail"].as_str().unwrap().contains(part), "{text}: {problem}");
    }
    let list = TestCaller::anonymous().get(&host, "/v1/matches").await.json();
    assert_eq!(list["matches"], json!([]), "nothing was made");
    let form = host.send("POST", "/v1/matches", Some("text/plain"), "{}").await;
    form.problem(415, "unsupported_media_type");
    host.send("POST", "/v1/matches", Some("application/json"), "{").await.problem(400, "bad_json");
}

#[tokio::test]
async fn impossible_moves_are_refused() {
    let host = TestServer::start(&[]).await;
    let (path, guests) = two_guests(&host, SHORT).await;
    let moves = format!("{path}/moves");
    let before = guests[0].page(&host, &path).await;
    let mv = choose(&before, 0)["notation"].clone();
    let good = json!({ "notation": mv, "ply": 0 });
    for (body, status, code) in [
        (json!({ "notation": mv }), 428, "ply_needed"),
        (json!({ "ply": 0 }), 422, "bad_field"),
        (json!({ "ply": 0, "notation": mv, "move": {} }), 422, "bad_field"),
        (json!({ "ply": "0", "notation": mv }), 422, "bad_field"),
        (json!({ "ply": 0, "notation": 1 }), 422, "bad_field"),
        (json!({ "ply": 0, "notation": mv, "seat": 0 }), 422, "bad_field"),
        (json!({ "ply": 0, "notation": "9" }), 422, "bad_move"),
        (json!({ "ply": 0, "notation": "hello" }), 422, "bad_move"),
        (json!({ "ply": 0, "notation": "x".repeat(100_000) }), 422, "bad_move"),
        (json!({ "ply": 0, "move": { "pit": [] } }), 422, "bad_move"),
        (json!({ "ply": 0, "move": "1" }), 422, "bad_move"),
        (json!({ "ply": 1, "notation": mv }), 412, "stale_ply"),
        (json!({ "ply": u32::MAX, "notation": mv }), 412, "stale_ply"),
    ] {
        let text = body.to_string();
        let refused = guests[0].post(&host, &moves, body).await;
        assert_eq!(refused.status.as_u16(), status, "{}: {refused:?}", &text[..text.len().min(99)]);
        refused.problem(status, code);
    }
    for (tag, body, status, code) in [
        ("\"1\"", good.clone(), 422, "bad_field"),
        ("W/\"0\"", json!({ "notation": mv }), 422, "bad_field"),
        ("*", good.clone(), 422, "bad_field"),
        ("0", good.clone(), 422, "bad_field"),
        ("\"0\", \"1\"", good.clone(), 422, "bad_field"),
        ("\"-1\"", good.clone(), 422, "bad_field"),
        ("\"+0\"", good.clone(), 422, "bad_field"),
        ("\"99999999999\"", good.clone(), 422, "bad_field"),
        ("\"7\"", json!({ "notation": mv }), 412, "stale_ply"),
    ] {
        let headers = [("if-match", tag)];
        let refused = guests[0].send(&host, "POST", &moves, &headers, Some(body.to_string())).await;
        assert_eq!(refused.status.as_u16(), status, "{tag}: {refused:?}");
        refused.problem(status, code);
    }
    let stale =
        guests[0].post(&host, &moves, json!({ "ply": 3, "notation": mv })).await.problem(412, "stale_ply");
    assert_eq!(
        (&stale["ply"], &stale["match"]["you"], &stale["match"]["ply"]),
        (&json!(0), &json!(0), &json!(0))
    );
    // Moves by others.
    let post = async |caller: &TestCaller| caller.post(&host, &moves, good.clone()).await;
    post(&guests[1]).await.problem(409, "not_your_turn");
    post(&TestCaller::anonymous()).await.problem(401, "token_needed");
    let (_, strangers) = two_guests(&host, SHORT).await;
    post(&strangers[0]).await.problem(401, "bad_token");
    let zed = TestCaller::anonymous().post(&host, "/v1/players", json!({ "name": "zed" })).await.made();
    let zed = TestCaller::with(zed["token"].as_str().unwrap());
    post(&zed).await.problem(403, "not_your_seat");
    // None of it took effect.
    let mut after = guests[0].page(&host, &path).await;
    after["clock"] = before["clock"].clone();
    // A player who sends a request is connected.
    assert_eq!(
        (&before["seats"][1]["connected"], &after["seats"][1]["connected"]),
        (&json!(false), &json!(true))
    );
    after["seats"] = before["seats"].clone();
    assert_eq!(after, before);
    post(&guests[0]).await.json();
    // A move whose answer was lost can be sent again; another move for the same ply comes too late.
    post(&guests[0]).await.json();
    let theirs = guests[1].page(&host, &path).await["legal_moves"].clone();
    assert!(!theirs.as_array().unwrap().iter().any(|m| m["notation"] == mv), "the pit is empty now");
    guests[1].play(&host, &path, &json!(1), &mv).await.problem(422, "illegal_move");
    let other = before["legal_moves"].as_array().unwrap().iter().find(|m| m["notation"] != mv).unwrap();
    let changed = json!({ "ply": 0, "move": other["move"] });
    let stale = guests[0].post(&host, &moves, changed).await.problem(412, "stale_ply");
    assert_eq!(stale["ply"], 1);
}

/// The refusal says why the move does not count, whether the match is over because of that or has gone on.
#[tokio::test]
async fn late_move_is_refused_because_the_time_was_up() {
    let host = TestServer::start(&[]).await;
    for game in [SHORT, LONG] {
        let mut wanted = order(game, &[me(), open()]);
        wanted["clock"] = json!({ "initial_ms": 600_000, "move_ms": 300 });
        let (path, made) = create(&host, &TestCaller::anonymous(), wanted).await;
        let first = TestCaller::seated(&made);
        let second = TestCaller::seated(&join(&host, &TestCaller::anonymous(), &path).await);
        let legal = first.page(&host, &path).await["legal_moves"][0].clone();
        let is_late = async |page: Value| (page["stage"] == "over" || page["ply"] != 0).then_some(());
        until(|| async { is_late(first.page(&host, &path).await).await }).await;
        let mut bodies = vec![json!({ "ply": 0, "notation": "1" })];
        // A slow machine may read the page when the time is up already.
        bodies.extend(legal.get("move").map(|mv| json!({ "ply": 0, "move": mv })));
        for body in bodies {
            let refused = first.post(&host, &format!("{path}/moves"), body).await.problem(412, "time_up");
            assert_eq!((&refused["ply"], &refused["match"]["you"]), (&refused["match"]["ply"], &json!(0)));
        }
        if game == SHORT {
            second.play(&host, &path, &json!(0), &json!("1")).await.problem(409, "match_over");
        }
    }
}

#[tokio::test]
async fn invalid_tokens_are_refused() {
    let host = TestServer::start(&[]).await;
    let (path, guests) = two_guests(&host, SHORT).await;
    let token = guests[0].token.clone().unwrap();
    let mine = format!("Bearer {token}");
    let unknown = format!("kbp_{}", "A".repeat(43));
    for headers in [
        &[("authorization", "Bearer x")][..],
        &[("authorization", "Basic YTpi")],
        &[("authorization", &token)],
        &[("authorization", &mine[..30])],
        &[("authorization", &format!("Bearer {unknown}"))],
        &[("authorization", &mine), ("authorization", &format!("Bearer {unknown}"))],
        &[("match-key", &token)],
        &[("match-key", "")],
    ] {
        // They are refused also where no token is needed.
        for (method, path) in [
            ("GET", &*path),
            ("GET", &format!("{path}/events")),
            ("POST", &format!("{path}/resign")),
            ("POST", "/v1/matches"),
            ("GET", "/v1/matches"),
            ("GET", "/v1/players/zed"),
        ] {
            let body = (path == "/v1/matches").then(|| order(SHORT, &[quick(), quick()]).to_string());
            let refused = TestCaller::anonymous().send(&host, method, path, headers, body).await;
            let problem = refused.problem(401, "bad_token");
            assert_eq!(refused.header("www-authenticate"), "Bearer error=\"invalid_token\"");
            assert!(!problem.to_string().contains(&token[4..20]), "{problem}");
        }
    }
    // A seat's token is invalid in another match, although a caller without a token may look at that match.
    let (other, _) = two_guests(&host, SHORT).await;
    guests[0].get(&host, &other).await.problem(401, "bad_token");
    let needed = TestCaller::anonymous().tell(&host, &format!("{path}/resign")).await;
    needed.problem(401, "token_needed");
    assert_eq!(needed.header("www-authenticate"), "Bearer");
    // A token in the wrong place is not repeated in the answer.
    for refused in [
        TestCaller::anonymous().get(&host, &format!("/v1/{token}")).await,
        TestCaller::anonymous().get(&host, &format!("/v1/matches/{token}")).await,
        TestCaller::anonymous().get(&host, &format!("{path}/events?since={token}")).await,
        TestCaller::anonymous().post(&host, "/v1/matches", json!({ "game": token })).await,
        TestCaller::anonymous().post(&host, "/v1/matches", json!({ token.clone(): 1 })).await,
        TestCaller::anonymous().post(&host, "/v1/players", json!({ "name": { token.clone(): 1 } })).await,
    ] {
        assert!(refused.status.is_client_error());
        assert!(!refused.text().contains(&token[4..20]), "{refused:?}");
    }
}

#[tokio::test]
async fn requests_too_early_or_too_late_are_refused() {
    let host = TestServer::start(&[]).await;
    let anonymous = TestCaller::anonymous();
    let (path, made) = create(&host, &anonymous, order(SHORT, &[me(), open()])).await;
    let first = TestCaller::seated(&made);
    let act = async |caller: &TestCaller, what: &str| caller.tell(&host, &format!("{path}/{what}")).await;
    first.play(&host, &path, &json!(0), &json!("1")).await.problem(409, "not_started");
    act(&first, "resign").await.problem(409, "not_started");
    act(&first, "rematch").await.problem(409, "match_not_over");
    let seat = async |body: Value| anonymous.post(&host, &format!("{path}/join"), body).await;
    seat(json!({ "seat": 0 })).await.problem(409, "seat_taken");
    seat(json!({ "seat": 7 })).await.problem(422, "bad_seats");
    seat(json!({ "seat": -1 })).await.problem(422, "bad_field");
    seat(json!({ "name": " " })).await.problem(422, "bad_field");
    seat(json!({ "nome": "x" })).await.problem(422, "bad_field");
    let second = TestCaller::seated(&join(&host, &anonymous, &path).await);
    act(&anonymous, "join").await.problem(409, "no_open_seat");
    act(&second, "leave").await.problem(409, "started");
    let page = first.page(&host, &path).await;
    let mover = if page["turn"] == 0 { &first } else { &second };
    let mv = &choose(&mover.page(&host, &path).await, 0)["notation"].clone();
    mover.play(&host, &path, &json!(0), mv).await.json();
    act(&first, "abort").await.problem(409, "started");
    anonymous
        .post(&host, &format!("{path}/resign"), json!({ "why": "bored" }))
        .await
        .problem(422, "bad_field");
    act(&first, "resign").await.json();
    act(&anonymous, "join").await.problem(409, "match_over");
    second.play(&host, &path, &json!(9), mv).await.problem(409, "match_over");
    act(&anonymous, "rematch").await.problem(401, "token_needed");
    for bad in ["/v1/matches/x", "/v1/matches/%ff", "/v1/matches/01a1fe90-1e0b-76d8-8221-2a15fb50762c"] {
        anonymous.get(&host, bad).await.problem(404, "no_such_match");
        anonymous.tell(&host, &format!("{bad}/join")).await.problem(404, "no_such_match");
    }
    anonymous.get(&host, &format!("{path}/moves")).await.problem(405, "method_not_allowed");
}

#[tokio::test]
async fn half_sent_move_is_not_made() {
    let host = TestServer::start(&[]).await;
    let (path, guests) = two_guests(&host, SHORT).await;
    let token = guests[0].token.as_ref().unwrap();
    let page = guests[0].page(&host, &path).await;
    let body = json!({ "ply": 0, "notation": choose(&page, 0)["notation"] }).to_string();
    let head = format!(
        "POST {path}/moves HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut slow = TcpStream::connect(host.address()).await.unwrap();
    slow.write_all(format!("{head}{}", &body[..10]).as_bytes()).await.unwrap();
    drop(TcpStream::connect(host.address()).await.unwrap());
    assert_eq!(guests[0].page(&host, &path).await["ply"], 0);
    // The rest comes, and it is one.
    slow.write_all(&body.as_bytes()[10..]).await.unwrap();
    let mut answer = [0; 15];
    slow.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200 OK");
    assert_eq!(guests[0].page(&host, &path).await["ply"], 1);
}

#[tokio::test]
async fn pages_of_other_sites_may_play() {
    let host = TestServer::start(&[]).await;
    let asked = [
        ("origin", "https://elsewhere.example"),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization,if-match,content-type"),
    ];
    let preflight = TestCaller::anonymous().send(&host, "OPTIONS", "/v1/matches", &asked, None).await;
    assert!(preflight.status.is_success(), "{preflight:?}");
    assert_eq!(preflight.header("access-control-allow-headers"), "*,authorization");
    let (path, _) = two_guests(&host, SHORT).await;
    let page = TestCaller::anonymous().get(&host, &path).await;
    assert_eq!(page.header("access-control-allow-origin"), "*");
    assert!(page.header("access-control-expose-headers").contains("etag"));
}
