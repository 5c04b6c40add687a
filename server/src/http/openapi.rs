//! `/openapi.json`: the routes as their handlers describe them, and the schemas of all types, those of the games
//! included. It must not say anything that stands beside a handler or type already.

use engines::any::AnyGame;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{OpenApi, RefOr, Required};
use utoipa::{IntoResponses, OpenApi as _};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::{
    account, acts, admin, analysis, games, live, matches, moves, ops, players, record, seat, stdio, stream,
};
use crate::app::App;
use crate::error::{Code, Problem};
use crate::host::show;

const COMPONENTS: &str = "#/components/schemas/";

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "kibitz",
        description = "Moves for board and card games: by position, or in the official dialogue of a contest.",
        license(name = "MIT", identifier = "MIT")
    ),
    tags(
        (name = "games", description = "What is on offer, and positions to try it with."),
        (name = "moves", description = "Decisions."),
        (name = "matches", description = "Hosted matches: made, joined, played and followed."),
        (name = "players", description = "Names of one's own, and how those who bear them have done."),
        (name = "operations", description = "For those who run a server."),
        (name = "admin", description = "For operators, with the admin token of the server: `kibitz admin` uses these.")
    )
)]
struct Api;

/// The routes that the document describes, and the description.
pub fn routes(_: &'static App) -> (axum::Router<&'static App>, OpenApi) {
    OpenApiRouter::with_openapi(Api::openapi())
        .routes(routes!(games::list))
        .routes(routes!(games::page))
        .routes(routes!(games::positions))
        .routes(routes!(games::legal_moves))
        .routes(routes!(moves::decide))
        .routes(routes!(analysis::analyse))
        .routes(routes!(stdio::stdio))
        .routes(routes!(matches::create, players::matches))
        .routes(routes!(matches::page))
        .routes(routes!(matches::join))
        .routes(routes!(acts::play))
        .routes(routes!(acts::leave))
        .routes(routes!(acts::resign))
        .routes(routes!(acts::abort))
        .routes(routes!(acts::cancel))
        .routes(routes!(acts::remove))
        .routes(routes!(matches::rematch))
        .routes(routes!(stream::events))
        .routes(routes!(live::live))
        .routes(routes!(seat::stdio))
        .routes(routes!(record::record))
        .routes(routes!(record::check))
        .routes(routes!(players::create))
        .routes(routes!(players::page))
        .routes(routes!(players::matches_of))
        .routes(routes!(players::me, account::delete))
        .routes(routes!(account::rotate))
        .routes(routes!(account::matches))
        .routes(routes!(admin::matches))
        .routes(routes!(admin::end))
        .routes(routes!(admin::players))
        .routes(routes!(admin::rename))
        .routes(routes!(admin::remove))
        .routes(routes!(admin::revoke))
        .routes(routes!(admin::bans, admin::ban, admin::unban))
        .routes(routes!(admin::retention))
        .routes(routes!(ops::healthz))
        .routes(routes!(ops::readyz))
        .routes(routes!(ops::metrics))
        .split_for_parts()
}

/// Declares types whose schemas the document holds; their one source is [`JsonSchema`].
macro_rules! types {
    ($($type:path),+ $(,)?) => {
        $(
            impl utoipa::PartialSchema for $type {
                fn schema() -> RefOr<utoipa::openapi::Schema> {
                    // Only the name counts here; the schema itself is put in by `document`.
                    utoipa::openapi::schema::Object::new().into()
                }
            }
            impl utoipa::ToSchema for $type {
                fn name() -> std::borrow::Cow<'static, str> {
                    <$type as JsonSchema>::schema_name()
                }
            }
        )+
        fn generate(generator: &mut SchemaGenerator) {
            $(generator.subschema_for::<$type>();)+
        }
    };
}

