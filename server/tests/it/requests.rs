//! Successful requests: every endpoint, with a real game.

use http_body_util::Full;
use hyper::Request;
use serde_json::{Value, json};

use crate::client::{TestServer, exchange};

const START: &str = "4 3 2 4 2 3 2";

fn start() -> Value {
    json!({ "pits": [4, 3, 2, 4, 2, 3, 2], "banks": [0, 0], "to_move": 0 })
}

#[tokio::test]
async fn games_are_listed_and_described() {
    let host = TestServer::start(&["--max-think-ms=1234"]).await;
    let list = host.get("/v1/games").await.json();
    assert_eq!(list["games"].as_array().unwrap().len(), engines::games::GAMES.len() + 2);
    for entry in list["games"].as_array().unwrap() {
        let slug = entry["slug"].as_str().unwrap();
        if slug == "panicking" {
            // Another test may just now have it panic.
            continue;
        }
        let page = host.get(&format!("/v1/games/{slug}")).await.json();
        assert_eq!(page["engines"], entry["engines"]);
        assert!(page["engines"].as_array().is_some_and(|e| !e.is_empty()));
        assert_eq!(page["levels"], json!(["easy", "medium", "hard", "max"]));
        assert_eq!(page["limits"]["max_think_ms"], 1234);
        for schema in ["options", "view", "move"] {
            assert!(page["schemas"][schema].is_object(), "{slug}: {schema}");
        }
    }
    let sample = &host.get("/v1/games/ioiwari").await.json()["sample"];
    assert!(sample[0].as_str().unwrap().starts_with("< "), "{sample}");
    assert!(sample[1].as_str().unwrap().starts_with("> "), "{sample}");
}

#[tokio::test]
async fn games_answer_in_their_fresh_positions() {
    let host = TestServer::start(&[]).await;
    for game in engines::games::GAMES {
        let slug = game.info().slug;
        for plies in [0, 1, 7, 1000] {
            let request = json!({ "seed": 5, "plies": plies });
            let fresh = host.post(&format!("/v1/games/{slug}/positions"), request.clone()).await.json();
            assert_eq!(fresh, host.post(&format!("/v1/games/{slug}/positions"), request).await.json());
            assert_eq!(fresh["seed"], 5);
            assert!(fresh["ply"].as_u64().unwrap() <= plies);
            let position = json!({ "position": fresh["position"] });
            let legal = host.post(&format!("/v1/games/{slug}/legal-moves"), position).await.json();
            let request = json!({ "position": fresh["position"], "nodes": 50, "seed": 9, "candidates": 3 });
            let answer = host.post(&format!("/v1/games/{slug}/move"), request).await.json();
            let legal = legal["moves"].as_array().unwrap();
            assert!(legal.iter().any(|m| m["notation"] == answer["notation"]), "{slug}: {answer}");
        }
    }
}

#[tokio::test]
async fn moves_that_are_asked_about_are_checked_in_every_game() {
    let host = TestServer::start(&[]).await;
    for game in engines::games::GAMES {
        let slug = game.info().slug;
        let path = format!("/v1/games/{slug}/legal-moves");
        for plies in [0, 3, 12, 1000] {
            let request = json!({ "seed": 11, "plies": plies });
            let fresh = host.post(&format!("/v1/games/{slug}/positions"), request).await.json();
            let mut position = fresh["position"].clone();
            let listed = host.post(&path, json!({ "position": position })).await.json();
            assert_eq!(listed["checked"], json!([]));
            let moves = &listed["moves"].as_array().unwrap()[..];
            let moves = &moves[..moves.len().min(99)];
            let mut notations: Vec<_> = moves.iter().map(|m| m["notation"].clone()).collect();
            notations.push(json!("nonsense"));
            let request = json!({ "position": position, "notations": notations });
            let answer = host.post(&path, request).await.json();
            assert_eq!(answer["moves"], listed["moves"]);
            let (garbage, checked) = answer["checked"].as_array().unwrap().split_last().unwrap();
            assert_eq!(checked.len(), moves.len());
            for (checked, mv) in checked.iter().zip(moves) {
                let legal =
                    json!({ "notation": mv["notation"], "legal": true, "move": mv["move"], "why": null });
                assert_eq!(*checked, legal, "{slug}, ply {plies}");
            }
            assert_eq!(garbage["notation"], "nonsense");
            assert_eq!((&garbage["legal"], &garbage["move"]), (&json!(false), &Value::Null));
            assert!(garbage["why"].as_str().is_some_and(|why| why.contains("nonsense")), "{garbage}");
            // A spectator has no turn.
            position["viewer"] = json!("spectator");
            if position["hand"].is_array() {
                position["hand"] = json!([]);
            }
            let request = json!({ "position": position, "notations": [moves[0]["notation"]] });
            let checked = &host.post(&path, request).await.json()["checked"][0];
            assert_eq!(checked["legal"], false, "{slug}");
            let why = format!("it is seat {}'s turn", fresh["seat"]);
            assert_eq!(checked["why"], why, "{slug}");
        }
    }
}

