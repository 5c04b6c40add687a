//! The one error of the server: it knows its stable code, its HTTP status and its log level. It reveals nothing about
//! the inside of the server to a caller. `http::problem` turns it into a response.

use std::sync::Arc;
use std::time::Duration;

use axum::http::StatusCode;
use engines::erased::{Refusal, RefusalCode};
use serde_json::value::RawValue;

use crate::domain::scope::{Right, TokenScope};
use crate::domain::token;

/// The time after which to retry a request that failed because the database is unavailable.
const STORE_RETRY_AFTER: Duration = Duration::from_secs(2);

/// Declares [`Code`] with the facts of each code.
macro_rules! codes {
    ($($(#[doc = $help:literal])+ $name:ident = $text:literal, $status:ident, $title:literal;)+) => {
        /// The kind of an error. The names never change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code { $($(#[doc = $help])+ $name,)+ }

        impl Code {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The code as answers name it: stable, snake_case.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text,)+ }
            }

            /// The HTTP status of its answers.
            pub const fn status(self) -> StatusCode {
                match self { $(Self::$name => StatusCode::$status,)+ }
            }

            /// A short title, the same every time.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$name => $title,)+ }
            }

            /// The cause, and what the reader can do about it.
            pub const fn help(self) -> &'static str {
                match self { $(Self::$name => concat!($($help),+),)+ }
            }
        }
    };
}

