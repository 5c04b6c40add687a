//! Players, private matches, lists, requests that are sent again, and how much one caller may make.

use serde_json::{Value, json};

use super::{EventStream, SHORT, TestCaller, create, join, me, open, order, quick, two_guests};
use crate::client::TestServer;

async fn player(host: &TestServer, name: &str) -> TestCaller {
    let reply = TestCaller::anonymous().post(host, "/v1/players", json!({ "name": name })).await;
    assert_eq!(reply.header("location"), format!("/v1/players/{name}"));
    let made = reply.made();
    assert_eq!(made["name"], name);
    TestCaller::with(made["token"].as_str().unwrap())
}

/// The ids of a list, and the beginning of the next one.
async fn list(host: &TestServer, query: &str) -> (Vec<String>, Value) {
    let list = TestCaller::anonymous().get(host, query).await.json();
    let ids = list["matches"].as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap().to_owned());
    (ids.collect(), list["next"].clone())
}

fn id(path: &str) -> String {
    path.rsplit('/').next().unwrap().to_owned()
}

#[tokio::test]
async fn players_have_names_results_and_matches() {
    let host = TestServer::start(&[]).await;
    let anonymous = TestCaller::anonymous();
    let (ann, ben) = (player(&host, "Ann").await, player(&host, "ben.2").await);
    anonymous.post(&host, "/v1/players", json!({ "name": "aNN" })).await.problem(409, "name_taken");
    anonymous.post(&host, "/v1/players", json!({ "name": "a b" })).await.names(422, "bad_field", "name: ");
    anonymous.post(&host, "/v1/players", json!({})).await.problem(422, "bad_field");
    anonymous.get(&host, "/v1/players/unknown").await.problem(404, "no_such_player");
    anonymous.get(&host, "/v1/players/%00%ff").await.problem(404, "no_such_player");
    anonymous.get(&host, "/v1/me").await.problem(401, "token_needed");
    let me_page = ann.get(&host, "/v1/me").await.json();
    assert_eq!((&me_page["name"], &me_page["results"]), (&json!("Ann"), &json!([])));
    assert_eq!(me_page, anonymous.get(&host, "/v1/players/ANN").await.json());
    // A seat is kept for Ben, and only he gets it.
    let seats = [me(), json!({ "kind": "player", "name": "BEN.2" })];
    let (path, _) = create(&host, &ann, order(SHORT, &seats)).await;
    let page = anonymous.page(&host, &path).await;
    assert_eq!((&page["stage"], &page["seats"][1]["kind"]), (&json!("open"), &json!("reserved")));
    assert_eq!(page["seats"][1]["name"], "ben.2");
    anonymous.tell(&host, &format!("{path}/join")).await.problem(409, "no_open_seat");
    assert_eq!(
        join(&host, &ann, &path).await["seats"],
        json!([{ "seat": 0, "token": null }]),
        "hers already"
    );
    let wish = json!({ "seat": 1 });
    ann.post(&host, &format!("{path}/join"), wish).await.problem(409, "already_seated");
    assert_eq!(join(&host, &ben, &path).await["seats"], json!([{ "seat": 1, "token": null }]));
    ann.tell(&host, &format!("{path}/resign")).await.json();
    let results = |page: Value| page["results"].clone();
    let lost = json!([{ "game": SHORT, "played": 1, "won": 0, "shared": 0 }]);
    let won = json!([{ "game": SHORT, "played": 1, "won": 1, "shared": 0 }]);
    assert_eq!(results(ann.get(&host, "/v1/me").await.json()), lost);
    assert_eq!(results(anonymous.get(&host, "/v1/players/ben.2").await.json()), won);
    // A public match is in the lists of both; one of others is not.
    let (other, _) = two_guests(&host, SHORT).await;
    for query in ["/v1/players/Ann/matches", "/v1/matches?player=BEN.2", "/v1/matches?stage=over"] {
        assert_eq!(list(&host, query).await, (vec![id(&path)], Value::Null), "{query}");
    }
    let (all, _) = list(&host, "/v1/matches").await;
    assert_eq!(all, [id(&other), id(&path)], "the newest first");
    let entry = &anonymous.get(&host, "/v1/matches?stage=over").await.json()["matches"][0];
    assert_eq!((&entry["stage"], &entry["game"]), (&json!("over"), &json!(SHORT)));
    assert_eq!((&entry["seats"][1]["name"], &entry["seats"][1]["rank"]), (&json!("ben.2"), &json!(1)));
    assert!(entry["ended_ms"].as_i64() >= entry["created_ms"].as_i64());
    anonymous.get(&host, "/v1/matches?player=unknown").await.problem(404, "no_such_player");
}