#[tokio::test]
async fn a_match_is_played_from_position_to_position_in_every_game() {
    let host = TestServer::start(&[]).await;
    for game in engines::games::GAMES {
        let slug = game.info().slug;
        let [positions, legal, next] =
            ["positions", "legal-moves", "next-position"].map(|path| format!("/v1/games/{slug}/{path}"));
        let mut now = host.post(&positions, json!({ "seed": 13 })).await.json();
        let mut plies = 0_usize;
        while now["seat"].is_number() {
            assert!(now["result"].is_null(), "{slug}: {now}");
            let moves = host.post(&legal, json!({ "position": now["position"] })).await.json();
            assert_eq!(moves["seat"], now["seat"], "{slug}");
            let moves = moves["moves"].as_array().unwrap();
            let notation = &moves[plies * 7 % moves.len()]["notation"];
            let request = json!({ "position": now["position"], "notation": notation, "seed": plies });
            now = host.post(&next, request.clone()).await.json();
            assert_eq!(now, host.post(&next, request).await.json(), "{slug}: the same seed gives the same");
            assert_eq!(now["seed"], plies);
            plies += 1;
        }
        assert!(now["result"]["ranks"].as_array().unwrap().contains(&json!(1)), "{slug}: {now}");
        assert!(plies > 3, "{slug}");
        let request = json!({ "position": now["position"], "notation": "nonsense" });
        let refused = host.post(&next, request).await;
        assert!([409, 422].contains(&refused.status.as_u16()), "{slug}: {}", refused.status);
    }
}

#[tokio::test]
async fn only_a_legal_move_of_the_seat_to_move_leads_to_a_next_position() {
    let host = TestServer::start(&[]).await;
    let path = "/v1/games/ioiwari/next-position";
    let position = json!({ "pits": [4, 3, 2, 4, 2, 3, 2], "banks": [0, 0], "to_move": 0 });
    let post = async |position: &Value, notation: &str| {
        host.post(path, json!({ "position": position, "notation": notation })).await
    };
    let next = post(&position, "1").await.json();
    assert_eq!((&next["seat"], &next["position"]["to_move"]), (&json!(1), &json!(1)), "{next}");
    post(&position, "nonsense").await.problem(422, "bad_move");
    let mut others = position.clone();
    others["viewer"] = json!({ "seat": 1 });
    post(&others, "1").await.problem(409, "not_your_turn");
    let over = json!({ "pits": [0, 0, 0, 0, 0, 0, 0], "banks": [11, 9], "to_move": 1 });
    post(&over, "2").await.problem(409, "match_over");
    let empty = json!({ "pits": [0, 3, 2, 4, 2, 3, 2], "banks": [4, 0], "to_move": 0 });
    post(&empty, "1").await.problem(422, "illegal_move");
}

#[tokio::test]
async fn next_position_is_that_of_the_requested_viewer() {
    let host = TestServer::start(&[]).await;
    for game in engines::games::GAMES {
        let slug = game.info().slug;
        let [positions, legal, next] =
            ["positions", "legal-moves", "next-position"].map(|path| format!("/v1/games/{slug}/{path}"));
        let fresh = host.post(&positions, json!({ "seed": 13 })).await.json();
        let moves = host.post(&legal, json!({ "position": fresh["position"] })).await.json();
        let notation = &moves["moves"][0]["notation"];
        for seat in [0, 1] {
            let request =
                json!({ "position": fresh["position"], "notation": notation, "seed": 1, "viewer": seat });
            let seen = host.post(&next, request).await.json();
            assert_eq!(seen["position"]["viewer"], json!({ "seat": seat }), "{slug}");
        }
        let request = json!({ "position": fresh["position"], "notation": notation, "viewer": 9 });
        host.post(&next, request).await.names(422, "bad_field", "viewer");
    }
}

