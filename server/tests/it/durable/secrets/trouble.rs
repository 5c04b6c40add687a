//! Requests that show a secret in a place where it does not belong: every endpoint, every kind of mistake.

use hyper::body::Bytes;
use serde_json::{Value, json};

use super::heard::Ears;
use super::streams::converse;

/// The largest body that the server in the test takes.
pub const MAX_BODY: &str = "--max-body=4096";

/// Sends `secret` in all wrong places of a match with this id, as somebody with this token and without.
pub async fn cause(ears: &mut Ears, id: &str, secret: &str, token: &str) {
    let bearer = format!("Bearer {token}");
    for headers in [&[][..], &[("authorization", bearer.as_str())]] {
        bodies(ears, id, secret, headers).await;
        paths(ears, id, secret, headers).await;
    }
    headers(ears, id, secret).await;
    sockets(ears, id, secret, token).await;
}

/// Where JSON is taken.
fn takers(id: &str) -> Vec<String> {
    let acts = ["join", "moves", "leave", "resign", "abort", "rematch"];
    let acts = acts.iter().map(|act| format!("/v1/matches/{id}/{act}"));
    let games = ["positions", "legal-moves", "move"].iter().map(|path| format!("/v1/games/septica/{path}"));
    acts.chain(games).chain(["/v1/matches".to_owned(), "/v1/players".to_owned()]).collect()
}

async fn bodies(ears: &mut Ears, id: &str, secret: &str, headers: &[(&str, &str)]) {
    for path in takers(id) {
        for body in [json!({ secret: 1 }), json!([secret]), json!(secret)] {
            ears.ask("POST", &path, headers, &body).await;
        }
        for body in [format!("{{\"game\": \"{secret}"), format!("{{\"game\": {secret}}}"), secret.repeat(120)]
        {
            ears.send("POST", &path, &with(headers, "content-type", "application/json"), body.into()).await;
        }
        let not_utf8 = Bytes::from([b"{\"name\": \"\xff", secret.as_bytes(), b"\"}"].concat());
        ears.send("POST", &path, &with(headers, "content-type", "application/json"), not_utf8).await;
        let text = Bytes::from(secret.to_owned());
        ears.send("POST", &path, &with(headers, "content-type", "text/plain"), text.clone()).await;
        ears.send("POST", &path, &with(headers, "content-type", secret), text).await;
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
        ears.ask("POST", "/v1/matches", headers, &order).await;
    }
    for body in [json!({ "name": secret }), json!({ "name": [secret] })] {
        ears.ask("POST", "/v1/players", headers, &body).await;
    }
    for body in [json!({ "seat": secret }), json!({ "name": secret }), json!({ "seat": 0, "name": [secret] })]
    {
        ears.ask("POST", &format!("/v1/matches/{id}/join"), headers, &body).await;
    }
    for body in moves(secret) {
        ears.ask("POST", &format!("/v1/matches/{id}/moves"), headers, &body).await;
    }
    for body in [
        json!({ "position": secret }),
        json!({ "position": { "hand": secret } }),
        json!({ "engine": secret }),
    ] {
        ears.ask("POST", "/v1/games/septica/move", headers, &body).await;
    }
}

/// Bodies that are no moves.
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

async fn paths(ears: &mut Ears, id: &str, secret: &str, headers: &[(&str, &str)]) {
    let of = |rest: &str| format!("/v1/matches/{id}{rest}");
    let there = [
        of(""),
        of("/events"),
        of("/live"),
        of("/record"),
        of("/seats/0/stdio"),
        "/v1/matches".to_owned(),
        "/v1/me".to_owned(),
        "/v1/players/nobody".to_owned(),
        "/v1/players/nobody/matches".to_owned(),
        "/v1/games".to_owned(),
        "/healthz".to_owned(),
        "/metrics".to_owned(),
    ];
    for path in there {
        // A stream that nothing is wrong with would not end.
        let queries = match path.ends_with("/events") {
            true => &["since=", "token=", "since=0&token="][..],
            false => &["token=", "since=", "game=", "stage=", "player=", "before=", "limit=", "format=", ""],
        };
        for query in queries {
            ears.send("GET", &format!("{path}?{query}{secret}"), headers, Bytes::new()).await;
        }
        ears.send("GET", &format!("{path}?{secret}=1&{secret}=2"), headers, Bytes::new()).await;
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
            ears.send(method, &path, headers, Bytes::new()).await;
        }
    }
}

async fn headers(ears: &mut Ears, id: &str, secret: &str) {
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
            ears.send(method, &path, &[("authorization", value)], Bytes::new()).await;
        }
        ears.send("GET", &path, &[("match-key", value)], Bytes::new()).await;
    }
    for name in ["match-key", "idempotency-key", "last-event-id", "if-match", "accept", "cookie", "origin"] {
        let more = [(name, secret), ("x-request-id", secret), ("user-agent", secret), ("referer", secret)];
        ears.send("GET", &path, &more, Bytes::new()).await;
        ears.ask("POST", &format!("{path}/moves"), &more, &json!({ "notation": "7" })).await;
    }
    let long = secret.repeat(6);
    for key in [&secret[..10], long.as_str(), &format!("{secret} with spaces")] {
        for path in ["/v1/matches", "/v1/players"] {
            ears.ask("POST", path, &[("idempotency-key", key)], &json!({ "name": "somebody" })).await;
        }
    }
    let preflight = [("origin", secret), ("access-control-request-method", "POST")];
    ears.send("OPTIONS", &path, &preflight, Bytes::new()).await;
}

async fn sockets(ears: &mut Ears, id: &str, secret: &str, token: &str) {
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
        // Where no subprotocol is known, none may be asked for.
        let offers = if path.starts_with("/v1/games") { &[String::new()][..] } else { &offers };
        for offer in offers {
            for says in [
                vec![secret.to_owned()],
                vec![json!({ "type": secret }).to_string(), json!({ secret: 1 }).to_string()],
                vec![format!("> {secret}"), format!("< {secret}"), format!("# {secret}")],
                moves(secret).iter().map(ToString::to_string).collect(),
            ] {
                let text = converse(ears.address, path, offer, &says).await;
                ears.keep(format!("WebSocket {path}"), text);
            }
        }
    }
}

fn with<'a>(headers: &[(&'a str, &'a str)], name: &'a str, value: &'a str) -> Vec<(&'a str, &'a str)> {
    headers.iter().copied().chain([(name, value)]).collect()
}
