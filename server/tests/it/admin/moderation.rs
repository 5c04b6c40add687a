//! Deletion of matches, messages and tournaments; mutes, bans, invitations and reports: `kibitz admin` and the API.

use serde_json::{Value, json};

use super::{AdminServer, player};
use crate::client::TestServer;
use crate::club::one_move_each;
use crate::matches::{LONG, SHORT, TestCaller, create, join, me, open, order, two_guests};
use crate::server_process::until;

fn id(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

async fn delete(host: &TestServer, who: &TestCaller, path: &str) -> crate::client::TestResponse {
    who.send(host, "DELETE", path, &[], None).await
}

async fn said(host: &TestServer, who: &TestCaller, path: &str) -> Value {
    who.get(host, &format!("{path}/chat")).await.json()["messages"].clone()
}

#[tokio::test]
async fn author_and_operator_delete_messages_on_all_servers() {
    let place = AdminServer::start(&[]).await;
    let (host, other) = (&place.host, place.another().await);
    let (path, [guest, other_guest]) = two_guests(host, LONG).await;
    let chat = format!("{path}/chat");
    let mut live = other_guest.dial(host, &format!("{path}/live")).await;
    for text in ["first marker", "second marker"] {
        assert_eq!(guest.post(host, &chat, json!({ "text": text })).await.status, 200);
    }
    other_guest.post(host, &chat, json!({ "phrase": "hello" })).await.json();
    let one = format!("{chat}/0");
    delete(host, &TestCaller::anonymous(), &one).await.problem(401, "token_needed");
    delete(host, &other_guest, &one).await.problem(403, "not_your_message");
    delete(host, &guest, &format!("{chat}/9")).await.problem(404, "no_such_message");
    delete(host, &guest, &format!("{chat}/x")).await.problem(404, "no_such_message");
    assert_eq!(delete(host, &guest, &one).await.status, 204);
    assert_eq!(delete(host, &guest, &one).await.status, 204, "again");
    assert_eq!(
        AdminServer::said(&place.admin(&["chat", "delete", id(&path), "1"]).await),
        "message 1 deleted\n"
    );
    let unknown = AdminServer::complained(&place.admin(&["chat", "delete", id(&path), "7"]).await);
    assert!(unknown.starts_with("no_such_message: "), "{unknown}");
    // Players who follow see them go.
    let mut gone = Vec::new();
    while gone.len() < 2 {
        let frame: Value = serde_json::from_str(&live.hear().await).unwrap();
        if frame["type"] == "chat" && frame["message"]["deleted"].is_string() {
            gone.push((frame["message"]["n"].clone(), frame["message"]["deleted"].clone()));
        }
    }
    assert_eq!(gone, [(json!(0), json!("author")), (json!(1), json!("operator"))]);
    for place in [host, &other] {
        let messages = said(place, &other_guest, &path).await;
        assert_eq!(messages.as_array().unwrap().len(), 3, "{messages}");
        assert!(!messages.to_string().contains("marker"), "{messages}");
        assert_eq!(messages[2]["phrase"], "hello");
        // A reader who has the first three learns of the deletion.
        let later = other_guest.get(place, &format!("{chat}?from=3")).await.json();
        assert_eq!(later["messages"].as_array().unwrap().len(), 2, "{later}");
    }
    // After the end, too.
    guest.tell(host, &format!("{path}/resign")).await.json();
    assert_eq!(delete(host, &other_guest, &format!("{chat}/2")).await.status, 204);
    assert_eq!(said(&other, &guest, &path).await[2]["deleted"], "author");
}

#[tokio::test]
async fn operator_deletes_a_match_and_ratings_stay() {
    let place = AdminServer::start(&[]).await;
    let (host, other) = (&place.host, place.another().await);
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let rated = json!({ "game": SHORT, "seats": [me(), open()], "rated": true, "clock": { "initial_ms": 3_600_000 } });
    let (finished, _) = create(host, &ann, rated).await;
    join(host, &ben, &finished).await;
    one_move_each(host, &finished, &[&ann, &ben]).await;
    ben.tell(host, &format!("{finished}/resign")).await.json();
    ann.post(host, &format!("{finished}/chat"), json!({ "text": "marker" })).await.json();
    let before = host.get("/v1/players/ann").await.json();
    let (running, guests) = two_guests(host, LONG).await;
    // Its actor lives on the other server, too.
    let mut live = guests[0].dial(&other, &format!("{running}/live")).await;
    live.hear().await;
    for path in [&running, &finished] {
        assert_eq!(
            AdminServer::said(&place.admin(&["matches", "delete", id(path)]).await),
            format!("{} deleted\n", id(path))
        );
    }
    let again = AdminServer::complained(&place.admin(&["matches", "delete", id(&finished)]).await);
    assert!(again.starts_with("no_such_match: "), "{again}");
    // The socket ends, and there is no match any more on any server, in any form.
    while !matches!(live.next().await, tokio_tungstenite::tungstenite::Message::Close(_)) {}
    for server in [host, &other] {
        for path in [&running, &finished] {
            for part in ["", "/events", "/record", "/record/verify", "/chat", "/live"] {
                until(|| async {
                    let reply = ann.get(server, &format!("{path}{part}")).await;
                    (reply.status == 404 || part == "/live").then_some(())
                })
                .await;
            }
            for page in ["", "/picture.png", "/picture.svg", "/embed"] {
                let page = server.get(&format!("/matches/{}{page}", id(path))).await;
                assert!([200, 404].contains(&page.status.as_u16()), "{page:?}");
                assert!(!page.text().contains("ann") || page.header("content-type").starts_with("image/"));
            }
        }
        let list = server.get("/v1/matches").await.json();
        assert_eq!(list["matches"], json!([]));
        assert_eq!(ann.get(server, "/v1/me/matches").await.json()["matches"], json!([]));
    }
    assert_eq!(AdminServer::said(&place.admin(&["matches", "list"]).await), "");
    let after = host.get("/v1/players/ann").await.json();
    assert_eq!((&after["ratings"], &after["results"]), (&before["ratings"], &before["results"]));
    let check = AdminServer::said(&place.admin(&["ratings", "--check"]).await);
    assert!(check.starts_with("1 results"), "{check}");
    // Matches go on as if nothing had happened.
    let (next, [guest, _]) = two_guests(&other, LONG).await;
    assert_eq!(guest.page(host, &next).await["stage"], "running");
}

async fn cup(host: &TestServer, organizer: &TestCaller, title: &str) -> String {
    let cup = json!({ "title": title, "game": SHORT, "format": { "kind": "round_robin" },
        "clock": { "initial_ms": 3_600_000 } });
    let made = organizer.post(host, "/v1/tournaments", cup).await.made();
    format!("/v1/tournaments/{}", made["id"].as_str().unwrap())
}

#[tokio::test]
async fn organizer_deletes_an_unplayed_tournament_and_the_title_of_a_played_one() {
    let place = AdminServer::start(&[]).await;
    let (host, other) = (&place.host, place.another().await);
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let path = cup(host, &ann, "marker cup").await;
    other.get(&path).await.json();
    delete(host, &ben, &path).await.problem(403, "not_your_tournament");
    delete(host, &TestCaller::anonymous(), &path).await.problem(401, "token_needed");
    assert_eq!(delete(host, &ann, &path).await.status, 204);
    for server in [host, &other] {
        until(|| async { (server.get(&path).await.status == 404).then_some(()) }).await;
        assert_eq!(server.get("/v1/tournaments").await.json()["tournaments"], json!([]));
    }
    let path = cup(host, &ann, "marker cup").await;
    for caller in [&ann, &ben] {
        caller.tell(host, &format!("{path}/entries")).await.made();
    }
    ann.tell(host, &format!("{path}/start")).await.json();
    let page = crate::tournaments::until(host, &path, |page| page["games"][0]["match"].is_string()).await;
    delete(host, &ann, &path).await.problem(409, "tournament_stage");
    let title = format!("{path}/title");
    delete(host, &ben, &title).await.problem(403, "not_your_tournament");
    assert_eq!(delete(host, &ann, &title).await.status, 204);
    assert_eq!(delete(host, &ann, &title).await.status, 204, "again");
    for server in [host, &other] {
        until(|| async { (server.get(&path).await.json()["title"] == "").then_some(()) }).await;
        let list = server.get("/v1/tournaments").await;
        assert!(!list.text().contains("marker"), "{}", list.text());
        let shown = server.get(&format!("/tournaments/{}", id(&path))).await;
        assert!(!shown.text().contains("marker") && shown.text().contains("without a title"));
    }
    // The operator deletes it while it runs; the match of its game stays.
    assert_eq!(
        AdminServer::said(&place.admin(&["tournaments", "delete", id(&path)]).await),
        format!("{} deleted\n", id(&path))
    );
    until(|| async { (other.get(&path).await.status == 404).then_some(()) }).await;
    let game = format!("/v1/matches/{}", page["games"][0]["match"].as_str().unwrap());
    assert_eq!(host.get(&game).await.json()["ended"], "terminated");
    assert_eq!(host.get(&format!("{game}/record")).await.status, 200, "it is no longer sealed");
    // The operator can remove a title, too.
    let path = cup(host, &ben, "marker cup").await;
    AdminServer::said(&place.admin(&["tournaments", "remove-title", id(&path)]).await);
    assert_eq!(host.get(&path).await.json()["title"], "");
}

#[tokio::test]
async fn muted_player_writes_nothing_until_the_end_of_the_mute() {
    let place = AdminServer::start(&[]).await;
    let host = &place.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let made = ann.post(host, "/v1/me/bots", json!({ "name": "robo" })).await.made();
    let robo = TestCaller::with(made["token"].as_str().unwrap());
    let (path, _) = create(host, &ann, order(SHORT, &[me(), open()])).await;
    join(host, &ben, &path).await;
    let challenge = ben.post(host, "/v1/players/ann/challenges", json!({ "game": SHORT })).await.made();
    let line = AdminServer::said(
        &place.admin(&["players", "mute", "ann", "--reason", "spam", "--for", "12h"]).await,
    );
    assert!(line.starts_with("ann\tmute\tuntil 20") && line.ends_with("Z\tspam\n"), "{line}");
    assert_eq!(AdminServer::said(&place.admin(&["players", "restricted"]).await), line);
    let chat = format!("{path}/chat");
    ann.post(host, &chat, json!({ "phrase": "hello" })).await.names(403, "muted", "spam");
    let decline = format!("/v1/challenges/{}/decline", challenge["id"].as_str().unwrap());
    ann.post(host, &decline, json!({ "reason": "no" })).await.problem(403, "muted");
    ann.post(host, "/v1/me/bots", json!({ "name": "more" })).await.problem(403, "muted");
    for bot_or_owner in [&ann, &robo] {
        let about = Some(json!({ "description": "spam" }).to_string());
        bot_or_owner.send(host, "PUT", "/v1/me/about", &[], about).await.problem(403, "muted");
        let empty = Some("{}".to_owned());
        assert_eq!(bot_or_owner.send(host, "PUT", "/v1/me/about", &[], empty).await.status, 204);
    }
    let cup = json!({ "title": "Cup", "game": SHORT, "format": { "kind": "round_robin" }, "clock": { "initial_ms": 60_000 } });
    ann.post(host, "/v1/tournaments", cup).await.problem(403, "muted");
    // What is no text is allowed.
    ann.tell(host, &decline).await.json();
    ann.tell(host, &format!("{path}/resign")).await.json();
    AdminServer::said(&place.admin(&["players", "unmute", "ann"]).await);
    assert_eq!(ann.post(host, &chat, json!({ "phrase": "hello" })).await.status, 200);
    let not_muted = AdminServer::complained(&place.admin(&["players", "unmute", "ann"]).await);
    assert!(not_muted.contains("has no mute"), "{not_muted}");
}

#[tokio::test]
async fn banned_player_is_refused_everywhere_and_comes_back() {
    let place = AdminServer::start(&[]).await;
    let (host, other) = (&place.host, place.another().await);
    let ann = player(host, "ann").await;
    ann.get(&other, "/v1/me").await.json();
    AdminServer::said(&place.admin(&["players", "ban", "ann", "--reason", "cheats"]).await);
    ann.get(host, "/v1/me").await.names(403, "banned", "cheats");
    until(|| async { (ann.get(&other, "/v1/me").await.status == 403).then_some(()) }).await;
    ann.post(host, "/v1/matches", order(SHORT, &[me(), open()])).await.problem(403, "banned");
    assert_eq!(
        TestCaller::anonymous().get(host, "/v1/players/ann").await.status,
        200,
        "others see the player"
    );
    AdminServer::said(&place.admin(&["players", "unban", "ann"]).await);
    until(|| async { (ann.get(&other, "/v1/me").await.status == 200).then_some(()) }).await;
    let engine = AdminServer::complained(&place.admin(&["players", "ban", "ioiwari:random:1:max"]).await);
    assert!(engine.starts_with("not_a_person: "), "{engine}");
}

#[tokio::test]
async fn registration_can_need_an_invitation() {
    let place = AdminServer::start(&["--registration=invitation"]).await;
    let host = &place.host;
    let anonymous = TestCaller::anonymous();
    let register = |name: &'static str, code: Option<String>| {
        let anonymous = &anonymous;
        async move {
            let mut body = json!({ "name": name });
            if let Some(code) = code {
                body["invitation"] = code.into();
            }
            anonymous.post(host, "/v1/players", body).await
        }
    };
    register("ann", None).await.problem(403, "invitation_needed");
    register("ann", Some("sesame".into())).await.problem(403, "bad_invitation");
    register("ann", Some(format!("kbi_{}", "A".repeat(43)))).await.problem(403, "bad_invitation");
    let made =
        place.admin(&["invitations", "create", "--uses", "2", "--for", "1h", "--note", "the club"]).await;
    let code = AdminServer::said(&made).trim().to_owned();
    let listed = AdminServer::said(&place.admin(&["invitations"]).await);
    assert!(
        listed.contains("0 of 2 used") && listed.ends_with("the club\n") && !listed.contains(&code),
        "{listed}"
    );
    let ann = register("ann", Some(code.clone())).await.made();
    register("Ann", Some(code.clone())).await.problem(409, "name_taken");
    register("ben", Some(code.clone())).await.made();
    register("cyd", Some(code.clone())).await.problem(403, "bad_invitation");
    // Bots need none.
    let ann = TestCaller::with(ann["token"].as_str().unwrap());
    ann.post(host, "/v1/me/bots", json!({ "name": "robo" })).await.made();
    // A repeated request gets its answer, and uses nothing.
    let code = AdminServer::said(&place.admin(&["invitations", "create"]).await).trim().to_owned();
    let body = Some(json!({ "name": "dan", "invitation": code }).to_string());
    let key = [("idempotency-key", "0123456789abcdef")];
    let first = anonymous.send(host, "POST", "/v1/players", &key, body.clone()).await.made();
    assert_eq!(anonymous.send(host, "POST", "/v1/players", &key, body).await.made(), first);
    let json = AdminServer::said(&place.admin(&["invitations", "list", "--json"]).await);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["invitations"][1]["used"], 1);
    let code = AdminServer::said(&place.admin(&["invitations", "create"]).await).trim().to_owned();
    let json = AdminServer::said(&place.admin(&["invitations", "list", "--json"]).await);
    let json: Value = serde_json::from_str(&json).unwrap();
    let last = json["invitations"][2]["id"].as_str().unwrap();
    AdminServer::said(&place.admin(&["invitations", "revoke", last]).await);
    register("eve", Some(code)).await.problem(403, "bad_invitation");
    let page = host.get("/account").await;
    assert!(page.text().contains("name=\"invitation\""), "the form asks for the code");
}

