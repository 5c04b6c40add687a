//! `/openapi.json`: the routes with the descriptions of their handlers, and the types of requests and answers. It must
//! not repeat what a handler or type says.

mod document;
mod parameters;
mod plain;

use engines::game::ContestScore;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};
use utoipa::openapi::{OpenApi, RefOr};
use utoipa::{IntoResponses, OpenApi as _};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::error::Code;
use crate::http::games::{analysis, contest, moves, official, positions, stdio};
use crate::http::live::{message, spectate, stream};
use crate::http::lobby::{challenges, control, online, pool};
use crate::http::matches::{actions, chat, record, seat};
use crate::http::players::{account, blocks, bots, profile, ratings, tokens};
use crate::http::problem::Problem;
use crate::http::tournaments::{downloads, entries, events, manage, page};
use crate::http::{admin, exports, games, matches, ops, players, qr, reports, tournaments};
use crate::lobby::{ChallengeShown, LobbyEvent};
use crate::matches::chat::{Chat, ChatMessage, Said};
use crate::matches::record::Record;
use crate::matches::render;
use crate::players::About;
use crate::schema::{AnyPlayerName, EngineName, GameSlug, MatchId, PlayerName};

pub(super) use document::document;
pub(super) use parameters::*;

#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "kibitz",
        description = "Plays board and card games: moves for a position or in a contest's official dialogue, and hosted matches.",
        license(name = "MIT", identifier = "MIT")
    ),
    tags(
        (name = "games", description = "The games, and positions to try them with."),
        (name = "moves", description = "Decisions of engines."),
        (name = "matches", description = "Hosted matches: create, join, play and follow them."),
        (name = "players", description = "Player accounts and bots, their results, ratings and leaderboards."),
        (name = "tournaments", description = "Tournaments: create, enter, run and follow them."),
        (name = "operations", description = "Monitoring of a server."),
        (name = "admin", description = "Administration, with the server's admin token. `kibitz admin` uses these routes.")
    )
)]
struct Api;

