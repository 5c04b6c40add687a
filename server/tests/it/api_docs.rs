//! The documentation: true to the routes, and from this server alone.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::client::TestServer;
use crate::matches::{TestCaller, create};
use crate::mistakes::player;
use crate::puzzles::some_puzzle;

/// `docs/api.md` names the versions of the generators that the tests use.
#[test]
fn docs_generate_clients_with_the_versions_that_are_tested() {
    let page = include_str!("../../../docs/api.md");
    let python = include_str!("../clients/python/requirements.txt");
    let pinned = python.lines().filter(|line| {
        ["openapi-python-client", "httpx", "attrs"].contains(&line.split("==").next().unwrap())
    });
    let mut pinned: Vec<String> = pinned.map(str::to_owned).collect();
    let typescript: Value = serde_json::from_str(include_str!("../clients/typescript/package.json")).unwrap();
    for name in ["openapi-typescript", "openapi-fetch", "typescript"] {
        pinned.push(format!("{name}@{}", typescript["devDependencies"][name].as_str().unwrap()));
    }
    assert_eq!(pinned.len(), 6);
    for version in pinned {
        assert!(page.contains(&version), "docs/api.md does not name {version}");
    }
    // The settings of the generator for Python, without their comments.
    let settings = include_str!("../clients/python/config.yaml").lines();
    for line in settings.filter(|line| !line.trim_start().starts_with('#')) {
        assert!(page.contains(line), "docs/api.md does not show {line:?}");
    }
}

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
async fn document_is_openapi_3_1_and_has_every_route() {
    // Any folder has files to download.
    let host = TestServer::start(&["--downloads", env!("CARGO_MANIFEST_DIR")]).await;
    let document = host.get("/openapi.json").await.json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"), "{}", document["openapi"]);
    for (path, method) in [
        ("/v1/games", "get"),
        ("/v1/games/{game}", "get"),
        ("/v1/games/{game}/positions", "post"),
        ("/v1/games/{game}/legal-moves", "post"),
        ("/v1/games/{game}/move", "post"),
        ("/v1/games/{game}/stdio", "get"),
        ("/v1/games/{game}/dialogue", "post"),
        ("/v1/games/{game}/files", "post"),
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
        ("/v1/matches/{id}/seats/{seat}/output", "get"),
        ("/v1/matches/{id}/seats/{seat}/dialogue", "get"),
        ("/v1/matches/{id}/analysis", "post"),
        ("/v1/matches/{id}/analysis", "get"),
        ("/v1/matches/{id}/analysis", "delete"),
        ("/v1/players", "post"),
        ("/v1/players/{name}", "get"),
        ("/v1/players/{name}/matches", "get"),
        ("/v1/players/{name}/faults", "get"),
        ("/v1/me/bots/{name}/checks", "get"),
        ("/v1/me/bots/{name}/programs", "put"),
        ("/v1/me/bots/{name}/programs", "get"),
        ("/v1/me/bots/{name}/programs/{number}", "patch"),
        ("/v1/me/bots/{name}/programs/{number}/module", "get"),
        ("/v1/me/bots/{name}/policy", "put"),
        ("/v1/players/{name}/programs", "get"),
        ("/v1/admin/programs/{hash}/ban", "put"),
        ("/v1/players/{name}/records", "get"),
        ("/v1/players/{name}/first-moves/{game}", "get"),
        ("/v1/players/{name}/mistakes/{game}", "get"),
        ("/v1/players/{name}/mistakes/{game}/suite", "get"),
        ("/v1/games/{game}/records", "get"),
        ("/v1/me", "get"),
        ("/v1/tournaments", "post"),
        ("/v1/tournaments/{id}", "get"),
        ("/v1/tournaments/{id}/entries", "post"),
        ("/v1/tournaments/{id}/events", "get"),
        ("/v1/me/live", "get"),
        ("/v1/me/events", "get"),
        ("/v1/me/challenges", "get"),
        ("/v1/bots", "get"),
        ("/v1/lobby", "get"),
        ("/v1/lobby/events", "get"),
        ("/v1/qr", "post"),
        ("/v1/players/{name}/challenges", "post"),
        ("/v1/challenges/{id}", "get"),
        ("/v1/challenges/{id}/accept", "post"),
        ("/v1/challenges/{id}/decline", "post"),
        ("/v1/challenges/{id}/withdraw", "post"),
        ("/v1/challenges/{id}/reason", "delete"),
        ("/v1/matches/{id}/chat/{n}", "delete"),
        ("/v1/tournaments/{id}", "delete"),
        ("/v1/tournaments/{id}/title", "delete"),
        ("/v1/reports", "post"),
        ("/v1/reports/{id}", "delete"),
        ("/v1/pool", "post"),
        ("/healthz", "get"),
        ("/readyz", "get"),
        ("/metrics", "get"),
    ] {
        assert!(document["paths"][path][method]["responses"].is_object(), "{method} {path}");
    }
    // Every documented response exists, also for a finished match and a player.
    let order = json!({ "game": "ioiwari", "seats": [{ "kind": "me" }, { "kind": "open" }] });
    let (path, made) = create(&host, &TestCaller::anonymous(), order).await;
    TestCaller::seated(&made).tell(&host, &format!("{path}/abort")).await.json();
    let ann = host.post("/v1/players", json!({ "name": "ann" })).await.made();
    let ann = TestCaller::with(ann["token"].as_str().unwrap());
    let clock = json!({ "initial_ms": 60_000 });
    let cup =
        json!({ "title": "Cup", "game": "ioiwari", "format": { "kind": "round_robin" }, "clock": clock });
    let cup = ann.post(&host, "/v1/tournaments", cup).await.made();
    let cup = cup["id"].as_str().unwrap();
    ann.tell(&host, &format!("/v1/tournaments/{cup}/abort")).await.json();
    let about = json!({ "kind": "match", "match": made["id"] });
    let report = host.post("/v1/reports", json!({ "about": about, "reason": "rude" })).await.made();
    let ben = player(&host, "ben").await;
    let (puzzle, _) = some_puzzle(&host, [&ann, &ben]).await;
    let real = |path: &str| {
        let id = match path {
            _ if path.contains("puzzles") => puzzle["id"].as_str().unwrap(),
            _ if path.contains("tournament") => cup,
            _ if path.contains("reports") => report["id"].as_str().unwrap(),
            _ => made["id"].as_str().unwrap(),
        };
        let path = path.replace("{game}", "ioiwari").replace("{name}", "ann").replace("{seat}", "0");
        let path = path.replace("{file}", "Cargo.toml");
        path.replace("{kind}", "mute").replace("{n}", "0").replace("{id}", id)
    };
    for (path, methods) in document["paths"].as_object().unwrap() {
        // This answer never ends; it has a test of its own.
        if path == "/v1/lobby/events" {
            continue;
        }
        for method in methods.as_object().unwrap().keys() {
            let reply = host.send(&method.to_uppercase(), &real(path), None, "").await;
            assert!(![404, 405].contains(&reply.status.as_u16()), "{method} {path}: {reply:?}");
        }
    }
    for game in ["Splendor", "Azul", "Septica", "Ioiwari", "Buraco"] {
        for part in ["View", "Move", "Options"] {
            let name = format!("{game}{part}");
            assert!(document["components"]["schemas"][&name].is_object(), "{name}");
        }
    }
    let parts = &document["components"];
    assert_eq!(parts["securitySchemes"]["token"]["scheme"], "bearer");
    assert_eq!(parts["securitySchemes"]["match_key"]["name"], "Match-Key");
    let operation = &document["paths"]["/v1/matches/{id}/moves"]["post"];
    assert_eq!(operation["security"], json!([{ "token": ["play"] }]));
    assert!(operation["parameters"].as_array().unwrap().iter().any(|p| p["name"] == "If-Match"));
    for schema in [
        "MatchPage",
        "MatchEvent",
        "MatchEventMoved",
        "StreamFrame",
        "LiveRequest",
        "LiveAnswer",
        "MatchRequest",
    ] {
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
async fn references_in_the_document_resolve() {
    let host = TestServer::start(&[]).await;
    let document = host.get("/openapi.json").await.json();
    let mut seen = 0;
    references(&document, &mut |reference| {
        seen += 1;
        let target = reference.strip_prefix('#').and_then(|pointer| document.pointer(pointer));
        assert!(target.is_some(), "{reference} leads nowhere");
    });
    assert!(seen > 20, "{seen}");
}

/// Calls `see` with every schema of the document and its place.
fn schemas(value: &Value, place: &str, see: &mut impl FnMut(&Value, &str)) {
    match value {
        Value::Object(fields) => {
            for (name, part) in fields {
                let place = format!("{place}/{name}");
                match name.as_str() {
                    // The names in these are the document's own, not keywords.
                    "properties" | "schemas" => {
                        for (name, schema) in part.as_object().into_iter().flatten() {
                            let place = format!("{place}/{name}");
                            see(schema, &place);
                            schemas(schema, &place, see);
                        }
                        continue;
                    }
                    "schema" | "items" => see(part, &place),
                    // Values, not schemas.
                    "examples" | "enum" | "required" => continue,
                    _ => {}
                }
                schemas(part, &place, see);
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(n, item)| schemas(item, &format!("{place}/{n}"), see));
        }
        _ => {}
    }
}

#[tokio::test]
async fn operations_have_unique_ids_and_describe_their_errors() {
    let host = TestServer::start(&[]).await;
    let document = host.get("/openapi.json").await.json();
    let mut seen = BTreeMap::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let what = format!("{method} {path}");
            let id = operation["operationId"].as_str().unwrap_or_default();
            let camel = id.starts_with(|c: char| c.is_ascii_lowercase())
                && id.bytes().all(|b| b.is_ascii_alphanumeric());
            assert!(camel, "{what}: give it an `operation_id = \"verbNoun\"` in #[utoipa::path], not {id:?}");
            if let Some(other) = seen.insert(id.to_owned(), what.clone()) {
                panic!(
                    "{what} and {other} share the operation id {id:?}: generated clients need one for each"
                );
            }
            if path.starts_with("/v1/") {
                let problem =
                    &operation["responses"]["default"]["content"]["application/problem+json"]["schema"];
                let expected = "#/components/schemas/Problem";
                assert_eq!(problem["$ref"], expected, "{what}: add `openapi::Refusals` to its responses");
            }
            for name in path.split('{').skip(1).filter_map(|rest| rest.split_once('}')) {
                let mut parameters = operation["parameters"].as_array().into_iter().flatten();
                let described = parameters.any(|p| p["name"] == name.0 && p["in"] == "path");
                assert!(described, "{what} lacks its path parameter {}: see openapi/parameters.rs", name.0);
            }
        }
    }
    assert!(seen.len() > 20, "{seen:?}");
}

