//! Schemas of the texts that requests and responses share: names, ids, tokens. The rules themselves are where the texts are
//! parsed; this module only describes them for `/openapi.json`.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

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

/// Declares types that represent schemas: use them in `#[schemars(with = "...")]`.
macro_rules! schemas {
    ($($(#[doc = $doc:literal])+ $name:ident: $schema:tt;)+) => {$(
        $(#[doc = $doc])+
        pub struct $name;

        impl JsonSchema for $name {
            fn schema_name() -> Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let mut schema = json_schema!($schema);
                schema.insert("description".to_owned(), concat!($($doc),+).trim().into());
                schema
            }
        }
    )+};
}

schemas! {
    /// The short name of a game.
    GameSlug: { "type": "string" };
    /// The id of a match: a UUID in lower case.
    MatchId: { "type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$" };
    /// The name of a player: 2 to 32 letters and digits of one script, with - _ . inside. The pattern excludes what is
    /// ASCII and may not be in a name; the server knows the rules for other characters.
    PlayerName: {
        "type": "string",
        "pattern": "^[^\\x00-\\x2f\\x3a-\\x40\\x5b-\\x60\\x7b-\\x7f][^\\x00-\\x2c\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\x7f]{1,31}$"
    };
    /// The name of any player: a person's or bot's, or a built-in engine as `GAME:ENGINE:VERSION:LEVEL`.
    AnyPlayerName: { "type": "string", "minLength": 2, "maxLength": 256 };
    /// The name of a guest: as a player's, and with spaces inside and any ASCII punctuation.
    GuestName: { "type": "string", "minLength": 1, "maxLength": 40 };
    /// The name of an engine, as `GET /v1/games` lists it.
    EngineName: { "type": "string", "minLength": 1 };
    /// The record of a match in a form of the game's own, where that is JSON.
    GameRecord: { "type": "object" };
    /// The whole state of a match after the deal, in the game's own form.
    DealtState: { "type": "object", "additionalProperties": true };
    /// A JSON Schema (draft 2020-12).
    SchemaObject: { "type": "object", "additionalProperties": true };
    /// Any JSON value that the client chooses. The answer repeats it.
    AnswerId: {};
}
