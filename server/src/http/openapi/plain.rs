//! Rewrites schemas, without a change of meaning, into a form that generators of clients understand. It knows nothing of
//! what the schemas describe.

use serde_json::{Map, Value, json};

use crate::http::openapi::document::{COMPONENTS, refer};

/// Rewrites all components:
/// - A choice between fixed texts is an `enum`.
/// - An optional field has no `default`; its description names the default.
/// - No schema has a `title`: generators would make names from it, and several components would share one.
/// - Each variant of any other choice is a component of its own, with all its fields.
pub(super) fn simplify(components: &mut Map<String, Value>) {
    components.values_mut().for_each(simplify_schema);
    let names: Vec<String> = components.keys().cloned().collect();
    for name in names {
        let Some(mut schema) = components.remove(&name) else { continue };
        let variants = split_variants(&name, &mut schema, components);
        components.insert(name, schema);
        components.extend(variants);
    }
}

/// A name in the style of types: `meld_new` becomes `MeldNew`.
pub(super) fn pascal(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    words
        .filter_map(|word| word.split_at_checked(1))
        .map(|(first, rest)| first.to_ascii_uppercase() + rest)
        .collect()
}

fn simplify_schema(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("title").is_some_and(Value::is_string) {
                fields.remove("title");
            }
            merge_constants(fields);
            describe_defaults(fields);
            // Examples are values: a name in them that looks like a keyword is a field.
            let schemas =
                fields.iter_mut().filter(|(name, _)| !matches!(name.as_str(), "example" | "examples"));
            schemas.for_each(|(_, schema)| simplify_schema(schema));
        }
        Value::Array(items) => items.iter_mut().for_each(simplify_schema),
        _ => {}
    }
}

/// Moves the default of an optional field into its description: generators assume that a field with a `default` is
/// always present, also in requests.
fn describe_defaults(fields: &mut Map<String, Value>) {
    let required = fields.get("required").cloned().unwrap_or_default();
    let required = |name: &str| required.as_array().is_some_and(|all| all.iter().any(|r| r == name));
    let Some(Value::Object(properties)) = fields.get_mut("properties") else { return };
    for (_, property) in properties.iter_mut().filter(|(name, _)| !required(name)) {
        let Some(default) = property.as_object_mut().and_then(|p| p.remove("default")) else { continue };
        let about = property["description"].as_str().unwrap_or_default();
        if !about.contains("Default:") {
            property["description"] = format!("{about} Default: `{default}`.").trim_start().into();
        }
    }
}

/// Turns a choice between fixed texts into an `enum`.
fn merge_constants(fields: &mut Map<String, Value>) {
    let variants = fields.get("oneOf").and_then(Value::as_array);
    let texts: Option<Vec<(&str, Option<&str>)>> = variants.and_then(|variants| {
        variants.iter().map(|v| Some((v["const"].as_str()?, v["description"].as_str()))).collect()
    });
    let Some(texts) = texts else { return };
    let mut about = fields.get("description").and_then(Value::as_str).unwrap_or_default().to_owned();
    for (name, what) in texts.iter().filter_map(|(name, what)| Some((name, (*what)?))) {
        about.push_str(&format!("\n- `{name}`: {what}"));
    }
    let names: Vec<_> = texts.iter().map(|(name, _)| *name).collect();
    let replaced = [("type", json!("string")), ("enum", json!(names)), ("description", json!(about.trim()))];
    fields.remove("oneOf");
    fields.extend(replaced.map(|(key, value)| (key.to_owned(), value)));
}

/// Moves the variants of a choice into components of their own; returns these with their names.
fn split_variants(name: &str, schema: &mut Value, components: &Map<String, Value>) -> Vec<(String, Value)> {
    let Some(Value::Array(variants)) = schema.get("oneOf").cloned() else { return Vec::new() };
    let mut moved = Vec::new();
    let members: Vec<Value> = variants
        .into_iter()
        .map(|mut variant| {
            let Some(tag) = tag(&variant) else { return variant };
            let own = format!("{name}{}", pascal(&tag));
            let reference = refer(&own);
            if let Some(text) = variant.as_object_mut().and_then(|variant| variant.remove("const")) {
                variant["enum"] = json!([text]);
                moved.push((own, variant));
                return reference;
            }
            // Each variant gets the fields that all variants share.
            merge(&mut variant, schema);
            if let Some(Value::String(target)) = variant.as_object_mut().and_then(|v| v.remove("$ref"))
                && let Some(base) = target.strip_prefix(COMPONENTS).and_then(|target| components.get(target))
            {
                merge(&mut variant, base);
            }
            variant["type"] = json!("object");
            moved.push((own, variant));
            reference
        })
        .collect();
    schema["oneOf"] = members.into();
    if let Some(fields) = schema.as_object_mut().filter(|_| !moved.is_empty()) {
        fields.retain(|key, _| !["type", "properties", "required"].contains(&&**key));
    }
    moved
}

