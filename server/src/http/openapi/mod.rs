//! `/openapi.json`: the routes with the descriptions of their handlers, and the types of requests and answers. It must
//! not repeat what a handler or type says.

mod document;
mod parameters;
mod plain;

use std::sync::{Arc, LazyLock};

use axum::body::Bytes;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};
use utoipa::openapi::{OpenApi, RefOr};
use utoipa::{IntoResponses, OpenApi as _};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::accounts::About;
use crate::analysis::AnalysisShown;
use crate::app::App;
use crate::domain::schema::{AnyPlayerName, EngineName, GameSlug, MatchId, PlayerName};
use crate::error::Code;
use crate::http::games::{analysis, contest, files, moves, official, positions, stdio};
use crate::http::live::{message, spectate, stream};
use crate::http::lobby::{challenges, control, online, pool};
use crate::http::matches::{actions, chat, dialogue, match_analysis, match_ratings, output, record, seat};
use crate::http::players::{
    account, blocks, bots, checks, faults, first_moves, mistakes, notifications, passkeys, profile, programs,
    ratings, sign_in, tokens, vacation,
};
use crate::http::tournaments::{downloads, entries, events, manage};
use crate::http::{admin, exports, games, matches, offered, ops, players, puzzles, qr, reports, tournaments};
use crate::lobby::{ChallengeShown, LobbyEvent, Policy};
use crate::matches::bots::bot_faults::BotFaults;
use crate::matches::bots::bot_output::BotOutput;
use crate::matches::chat::{Chat, ChatMessage, SentContent};
use crate::matches::record::Record;
use crate::matches::render;
use crate::presentation::{leaderboard, tournament, tournament_list};
use crate::programs::{ProgramShown, ProgramsShown};
use crate::request::problem::{Problem, status};

use document::document;
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
        (name = "puzzles", description = "Find the move: positions of analysed matches with one best move."),
        (name = "tournaments", description = "Tournaments: create, enter, run and follow them."),
        (name = "operations", description = "Monitoring of a server."),
        (name = "admin", description = "Administration, with the server's admin token. `kibitz admin` uses these routes.")
    )
)]
struct Api;

/// The document. It is made when it is first read, so that the start of the server does not wait for it.
pub(crate) struct ApiDocument {
    paths: Vec<&'static str>,
    value: LazyLock<Value, Box<dyn FnOnce() -> Value + Send>>,
}

impl ApiDocument {
    /// The paths of the API, and of the document itself.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &'static str> {
        self.paths.iter().copied()
    }

    /// The document as JSON.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }
}

const DOCUMENT_PATH: &str = "/openapi.json";

/// The routes of the API and of its document, which does not change while the server runs.
pub(crate) fn routes(app: &'static App) -> (axum::Router<&'static App>, &'static ApiDocument) {
    let (router, described) = described_routes();
    let paths = described.paths.paths.keys().map(|path| &*path.clone().leak());
    let paths = paths.chain([DOCUMENT_PATH]).collect();
    let value = LazyLock::new(Box::new(move || document(app, &described)) as Box<_>);
    let document: &'static ApiDocument = Box::leak(Box::new(ApiDocument { paths, value }));
    let json = Arc::new(LazyLock::new(|| Bytes::from(document.value().to_string())));
    let serve =
        async move || ([(header::CONTENT_TYPE, "application/json")], Bytes::clone(&json)).into_response();
    (router.route(DOCUMENT_PATH, get(serve)), document)
}