/// The routes that the document describes, and their description.
pub(super) fn routes(_: &'static App) -> (axum::Router<&'static App>, OpenApi) {
    OpenApiRouter::with_openapi(Api::openapi())
        .routes(routes!(games::list))
        .routes(routes!(games::page))
        .routes(routes!(positions::create))
        .routes(routes!(positions::next))
        .routes(routes!(games::legal_moves))
        .routes(routes!(official::read))
        .routes(routes!(moves::decide))
        .routes(routes!(contest::in_json))
        .routes(routes!(analysis::analyse))
        .routes(routes!(stdio::stdio))
        .routes(routes!(matches::create, players::matches))
        .routes(routes!(matches::page))
        .routes(routes!(matches::join))
        .routes(routes!(actions::play))
        .routes(routes!(actions::take_back))
        .routes(routes!(actions::leave))
        .routes(routes!(actions::resign))
        .routes(routes!(actions::abort))
        .routes(routes!(actions::cancel))
        .routes(routes!(actions::remove))
        .routes(routes!(matches::rematch))
        .routes(routes!(chat::say, chat::list))
        .routes(routes!(chat::unsay))
        .routes(routes!(stream::events))
        .routes(routes!(spectate::live))
        .routes(routes!(seat::stdio))
        .routes(routes!(record::record))
        .routes(routes!(record::check))
        .routes(routes!(players::create))
        .routes(routes!(players::page))
        .routes(routes!(players::matches_of))
        .routes(routes!(players::me, account::delete))
        .routes(routes!(account::rotate))
        .routes(routes!(account::matches))
        .routes(routes!(account::describe))
        .routes(routes!(bots::create, bots::list))
        .routes(routes!(bots::describe))
        .routes(routes!(bots::rotate, bots::revoke))
        .routes(routes!(bots::delete))
        .routes(routes!(tokens::create, tokens::list))
        .routes(routes!(tokens::revoke))
        .routes(routes!(blocks::list))
        .routes(routes!(blocks::block, blocks::unblock))
        .routes(routes!(control::live))
        .routes(routes!(control::events))
        .routes(routes!(online::list))
        .routes(routes!(online::lobby))
        .routes(routes!(online::follow))
        .routes(routes!(challenges::create))
        .routes(routes!(challenges::list))
        .routes(routes!(challenges::page))
        .routes(routes!(challenges::accept))
        .routes(routes!(challenges::decline))
        .routes(routes!(challenges::withdraw))
        .routes(routes!(challenges::forget_reason))
        .routes(routes!(pool::wait))
        .routes(routes!(ratings::leaderboard))
        .routes(routes!(ratings::history))
        .routes(routes!(ratings::opponents))
        .routes(routes!(tournaments::create, tournaments::list))
        .routes(routes!(tournaments::read, manage::delete))
        .routes(routes!(manage::remove_title))
        .routes(routes!(entries::enter))
        .routes(routes!(entries::leave))
        .routes(routes!(manage::start))
        .routes(routes!(manage::pause))
        .routes(routes!(manage::resume))
        .routes(routes!(manage::abort))
        .routes(routes!(events::follow))
        .routes(routes!(downloads::standings))
        .routes(routes!(downloads::records))
        .routes(routes!(exports::of_player))
        .routes(routes!(exports::of_game))
        .routes(routes!(admin::matches::list))
        .routes(routes!(admin::matches::end))
        .routes(routes!(admin::matches::annul))
        .routes(routes!(admin::matches::abort_tournament))
        .routes(routes!(admin::matches::check_ratings))
        .routes(routes!(admin::players::list))
        .routes(routes!(admin::players::rename))
        .routes(routes!(admin::players::remove))
        .routes(routes!(admin::players::revoke))
        .routes(routes!(admin::bans::list, admin::bans::ban, admin::bans::unban))
        .routes(routes!(admin::matches::retention))
        .routes(routes!(admin::moderation::delete_match))
        .routes(routes!(admin::moderation::delete_message))
        .routes(routes!(admin::moderation::delete_tournament))
        .routes(routes!(admin::moderation::remove_title))
        .routes(routes!(admin::moderation::delete_about))
        .routes(routes!(admin::moderation::reports))
        .routes(routes!(admin::moderation::settle))
        .routes(routes!(admin::restrictions::list))
        .routes(routes!(admin::restrictions::restrict, admin::restrictions::lift))
        .routes(routes!(admin::invitations::create, admin::invitations::list))
        .routes(routes!(admin::invitations::revoke))
        .routes(routes!(reports::create))
        .routes(routes!(reports::withdraw))
        .routes(routes!(qr::draw))
        .routes(routes!(ops::healthz))
        .routes(routes!(ops::readyz))
        .routes(routes!(ops::metrics))
        .split_for_parts()
}

/// Declares the types whose schemas the document holds; their only source is [`JsonSchema`]. A request's schema says
/// what the server reads, and an answer's what it writes: a field with a default is optional in the first and always
/// present in the second.
macro_rules! types {
    (requests: [$($request:path),+ $(,)?], answers: [$($answer:path),+ $(,)?] $(,)?) => {
        $(named!($request);)+
        $(named!($answer);)+

        fn requests(generator: &mut SchemaGenerator) {
            $(generator.subschema_for::<$request>();)+
        }

        fn answers(generator: &mut SchemaGenerator) {
            $(generator.subschema_for::<$answer>();)+
        }
    };
}

/// Lets handlers name a type in their descriptions.
macro_rules! named {
    ($type:path) => {
        impl utoipa::PartialSchema for $type {
            fn schema() -> RefOr<utoipa::openapi::Schema> {
                // Only the name is used; `document` inserts the schema itself.
                utoipa::openapi::schema::Object::new().into()
            }
        }
        impl utoipa::ToSchema for $type {
            fn name() -> std::borrow::Cow<'static, str> {
                <$type as JsonSchema>::schema_name()
            }
        }
    };
}

