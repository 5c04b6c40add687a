//! The reference of the API at `/docs/`: every operation and schema of `/openapi.json` as one page without scripts. It
//! knows nothing that the document does not say.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::response::Redirect;
use axum::routing::get;
use engines::games::EXAMPLE;
use maud::{Markup, PreEscaped, html};
use serde_json::{Map, Value};

use crate::app::App;
use crate::web::layout::{HtmlPage, found};
use crate::web::pages::api::problems::marked;
use crate::web::pages::bots::commands;
use crate::web::words::{say, t};

/// The routes of the page of this document, which does not change while the server runs.
pub(crate) fn routes(document: impl Fn() -> &'static Value + Send + Sync + 'static) -> Router<&'static App> {
    let page = Arc::new(LazyLock::new(move || render(document()).into_string()));
    let read = async move || found(PreEscaped((**page).clone()));
    Router::new().route("/docs", get(async || Redirect::to("/docs/"))).route("/docs/", get(read))
}

/// The page of this document.
fn render(document: &Value) -> Markup {
    let tags: Vec<&Value> = list(&document["tags"]).collect();
    let schemas = document["components"]["schemas"].as_object();
    let page = HtmlPage::new(t("api.title")).about(t("api.lead")).english();
    page.styles(&["lib/page/pages.css", "home/docs.css"]).render(html! {
        div.reference {
            h1 { (t("api.title")) }
            p.lead { (t("api.lead")) }
            p { a href="/openapi.json" { (t("foot.openapi")) } " · " a href="/docs/problems" { (t("foot.problems")) }
                " · " a href="/bots" { (t("nav.bots")) } " · " a href="#schemas" { (t("api.schemas")) } }
            nav aria-label=(t("api.contents")) {
                @for tag in &tags {
                    h2 { (text(&tag["name"])) }
                    ul { @for operation in tagged(document, tag) {
                        li { a href={ "#" (operation.id()) } { (operation.line()) } " " span { (text(&operation.value["summary"])) } }
                    } }
                }
            }
            @for tag in &tags {
                section aria-labelledby={ "tag-" (text(&tag["name"])) } {
                    h2 id={ "tag-" (text(&tag["name"])) } { (text(&tag["name"])) }
                    p { (text(&tag["description"])) }
                    @for operation in tagged(document, tag) { (operation.render(document)) }
                }
            }
            section aria-labelledby="schemas" {
                h2 #schemas { (t("api.schemas")) }
                @for (name, value) in schemas.into_iter().flatten() {
                    article.schema id={ "schema-" (name) } { h3 { (name) } (paragraphs(value)) (fields(value)) }
                }
            }
        }
    })
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A method of a path.
struct Operation<'a> {
    path: &'a str,
    method: String,
    value: &'a Value,
}

/// The operations with this tag, in the order of their paths.
fn tagged<'a>(document: &'a Value, tag: &'a Value) -> impl Iterator<Item = Operation<'a>> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let all = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().into_iter().flatten();
        methods.map(move |(method, value)| Operation { path, method: method.to_uppercase(), value })
    });
    all.filter(move |operation| list(&operation.value["tags"]).any(|name| *name == tag["name"]))
}