codes! {
    /// There is nothing at this path. `/docs` lists all paths.
    NotFound = "not_found", NOT_FOUND, "No such path";
    /// No game here has this short name. `GET /v1/games` lists them.
    UnknownGame = "unknown_game", NOT_FOUND, "No such game";
    /// The path does not take this method; the header `Allow` names those it takes.
    MethodNotAllowed = "method_not_allowed", METHOD_NOT_ALLOWED, "Method not allowed";
    /// The path is for WebSockets, and the request is not a WebSocket handshake.
    UpgradeRequired = "upgrade_required", UPGRADE_REQUIRED, "A WebSocket is needed";
    /// The body did not arrive in time.
    BodyTooSlow = "body_too_slow", REQUEST_TIMEOUT, "The body arrived too slowly";
    /// The connection ended before the whole body had arrived.
    BadBody = "bad_body", BAD_REQUEST, "The body broke off";
    /// The body is larger than this server accepts.
    BodyTooLarge = "body_too_large", PAYLOAD_TOO_LARGE, "The body is too large";
    /// This path does not take bodies of this `Content-Type`.
    UnsupportedMediaType = "unsupported_media_type", UNSUPPORTED_MEDIA_TYPE, "Unsupported media type";
    /// The body is text but not UTF-8.
    NotUtf8 = "not_utf8", BAD_REQUEST, "The text is not UTF-8";
    /// The body is not JSON; the detail says where parsing failed.
    BadJson = "bad_json", BAD_REQUEST, "The body is not JSON";
    /// A field of the JSON body is missing, unknown or of the wrong type; the detail gives its path.
    BadField = "bad_field", UNPROCESSABLE_ENTITY, "A field is wrong";
    /// A query parameter is unknown, given twice, or has an invalid value.
    BadQuery = "bad_query", BAD_REQUEST, "A query parameter is wrong";
    /// The request asks for more thinking time than this server allows for one decision.
    ThinkTooLong = "think_too_long", UNPROCESSABLE_ENTITY, "The thinking time is too long";
    /// No engine of the game has this name.
    UnknownEngine = "unknown_engine", UNPROCESSABLE_ENTITY, "No such engine";
    /// The position is invalid: a field is wrong, or the whole contradicts the rules.
    BadPosition = "bad_position", UNPROCESSABLE_ENTITY, "The position is wrong";
    /// The match is over in this position, so there is nothing to decide.
    PositionFinished = "position_finished", UNPROCESSABLE_ENTITY, "The match is over";
    /// The position is the view of another seat than the one to move.
    NotToMove = "not_to_move", UNPROCESSABLE_ENTITY, "Not the viewer's move";
    /// The options of the deal are invalid.
    BadOptions = "bad_options", UNPROCESSABLE_ENTITY, "The options are wrong";
    /// The dialogue contradicts the official protocol, the rules, or itself; the detail names the entry.
    BadDialogue = "bad_dialogue", UNPROCESSABLE_ENTITY, "The dialogue is wrong";
    /// The dialogue asks for more decisions than one request has time for; send it in parts.
    TooManyDecisions = "too_many_decisions", UNPROCESSABLE_ENTITY, "Too many decisions are open";
    /// A token is needed here: `Authorization: Bearer ...`.
    TokenNeeded = "token_needed", UNAUTHORIZED, "A token is needed";
    /// The token is malformed, or this server did not issue it.
    BadToken = "bad_token", UNAUTHORIZED, "The token is wrong";
    /// The token has expired. Its owner can make another one (`POST /v1/me/tokens`).
    TokenExpired = "token_expired", UNAUTHORIZED, "The token has expired";
    /// The token may not play for the player: use one of the scope `play`, for a bot one of the scope `bot:NAME`, or the
    /// account's own token.
    PlayScopeNeeded = "play_scope_needed", FORBIDDEN, "The token lacks the scope play";
    /// The token may not manage the account: use one of the scope `manage`, or the account's own token.
    ManageScopeNeeded = "manage_scope_needed", FORBIDDEN, "The token lacks the scope manage";
    /// Only the account's own token (`kbp_...`) can do this: no token with a scope can.
    AccountTokenNeeded = "account_token_needed", FORBIDDEN, "The account's own token is needed";
    /// The player has no token with this id. `GET /v1/me/tokens` lists them.
    NoSuchToken = "no_such_token", NOT_FOUND, "No such token";
    /// The token does not hold this seat.
    NotYourSeat = "not_your_seat", FORBIDDEN, "Not your seat";
    /// No match here has this id, or the match is private and the request does not carry its key.
    NoSuchMatch = "no_such_match", NOT_FOUND, "No such match";
    /// No player here has this name.
    NoSuchPlayer = "no_such_player", NOT_FOUND, "No such player";
    /// The name belongs to another player already.
    NameTaken = "name_taken", CONFLICT, "The name is taken";
    /// The seats do not fit the game: too few, too many, or not those of the options.
    BadSeats = "bad_seats", UNPROCESSABLE_ENTITY, "The seats are wrong";
    /// The official protocol of this game has no bot in this seat.
    NoBotSeat = "no_bot_seat", UNPROCESSABLE_ENTITY, "Not a seat for a bot";
    /// The seat is taken, or reserved for another player.
    SeatTaken = "seat_taken", CONFLICT, "The seat is taken";
    /// No seat of the match is free.
    NoOpenSeat = "no_open_seat", CONFLICT, "No seat is free";
    /// The caller has a seat in the match already.
    AlreadySeated = "already_seated", CONFLICT, "Seated already";
    /// The match has not begun: seats are free.
    NotStarted = "not_started", CONFLICT, "The match has not begun";
    /// The match has begun, so this is no longer possible.
    Started = "started", CONFLICT, "The match has begun";
    /// The match is over.
    MatchOver = "match_over", CONFLICT, "The match is over";
    /// Moves can be taken back only where all other seats are engines, hints are allowed and no clock runs, and only if
    /// the seat has moved.
    NoTakeBack = "no_take_back", CONFLICT, "No move can be taken back";
    /// The match is not over yet, so its record is secret.
    MatchNotOver = "match_not_over", CONFLICT, "The match is not over";
    /// The game has no record format of this name; the detail lists its formats.
    UnknownFormat = "unknown_format", BAD_REQUEST, "No such format";
    /// It is another seat's turn.
    NotYourTurn = "not_your_turn", CONFLICT, "Not your turn";
    /// The rules forbid the move in this position. The turn is not lost: make another move.
    IllegalMove = "illegal_move", UNPROCESSABLE_ENTITY, "The move is illegal";
    /// The text or JSON is not a move of this game.
    BadMove = "bad_move", UNPROCESSABLE_ENTITY, "The move is wrong";
    /// The move is for another ply than the current one, which `ply` gives; `match` is the match as it is now.
    StalePly = "stale_ply", PRECONDITION_FAILED, "The match is at another ply";
    /// The time of the seat was up before the move arrived, and the turn has counted as a foul. `ply` and `match` are the match
    /// as it is now.
    TimeUp = "time_up", PRECONDITION_FAILED, "The time was up";
    /// A move must name its ply, in the header `If-Match` or in the body, so that it can be retried safely.
    PlyNeeded = "ply_needed", PRECONDITION_REQUIRED, "The ply is needed";
    /// The creator of the match has removed the caller from it. Join another match.
    Removed = "removed", FORBIDDEN, "Removed from the match";
    /// The token is not that of the creator of this match.
    NotYourMatch = "not_your_match", FORBIDDEN, "Not your match";
    /// A rated match must be public.
    RatedPrivate = "rated_private", UNPROCESSABLE_ENTITY, "A private match cannot be rated";
    /// A rated match must have a clock with a limit on the time of a seat.
    RatedClock = "rated_clock", UNPROCESSABLE_ENTITY, "A rated match needs a clock";
    /// The server chooses the seed of a rated match: leave `seed` out.
    RatedSeed = "rated_seed", UNPROCESSABLE_ENTITY, "The seed was chosen by the caller";
    /// A rated match has no hints.
    RatedHints = "rated_hints", UNPROCESSABLE_ENTITY, "A rated match has no hints";
    /// A rated match needs at least two different players. Matches of engines alone are rated only when the server itself
    /// arranges them.
    RatedSeats = "rated_seats", UNPROCESSABLE_ENTITY, "These seats cannot be rated";
    /// A guest cannot have a seat in a rated match: create a player (`POST /v1/players`) and send its token.
    RatedGuest = "rated_guest", FORBIDDEN, "A rated match is for players with a name";
    /// Two seats of a rated match would belong to the same person: a person and their bot, or two of their bots.
    RatedOwners = "rated_owners", FORBIDDEN, "The same person would have two seats";
    /// An engine in a rated match has its usual thinking time: leave `think_ms` and `nodes` out.
    RatedEngine = "rated_engine", UNPROCESSABLE_ENTITY, "The engine's thinking time is not the usual one";
    /// Two of the players have begun as many rated matches with each other today (UTC) as this server allows. Play an
    /// unrated match, or another opponent.
    RatedLimit = "rated_limit", TOO_MANY_REQUESTS, "Too many rated matches of these players today";
    /// No tournament has this id. `GET /v1/tournaments` lists them.
    NoSuchTournament = "no_such_tournament", NOT_FOUND, "No such tournament";
    /// Only the organizer of the tournament may do this.
    NotYourTournament = "not_your_tournament", FORBIDDEN, "Not your tournament";
    /// The stage of the tournament does not allow this; the detail says why.
    TournamentStage = "tournament_stage", CONFLICT, "Not in this stage of the tournament";
    /// The player has entered the tournament already.
    AlreadyEntered = "already_entered", CONFLICT, "Entered already";
    /// The player does not take part in the tournament.
    NotEntered = "not_entered", NOT_FOUND, "Not in the tournament";
    /// The caller cannot enter this player: only oneself, and one's own bots.
    NotEligible = "not_eligible", FORBIDDEN, "Not a player to enter";
    /// The tournament has as many entrants as its organizer allows.
    TournamentFull = "tournament_full", CONFLICT, "The tournament is full";
    /// More players must enter before the tournament can start.
    TooFewEntrants = "too_few_entrants", CONFLICT, "Too few entrants";
    /// The tournament has too few entrants for this number of rounds: some would meet twice.
    TooManyRounds = "too_many_rounds", CONFLICT, "Too many rounds";
    /// With its entrants the tournament would have more games than one may have.
    TooManyGames = "too_many_games", CONFLICT, "Too many games";
    /// The hours of a tournament are too few for one game of each entrant from every seat.
    TooLittleTime = "too_little_time", CONFLICT, "Too little time";
    /// Several games of a tournament have the same deal, so records and hidden views of its matches are secret until the
    /// tournament is over.
    Sealed = "sealed", CONFLICT, "Sealed until all games with the same deal are finished";
    /// A seat in a match of a tournament cannot be given up. Resign once the match has begun, or withdraw from the
    /// tournament.
    TournamentMatch = "tournament_match", CONFLICT, "The match belongs to a tournament";
    /// The match was not rated, or its result was annulled before.
    NotCounted = "not_counted", CONFLICT, "The match does not count";
    /// The result can no longer be annulled: too many rated matches of the game have ended after it.
    TooLate = "too_late", CONFLICT, "Too many results came afterwards";
    /// The caller has no challenge with this id; it may have been settled long ago.
    NoSuchChallenge = "no_such_challenge", NOT_FOUND, "No such challenge";
    /// Only the player who was challenged can accept or decline, and only the challenger can withdraw.
    NotYourChallenge = "not_your_challenge", FORBIDDEN, "Not your challenge";
    /// The challenge was declined, withdrawn, has expired or failed.
    ChallengeOver = "challenge_over", CONFLICT, "The challenge is over";
    /// The player cannot be challenged, or not to this: the detail says why. `GET /v1/bots` lists the bots that are online
    /// and what they accept.
    NotAccepted = "not_accepted", CONFLICT, "Not accepted";
    /// Only a bot can do this: `POST /v1/me/bots` creates one.
    NotABot = "not_a_bot", FORBIDDEN, "Only for bots";
    /// A bot, or a built-in engine, cannot do this; a person can.
    NotAPerson = "not_a_person", FORBIDDEN, "Only for people";
    /// The operator of this server has banned the caller's address, or the player; the detail says which.
    Banned = "banned", FORBIDDEN, "Banned";
    /// The operator of this server has muted the player: no chat, no reasons, no descriptions, no new bots and tournaments. The
    /// detail says why, and until when.
    Muted = "muted", FORBIDDEN, "Muted";
    /// New players need an invitation here: ask the operator of this server for a code, and send it as `invitation`.
    InvitationNeeded = "invitation_needed", FORBIDDEN, "An invitation is needed";
    /// The invitation does not exist, has expired, or was used as often as it may. Ask the operator for another one.
    BadInvitation = "bad_invitation", FORBIDDEN, "The invitation is not valid";
    /// This server takes no new players. Guests can play without a name.
    RegistrationClosed = "registration_closed", FORBIDDEN, "Registration is closed";
    /// The match has no message with this number, or it was deleted.
    NoSuchMessage = "no_such_message", NOT_FOUND, "No such message";
    /// Only the author of the message can delete it.
    NotYourMessage = "not_your_message", FORBIDDEN, "Not your message";
    /// The caller has made no report with this id, or it was settled.
    NoSuchReport = "no_such_report", NOT_FOUND, "No such report";
    /// This server was started without an admin token (`--admin-token-file`), so its admin API is off.
    AdminOff = "admin_off", FORBIDDEN, "The admin API is off";
    /// The `Idempotency-Key` must be 16 to 200 visible ASCII characters.
    BadIdempotencyKey = "bad_idempotency_key", BAD_REQUEST, "The idempotency key is wrong";
    /// The `Idempotency-Key` was used before for another request.
    IdempotencyKeyReused = "idempotency_key_reused", UNPROCESSABLE_ENTITY, "The idempotency key was used before";
    /// The caller's address or player has reached a limit on what one caller may create or hold; the detail names the
    /// limit and its setting. Retry after `retry_after_ms`.
    TooMany = "too_many", TOO_MANY_REQUESTS, "Too many";
    /// The database cannot be read or written now; the log of the server gives the reason. Retry.
    StoreUnavailable = "store_unavailable", SERVICE_UNAVAILABLE, "The database is unavailable";
    /// No engine would be free in time for the deadline. Retry after `retry_after_ms`.
    Busy = "busy", SERVICE_UNAVAILABLE, "All engines are busy";
    /// The server has reached its limit of open WebSockets and streams. Retry later.
    TooManySockets = "too_many_sockets", SERVICE_UNAVAILABLE, "Too many open WebSockets and streams";
    /// The server has reached its limit of connections or of body bytes; the detail names the setting. Retry after
    /// `retry_after_ms`.
    Overloaded = "overloaded", SERVICE_UNAVAILABLE, "The server is overloaded";
    /// The server is shutting down and takes no new work. Retry: it, or another one, will be up.
    Stopping = "stopping", SERVICE_UNAVAILABLE, "The server is stopping";
    /// The engine failed. The server has logged the reason; a retry may help.
    EngineFailed = "engine_failed", INTERNAL_SERVER_ERROR, "The engine failed";
    /// The server failed. It has logged the reason; a retry may help.
    Internal = "internal", INTERNAL_SERVER_ERROR, "The server failed";
}