#[tokio::test]
async fn schemas_have_descriptions() {
    let host = TestServer::start(&[]).await;
    let document = host.get("/openapi.json").await.json();
    let mut count = 0;
    schemas(&document, "", &mut |schema, place| {
        count += 1;
        assert!(
            !schema.is_boolean(),
            "{place} is a bare `{schema}`: name a schema for the field, #[schemars(with = \"...\")], see schema.rs"
        );
        let says = ["$ref", "type", "anyOf", "oneOf", "allOf", "enum", "const"];
        let any_json = place.ends_with("/AnswerId");
        assert!(
            any_json || says.iter().any(|key| schema.get(key).is_some()),
            "{place} allows anything ({schema}): name a schema for the field, #[schemars(with = \"...\")], see schema.rs"
        );
        assert!(schema["title"].is_null(), "{place} has a title, which generators take for its name");
        let choice = schema["oneOf"].as_array().into_iter().flatten();
        assert!(
            choice
                .into_iter()
                .all(|variant| variant["$ref"].is_string() || variant.get("properties").is_none()),
            "{place} has a variant without a name: openapi/plain.rs makes it a component"
        );
    });
    assert!(count > 300, "{count}");
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let mut names = BTreeMap::new();
    for name in schemas.keys() {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        assert_eq!(&plain, name, "a name of letters and digits is the same in all languages");
        if let Some(other) = names.insert(plain.to_lowercase(), name) {
            panic!(
                "{name} and {other} are the same file in a generated client: rename one, #[schemars(rename)]"
            );
        }
    }
}