#[tokio::test]
async fn moves_are_checked_by_the_rules_and_not_by_the_list() {
    let host = TestServer::start(&[]).await;
    let hand = ["3♥", "4♥", "5♥", "2♥", "2♦", "K♠"];
    // The list takes another suit's 2 as the wild card where there is one.
    let position = json!({
        "to_move": 0, "drawn": true, "stock": 87, "pile": [], "melds": [[], []], "hand_sizes": [6, 11], "hand": hand,
    });
    let [listed, unlisted, broken, absent] =
        ["[ 2♥ 3♥ 4♥ ]", "[ 5♥ 2♥ 4♥ ]", "[ 3♥ 4♥ K♠ ]", "[ 3♥ 4♥ 6♥ ]"].map(|c| format!("MELD_NEW {c}"));
    let request = json!({ "position": position, "notations": [listed, unlisted, broken, absent] });
    let answer = host.post("/v1/games/buraco/legal-moves", request).await.json();
    let is_listed = |text: &str| answer["moves"].as_array().unwrap().iter().any(|m| m["notation"] == text);
    assert!(is_listed(&listed));
    assert!(!is_listed("MELD_NEW [ 2♥ 4♥ 5♥ ]"));
    let legal: Vec<_> = answer["checked"].as_array().unwrap().iter().map(|c| &c["legal"]).collect();
    assert_eq!(legal, [true, true, false, false]);
    let unlisted = &answer["checked"][1];
    assert_eq!(unlisted["move"], json!({ "meld_new": { "cards": ["2♥", "4♥", "5♥"] } }));
    let why =
        "not a legal move here: MELD_NEW [ 3♥ 4♥ K♠ ]: this is no sequence: 3♥ and K♠ are of different suits";
    assert_eq!(answer["checked"][2]["why"], why);
    let over = json!({ "position": { "pits": [0, 0, 0, 0, 0, 0, 0], "banks": [11, 9], "to_move": 1 }, "notations": ["2"] });
    let answer = host.post("/v1/games/ioiwari/legal-moves", over).await.json();
    assert_eq!(answer["checked"][0]["why"], "the match is over");
}

#[tokio::test]
async fn position_gets_its_move() {
    let host = TestServer::start(&[]).await;
    let request = json!({
        "position": start(), "think_ms": 500, "deadline_ms": 20_000, "nodes": 20_000, "level": "max",
        "seed": "00000000000000000000000000000000000000000000000000000000000000ff", "candidates": 3,
        "engine": "ioiwari",
    });
    let answer = host.post("/v1/games/ioiwari/move", request).await.json();
    assert_eq!(answer["move"], json!({ "pit": 2 }));
    assert_eq!(answer["notation"], "2");
    assert_eq!(answer["value"], 1.0);
    assert_eq!(answer["engine"], "ioiwari 2");
    assert!(answer["candidates"].as_array().is_some_and(|c| (1..=3).contains(&c.len())));
    assert!(answer["elapsed_ms"].is_f64() && answer["queued_ms"].is_f64());
    assert!(answer["nodes"].as_u64().is_some_and(|n| n > 0));
    assert!(answer["seed"].as_str().unwrap().ends_with("ff"));
    // Only the position is required; the answer has the seed that was used.
    let answer = host.post("/v1/games/ioiwari/move", json!({ "position": start() })).await.json();
    assert!(answer["seed"].is_u64());
}

#[tokio::test]
async fn same_seed_gives_the_same_move() {
    let host = TestServer::start(&[]).await;
    let mut moves = std::collections::HashSet::new();
    for seed in 0..20 {
        let request = json!({ "position": start(), "engine": "random", "seed": seed, "nodes": 1 });
        let first = host.post("/v1/games/ioiwari/move", request.clone()).await.json();
        let second = host.post("/v1/games/ioiwari/move", request).await.json();
        assert_eq!(first["move"], second["move"]);
        moves.insert(first["notation"].to_string());
    }
    assert!(moves.len() > 1, "another seed gives another move at times");
}