types!(
    games::GameList,
    games::GamePage,
    games::PositionRequest,
    games::PositionAnswer,
    games::LegalMovesRequest,
    games::LegalMoves,
    moves::MoveRequest,
    moves::MoveAnswer,
    matches::MatchRequest,
    matches::AdmissionAnswer,
    matches::JoinRequest,
    matches::MatchLink,
    acts::PlayRequest,
    live::LiveRequest,
    live::LiveAnswer<'static>,
    players::PlayerRequest,
    players::PlayerAnswer,
    players::PlayerPage,
    players::MatchList,
    account::RotateRequest,
    admin::Players,
    admin::RenameRequest,
    admin::RevokeRequest,
    admin::RevokeAnswer,
    admin::BanRequest,
    admin::BanShown,
    admin::BanList,
    admin::RetentionRequest,
    admin::RetentionAnswer,
    show::Page,
    show::Shown,
    stream::StreamFrame,
    analysis::AnalysisFrame,
    record::Verdict,
    Problem,
);

/// The answers to all that goes wrong.
pub struct Refusals;

impl IntoResponses for Refusals {
    fn responses() -> std::collections::BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        let codes: Vec<_> =
            Code::ALL.iter().map(|c| format!("{} ({})", c.name(), c.status().as_u16())).collect();
        let problem = utoipa::openapi::ContentBuilder::new()
            .schema(Some(utoipa::openapi::Ref::from_schema_name("Problem")))
            .build();
        let response = utoipa::openapi::ResponseBuilder::new()
            .description(format!("What went wrong. Codes: {}.", codes.join(", ")))
            .content("application/problem+json", problem)
            .build();
        [("default".to_owned(), response.into())].into()
    }
}

/// Declares parameters that several routes have.
macro_rules! parameters {
    ($($(#[doc = $doc:literal])+ $name:ident: [$(($in:ident, $param:literal, $kind:ident, $required:ident, $what:literal)),+ $(,)?];)+) => {
        $(
            $(#[doc = $doc])+
            pub struct $name;

            impl utoipa::IntoParams for $name {
                fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
                    vec![$(
                        ParameterBuilder::new()
                            .name($param)
                            .parameter_in(ParameterIn::$in)
                            .required(Required::$required)
                            .description(Some($what))
                            .schema(Some(ObjectBuilder::new().schema_type(Type::$kind)))
                            .build()
                    ),+]
                }
            }
        )+
    };
}

parameters! {
    /// The match of a path.
    MatchPath: [(Path, "id", String, True, "The match.")];
    /// The seat of a path.
    SeatPath: [(Path, "seat", Integer, True, "The seat, counted from 0.")];
    /// The player of a path.
    PlayerPath: [(Path, "name", String, True, "The player's name, whatever its case.")];
    /// What makes a request safe to send again.
    IdempotencyKey: [(Header, "Idempotency-Key", String, False,
        "16 to 200 visible ASCII characters that nobody can guess, such as a random UUID. The same request with the same \
         key gets the same answer and does nothing twice; another request with it is refused.")];
    /// Where to go on.
    SinceQuery: [(Query, "since", Integer, False, "The `seq` of the last event that the caller has seen.")];
    /// Which matches to list.
    ListQuery: [
        (Query, "game", String, False, "Of this game."),
        (Query, "stage", String, False, "open, running or over."),
        (Query, "before", String, False, "Made before this match: `next` of the list before."),
        (Query, "limit", Integer, False, "At most so many, 1 to 100. Default: 20."),
    ];
}

/// How callers show who they are.
fn security() -> Value {
    json!({
        "token": {
            "type": "http", "scheme": "bearer",
            "description": "The token of a seat (`kbs_...`), told when the seat was taken, or of a player (`kbp_...`). A \
                            token that is garbled or nobody's is refused even where none is needed.",
        },
        "admin": {
            "type": "http", "scheme": "bearer",
            "description": "The admin token (`kba_...`) in the file that the server was started with \
                            (`--admin-token-file`).",
        },
        "match_key": {
            "type": "apiKey", "in": "header", "name": "Match-Key",
            "description": "The key of a private match (`kbm_...`), told when it was made: whoever shows it may see the \
                            match and join it.",
        },
    })
}

/// A move of any game.
pub fn mv(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": format!("{COMPONENTS}Move") })
}

/// A position of any game.
pub fn position(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": format!("{COMPONENTS}Position") })
}

/// Options of any game.
pub fn options(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "$ref": format!("{COMPONENTS}Options") })
}