/// The feature that distinguishes a variant: its constant, the constant of its tag, or the name of its only field.
fn tag(variant: &Value) -> Option<String> {
    if let Some(text) = variant["const"].as_str() {
        return Some(text.to_owned());
    }
    let properties = variant["properties"].as_object()?;
    let mut tags = properties.values().filter_map(|property| property["const"].as_str());
    let only = || properties.keys().next().filter(|_| properties.len() == 1).map(String::as_str);
    tags.next().or_else(only).map(str::to_owned)
}

/// Adds the fields of another object.
fn merge(schema: &mut Value, other: &Value) {
    if let Some(Value::Object(more)) = other.get("properties") {
        let mut all = more.clone();
        if let Some(Value::Object(own)) = schema.get("properties") {
            all.extend(own.clone());
        }
        schema["properties"] = all.into();
    }
    if let Some(Value::Array(more)) = other.get("required") {
        let mut all = schema["required"].as_array().cloned().unwrap_or_default();
        all.extend(more.iter().cloned());
        schema["required"] = all.into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variants_become_components_with_all_their_fields() {
        let schema = json!({
            "title": "Event", "type": "object", "properties": { "seq": { "type": "integer" } }, "required": ["seq"],
            "oneOf": [
                { "$ref": "#/components/schemas/Next", "properties": { "type": { "const": "started" } }, "required": ["type"] },
                { "type": "object", "properties": { "seat": { "type": "integer" } }, "required": ["seat"] },
                { "const": "stop", "type": "string" },
            ],
        });
        let next = json!({ "properties": { "turn": { "type": "integer" } }, "required": ["turn"] });
        let mut components: Map<String, Value> =
            [("Event".to_owned(), schema), ("Next".to_owned(), next)].into_iter().collect();
        simplify(&mut components);
        let members = json!([refer("EventStarted"), refer("EventSeat"), refer("EventStop")]);
        assert_eq!(components["Event"], json!({ "oneOf": members }));
        let started = &components["EventStarted"];
        assert_eq!(started["required"], json!(["type", "seq", "turn"]));
        assert!(["type", "seq", "turn"].iter().all(|name| started["properties"][*name].is_object()));
        assert!(started.get("$ref").is_none());
        assert_eq!(components["EventStop"], json!({ "type": "string", "enum": ["stop"] }));
        assert_eq!(components["EventSeat"]["required"], json!(["seat", "seq"]));
    }

    #[test]
    fn defaults_of_optional_fields_move_into_the_description() {
        let schema = json!({ "properties": {
            "level": { "description": "How well.", "default": "max" },
            "plies": { "default": 0 },
            "seed": { "default": 1 },
        }, "required": ["seed"] });
        let mut components: Map<String, Value> = [("Request".to_owned(), schema)].into_iter().collect();
        simplify(&mut components);
        let properties = &components["Request"]["properties"];
        assert_eq!(properties["level"], json!({ "description": "How well. Default: `\"max\"`." }));
        assert_eq!(properties["plies"], json!({ "description": "Default: `0`." }));
        assert_eq!(properties["seed"], json!({ "default": 1 }));
    }

    #[test]
    fn choices_between_texts_are_enums() {
        let text = |name: &str| json!({ "const": name, "type": "string", "description": "What it means." });
        let schema = json!({ "description": "How well.", "oneOf": [text("easy"), text("hard")] });
        let mut components: Map<String, Value> = [("Level".to_owned(), schema)].into_iter().collect();
        simplify(&mut components);
        assert_eq!(components["Level"]["enum"], json!(["easy", "hard"]));
        let about = components["Level"]["description"].as_str().unwrap();
        assert!(about.starts_with("How well.\n- `easy`: What it means."), "{about}");
        assert!(components["Level"].get("oneOf").is_none());
    }
}
