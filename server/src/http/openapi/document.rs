//! Builds the OpenAPI document from the routes, the schemas of the server's types and those of the games. Its form suits
//! the programs that read it: validators, and generators of clients.

use engines::erased::{AnyGame, AnyMove, AnyOptions, AnyPosition};
use engines::game::{Turn, Viewer};
use engines::rng::Seed;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use utoipa::openapi::OpenApi;

use crate::app::App;
use crate::catalogue::Offer;
use crate::http::openapi::{EngineName, GameSlug, MatchId, PlayerName, answers, plain, requests, security};

/// The seed of the positions in examples.
const EXAMPLE_SEED: u64 = 7;

/// The path of the schemas in the document.
pub(super) const COMPONENTS: &str = "#/components/schemas/";

/// The whole document.
pub(crate) fn document(app: &App, described: &OpenApi) -> Value {
    let mut components = server_schemas();
    let offers = app.games.offers();
    for offer in offers {
        add_game(offer.game, &mut components);
    }
    let slugs: Vec<_> = offers.iter().map(|offer| offer.info.slug).collect();
    components[&*GameSlug::schema_name()]["enum"] = json!(slugs);
    for (union, part) in [(AnyPosition::schema_name(), "View"), (AnyMove::schema_name(), "Move")] {
        let members = slugs.iter().map(|slug| component(slug, part)).collect();
        components[&*union]["anyOf"] = strictest_first(members, &components);
    }
    // Not a union: all fields of options are optional, so any options would match the first game's.
    let options = &mut components[&*AnyOptions::schema_name()];
    options["type"] = json!("object");
    options["additionalProperties"] = json!(true);
    plain::simplify(&mut components);
    let mut document = serde_json::to_value(described).expect("the document is plain values with text keys");
    for operation in operations(&mut document) {
        describe_events(operation, &mut components);
        if let Some(body) = operation.pointer_mut("/requestBody/content/application~1json") {
            give_examples(body, offers, &components);
        }
    }
    // The patterns of these examples have no position.
    let with_patterns =
        components.values_mut().filter(|schema| schema["examples"][0].get("position").is_some());
    with_patterns.filter_map(Value::as_object_mut).for_each(|schema| {
        schema.remove("examples");
    });
    document["components"]["schemas"] = Value::Object(components);
    document["components"]["securitySchemes"] = security();
    document
}

fn operations(document: &mut Value) -> impl Iterator<Item = &mut Value> {
    let paths = document["paths"].as_object_mut().into_iter().flat_map(Map::values_mut);
    paths.filter_map(Value::as_object_mut).flat_map(Map::values_mut)
}

/// Describes each answer of server-sent events as one event, whose data is the JSON of the schema that the handler names.
///
/// In OpenAPI 3.1 generators read the schema of `text/event-stream` so; 3.2 has `itemSchema` for it, but the generator of the
/// Python client refuses documents of that version.
fn describe_events(operation: &mut Value, components: &mut Map<String, Value>) {
    let answers = operation.get_mut("responses").and_then(Value::as_object_mut);
    for answer in answers.into_iter().flat_map(Map::values_mut) {
        let Some(schema) = answer.pointer_mut("/content/text~1event-stream/schema") else { continue };
        let Some(data) = schema["$ref"].as_str().and_then(|name| name.strip_prefix(COMPONENTS)) else {
            continue;
        };
        let name = format!("{data}Sse");
        components.insert(name.clone(), server_sent_event(data));
        *schema = refer(&name);
    }
}

/// The schema of a server-sent event whose data is the JSON of this component.
fn server_sent_event(data: &str) -> Value {
    json!({
        "description": format!("A server-sent event with a `{data}`."),
        "type": "object",
        "properties": {
            "event": { "type": "string", "description": "The kind of the data: its `type`, if it has one." },
            "id": { "type": "string", "pattern": "^[0-9]+$",
                "description": "The `seq` of the event. A client that reconnects sends it as `Last-Event-ID`. Absent if the stream cannot continue from here." },
            "data": { "type": "string", "contentMediaType": "application/json", "contentSchema": refer(data),
                "description": format!("A `{data}` as JSON, on one line.") },
        },
        "required": ["event", "data"],
    })
}