/// The fixed facts of a game.
pub fn info(_: &mut SchemaGenerator) -> Schema {
    let text = |what: &str| json!({ "type": "string", "description": what });
    let ms = |what: &str| json!({ "type": ["integer", "null"], "minimum": 0, "description": what });
    let seats = |what: &str| json!({ "type": "integer", "minimum": 1, "description": what });
    json_schema!({
        "type": "object",
        "properties": {
            "slug": text("Short name used in paths."),
            "title": text("The name people use."),
            "summary": text("What kind of game it is."),
            "min_seats": seats("Fewest seats."),
            "max_seats": seats("Most seats."),
            "bot_seats": {
                "type": "array", "items": { "type": "integer" },
                "description": "Seats that the official protocol lets a foreign bot hold.",
            },
            "process": {
                "enum": ["per_move", "per_match"],
                "description": "How long the official harness keeps a bot's process.",
            },
            "move_limit_ms": ms("The official limit for one decision."),
            "match_limit_ms": ms("The official limit for all decisions of one seat in a match."),
            "think_ms": ms("Thinking time of one decision when the asker names none."),
        },
        "required": ["slug", "title", "summary", "min_seats", "max_seats", "bot_seats", "process", "think_ms"],
    })
}

/// The whole document.
pub fn document(app: &App, described: &OpenApi) -> Value {
    let mut settings = SchemaSettings::draft2020_12();
    settings.definitions_path = "/components/schemas".into();
    let mut generator = settings.into_generator();
    generate(&mut generator);
    let mut components = generator.take_definitions(true);
    for offer in app.games.offers() {
        add_game(offer.game, &mut components);
    }
    for (name, part) in [("Position", "view"), ("Move", "move"), ("Options", "options")] {
        let games = app.games.offers().iter();
        let any: Vec<_> = games.map(|o| refer(&component(o.info.slug, part))).collect();
        components.insert(name.to_owned(), json!({ "anyOf": any }));
    }
    for of in ["Answer", "MoveAnswer", "MoveText", "RankedMove"] {
        if let Some(mv) = components.get_mut(of).and_then(|c| c.pointer_mut("/properties/move")) {
            *mv = refer("Move");
        }
    }
    if let Some(page) = components.get_mut("MatchPage").and_then(|c| c.pointer_mut("/properties")) {
        page["options"] = refer("Options");
        page["position"] = json!({ "anyOf": [refer("Position"), { "type": "null" }] });
    }
    let mut document = serde_json::to_value(described).expect("the document is plain values with text keys");
    document["components"]["schemas"] = Value::Object(components);
    document["components"]["securitySchemes"] = security();
    document
}

fn component(slug: &str, part: &str) -> String {
    format!("{slug}.{part}")
}

fn refer(component: &str) -> Value {
    json!({ "$ref": format!("{COMPONENTS}{component}") })
}

/// Adds the game's types; what they define for themselves becomes components too, under the game's name.
fn add_game(game: &dyn AnyGame, components: &mut Map<String, Value>) {
    let slug = game.info().slug;
    let schemas = game.schemas();
    for (part, mut schema) in [("options", schemas.options), ("view", schemas.view), ("move", schemas.mv)] {
        let definitions = schema.as_object_mut().and_then(|s| {
            s.remove("$schema");
            s.remove("$defs")
        });
        rename(&mut schema, slug);
        components.insert(component(slug, part), schema);
        if let Some(Value::Object(definitions)) = definitions {
            for (name, mut definition) in definitions {
                rename(&mut definition, slug);
                components.insert(component(slug, &name), definition);
            }
        }
    }
}

/// Makes references to a schema's own definitions references to components.
fn rename(schema: &mut Value, slug: &str) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::String(reference)) = fields.get_mut("$ref")
                && let Some(name) = reference.strip_prefix("#/$defs/")
            {
                *reference = format!("{COMPONENTS}{}", component(slug, name));
            }
            fields.values_mut().for_each(|v| rename(v, slug));
        }
        Value::Array(items) => items.iter_mut().for_each(|v| rename(v, slug)),
        _ => {}
    }
}
