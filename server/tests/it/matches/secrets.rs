//! The log has no secrets: the real program at its most verbose, and secrets in every place where a caller may put them,
//! rightly or wrongly.

use std::io::Read;
use std::process::Command;

use serde_json::json;

use super::{SHORT, TestCaller, me, open, order};
use crate::client::HANG;
use crate::stopping::{exit_code, program};

#[tokio::test]
async fn log_lines_contain_no_secret() {
    let (mut program, port, mut log) = program(&["--log-level=trace"]);
    // Reads the log all the time: a program blocks when its log is not read.
    let log = std::thread::spawn(move || {
        let mut text = String::new();
        log.read_to_string(&mut text).unwrap();
        text
    });
    let address = ([127, 0, 0, 1], port).into();
    let anonymous = TestCaller::anonymous();
    let mut wanted = order(SHORT, &[me(), open()]);
    wanted["private"] = json!(true);
    wanted["seed"] = json!("5eed".repeat(16));
    let repeated = [("idempotency-key", "canary-of-a-key-0123")];
    let made =
        anonymous.send_to(address, "POST", "/v1/matches", &repeated, Some(wanted.to_string())).await.made();
    let player = json!({ "name": "ann" }).to_string();
    let player = anonymous.send_to(address, "POST", "/v1/players", &[], Some(player)).await.made();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let (seat, key, player) = (text(&made["seats"][0]["token"]), text(&made["key"]), text(&player["token"]));
    let path = text(&made["url"]);
    let invited = TestCaller { token: Some(player.clone()), key: Some(key.clone()) };
    let joined = invited.send_to(address, "POST", &format!("{path}/join"), &[], None).await;
    assert_eq!(joined.status, 200);
    // Rightly.
    let holder = TestCaller { token: Some(seat.clone()), key: Some(key.clone()) };
    holder.send_to(address, "GET", &path, &[], None).await.json();
    let mv = json!({ "ply": 0, "notation": "1" }).to_string();
    holder.send_to(address, "POST", &format!("{path}/moves"), &[], Some(mv)).await.json();
    let mut peer = holder.try_dial_to(address, &format!("{path}/live")).await.unwrap();
    peer.hear().await;
    // And wrongly.
    for secret in [&seat, &key, &player] {
        for bad in [
            format!("/v1/{secret}"),
            format!("/v1/matches/{secret}"),
            format!("/v1/players/{secret}"),
            format!("/v1/games/{secret}"),
            format!("{path}?{secret}"),
            format!("{path}/events?token={secret}"),
            format!("/v1/matches?{secret}=1"),
            format!("/v1/matches?stage={secret}"),
            format!("{path}/events?since={secret}"),
        ] {
            holder.send_to(address, "GET", &bad, &[], None).await;
        }
        for body in [
            json!({ "game": secret, "seats": [] }),
            json!({ secret.as_str(): 1 }),
            json!({ "game": SHORT, "seats": [{ "kind": secret }] }),
            json!({ "ply": 1, "notation": secret }),
            json!({ "ply": secret }),
            json!({ "name": secret }),
        ] {
            for path in ["/v1/matches".to_owned(), format!("{path}/moves"), "/v1/players".to_owned()] {
                let reply = invited.send_to(address, "POST", &path, &[], Some(body.to_string())).await;
                assert!(reply.status.is_client_error(), "{reply:?}");
                assert!(!reply.text().contains(&secret[4..20]), "{reply:?}");
            }
            peer.say(&json!({ "type": "move", "notation": body, "ply": 1 }).to_string()).await;
            assert!(!peer.hear().await.contains(&secret[4..20]));
        }
        for header in ["authorization", "match-key", "idempotency-key", "last-event-id", "if-match", "accept"]
        {
            let headers = [(header, secret.as_str())];
            anonymous.send_to(address, "GET", &format!("{path}/record"), &headers, None).await;
        }
        peer.say(&format!("{{\"token\": \"{secret}\"")).await;
        peer.hear().await;
    }
    drop(peer);
    let id = program.0.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(exit_code(&mut program.0), Some(0));
    let log = tokio::time::timeout(HANG, tokio::task::spawn_blocking(|| log.join().unwrap())).await;
    let log = log.unwrap().unwrap();
    assert!(log.contains("answered") && log.contains("no_such_match"), "requests are in the log");
    for secret in [&seat[4..20], &key[4..20], &player[4..20], "5eed5eed", "canary-of-a-key"] {
        let line = log.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "the log contains {secret}");
    }
}