#[tokio::test]
async fn private_matches_are_visible_only_with_a_key_or_seat() {
    let host = TestServer::start(&[]).await;
    let anonymous = TestCaller::anonymous();
    let mut wanted = order(SHORT, &[me(), open()]);
    wanted["private"] = json!(true);
    let (path, made) = create(&host, &anonymous, wanted.clone()).await;
    let (_, other) = create(&host, &anonymous, wanted).await;
    let holder = TestCaller::seated(&made);
    let key = |made: &Value| made["key"].as_str().unwrap().to_owned();
    let invited = TestCaller { key: Some(key(&made)), token: None };
    let wrong = TestCaller { key: Some(key(&other)), token: None };
    let stranger = TestCaller::seated(&other);
    let gone = path.replace(&id(&path), "01a1fe90-1e0b-76d8-8221-2a15fb50762c");
    for caller in [&anonymous, &wrong, &stranger] {
        for (method, below) in
            [("GET", ""), ("GET", "/events"), ("POST", "/join"), ("POST", "/resign"), ("POST", "/rematch")]
        {
            let here = caller.send(&host, method, &format!("{path}{below}"), &[], None).await;
            let there = caller.send(&host, method, &format!("{gone}{below}"), &[], None).await;
            let (here, there) = (here.problem(404, "no_such_match"), there.problem(404, "no_such_match"));
            let told = here["detail"].as_str().unwrap().replace(&id(&path), &id(&gone));
            assert_eq!(there["detail"], told, "as if there were none");
        }
        let refused = caller.try_dial(&host, &format!("{path}/live")).await.err().unwrap();
        assert!(refused.to_string().contains("404"), "{refused}");
    }
    for caller in [&invited, &holder] {
        assert_eq!(caller.page(&host, &path).await["private"], true);
        let mut peer = caller.dial(&host, &format!("{path}/live")).await;
        assert!(peer.hear().await.contains("\"private\":true"));
        EventStream::sse(&host, caller, &format!("{path}/events"), &[]).await.opened();
    }
    let second = TestCaller::seated(&join(&host, &invited, &path).await);
    assert_eq!(second.page(&host, &path).await["you"], 1, "the seat's token is enough from now on");
    let (public, _) = two_guests(&host, SHORT).await;
    assert_eq!(list(&host, "/v1/matches").await.0, [id(&public)]);
    holder.tell(&host, &format!("{path}/resign")).await.json();
    assert_eq!(list(&host, "/v1/matches?stage=over").await.0, [] as [String; 0]);
    anonymous.get(&host, &path).await.problem(404, "no_such_match");
}

#[tokio::test]
async fn lists_are_read_page_by_page() {
    let host = TestServer::start(&[]).await;
    let mut made = Vec::new();
    for n in 0..25 {
        let game = if n % 5 == 0 { "azul" } else { SHORT };
        let (path, _) = create(&host, &TestCaller::anonymous(), order(game, &[me(), open()])).await;
        made.insert(0, id(&path));
    }
    let (first, next) = list(&host, "/v1/matches").await;
    assert_eq!((&first[..], &next), (&made[..20], &json!(made[19])));
    let (rest, next) = list(&host, &format!("/v1/matches?before={}", made[19])).await;
    assert_eq!((&rest[..], next), (&made[20..], Value::Null));
    for limit in [1, 4, 5, 100] {
        let (mut walked, mut before) = (Vec::new(), String::new());
        loop {
            let query = format!("/v1/matches?limit={limit}{before}");
            let (ids, next) = list(&host, &query).await;
            assert!(ids.len() <= limit);
            walked.extend(ids);
            let Value::String(next) = next else { break };
            before = format!("&before={next}");
        }
        assert_eq!(walked, made, "{limit} at a time");
    }
    let azul = list(&host, "/v1/matches?game=azul&stage=open").await.0;
    let every_fifth: Vec<_> = made.iter().skip(4).step_by(5).cloned().collect();
    assert_eq!(azul, every_fifth);
    assert_eq!(list(&host, "/v1/matches?stage=running").await, (Vec::new(), Value::Null));
    for query in [
        "game=chess",
        "stage=late",
        "before=x",
        "limit=0",
        "limit=101",
        "limit=-1",
        "colour=red",
        "limit=1&limit=1",
    ] {
        let refused = TestCaller::anonymous().get(&host, &format!("/v1/matches?{query}")).await;
        refused.names(400, "bad_query", query.split('=').next().unwrap());
    }
}

