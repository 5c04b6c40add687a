//! Requests with a secret in the wrong place: every endpoint, every kind of mistake.

use hyper::body::Bytes;
use serde_json::{Value, json};

use super::received::RecordingClient;
use super::streams::converse;

/// The largest body that the server in the test accepts.
pub(super) const MAX_BODY: &str = "--max-body=4096";

/// Sends `secret` in every wrong place of a match with this id, with this token and without.
pub(super) async fn cause(client: &mut RecordingClient, id: &str, secret: &str, token: &str) {
    let bearer = format!("Bearer {token}");
    for headers in [&[][..], &[("authorization", bearer.as_str())]] {
        bodies(client, id, secret, headers).await;
        paths(client, id, secret, headers).await;
    }
    headers(client, id, secret).await;
    sockets(client, id, secret, token).await;
}

/// Paths that accept JSON.
fn takers(id: &str) -> Vec<String> {
    let acts = ["join", "moves", "leave", "resign", "abort", "rematch"];
    let acts = acts.iter().map(|act| format!("/v1/matches/{id}/{act}"));
    let games = ["positions", "legal-moves", "move"].iter().map(|path| format!("/v1/games/septica/{path}"));
    acts.chain(games).chain(["/v1/matches".to_owned(), "/v1/players".to_owned()]).collect()
}

async fn bodies(client: &mut RecordingClient, id: &str, secret: &str, headers: &[(&str, &str)]) {
    for path in takers(id) {
        for body in [json!({ secret: 1 }), json!([secret]), json!(secret)] {
            client.ask("POST", &path, headers, &body).await;
        }
        for body in [format!("{{\"game\": \"{secret}"), format!("{{\"game\": {secret}}}"), secret.repeat(120)]
        {
            client.send("POST", &path, &with(headers, "content-type", "application/json"), body.into()).await;
        }
        let not_utf8 = Bytes::from([b"{\"name\": \"\xff", secret.as_bytes(), b"\"}"].concat());
        client.send("POST", &path, &with(headers, "content-type", "application/json"), not_utf8).await;
        let text = Bytes::from(secret.to_owned());
        client.send("POST", &path, &with(headers, "content-type", "text/plain"), text.clone()).await;
        client.send("POST", &path, &with(headers, "content-type", secret), text).await;
    }
    let seats = |seat: Value| json!({ "game": "septica", "seats": [seat, { "kind": "open" }] });
    let field = |name: &str, value: Value| {
        let mut order = json!({ "game": "septica", "seats": [{ "kind": "open" }, { "kind": "open" }] });
        order[name] = value;
        order
    };
    let orders = [
        field("game", json!(secret)),
        field("seats", json!(secret)),
        field("seats", json!([secret])),
        field("options", json!(secret)),
        field("options", json!({ "draws": secret })),
        field("options", json!({ secret: 1 })),
        field("clock", json!(secret)),
        field("clock", json!({ "initial_ms": secret })),
        field("idle_ms", json!(secret)),
        field("private", json!(secret)),
        field("seed", json!(secret)),
        field("seed", json!([secret])),
        field(secret, json!(1)),
        seats(json!({ "kind": secret })),
        seats(json!({ "kind": "me", "name": secret })),
        seats(json!({ "kind": "me", "name": [secret] })),
        seats(json!({ "kind": "player", "name": secret })),
        seats(json!({ "kind": "engine", "engine": secret })),
        seats(json!({ "kind": "engine", "level": secret })),
        seats(json!({ "kind": "engine", "think_ms": secret })),
    ];
    for order in orders {
        client.ask("POST", "/v1/matches", headers, &order).await;
    }
    for body in [json!({ "name": secret }), json!({ "name": [secret] })] {
        client.ask("POST", "/v1/players", headers, &body).await;
    }
    for body in [json!({ "seat": secret }), json!({ "name": secret }), json!({ "seat": 0, "name": [secret] })]
    {
        client.ask("POST", &format!("/v1/matches/{id}/join"), headers, &body).await;
    }
    for body in moves(secret) {
        client.ask("POST", &format!("/v1/matches/{id}/moves"), headers, &body).await;
    }
    for body in [
        json!({ "position": secret }),
        json!({ "position": { "hand": secret } }),
        json!({ "engine": secret }),
    ] {
        client.ask("POST", "/v1/games/septica/move", headers, &body).await;
    }
}

/// Bodies that are not moves.
fn moves(secret: &str) -> Vec<Value> {
    vec![
        json!({ "ply": 0, "notation": secret }),
        json!({ "ply": 0, "notation": [secret] }),
        json!({ "ply": secret, "notation": "7" }),
        json!({ "ply": 0, "move": secret }),
        json!({ "ply": 0, "move": { "card": secret } }),
        json!({ "ply": 0, "move": { secret: 7 } }),
    ]
}