#[tokio::test]
async fn transcript_gets_the_lines_to_print() {
    let host = TestServer::start(&[]).await;
    let path = "/v1/games/ioiwari/move?think_ms=50&level=max&seed=7&engine=ioiwari&deadline_ms=9000&nodes=9";
    for (transcript, lines) in [
        (format!("{START}\n"), "2\n"),
        (format!("{START}\r\n"), "2\n"),
        (format!("< {START}\n"), "2\n"),
        (format!("< {START}\n> 2\n# a remark\n< 3\n"), "5\n"),
        (format!("< {START}\n> 2\n"), ""),
        (format!("< {START}\n> 2\n< 3\n> 5\n< 4\n> 5\n< 7\n"), ""),
        ("# nothing yet\n".to_owned(), ""),
        (String::new(), ""),
        // Lines that arrive together are answered one decision after the other.
        (format!("{START}\n3\n4\n"), "2\n5\n5\n"),
    ] {
        let reply = host.post_text(path, &transcript).await;
        assert_eq!((reply.status.as_u16(), reply.text()), (200, lines), "{transcript:?}");
        assert_eq!(reply.header("content-type"), "text/plain; charset=utf-8");
    }
}

/// Generated clients cannot send plain text.
#[tokio::test]
async fn json_dialogue_is_the_same_as_the_text() {
    let host = TestServer::start(&[]).await;
    let ask = async |body: Value| host.post("/v1/games/ioiwari/dialogue", body).await;
    let options = json!({ "think_ms": 50, "level": "max", "seed": 7, "engine": "ioiwari", "deadline_ms": 9000, "nodes": 9 });
    for (text, lines) in [
        (format!("{START}\n"), json!(["2"])),
        (format!("< {START}\n> 2\n"), json!([])),
        (format!("{START}\n3\n4\n"), json!(["2", "5", "5"])),
    ] {
        let mut body = options.clone();
        body["text"] = json!(text);
        assert_eq!(ask(body).await.json(), json!({ "lines": lines, "remarks": [] }), "{text:?}");
    }
    let wrong = ask(json!({ "text": format!("< {START}\n> 2\n< 2\n"), "think_ms": 20 })).await.json();
    let remark = wrong["remarks"][0].as_str().unwrap();
    assert!(remark.starts_with("entry 3 of the dialogue: the opponent cannot play 2"), "{wrong}");
    let ranked = ask(json!({ "text": START, "think_ms": 20, "candidates": 2 })).await.json();
    assert!(ranked["lines"][0].as_str().unwrap().starts_with("# "), "{ranked}");
    ask(json!({ "text": "nonsense" })).await.problem(422, "bad_dialogue");
    ask(json!({})).await.names(422, "bad_field", "text");
    ask(json!({ "text": START, "level": "deep" })).await.names(422, "bad_field", "level: ");
    ask(json!({ "text": START, "settings": { "base": "1" } })).await.names(422, "bad_field", "settings: ");
    host.post("/v1/games/ioiwari/dialogue?think_ms=1", json!({ "text": START }))
        .await
        .problem(400, "bad_query");
    // A setting of a game has its effect, as in the query of the text.
    let paused = json!({ "text": format!("< {START}\n> 2\n"), "engine": "quick", "settings": { "pause_ms": "50" }, "silence_ms": 50 });
    let spoken = host.post("/v1/games/slow/dialogue", paused).await.json();
    assert_eq!(spoken["lines"], json!(["anybody there?"]));

    let of_text = host.post_text("/v1/games/ioiwari/official-position", START).await.json();
    assert_eq!(of_text["position"]["pits"], start()["pits"]);
    let path = "/v1/games/ioiwari/official-position";
    assert_eq!(host.post(path, json!({ "text": START })).await.json(), of_text);
    let refused = host.post(path, json!({ "text": START, "settings": { "base": "1" } })).await;
    refused.names(422, "bad_field", "settings: ");
}

#[tokio::test]
async fn long_transcript_is_read_to_its_end() {
    let host = TestServer::start(&[]).await;
    let remarks = "# as long as they like\n".repeat(40_000);
    let reply = host.post_text("/v1/games/ioiwari/move", &format!("{remarks}< {START}\n")).await;
    assert_eq!((reply.status.as_u16(), reply.text()), (200, "2\n"));
}