/// The routes that the document describes, and their description.
fn described_routes() -> (axum::Router<&'static App>, OpenApi) {
    OpenApiRouter::with_openapi(Api::openapi())
        .routes(routes!(games::list))
        .routes(routes!(games::page))
        .routes(routes!(positions::create))
        .routes(routes!(positions::next))
        .routes(routes!(games::legal_moves))
        .routes(routes!(official::read))
        .routes(routes!(files::read))
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
        .routes(routes!(output::output))
        .routes(routes!(dialogue::dialogue))
        .routes(routes!(match_ratings::ratings))
        .routes(routes!(record::record))
        .routes(routes!(record::check))
        .routes(routes!(match_analysis::ask, match_analysis::read, match_analysis::cancel))
        .routes(routes!(players::create))
        .routes(routes!(players::page))
        .routes(routes!(players::matches_of))
        .routes(routes!(faults::faults))
        .routes(routes!(players::me, account::delete))
        .routes(routes!(account::rotate))
        .routes(routes!(account::matches))
        .routes(routes!(account::describe))
        .routes(routes!(bots::create, bots::list))
        .routes(routes!(bots::describe))
        .routes(routes!(checks::checks))
        .routes(routes!(programs::upload, programs::list))
        .routes(routes!(programs::read, programs::change, programs::delete))
        .routes(routes!(programs::module))
        .routes(routes!(programs::policy, programs::set_policy))
        .routes(routes!(programs::public))
        .routes(routes!(programs::public_module))
        .routes(routes!(bots::rotate, bots::revoke))
        .routes(routes!(bots::delete))
        .routes(routes!(tokens::create, tokens::list))
        .routes(routes!(tokens::revoke))
        .routes(routes!(passkeys::add, passkeys::list))
        .routes(routes!(passkeys::begin))
        .routes(routes!(passkeys::rename, passkeys::remove))
        .routes(routes!(passkeys::make_codes))
        .routes(routes!(notifications::list, notifications::add))
        .routes(routes!(notifications::choose, notifications::remove))
        .routes(routes!(notifications::test))
        .routes(routes!(notifications::renew))
        .routes(routes!(vacation::read, vacation::take, vacation::end))
        .routes(routes!(sign_in::begin))
        .routes(routes!(sign_in::with_passkey))
        .routes(routes!(sign_in::with_code))
        .routes(routes!(sign_in::with_token))
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
        .routes(routes!(first_moves::list))
        .routes(routes!(mistakes::list))
        .routes(routes!(mistakes::suite))
        .routes(routes!(puzzles::daily))
        .routes(routes!(puzzles::next))
        .routes(routes!(puzzles::read))
        .routes(routes!(puzzles::attempt))
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
        .routes(routes!(admin::programs::list))
        .routes(routes!(admin::programs::disable, admin::programs::enable))
        .routes(routes!(admin::matches::retention))
        .routes(routes!(admin::moderation::delete_match))
        .routes(routes!(admin::moderation::delete_message))
        .routes(routes!(admin::moderation::delete_analysis))
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
        .routes(routes!(offered::list))
        .routes(routes!(offered::content))
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
        SentContent,
        message::LiveRequest,
        players::PlayerRequest,
        puzzles::PuzzleTryRequest,
        account::RotateRequest,
        bots::BotRequest,
        programs::ProgramRequest,
        programs::ModuleFile,
        Policy,
        tokens::TokenRequest,
        passkeys::PasskeyRequest,
        passkeys::PasskeyNameRequest,
        notifications::PushSubscriptionRequest,
        notifications::BrowserKeysRequest,
        notifications::NotificationKindsRequest,
        notifications::PushRenewalRequest,
        notifications::PushTargetRequest,
        vacation::VacationRequest,
        sign_in::PasskeySignInRequest,
        sign_in::CodeSignInRequest,
        sign_in::TokenSignInRequest,
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
        admin::programs::DisableRequest,
        admin::matches::RetentionRequest,
    ],
    answers: [
        games::GameList,
        games::GamePage,
        positions::PositionAnswer,
        positions::NextPosition,
        games::LegalMoves,
        official::OfficialPosition,
        files::FileAnswer,
        moves::MoveAnswer,
        contest::DialogueAnswer,
        matches::AdmissionAnswer,
        match_ratings::MatchRatings,
        matches::MatchLink,
        ChatMessage,
        Chat,
        BotOutput,
        dialogue::SeatDialogueText,
        message::LiveAnswer,
        players::PlayerAnswer,
        profile::PlayerPage,
        bots::BotList,
        BotFaults,
        checks::CheckList,
        ProgramsShown,
        ProgramShown,
        programs::PublicPrograms,
        tokens::TokenList,
        tokens::TokenAnswer,
        passkeys::CeremonyAnswer,
        passkeys::PasskeyEntry,
        passkeys::PasskeyList,
        passkeys::RecoveryCodesAnswer,
        notifications::PushSubscriptionEntry,
        notifications::PushSubscriptionList,
        vacation::VacationAnswer,
        sign_in::SignInAnswer,
        blocks::BlockList,
        LobbyEvent,
        control::ControlAnswer,
        online::BotsOnline,
        online::LobbyShown,
        ChallengeShown,
        challenges::ChallengeList,
        qr::QrAnswer,
        offered::OfferedFileList,
        offered::OfferedContent,
        leaderboard::Leaderboard,
        ratings::RatingHistory,
        ratings::OpponentList,
        first_moves::FirstMoves,
        mistakes::MistakeList,
        mistakes::SuiteLine,
        puzzles::PuzzlePage,
        puzzles::PuzzleTryAnswer,
        players::MatchList,
        tournament_list::TournamentList,
        tournament::TournamentPage,
        events::TournamentFrame,
        Record,
        admin::players::AdminPlayers,
        admin::players::RevokeAnswer,
        reports::ReportAnswer,
        AnalysisShown,
        admin::invitations::InvitationAnswer,
        admin::invitations::InvitationList,
        admin::moderation::ReportList,
        admin::restrictions::RestrictionList,
        admin::restrictions::RestrictionShown,
        admin::bans::BanEntry,
        admin::bans::BanList,
        admin::programs::AdminPrograms,
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
            Code::ALL.iter().map(|c| format!("{} ({})", c.name(), status(*c).as_u16())).collect();
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
                            `manage`, `account`), a player's token must have that scope, or be the account's own or that of a sign-in. A \
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