types!(
    requests: [
        positions::PositionRequest,
        positions::NextPositionRequest,
        games::LegalMovesRequest,
        moves::MoveRequest,
        contest::DialogueRequest,
        official::OfficialText,
        matches::MatchRequest,
        matches::JoinRequest,
        actions::PlayRequest,
        actions::TakeBackRequest,
        Said,
        message::LiveRequest,
        players::PlayerRequest,
        account::RotateRequest,
        bots::BotRequest,
        tokens::TokenRequest,
        tournaments::TournamentRequest,
        entries::EntryRequest,
        control::ControlRequest,
        challenges::ChallengeRequest,
        challenges::DeclineRequest,
        pool::PoolRequest,
        qr::QrRequest,
        About,
        reports::ReportRequest,
        admin::invitations::InvitationRequest,
        admin::restrictions::RestrictionRequest,
        admin::players::RenameRequest,
        admin::players::RevokeRequest,
        admin::bans::BanRequest,
        admin::matches::RetentionRequest,
    ],
    answers: [
        games::GameList,
        games::GamePage,
        positions::PositionAnswer,
        positions::NextPosition,
        games::LegalMoves,
        official::OfficialPosition,
        moves::MoveAnswer,
        contest::DialogueAnswer,
        matches::AdmissionAnswer,
        matches::MatchLink,
        ChatMessage,
        Chat,
        message::LiveAnswer,
        players::PlayerAnswer,
        profile::PlayerPage,
        bots::BotList,
        tokens::TokenList,
        tokens::TokenAnswer,
        blocks::BlockList,
        LobbyEvent,
        control::ControlAnswer,
        online::BotsOnline,
        online::LobbyShown,
        ChallengeShown,
        challenges::ChallengeList,
        qr::QrAnswer,
        ratings::Leaderboard,
        ratings::RatingHistory,
        ratings::OpponentList,
        players::MatchList,
        tournaments::TournamentList,
        page::TournamentPage,
        events::TournamentFrame,
        Record,
        admin::players::AdminPlayers,
        admin::players::RevokeAnswer,
        reports::ReportAnswer,
        admin::invitations::InvitationAnswer,
        admin::invitations::InvitationList,
        admin::moderation::ReportList,
        admin::restrictions::RestrictionList,
        admin::restrictions::RestrictionShown,
        admin::bans::BanEntry,
        admin::bans::BanList,
        admin::matches::RetentionAnswer,
        admin::matches::RatingCheckAnswer,
        render::Page,
        render::ViewerEvent<'static>,
        stream::StreamFrame,
        analysis::AnalysisFrame,
        record::Verdict,
        record::RecordFile,
        Problem,
    ],
);

/// The responses to requests that fail.
pub(super) struct Refusals;

impl IntoResponses for Refusals {
    fn responses() -> std::collections::BTreeMap<String, RefOr<utoipa::openapi::Response>> {
        let codes: Vec<_> =
            Code::ALL.iter().map(|c| format!("{} ({})", c.name(), c.status().as_u16())).collect();
        let problem = utoipa::openapi::ContentBuilder::new()
            .schema(Some(utoipa::openapi::Ref::from_schema_name("Problem")))
            .build();
        let response = utoipa::openapi::ResponseBuilder::new()
            .description(format!("An error. Codes: {}.", codes.join(", ")))
            .content("application/problem+json", problem)
            .build();
        [("default".to_owned(), response.into())].into()
    }
}

/// How callers authenticate.
fn security() -> Value {
    json!({
        "token": {
            "type": "http", "scheme": "bearer",
            "description": "The token of a seat (`kbs_...`), given when the seat was taken, of a player (`kbp_...`), or \
                            of a player with a scope (`kbt_...`). Where an operation names a scope (`read`, `play`, \
                            `manage`, `account`), a player's token must have that scope or be the account's own. A \
                            malformed or unknown token is refused even by routes that need none.",
        },
        "admin": {
            "type": "http", "scheme": "bearer",
            "description": "The admin token (`kba_...`) in the file that the server was started with \
                            (`--admin-token-file`).",
        },
        "match_key": {
            "type": "apiKey", "in": "header", "name": "Match-Key",
            "description": "The key of a private match (`kbm_...`), given when the match was created. Anyone with the \
                            key may see the match and join it.",
        },
    })
}

/// The fixed facts of a game.
pub(super) fn info(generator: &mut SchemaGenerator) -> Schema {
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