#[tokio::test]
async fn session_speaks_after_a_long_silence() {
    let host = TestServer::start(&[]).await;
    let ask = |silence| format!("/v1/games/slow/move?pause_ms=50&silence_ms={silence}&engine=quick");
    let transcript = format!("< {START}\n> 2\n");
    assert_eq!(host.post_text(&ask(49), &transcript).await.text(), "");
    assert_eq!(host.post_text(&ask(50), &transcript).await.text(), "anybody there?\n");
}

#[tokio::test]
async fn answers_have_the_headers_that_browsers_need() {
    let host = TestServer::start(&[]).await;
    let preflight = Request::builder()
        .method("OPTIONS")
        .uri("/v1/games/ioiwari/move")
        .header("origin", "https://elsewhere.example")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "content-type");
    let reply = exchange(host.address(), preflight.body(Full::default()).unwrap()).await;
    assert!(reply.status.is_success(), "{reply:?}");
    assert_eq!(reply.header("access-control-allow-origin"), "*");
    assert!(reply.header("access-control-allow-methods").contains("POST"));
    assert_eq!(reply.header("access-control-allow-headers"), "*,authorization");
    let reply = host.get("/v1/games").await;
    assert_eq!(reply.header("access-control-allow-origin"), "*");
    assert_eq!(reply.header("x-content-type-options"), "nosniff");
    for path in ["/", "/v1/games", "/v1/games/ioiwari", "/healthz", "/readyz", "/metrics", "/openapi.json"] {
        let head = host.send("HEAD", path, None, "").await;
        assert_eq!(head.status, 200, "{path}");
        assert!(head.body.is_empty());
    }
}

#[tokio::test]
async fn metrics_show_requests_and_searches() {
    let host = TestServer::start(&[]).await;
    assert_eq!(host.get("/healthz").await.text(), "ok\n");
    assert_eq!(host.get("/readyz").await.text(), "ready\n");
    assert!(host.get("/").await.text().contains("/docs"));
    host.post("/v1/games/ioiwari/move", json!({ "position": start() })).await.json();
    host.get("/v1/games/chess").await.problem(404, "unknown_game");
    let metrics = host.get("/metrics").await;
    for line in [
        r#"kibitz_http_requests_total{route="/v1/games/{game}/move",status="200",code=""} 1"#,
        r#"kibitz_http_requests_total{route="/v1/games/{game}",status="404",code="unknown_game"} 1"#,
        r#"kibitz_http_latency_seconds_count{route="/v1/games/{game}/move"} 1"#,
        r#"kibitz_pool_admitted_total{lane="quick"} 1"#,
        r#"kibitz_pool_running{lane="long"} 0"#,
        r#"kibitz_pool_queue{lane="quick"} 0"#,
        r#"kibitz_nodes_total{game="ioiwari"} 7"#,
        "kibitz_engine_panics_total 0",
        "kibitz_sockets 0",
    ] {
        assert!(metrics.text().lines().any(|l| l == line), "{line} is not in\n{}", metrics.text());
    }
}

#[tokio::test]
async fn text_form_ranks_moves_in_remarks() {
    let host = TestServer::start(&[]).await;
    let input = "2 1\n1\n4 4 4 4 4 5\n36 1 2 3 4\n26 41 42 43 44\n16 71 72 73 74\n3 1 2 3\n\
                 0 0 0 0 0 0\n0\n0\n0\n0 0 0 0 0 0\n0\n0\n0\n";
    let path = "/v1/games/splendor/move?nodes=60&seed=1";
    let plain = host.post_text(path, input).await;
    let plain = plain.text();
    let told = host.post_text(&format!("{path}&candidates=2"), input).await;
    let told = told.text();
    let lines: Vec<_> = told.lines().collect();
    let mv = plain.trim_end();
    assert_eq!(lines.len(), 4, "{told}");
    assert!(lines[0].starts_with("# splendor ") && lines[0].contains(&format!(": {mv}, value 0.")), "{told}");
    assert!(lines[0].contains(" nodes, depth "), "{told}");
    assert!(lines[1].starts_with(&format!("# 1. {mv}: value 0.")) && lines[2].starts_with("# 2. "), "{told}");
    assert_eq!(lines[3], mv, "the remarks change no decision");
    let brief = host.post_text(&format!("{path}&candidates=0"), input).await;
    assert_eq!(brief.text().lines().count(), 2, "{}", brief.text());
    host.post_text(&format!("{path}&candidates=many"), input).await.names(400, "bad_query", "candidates");
}