#[tokio::test]
async fn schemas_state_allowed_texts_and_optional_fields() {
    let host = TestServer::start(&[]).await;
    let document = host.get("/openapi.json").await.json();
    let schemas = &document["components"]["schemas"];
    for (schema, required) in [
        ("MoveRequest", json!(["position"])),
        ("PositionRequest", Value::Null),
        ("MatchRequest", json!(["game", "seats"])),
        ("PlayRequest", Value::Null),
        ("LiveRequestMove", json!(["type"])),
        ("JoinRequest", Value::Null),
    ] {
        assert_eq!(schemas[schema]["required"], required, "{schema}");
        let properties = schemas[schema]["properties"].as_object().unwrap();
        let defaults = properties.values().filter(|property| property.get("default").is_some());
        assert_eq!(
            defaults.count(),
            0,
            "{schema}: generators take a field with a default for a required one"
        );
    }
    // A field that is always present is required, `null` included.
    for field in ["turn", "clock", "position", "result", "options"] {
        let required = schemas["MatchPage"]["required"].as_array().unwrap();
        assert!(required.contains(&json!(field)), "{field}");
    }
    assert_eq!(schemas["Level"]["enum"], json!(["easy", "medium", "hard", "max"]));
    let games = schemas["GameSlug"]["enum"].as_array().unwrap();
    assert!(engines::games::GAMES.iter().all(|game| games.contains(&json!(game.info().slug))), "{games:?}");
    let codes = schemas["Problem"]["properties"]["code"]["enum"].as_array().unwrap();
    assert_eq!(codes.len(), kibitz::error::Code::ALL.len());
    for (schema, field) in [("SeatToken", "token"), ("PlayerAnswer", "token"), ("AdmissionAnswer", "key")] {
        assert!(schemas[schema]["properties"][field]["pattern"].is_string(), "{schema}.{field}");
    }
    assert!(schemas["PlayerName"]["pattern"].is_string() && schemas["MatchId"]["pattern"].is_string());
    let record = &document["paths"]["/v1/matches/{id}/record"]["get"]["responses"]["200"]["content"];
    assert_eq!(record["application/json"]["schema"]["$ref"], "#/components/schemas/RecordFile");
    assert_eq!(schemas["RecordFile"]["anyOf"][0]["$ref"], "#/components/schemas/Record");
    assert_eq!(schemas["Record"]["properties"]["events"]["type"], "array");
}

