//! The documentation: true to the routes, and from this server alone.

use serde_json::{Value, json};

use crate::client::Host;
use crate::matches::{Caller, create};

/// Calls `see` with every `$ref` below.
fn references(value: &Value, see: &mut impl FnMut(&str)) {
    match value {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get("$ref") {
                see(reference);
            }
            fields.values().for_each(|v| references(v, see));
        }
        Value::Array(items) => items.iter().for_each(|v| references(v, see)),
        _ => {}
    }
}

#[tokio::test]
async fn the_document_is_openapi_3_1_and_holds_every_route() {
    let host = Host::start(&[]).await;
    let document = host.get("/openapi.json").await.json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{}", document["openapi"]);
    for (path, method) in [
        ("/v1/games", "get"),
        ("/v1/games/{game}", "get"),
        ("/v1/games/{game}/positions", "post"),
        ("/v1/games/{game}/legal-moves", "post"),
        ("/v1/games/{game}/move", "post"),
        ("/v1/games/{game}/stdio", "get"),
        ("/v1/matches", "post"),
        ("/v1/matches", "get"),
        ("/v1/matches/{id}", "get"),
        ("/v1/matches/{id}/join", "post"),
        ("/v1/matches/{id}/leave", "post"),
        ("/v1/matches/{id}/moves", "post"),
        ("/v1/matches/{id}/resign", "post"),
        ("/v1/matches/{id}/abort", "post"),
        ("/v1/matches/{id}/rematch", "post"),
        ("/v1/matches/{id}/events", "get"),
        ("/v1/matches/{id}/live", "get"),
        ("/v1/matches/{id}/record", "get"),
        ("/v1/players", "post"),
        ("/v1/players/{name}", "get"),
        ("/v1/players/{name}/matches", "get"),
        ("/v1/me", "get"),
        ("/healthz", "get"),
        ("/readyz", "get"),
        ("/metrics", "get"),
    ] {
        assert!(document["paths"][path][method]["responses"].is_object(), "{method} {path}");
    }
    // What it says is there, is there: also of a match that is over, and of a player.
    let order = json!({ "game": "ioiwari", "seats": [{ "kind": "me" }, { "kind": "open" }] });
    let (path, made) = create(&host, &Caller::nobody(), order).await;
    Caller::seated(&made).tell(&host, &format!("{path}/abort")).await.json();
    host.post("/v1/players", json!({ "name": "ann" })).await.made();
    let real = |path: &str| {
        let path = path.replace("{game}", "ioiwari").replace("{name}", "ann").replace("{seat}", "0");
        path.replace("{id}", made["id"].as_str().unwrap())
    };
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let reply = host.send(&method.to_uppercase(), &real(path), None, "").await;
            assert!(![404, 405].contains(&reply.status.as_u16()), "{method} {path}: {reply:?}");
        }
    }
    for game in engines::games::GAMES {
        for part in ["view", "move", "options"] {
            let name = format!("{}.{part}", game.info().slug);
            assert!(document["components"]["schemas"][&name].is_object(), "{name}");
        }
    }
    let parts = &document["components"];
    assert_eq!(parts["securitySchemes"]["token"]["scheme"], "bearer");
    assert_eq!(parts["securitySchemes"]["match_key"]["name"], "Match-Key");
    let operation = &document["paths"]["/v1/matches/{id}/moves"]["post"];
    assert_eq!(operation["security"], json!([{ "token": [] }]));
    assert!(operation["parameters"].as_array().unwrap().iter().any(|p| p["name"] == "If-Match"));
    for schema in ["MatchPage", "MatchEvent", "StreamFrame", "LiveRequest", "LiveAnswer", "MatchRequest"] {
        assert!(parts["schemas"][schema].is_object(), "{schema}");
    }
    let position = &parts["schemas"]["MatchPage"]["properties"]["position"];
    assert_eq!(position["anyOf"][0]["$ref"], "#/components/schemas/Position");
    assert_eq!(
        document["components"]["schemas"]["MoveRequest"]["properties"]["position"]["$ref"],
        "#/components/schemas/Position"
    );
}

#[tokio::test]
async fn every_reference_leads_somewhere() {
    let host = Host::start(&[]).await;
    let document = host.get("/openapi.json").await.json();
    let mut seen = 0;
    references(&document, &mut |reference| {
        seen += 1;
        let target = reference.strip_prefix('#').and_then(|pointer| document.pointer(pointer));
        assert!(target.is_some(), "{reference} leads nowhere");
    });
    assert!(seen > 20, "{seen}");
}

#[tokio::test]
async fn the_pages_need_no_other_host() {
    let host = Host::start(&[]).await;
    let redirect = host.get("/docs").await;
    assert_eq!((redirect.status.as_u16(), redirect.header("location")), (303, "/docs/"));
    let page = host.get("/docs/").await;
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy");
    assert!(policy.contains("default-src 'self'"), "{policy}");
    let mut parts = 0;
    for quoted in page
        .text()
        .split(['"', '\''])
        .filter(|q| q.ends_with(".js") || q.ends_with(".css") || q.ends_with(".png"))
    {
        parts += 1;
        let name = quoted.strip_prefix("./").unwrap_or(quoted);
        assert!(!name.contains("//"), "{name} is elsewhere");
        assert_eq!(host.get(&format!("/docs/{name}")).await.status, 200, "{name}");
    }
    assert!(parts >= 4, "{}", page.text());
    assert!(!page.text().contains("http://") && !page.text().contains("https://"), "{}", page.text());
    let setup = host.get("/docs/swagger-initializer.js").await;
    assert!(setup.text().contains("/openapi.json"), "{}", setup.text());
    assert!(setup.text().contains(r#""validatorUrl": "none""#), "{}", setup.text());
    host.get("/docs/nothing.js").await.problem(404, "not_found");
}

#[tokio::test]
async fn every_problem_is_explained() {
    let host = Host::start(&[]).await;
    let page = host.get("/docs/problems").await;
    assert!(page.header("content-type").starts_with("text/html"));
    for code in kibitz::error::Code::ALL {
        assert!(page.text().contains(&format!("id=\"{}\"", code.name())), "{code:?}");
        assert!(code.status().is_client_error() || code.status().is_server_error());
    }
}
