//! The operator, by `kibitz admin` against a running server.

use serde_json::json;

use super::{AdminServer, player};
use crate::client::TestServer;
use crate::matches::{LONG, SHORT, TestCaller, create, join, me, open, order, two_guests};

#[tokio::test]
async fn admin_api_needs_the_admin_token() {
    let place = AdminServer::start(&[]).await;
    let host = &place.host;
    host.get("/v1/admin/matches").await.problem(401, "token_needed");
    let ann = player(host, "ann").await;
    ann.get(host, "/v1/admin/matches").await.problem(401, "bad_token");
    let wrong = TestCaller::with(&format!("kba_{}", "A".repeat(43)));
    wrong.get(host, "/v1/admin/matches").await.problem(401, "bad_token");
    let token = std::fs::read_to_string(&place.token_file).unwrap();
    let operator = TestCaller::with(token.trim());
    operator.get(host, "/v1/admin/matches").await.json();
    operator.get(host, "/v1/matches").await.problem(401, "bad_token");
    let plain = TestServer::start(&[]).await;
    operator.get(&plain, "/v1/admin/matches").await.problem(403, "admin_off");
    // The command says what is wrong in a sentence.
    let complaint =
        AdminServer::complained(&place.admin(&["bans", "--admin-token-file", "/nowhere/token"]).await);
    assert!(complaint.contains("/nowhere/token") && complaint.lines().count() == 1, "{complaint}");
    let complaint = AdminServer::complained(&place.admin(&["bans", "--server", "http://127.0.0.1:1"]).await);
    assert!(complaint.contains("is the server running?"), "{complaint}");
}

#[tokio::test]
async fn operator_lists_and_ends_matches() {
    let place = AdminServer::start(&[]).await;
    let host = &place.host;
    let (running, [guest, _]) = two_guests(host, LONG).await;
    let private = json!({ "game": SHORT, "seats": [me(), open()], "private": true });
    let (hidden, made) = create(host, &TestCaller::anonymous(), private).await;
    let list = AdminServer::said(&place.admin(&["matches", "list"]).await);
    let id = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines.len(), 2, "{list}");
    assert!(lines[0].starts_with(&format!("{}\t{SHORT}\topen\tprivate\t", id(&hidden))), "{list}");
    assert!(lines[1].starts_with(&format!("{}\t{LONG}\trunning\tpublic\t", id(&running))), "{list}");
    let json = AdminServer::said(&place.admin(&["matches", "list", "--stage", "open", "--json"]).await);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["matches"].as_array().unwrap().len(), 1);
    AdminServer::said(&place.admin(&["matches", "end", &id(&running), &id(&hidden)]).await);
    for (caller, path) in [(&guest, &running), (&TestCaller::seated(&made), &hidden)] {
        let page = caller.page(host, path).await;
        assert_eq!((&page["stage"], &page["ended"]), (&json!("over"), &json!("terminated")));
    }
    let verdict = guest.get(host, &format!("{running}/record/verify")).await.json();
    assert_eq!(verdict["true"], true, "{verdict}");
    let unknown = AdminServer::complained(&place.admin(&["matches", "end", "no-such-match"]).await);
    assert!(unknown.starts_with("no_such_match: "), "{unknown}");
}

#[tokio::test]
async fn operator_deletes_analyses() {
    let place = AdminServer::start(&[]).await;
    let host = &place.host;
    let (path, [guest, _]) = two_guests(host, SHORT).await;
    guest.tell(host, &format!("{path}/resign")).await.json();
    let analysis = format!("{path}/analysis");
    assert_ne!(guest.tell(host, &analysis).await.json()["stage"], "none");
    let said = AdminServer::said(
        &place.admin(&["matches", "delete-analysis", path.rsplit('/').next().unwrap()]).await,
    );
    assert!(said.ends_with(": its analysis is deleted\n"), "{said}");
    assert_eq!(host.get(&analysis).await.json(), json!({ "stage": "none" }));
    AdminServer::complained(&place.admin(&["matches", "delete-analysis", "no-such-match"]).await);
}

#[tokio::test]
async fn operator_aborts_a_tournament() {
    let place = AdminServer::start(&[]).await;
    let host = &place.host;
    let (ann, ben) = (player(host, "ann").await, player(host, "ben").await);
    let cup = json!({ "title": "Cup", "game": SHORT, "format": { "kind": "round_robin" },
        "clock": { "initial_ms": 3_600_000 } });
    let made = ann.post(host, "/v1/tournaments", cup).await.made();
    let id = made["id"].as_str().unwrap();
    let path = format!("/v1/tournaments/{id}");
    for caller in [&ann, &ben] {
        caller.tell(host, &format!("{path}/entries")).await.made();
    }
    ann.tell(host, &format!("{path}/start")).await.json();
    let page = crate::tournaments::until(host, &path, |page| page["games"][0]["match"].is_string()).await;
    ann.tell(host, &format!("/v1/admin/tournaments/{id}/abort")).await.problem(401, "bad_token");
    let said = AdminServer::said(&place.admin(&["tournaments", "abort", id]).await);
    assert_eq!(said, format!("{id} aborted\n"));
    let after = host.get(&path).await.json();
    assert_eq!((&after["stage"], after["secret"].is_string()), (&json!("aborted"), true));
    let running = format!("/v1/matches/{}", page["games"][0]["match"].as_str().unwrap());
    assert_eq!(ann.page(host, &running).await["ended"], "terminated");
    let again = AdminServer::complained(&place.admin(&["tournaments", "abort", id]).await);
    assert!(again.starts_with("tournament_stage: "), "{again}");
    let unknown = AdminServer::complained(&place.admin(&["tournaments", "abort", "x"]).await);
    assert!(unknown.starts_with("no_such_tournament: "), "{unknown}");
}