async fn paths(client: &mut RecordingClient, id: &str, secret: &str, headers: &[(&str, &str)]) {
    let of = |rest: &str| format!("/v1/matches/{id}{rest}");
    let there = [
        of(""),
        of("/events"),
        of("/live"),
        of("/record"),
        of("/seats/0/stdio"),
        "/v1/matches".to_owned(),
        "/v1/me".to_owned(),
        "/v1/players/unknown".to_owned(),
        "/v1/players/unknown/matches".to_owned(),
        "/v1/games".to_owned(),
        "/healthz".to_owned(),
        "/metrics".to_owned(),
    ];
    for path in there {
        // A valid stream would not end.
        let queries = match path.ends_with("/events") {
            true => &["since=", "token=", "since=0&token="][..],
            false => &["token=", "since=", "game=", "stage=", "player=", "before=", "limit=", "format=", ""],
        };
        for query in queries {
            client.send("GET", &format!("{path}?{query}{secret}"), headers, Bytes::new()).await;
        }
        client.send("GET", &format!("{path}?{secret}=1&{secret}=2"), headers, Bytes::new()).await;
    }
    let named = [
        format!("/{secret}"),
        format!("/v1/{secret}"),
        format!("/v1/matches/{secret}"),
        format!("/v1/matches/{secret}/events"),
        format!("/v1/matches/{secret}/record"),
        format!("/v1/players/{secret}"),
        format!("/v1/players/{secret}/matches"),
        format!("/v1/games/{secret}"),
        format!("/v1/games/{secret}/stdio"),
        of(&format!("/{secret}")),
        of(&format!("/seats/{secret}/stdio")),
        format!("/docs/{secret}"),
    ];
    for path in named {
        for method in ["GET", "POST", "DELETE"] {
            client.send(method, &path, headers, Bytes::new()).await;
        }
    }
}

async fn headers(client: &mut RecordingClient, id: &str, secret: &str) {
    let path = format!("/v1/matches/{id}");
    let garbled = [
        secret.to_owned(),
        format!("Basic {secret}"),
        format!("Bearer {secret}="),
        format!("Bearer {secret} {secret}"),
        format!("Bearer  {secret},"),
        format!("Bearer {}", &secret[..secret.len() - 1]),
    ];
    for value in &garbled {
        for (method, path) in
            [("GET", path.clone()), ("POST", format!("{path}/moves")), ("GET", "/v1/me".into())]
        {
            client.send(method, &path, &[("authorization", value)], Bytes::new()).await;
        }
        client.send("GET", &path, &[("match-key", value)], Bytes::new()).await;
    }
    for name in ["match-key", "idempotency-key", "last-event-id", "if-match", "accept", "cookie", "origin"] {
        let more = [(name, secret), ("x-request-id", secret), ("user-agent", secret), ("referer", secret)];
        client.send("GET", &path, &more, Bytes::new()).await;
        client.ask("POST", &format!("{path}/moves"), &more, &json!({ "notation": "7" })).await;
    }
    let long = secret.repeat(6);
    for key in [&secret[..10], long.as_str(), &format!("{secret} with spaces")] {
        for path in ["/v1/matches", "/v1/players"] {
            client.ask("POST", path, &[("idempotency-key", key)], &json!({ "name": "visitor" })).await;
        }
    }
    let preflight = [("origin", secret), ("access-control-request-method", "POST")];
    client.send("OPTIONS", &path, &preflight, Bytes::new()).await;
}

async fn sockets(client: &mut RecordingClient, id: &str, secret: &str, token: &str) {
    let live = format!("/v1/matches/{id}/live");
    let stdio = format!("/v1/matches/{id}/seats/1/stdio");
    let offers = [
        format!("kibitz, token.{token}"),
        format!("token.{token}"),
        format!("kibitz, token.{secret}"),
        format!("kibitz, key.{secret}"),
        format!("kibitz, {secret}, key.{secret}="),
        format!("kibitz, token.{token}, token.{secret}"),
    ];
    for path in [&live, &stdio, "/v1/games/septica/stdio", &format!("{live}?since={secret}")] {
        // Paths without subprotocols accept no offer of one.
        let offers = if path.starts_with("/v1/games") { &[String::new()][..] } else { &offers };
        for offer in offers {
            for says in [
                vec![secret.to_owned()],
                vec![json!({ "type": secret }).to_string(), json!({ secret: 1 }).to_string()],
                vec![format!("> {secret}"), format!("< {secret}"), format!("# {secret}")],
                moves(secret).iter().map(ToString::to_string).collect(),
            ] {
                let text = converse(client.address, path, offer, &says).await;
                client.keep(format!("WebSocket {path}"), text);
            }
        }
    }
}

fn with<'a>(headers: &[(&'a str, &'a str)], name: &'a str, value: &'a str) -> Vec<(&'a str, &'a str)> {
    headers.iter().copied().chain([(name, value)]).collect()
}