#[tokio::test]
async fn registration_can_be_closed() {
    let place = AdminServer::start(&["--registration=closed"]).await;
    let host = &place.host;
    let code = AdminServer::said(&place.admin(&["invitations", "create"]).await).trim().to_owned();
    let request = json!({ "name": "ann", "invitation": code });
    TestCaller::anonymous().post(host, "/v1/players", request).await.problem(403, "registration_closed");
    let page = host.get("/account").await;
    assert!(!page.text().contains("id=\"create\"") && page.text().contains("takes no new names"));
    // Guests play.
    two_guests(host, SHORT).await;
}

#[tokio::test]
async fn reports_reach_the_operator_once_and_hold_no_copies() {
    let place = AdminServer::start(&[]).await;
    let host = &place.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let about = Some(json!({ "description": "an odd text" }).to_string());
    assert_eq!(ben.send(host, "PUT", "/v1/me/about", &[], about).await.status, 204);
    let (path, _) = create(host, &ann, order(SHORT, &[me(), open()])).await;
    join(host, &ben, &path).await;
    ben.post(host, &format!("{path}/chat"), json!({ "text": "a rude word" })).await.json();
    let cup = cup(host, &ben, "A rude title").await;
    let report = |who: &TestCaller, about: Value, reason: &str| {
        let (who, body) = (who.clone(), json!({ "about": about, "reason": reason }));
        async move { who.post(host, "/v1/reports", body).await }
    };
    let chat = json!({ "kind": "chat", "match": id(&path), "n": 0 });
    let first = report(&ann, chat.clone(), "it is rude").await.made();
    assert_eq!(report(&ann, chat.clone(), "again").await.made(), first, "the same report is stored once");
    // Who cannot read it cannot report it.
    report(&TestCaller::anonymous(), chat.clone(), "x").await.problem(404, "no_such_message");
    report(&ann, json!({ "kind": "chat", "match": id(&path), "n": 1 }), "x")
        .await
        .problem(404, "no_such_message");
    report(&ann, json!({ "kind": "player", "name": "nobody" }), "x").await.problem(404, "no_such_player");
    let guest = TestCaller::anonymous();
    report(&guest, json!({ "kind": "player", "name": "ben" }), " ").await.problem(422, "bad_field");
    report(&guest, json!({ "kind": "player", "name": "ben" }), "his text").await.made();
    let second =
        report(&guest, json!({ "kind": "tournament", "tournament": id(&cup) }), "its title").await.made();
    let said = AdminServer::said(&place.admin(&["reports"]).await);
    let lines: Vec<Vec<&str>> = said.lines().map(|line| line.split('\t').collect()).collect();
    let chat_line = format!("chat {} 0", id(&path));
    let cup_line = format!("tournament {}", id(&cup));
    let shown: Vec<&[&str]> = lines.iter().map(|line| &line[2..]).collect();
    assert_eq!(
        shown,
        [
            &[chat_line.as_str(), "ann", "it is rude", "ben: a rude word"][..],
            &["player ben", "a guest", "his text", "an odd text"],
            &[cup_line.as_str(), "a guest", "its title", "A rude title"],
        ]
    );
    // Only its author withdraws a report.
    let path_of = |report: &Value| format!("/v1/reports/{}", report["id"].as_str().unwrap());
    delete(host, &ben, &path_of(&second)).await.problem(404, "no_such_report");
    assert_eq!(delete(host, &guest, &path_of(&second)).await.status, 204);
    // A message that is deleted needs no report any more.
    assert_eq!(delete(host, &ben, &format!("{path}/chat/0")).await.status, 204);
    let rest = AdminServer::said(&place.admin(&["reports", "list", "--json"]).await);
    let rest: Value = serde_json::from_str(&rest).unwrap();
    assert_eq!(rest["reports"].as_array().unwrap().len(), 1, "{rest}");
    AdminServer::said(&place.admin(&["players", "clear-about", "ben"]).await);
    assert_eq!(host.get("/v1/players/ben").await.json()["about"], json!({}));
    let last = rest["reports"][0]["id"].as_str().unwrap();
    AdminServer::said(&place.admin(&["reports", "resolve", last]).await);
    assert_eq!(AdminServer::said(&place.admin(&["reports"]).await), "");
    let again = AdminServer::complained(&place.admin(&["reports", "resolve", last]).await);
    assert!(again.starts_with("no_such_report: "), "{again}");
}

#[tokio::test]
async fn reports_are_limited_per_player_and_address() {
    let place = AdminServer::start(&["--reports-per-minute=4"]).await;
    let host = &place.host;
    let ann = player(host, "ann").await;
    let mut answers = Vec::new();
    for name in ["ben", "cyd", "dan", "eve", "fay", "gus"] {
        player(host, name).await;
        let report = json!({ "about": { "kind": "player", "name": name }, "reason": "x" });
        let who = if answers.len() < 3 { &ann } else { &TestCaller::anonymous() };
        answers.push(who.post(host, "/v1/reports", report).await);
    }
    let made: Vec<bool> = answers.iter().map(|answer| answer.status == 201).collect();
    assert_eq!(made, [true, true, false, true, true, false], "two of the player, four of the address");
    answers[2].names(429, "too_many", "--reports-per-minute");
}