#[tokio::test]
async fn repeated_request_creates_one_thing() {
    let host = TestServer::start(&[]).await;
    let anonymous = TestCaller::anonymous();
    let send = async |path: &str, key: &str, body: &Value| {
        anonymous.send(&host, "POST", path, &[("idempotency-key", key)], Some(body.to_string())).await
    };
    // Five at once and one later: one match, one set of tokens.
    let mut wanted = order(SHORT, &[me(), open(), open()]);
    wanted["game"] = json!("splendor");
    wanted["private"] = json!(true);
    let key = "a-key-that-is-hard-to-guess";
    let ask = || send("/v1/matches", key, &wanted);
    let (a, b, c, d, e) = tokio::join!(ask(), ask(), ask(), ask(), ask());
    let first = a.made();
    for reply in [b, c, d, e, ask().await] {
        assert_eq!(reply.made(), first);
    }
    let path = first["url"].as_str().unwrap();
    let holder = TestCaller::seated(&first);
    assert_eq!(holder.page(&host, path).await["you"], 0, "its token is good");
    // Joining likewise.
    let invited = TestCaller { key: Some(first["key"].as_str().unwrap().to_owned()), token: None };
    let body = Some("{}".to_owned());
    let again = [("idempotency-key", "another-key-of-mine")];
    let path = format!("{path}/join");
    let join = || invited.send(&host, "POST", &path, &again, body.clone());
    let (one, two) = (join().await.json(), join().await.json());
    assert_eq!((&one, &one["seats"][0]["seat"]), (&two, &json!(1)));
    let reused = send("/v1/matches", key, &order(SHORT, &[quick(), quick()])).await;
    reused.problem(422, "idempotency_key_reused");
    // Players: a name once, its token as often as it is asked for.
    let cid = json!({ "name": "Cid" });
    let ask = || send("/v1/players", "the-key-of-a-player", &cid);
    let (a, b, c) = tokio::join!(ask(), ask(), ask());
    let cid_made = a.made();
    assert_eq!((&cid_made, &cid_made), (&b.made(), &c.made()));
    let token = TestCaller::with(cid_made["token"].as_str().unwrap());
    assert_eq!(token.get(&host, "/v1/me").await.json()["name"], "Cid");
    let reused = send("/v1/players", "the-key-of-a-player", &json!({ "name": "Dan" })).await;
    reused.problem(422, "idempotency_key_reused");
    send("/v1/players", "a-different-key-here", &cid).await.problem(409, "name_taken");
    for bad in ["short", "with space in the middle", "ünvisible-characters", &"x".repeat(201)] {
        send("/v1/matches", bad, &wanted).await.problem(400, "bad_idempotency_key");
    }
}

#[tokio::test]
async fn creations_of_one_caller_are_limited() {
    let host = TestServer::start(&["--creations-burst=3", "--creations-per-minute=1"]).await;
    let anonymous = TestCaller::anonymous();
    let ann = player(&host, "Ann").await;
    player(&host, "Ben").await;
    player(&host, "Cid").await;
    let wanted = order(SHORT, &[me(), open()]);
    // A refused creation costs nothing.
    anonymous.post(&host, "/v1/matches", json!({ "game": SHORT })).await.problem(422, "bad_field");
    for _ in 0..3 {
        create(&host, &anonymous, wanted.clone()).await;
    }
    for (path, body) in [("/v1/matches", wanted.clone()), ("/v1/players", json!({ "name": "Dan" }))] {
        let refused = anonymous.post(&host, path, body).await;
        let problem = refused.problem(429, "too_many");
        let wait = problem["retry_after_ms"].as_u64().unwrap();
        assert!((1..=60_000).contains(&wait), "{problem}");
        assert_eq!(refused.header("retry-after"), wait.div_ceil(1000).to_string());
    }
    // A player's name adds nothing to what the address may create.
    ann.post(&host, "/v1/matches", wanted.clone()).await.problem(429, "too_many");
    // Behind a trusted proxy, callers are distinguished by its header.
    let flags = [
        "--creations-burst=1",
        "--creations-per-minute=1",
        "--client-ip-header=x-forwarded-for",
        "--trusted-proxy=127.0.0.1",
    ];
    let host = TestServer::start(&flags).await;
    let make = async |from: &str| {
        let (headers, body) = ([("x-forwarded-for", from)], wanted.to_string());
        anonymous.send(&host, "POST", "/v1/matches", &headers, Some(body)).await.status.as_u16()
    };
    assert_eq!(make("192.0.2.1").await, 201);
    assert_eq!(make("192.0.2.1").await, 429);
    assert_eq!(make("192.0.2.9, 192.0.2.2").await, 201);
    assert_eq!(make("192.0.2.8, 192.0.2.2").await, 429);
}
