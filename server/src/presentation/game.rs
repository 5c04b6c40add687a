//! A game in the list of games.

use engines::erased::{EngineInfo, FormatInfo};
use engines::game::{ContestScore, Info};
use engines::search::Level;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::json;

use crate::catalogue::Offer;
use crate::domain::schema::GameSlug;

/// A game in the list.
#[derive(Serialize, JsonSchema)]
pub(crate) struct GameEntry {
    /// The fixed facts.
    #[serde(flatten)]
    #[schemars(schema_with = "info")]
    pub info: &'static Info,
    /// The engines, the default first.
    pub engines: &'static [EngineInfo],
    /// The levels, weakest first.
    pub levels: [Level; 4],
    /// The game's own formats in which records of its matches are available, besides `kibitz-record-1`.
    pub formats: &'static [FormatInfo],
}

/// The entry of a game in the list.
pub(crate) fn entry(offer: &'static Offer) -> GameEntry {
    GameEntry { info: offer.info, engines: &offer.engines, levels: Level::ALL, formats: &offer.formats }
}

/// The fixed facts of a game.
fn info(generator: &mut SchemaGenerator) -> Schema {
    let text = |what: &str| json!({ "type": "string", "description": what });
    let ms = |what: &str| json!({ "type": ["integer", "null"], "minimum": 0, "description": what });
    let seats = |what: &str| json!({ "type": "integer", "minimum": 1, "description": what });
    json_schema!({
        "type": "object",
        "properties": {
            "slug": generator.subschema_for::<GameSlug>(),
            "title": text("The game's usual name."),
            "summary": text("A short description of the game."),
            "min_seats": seats("Fewest seats."),
            "max_seats": seats("Most seats."),
            "bot_seats": {
                "type": "array", "items": { "type": "integer" },
                "description": "Seats that a bot can hold by the official protocol.",
            },
            "mirror_seats": {
                "type": "array", "items": { "type": "integer" },
                "description": "Other seats that a bot can hold if it knows the mirror dialogue, which the game's README defines.",
            },
            "contest_score": generator.subschema_for::<ContestScore>(),
            "perfect_information": {
                "type": "boolean",
                "description": "Whether every player sees the whole state, and nothing random happens after the deal.",
            },
            "process": {
                "type": "string", "enum": ["per_move", "per_match"],
                "description": "Whether the official harness starts a bot's process for each move or for each match.",
            },
            "move_limit_ms": ms("The official limit for one decision."),
            "match_limit_ms": ms("The official limit for all decisions of one seat in a match."),
            "think_ms": { "type": "integer", "minimum": 0, "description": "The thinking time of one decision if the request names none." },
            "max_position_bytes": { "type": "integer", "minimum": 1,
                "description": "The greatest length of a position as JSON, in bytes. A longer one is refused (`body_too_large`)." },
            "max_dialogue_bytes": { "type": "integer", "minimum": 1,
                "description": "The greatest length of an official dialogue in a request, in bytes without its remarks. A longer one is refused (`body_too_large`)." },
        },
        "required": ["slug", "title", "summary", "min_seats", "max_seats", "bot_seats", "mirror_seats", "contest_score", "perfect_information", "process", "move_limit_ms",
                     "match_limit_ms", "think_ms", "max_position_bytes", "max_dialogue_bytes"],
    })
}