/// Replaces the example of a request with a position: each game gets one with a position of its own, under its name. A
/// `notation` becomes a move in that position.
fn give_examples(body: &mut Value, offers: &[Offer], components: &Map<String, Value>) {
    let schema = &body["schema"];
    let choices = schema["oneOf"].as_array().into_iter().flatten().chain([schema]);
    let component = choices.filter_map(|choice| choice["$ref"].as_str()?.strip_prefix(COMPONENTS)).next();
    let example = component.and_then(|name| components.get(name)).map(|schema| schema["examples"][0].clone());
    let Some(example) = example.filter(|example| example.get("position").is_some()) else { return };
    let example = |offer: &Offer| {
        let (position, notation) = first_decision(offer.game)?;
        let mut value = example.clone();
        value["position"] = position;
        if let Some(field) = value.get_mut("notation") {
            *field = notation.into();
        }
        Some((offer.info.slug.to_owned(), json!({ "summary": offer.info.title, "value": value })))
    };
    body["examples"] = Value::Object(offers.iter().filter_map(example).collect());
}

/// The first position of a match and a move in it.
fn first_decision(game: &dyn AnyGame) -> Option<(Value, String)> {
    let table = game.deal(&json!({}), &Seed::from(EXAMPLE_SEED)).ok()?;
    let Turn::Of(seat) = table.turn() else { return None };
    let view = table.view(Viewer::Seat(seat));
    Some((view.to_json(), view.legal_moves().into_iter().next()?.notation))
}

/// The schemas of the server's own types. A type that is both read and written gets the schema for reading, since the server
/// can read everything that it writes.
fn server_schemas() -> Map<String, Value> {
    let settings = || {
        let mut settings = SchemaSettings::draft2020_12();
        settings.definitions_path = "/components/schemas".into();
        settings
    };
    let mut written = settings().for_serialize().into_generator();
    answers(&mut written);
    let mut read = settings().for_deserialize().into_generator();
    requests(&mut read);
    read.subschema_for::<GameSlug>();
    read.subschema_for::<EngineName>();
    read.subschema_for::<MatchId>();
    read.subschema_for::<PlayerName>();
    read.subschema_for::<Viewer>();
    let mut components = written.take_definitions(true);
    components.extend(read.take_definitions(true));
    components
}

/// The name of a game's schema: `IoiwariMove`.
fn component(slug: &str, part: &str) -> String {
    let pascal = plain::pascal(slug);
    if part.starts_with(&pascal) { part.to_owned() } else { pascal + part }
}

/// A reference to this component.
pub(super) fn refer(component: &str) -> Value {
    json!({ "$ref": format!("{COMPONENTS}{component}") })
}

/// References to these components, those with the most required fields first: generated clients take the first member
/// of a union that matches, and most of them ignore fields that it lacks.
fn strictest_first(mut members: Vec<String>, components: &Map<String, Value>) -> Value {
    let required = |schema: &Value| schema["required"].as_array().map_or(0, Vec::len);
    members.sort_by_key(|name| {
        let schema = &components[name];
        let variants = schema["oneOf"].as_array().into_iter().flatten().map(required);
        std::cmp::Reverse(variants.max().unwrap_or_else(|| required(schema)))
    });
    members.iter().map(|name| refer(name)).collect()
}

/// Adds the game's types. Their own definitions become components too, under the game's name.
fn add_game(game: &dyn AnyGame, components: &mut Map<String, Value>) {
    let slug = game.info().slug;
    let schemas = game.schemas();
    for (part, mut schema) in [("Options", schemas.options), ("View", schemas.view), ("Move", schemas.mv)] {
        let fields = schema.as_object_mut();
        let definitions = fields.and_then(|fields| {
            fields.remove("$schema");
            fields.remove("$defs")
        });
        let definitions = match definitions {
            Some(Value::Object(definitions)) => definitions,
            _ => Map::new(),
        };
        // A type that games share is already there, under its own name.
        let shared = |name: &str| {
            let mut same = definitions.get(name)?.clone();
            rename(&mut same, &str::to_owned);
            (components.get(name) == Some(&same)).then(|| name.to_owned())
        };
        let names: Map<String, Value> = definitions
            .keys()
            .map(|name| (name.clone(), shared(name).unwrap_or_else(|| component(slug, name)).into()))
            .collect();
        let name_of = |name: &str| names.get(name).and_then(Value::as_str).unwrap_or(name).to_owned();
        rename(&mut schema, &name_of);
        components.insert(component(slug, part), schema);
        for (name, mut definition) in definitions {
            rename(&mut definition, &name_of);
            components.insert(name_of(&name), definition);
        }
    }
}

/// Turns references to a schema's own definitions into references to components of these names.
fn rename(schema: &mut Value, name_of: &dyn Fn(&str) -> String) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get_mut("$ref")
                && let Some(name) = reference.strip_prefix("#/$defs/")
            {
                *reference = format!("{COMPONENTS}{}", name_of(name));
            }
            fields.values_mut().for_each(|v| rename(v, name_of));
        }
        Value::Array(items) => items.iter_mut().for_each(|v| rename(v, name_of)),
        _ => {}
    }
}