impl Operation<'_> {
    fn id(&self) -> &str {
        text(&self.value["operationId"])
    }

    fn line(&self) -> Markup {
        html! { code { b { (self.method) } " " (self.path) } }
    }

    fn render(&self, document: &Value) -> Markup {
        let body = self.value["requestBody"]["content"].as_object();
        html! {
            article id=(self.id()) {
                h3 { (self.line()) }
                p { strong { (text(&self.value["summary"])) } " " span.soft { code { (self.id()) } } }
                (paragraphs(self.value))
                @if let Some(needs) = self.access() { p.soft { (needs) @if let Some(scope) = self.scope() { " " (scope) } } }
                @if self.value["parameters"].is_array() {
                    h4 { (t("api.parameters")) }
                    dl { @for parameter in list(&self.value["parameters"]) {
                        (field(text(&parameter["name"]), &parameter["schema"], parameter["required"] == true,
                               Some(text(&parameter["in"])), text(&parameter["description"])))
                    } }
                }
                @if let Some(body) = body { h4 { (t("api.body")) } dl { (contents(body)) } }
                @for (name, command) in self.examples(document) {
                    @match name {
                        Some(name) => details { summary { (name) } (commands(&command)) }
                        None => (commands(&command)),
                    }
                }
                h4 { (t("api.answers")) }
                dl { @for (status, answer) in self.value["responses"].as_object().into_iter().flatten() {
                    dt { (status) }
                    dd {
                        // Another page explains the codes of problems.
                        @if status == "default" { a href="/docs/problems" { (t("api.problem")) } }
                        @else { (marked(text(&answer["description"]))) }
                        @if let Some(contents_of) = answer["content"].as_object() { dl { (contents(contents_of)) } }
                    }
                } }
            }
        }
    }

    /// The secret that the operation accepts or requires, in words.
    fn access(&self) -> Option<&'static str> {
        let mut ways = list(&self.value["security"]).peekable();
        ways.peek()?;
        let free = ways.any(|way| way.as_object().is_some_and(Map::is_empty));
        Some(if free { t("api.token.optional") } else { t("api.token.needed") })
    }

    /// The scope that a player's token needs, in words; `None`: any will do.
    fn scope(&self) -> Option<String> {
        let scopes = list(&self.value["security"]).flat_map(|way| list(&way["token"]));
        match text(scopes.into_iter().next()?) {
            "read" => None,
            "account" => Some(t("api.scope.account").to_owned()),
            scope => Some(say("api.scope", &[("scope", scope)])),
        }
    }

    /// Commands that call the operation, with their names if each is for another game; none for a WebSocket.
    fn examples(&self, document: &Value) -> Vec<(Option<&str>, String)> {
        if self.value["responses"]["101"].is_object() {
            return Vec::new();
        }
        let body = &self.value["requestBody"]["content"]["application/json"];
        if let Some(examples) = body["examples"].as_object() {
            let named = examples.iter().map(|(game, example)| {
                (Some(text(&example["summary"])), self.command(game, Some(&example["value"])))
            });
            return named.collect();
        }
        let schema = &body["schema"];
        let name = list(&schema["oneOf"]).chain([schema]).find_map(|schema| component(schema));
        let example = name.map(|name| &document["components"]["schemas"][name]["examples"][0]);
        vec![(None, self.command(EXAMPLE, example.filter(|example| !example.is_null())))]
    }

    /// A command that calls the operation for this game, with this body.
    fn command(&self, game: &str, body: Option<&Value>) -> String {
        let path = self.path.replace("{game}", game).replace("{id}", "$id").replace("{name}", "$name");
        let mut command = match &*self.method {
            "GET" => format!("curl -s \"$KIBITZ_SERVER{path}\""),
            method => format!("curl -s -X {method} \"$KIBITZ_SERVER{path}\""),
        };
        if self.access() == Some(t("api.token.needed")) {
            command += " -H \"authorization: Bearer $token\"";
        }
        if let Some(body) = body {
            command += &format!(" -H 'content-type: application/json' \\\n  -d '{body}'");
        }
        command
    }
}

/// The types of bodies, by media type.
fn contents(content: &Map<String, Value>) -> Markup {
    html! { @for (kind, body) in content { dt { code { (kind) } } dd { (type_of(&body["schema"])) } } }
}

/// The name of the component that a schema refers to.
fn component(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}

/// The type of a schema's values, in a few words.
fn type_of(schema: &Value) -> Markup {
    if let Some(name) = component(schema) {
        return html! { a href={ "#schema-" (name) } { (name) } };
    }
    let members: Vec<&Value> = list(&schema["anyOf"]).chain(list(&schema["oneOf"])).collect();
    if !members.is_empty() {
        return html! { @for (place, member) in members.iter().enumerate() {
            @if place > 0 { " " (t("api.or")) " " } (type_of(member))
        } };
    }
    if let Some(fixed) = schema.get("const") {
        return html! { code { (fixed.to_string()) } };
    }
    if schema["enum"].is_array() {
        let values: Vec<String> = list(&schema["enum"]).map(Value::to_string).collect();
        return html! { code { (values.join(" | ")) } };
    }
    let kinds: Vec<&str> = list(&schema["type"]).chain([&schema["type"]]).filter_map(Value::as_str).collect();
    html! {
        (kinds.join(" or "))
        @if schema["items"].is_object() { " " (t("api.of")) " " (type_of(&schema["items"])) }
        @if let Some(pattern) = schema["pattern"].as_str() { " " code { (pattern) } }
        @if schema["contentSchema"].is_object() { " (JSON: " (type_of(&schema["contentSchema"])) ")" }
    }
}

/// The fields of a schema's values.
fn fields(schema: &Value) -> Markup {
    let properties = schema["properties"].as_object();
    let required = |name: &str| list(&schema["required"]).any(|r| r == name);
    html! {
        @match properties {
            Some(properties) => dl { @for (name, property) in properties {
                (field(name, property, required(name), None, text(&property["description"])))
            } },
            None => p { (type_of(schema)) },
        }
    }
}

fn field(name: &str, schema: &Value, required: bool, place: Option<&str>, about: &str) -> Markup {
    let presence = if required { t("api.required") } else { t("api.optional") };
    html! {
        dt {
            code { (name) } " " span {
                @if let Some(place) = place { (say("api.in", &[("place", place)])) ", " }
                (type_of(schema)) ", " (presence)
            }
        }
        dd { (prose(about)) }
    }
}

/// The description of an operation or a schema.
fn paragraphs(described: &Value) -> Markup {
    prose(text(&described["description"]))
}

/// Paragraphs and lists, in the notation of code comments.
fn prose(text: &str) -> Markup {
    html! { @for part in text.split("\n\n").filter(|part| !part.trim().is_empty()) {
        @let (head, items) = part.split_once("\n- ").unwrap_or((part, ""));
        p { (marked(head)) }
        @if !items.is_empty() { ul { @for item in items.split("\n- ") { li { (marked(item)) } } } }
    } }
}