#[tokio::test]
async fn operator_renames_removes_and_revokes() {
    let place = AdminServer::start(&[]).await;
    let host = &place.host;
    let (rude, ben) = (player(host, "Rude-Word").await, player(host, "ben").await);
    let (path, _) = create(host, &rude, order(LONG, &[me(), open()])).await;
    join(host, &ben, &path).await;
    assert_eq!(AdminServer::said(&place.admin(&["players", "list"]).await), "ben\nRude-Word\n");
    let taken = AdminServer::complained(&place.admin(&["players", "rename", "rude-word", "BEN"]).await);
    assert!(taken.starts_with("name_taken: "), "{taken}");
    AdminServer::said(&place.admin(&["players", "rename", "rude-word", "Ștefan"]).await);
    assert_eq!(rude.get(host, "/v1/me").await.json()["name"], "Ștefan", "the token stays");
    let page = TestCaller::anonymous().page(host, &path).await;
    assert_eq!(page["seats"][0]["name"], "Ștefan", "also in a match that runs");
    let list = TestCaller::anonymous().get(host, "/v1/matches").await.json();
    assert_eq!(list["matches"][0]["seats"][0]["name"], "Ștefan");
    TestCaller::anonymous()
        .post(host, "/v1/players", json!({ "name": "rude-word" }))
        .await
        .problem(409, "name_taken");

    let token = AdminServer::said(&place.admin(&["tokens", "revoke", "Ștefan", "--reissue"]).await);
    rude.get(host, "/v1/me").await.problem(401, "bad_token");
    let back = TestCaller::with(token.trim());
    assert_eq!(back.page(host, &path).await["you"], 0);
    assert_eq!(AdminServer::said(&place.admin(&["tokens", "revoke", "ben"]).await), "");
    ben.get(host, "/v1/me").await.problem(401, "bad_token");

    AdminServer::said(&place.admin(&["players", "remove", "Ștefan"]).await);
    back.get(host, "/v1/me").await.problem(401, "bad_token");
    assert_eq!(
        TestCaller::anonymous().page(host, &path).await["ended"],
        "walkover",
        "its match was resigned"
    );
    assert_eq!(AdminServer::said(&place.admin(&["players", "list"]).await), "ben\n");
    let gone = AdminServer::complained(&place.admin(&["players", "remove", "Ștefan"]).await);
    assert!(gone.starts_with("no_such_player: "), "{gone}");
}

#[tokio::test]
async fn banned_addresses_are_refused_until_the_ban_ends() {
    let place = AdminServer::start(&["--client-ip-header=x-real-ip", "--trusted-proxy=127.0.0.1"]).await;
    let host = &place.host;
    let from = |ip: &'static str| async move {
        TestCaller::anonymous().send(host, "GET", "/v1/games", &[("x-real-ip", ip)], None).await
    };
    AdminServer::said(&place.admin(&["ban", "192.0.2.7/24", "--reason", "floods", "--for", "12h"]).await);
    AdminServer::said(&place.admin(&["ban", "2001:db8::1"]).await);
    for ip in ["192.0.2.1", "192.0.2.255", "2001:db8::2"] {
        from(ip).await.problem(403, "banned");
    }
    for ip in ["192.0.3.1", "2001:db8:0:1::1", "127.0.0.1"] {
        assert_eq!(from(ip).await.status, 200, "{ip}");
    }
    let list = AdminServer::said(&place.admin(&["bans"]).await);
    assert!(
        list.starts_with("192.0.2.0/24\tuntil ") && list.contains("\tfloods\n2001:db8::/64\tfor good\t"),
        "{list}"
    );
    // As 2026-03-31T14:05:59Z: a time that programs can read.
    let until = list.split('\t').nth(1).unwrap().strip_prefix("until ").unwrap();
    let form: String = until.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    assert_eq!(form, "0000-00-00T00:00:00Z", "{list}");
    AdminServer::said(&place.admin(&["unban", "192.0.2.0/24"]).await);
    assert_eq!(from("192.0.2.1").await.status, 200);
    let not_banned = AdminServer::complained(&place.admin(&["unban", "192.0.2.0/24"]).await);
    assert!(not_banned.contains("192.0.2.0/24 is not banned"), "{not_banned}");
    // The operator can always undo it, and probes go on.
    AdminServer::said(&place.admin(&["ban", "127.0.0.0/8"]).await);
    host.get("/v1/games").await.problem(403, "banned");
    assert_eq!(host.get("/healthz").await.status, 200);
    AdminServer::said(&place.admin(&["unban", "127.0.0.0/8"]).await);
    assert_eq!(host.get("/v1/games").await.status, 200);
    let wrong = AdminServer::complained(&place.admin(&["ban", "nowhere"]).await);
    assert!(wrong.starts_with("bad_field: network: "), "{wrong}");
}
