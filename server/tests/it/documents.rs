//! The documentation: true to the routes, and from this server alone.

use serde_json::Value;

use crate::client::Host;

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
        ("/healthz", "get"),
        ("/readyz", "get"),
        ("/metrics", "get"),
        ("/", "get"),
    ] {
        assert!(document["paths"][path][method]["responses"].is_object(), "{method} {path}");
    }
    // What it says is there, is there.
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let reply = host.send(&method.to_uppercase(), &path.replace("{game}", "ioiwari"), None, "").await;
            assert!(![404, 405].contains(&reply.status.as_u16()), "{method} {path}: {reply:?}");
        }
    }
    for game in engines::games::GAMES {
        for part in ["view", "move", "options"] {
            let name = format!("{}.{part}", game.info().slug);
            assert!(document["components"]["schemas"][&name].is_object(), "{name}");
        }
    }
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