#[tokio::test]
async fn reference_shows_every_operation_and_schema_and_links_home() {
    let host = TestServer::start(&[]).await;
    let redirect = host.get("/docs").await;
    assert_eq!((redirect.status.as_u16(), redirect.header("location")), (303, "/docs/"));
    let page = host.get("/docs/").await;
    assert_eq!(page.status, 200);
    let text = page.text();
    assert!(text.contains("<a class=\"brand\" href=\"/\">"), "no way home");
    let document = host.get("/openapi.json").await.json();
    for methods in document["paths"].as_object().unwrap().values() {
        for operation in methods.as_object().unwrap().values() {
            let id = operation["operationId"].as_str().unwrap();
            assert!(
                text.contains(&format!("id=\"{id}\"")) && text.contains(&format!("href=\"#{id}\"")),
                "{id}: it needs a tag that openapi.rs describes"
            );
        }
    }
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(text.contains(&format!("id=\"schema-{name}\"")), "{name}");
    }
    host.get("/docs/nothing.js").await.problem(404, "not_found");
}

#[tokio::test]
async fn problem_codes_are_all_explained() {
    let host = TestServer::start(&[]).await;
    let page = host.get("/docs/problems").await;
    assert!(page.header("content-type").starts_with("text/html"));
    for code in kibitz::error::Code::ALL {
        assert!(page.text().contains(&format!("id=\"{}\"", code.name())), "{code:?}");
        let explained = page.text().split(&format!("id=\"{}\"", code.name())).nth(1).unwrap_or_default();
        let shown = explained.split("<span>").nth(1).unwrap_or_default();
        assert!(
            shown.starts_with('4') || shown.starts_with('5'),
            "{code:?} is no status of an error: {shown:.3}"
        );
    }
}

/// A client must know what it reads from a stream: the name, the id and the data of each event.
#[tokio::test]
async fn server_sent_events_are_described_as_events() {
    let host = TestServer::start(&[]).await;
    let document = host.get("/openapi.json").await.json();
    let mut seen = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for answer in
            methods.as_object().unwrap().values().flat_map(|o| o["responses"].as_object().unwrap().values())
        {
            let Some(schema) = answer.pointer("/content/text~1event-stream/schema") else { continue };
            seen += 1;
            let event = document.pointer(&schema["$ref"].as_str().unwrap()[1..]).unwrap();
            assert_eq!(event["required"], json!(["event", "data"]), "{path}");
            assert_eq!(event["properties"]["data"]["contentMediaType"], "application/json", "{path}");
            let data = event["properties"]["data"]["contentSchema"]["$ref"].as_str().unwrap();
            assert!(document.pointer(&data[1..]).is_some(), "{path}: {data}");
        }
    }
    assert_eq!(seen, 5);
}

#[tokio::test]
async fn every_game_has_an_example_of_every_request_with_a_position() {
    let host = TestServer::start(&[]).await;
    let document = host.get("/openapi.json").await.json();
    let page = host.get("/docs/").await;
    let games = host.get("/v1/games").await.json();
    let games = games["games"].as_array().unwrap();
    let mut operations = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        let body = &methods["post"]["requestBody"]["content"]["application/json"];
        let Some(examples) = body["examples"].as_object() else { continue };
        operations += 1;
        assert_eq!(examples.len(), games.len(), "{path}");
        for game in games {
            let (slug, title) = (game["slug"].as_str().unwrap(), game["title"].as_str().unwrap());
            let example = &examples[slug];
            assert_eq!(example["summary"], title);
            let path = path.replace("{game}", slug);
            let reply = host.post(&path, example["value"].clone()).await;
            assert_eq!(reply.status, 200, "{path}: {reply:?}");
            assert!(page.text().contains(&format!("<summary>{title}</summary>")), "{path}");
        }
    }
    assert_eq!(operations, 4, "moves, analyses, lists of moves and next positions");
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let left = schemas.iter().filter(|(_, schema)| schema["examples"][0].get("position").is_some());
    assert_eq!(left.count(), 0, "an example in a schema would be for one game");
}