/// A request that cannot be served, and why.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}: {detail}", code.name())]
pub struct Error {
    code: Code,
    detail: String,
    retry_after: Option<Duration>,
    current: Option<Arc<CurrentMatch>>,
}

/// A match as it is now, for a caller whose request was made for an earlier state of it.
#[derive(Debug)]
pub struct CurrentMatch {
    /// Moves made so far.
    pub ply: u32,
    /// The page of the match as the caller may see it, JSON.
    pub page: Box<RawValue>,
}

impl Error {
    /// An error with this code; `detail`: the error and its place. It may quote the request; tokens in it are masked.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { code, detail: token::hidden(detail.into()), retry_after: None, current: None }
    }

    /// The error when all engines are busy for this long.
    pub fn busy(detail: String, retry_after: Duration) -> Self {
        Self { retry_after: Some(retry_after), ..Self::new(Code::Busy, detail) }
    }

    /// The error when the database cannot be read or written now, for this reason.
    pub fn store_unavailable(why: &str) -> Self {
        let detail = format!("the database is unavailable ({why}); clocks are stopped meanwhile");
        Self::new(Code::StoreUnavailable, detail).retry_after(STORE_RETRY_AFTER)
    }

    /// The caller's address is banned.
    pub fn banned() -> Self {
        Self::new(Code::Banned, "the operator of this server has banned this address")
    }

    /// The token was valid once.
    pub fn token_ended() -> Self {
        Self::new(Code::BadToken, "the token was replaced or revoked")
    }

    /// The token was valid until a moment ago.
    pub fn token_expired() -> Self {
        Self::new(Code::TokenExpired, "the token has expired; make another one (POST /v1/me/tokens)")
    }

    /// The token of this scope lacks a right.
    pub fn scope_needed(right: Right, has: TokenScope) -> Self {
        let (code, needed) = match right {
            // Every token has this right.
            Right::Read => (Code::BadToken, "a token that is valid"),
            Right::Play => (Code::PlayScopeNeeded, "a token of the scope play"),
            Right::Manage => (Code::ManageScopeNeeded, "a token of the scope manage"),
            Right::Account => (Code::AccountTokenNeeded, "the account's own token (kbp_...)"),
        };
        Self::new(code, format!("this needs {needed}; the token has the scope {}", has.name()))
    }

    /// This node has lost the database that it shares with others.
    pub fn cut_off() -> Self {
        let detail = "this node has lost its database: connect again, to another node if there is one";
        Self::new(Code::StoreUnavailable, detail).retry_after(STORE_RETRY_AFTER)
    }

    /// The error when the server takes no new work.
    pub fn stopping() -> Self {
        let retry_after = Some(Duration::from_secs(1));
        Self { retry_after, ..Self::new(Code::Stopping, "the server is stopping and takes no new work") }
    }

    /// Adds the time after which a retry may succeed.
    pub fn retry_after(self, time: Duration) -> Self {
        Self { retry_after: Some(time), ..self }
    }

    /// Adds the match as it is now, for a caller who may see it.
    pub fn with_match(self, current: CurrentMatch) -> Self {
        Self { current: Some(Arc::new(current)), ..self }
    }

    /// The match as it is now, if it has gone on.
    pub fn current_match(&self) -> Option<&CurrentMatch> {
        self.current.as_deref()
    }

    /// The kind of the error.
    pub fn code(&self) -> Code {
        self.code
    }

    /// The detail for the caller. Internal failures are masked.
    pub fn detail(&self) -> &str {
        match self.code {
            Code::Internal => "the server failed; a retry may help",
            Code::EngineFailed => "the engine failed at this decision; a retry may help",
            _ => &self.detail,
        }
    }

    /// The time after which a retry may succeed.
    pub fn comes_back_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Writes the error to the log: failures of the server at level `error`, refusals at `info` or `debug`.
    /// `request_id`: the id of the failed request, if a request failed.
    pub fn log(&self, request_id: Option<&str>) {
        let (code, detail) = (self.code.name(), &self.detail);
        match self.code {
            Code::Internal | Code::EngineFailed | Code::StoreUnavailable => {
                tracing::error!(code, detail, request_id, "failed");
            }
            Code::Busy | Code::TooManySockets | Code::Overloaded => {
                tracing::info!(code, detail, request_id, "refused");
            }
            _ => tracing::debug!(code, detail, request_id, "refused"),
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        let code = match refusal.code {
            RefusalCode::BadOptions => Code::BadOptions,
            RefusalCode::BadPosition => Code::BadPosition,
            RefusalCode::BadMove => Code::BadMove,
            RefusalCode::BadDialogue => Code::BadDialogue,
            RefusalCode::UnknownFormat => Code::UnknownFormat,
            RefusalCode::UnknownEngine => Code::UnknownEngine,
            RefusalCode::EngineFailed => Code::EngineFailed,
            RefusalCode::PositionFinished => Code::PositionFinished,
            RefusalCode::NotToMove => Code::NotToMove,
            RefusalCode::MatchOver => Code::MatchOver,
            RefusalCode::NotYourTurn => Code::NotYourTurn,
            RefusalCode::IllegalMove => Code::IllegalMove,
            // The server itself keeps states and names, so these cannot be the caller's mistakes.
            RefusalCode::BadState | RefusalCode::BadNames => {
                return Self::new(Code::Internal, format!("{}: {}", refusal.code, refusal.detail));
            }
        };
        Self::new(code, refusal.detail)
    }
}
