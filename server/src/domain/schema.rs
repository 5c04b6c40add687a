//! Schemas of the texts that requests and responses share: names, ids, tokens. The rules themselves are where the texts are
//! parsed; this module only describes them for `/openapi.json`.

use schemars::JsonSchema;
use serde_json::{Map, Value};

/// The pattern of a seat's token.
pub const SEAT_TOKEN: &str = "^kbs_[A-Za-z0-9_-]{43}$";
/// The pattern of an account's own token.
pub const PLAYER_TOKEN: &str = "^kbp_[A-Za-z0-9_-]{43}$";
/// The pattern of a player's token with a scope.
pub const SCOPED_TOKEN: &str = "^kbt_[A-Za-z0-9_-]{43}$";
/// The pattern of the key of a private match.
pub const MATCH_KEY: &str = "^kbm_[A-Za-z0-9_-]{43}$";
/// The pattern of the code of an invitation.
pub const INVITATION: &str = "^kbi_[A-Za-z0-9_-]{43}$";
/// The pattern of 32 bytes in hexadecimal.
pub const HEX: &str = "^[0-9a-f]{64}$";

// The types below represent schemas: use them in `#[schemars(with = "...")]`. Their docstrings are the descriptions.

/// The short name of a game.
#[derive(JsonSchema)]
pub struct GameSlug(pub String);

/// The id of a match: a UUID in lower case.
#[derive(JsonSchema)]
#[schemars(extend("pattern" = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"))]
pub struct MatchId(pub String);

/// The name of a player: 2 to 32 letters and digits of one script, with - _ . inside. The pattern excludes what is
/// ASCII and may not be in a name; the server knows the rules for other characters.
#[derive(JsonSchema)]
#[schemars(extend("pattern" =
    "^[^\\x00-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7f][^\\x00-\\x2c\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]{1,31}$"))]
pub struct PlayerName(pub String);

/// The name of any player: a person's or bot's, or a built-in engine as `GAME:ENGINE:VERSION:LEVEL`.
#[derive(JsonSchema)]
#[schemars(extend("minLength" = 2, "maxLength" = 256))]
pub struct AnyPlayerName(pub String);

/// The name of a guest: as a player's, and with spaces inside and any ASCII punctuation.
#[derive(JsonSchema)]
#[schemars(extend("minLength" = 1, "maxLength" = 40))]
pub struct GuestName(pub String);

/// The name of an engine, as `GET /v1/games` lists it.
#[derive(JsonSchema)]
#[schemars(extend("minLength" = 1))]
pub struct EngineName(pub String);

/// The record of a match in a form of the game's own, where that is JSON.
#[derive(JsonSchema)]
pub struct GameRecord {}

/// The whole state of a match after the deal, in the game's own form.
#[derive(JsonSchema)]
pub struct DealtState(pub Map<String, Value>);

/// A JSON Schema (draft 2020-12).
#[derive(JsonSchema)]
pub struct SchemaObject(pub Map<String, Value>);

/// Any JSON value that the client chooses. The answer repeats it.
#[derive(JsonSchema)]
pub struct AnswerId(pub Value);
