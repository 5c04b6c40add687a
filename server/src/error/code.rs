//! The table of errors: for each kind its stable name, its class, its title and its explanation. It knows no protocol; `request`
//! maps the classes to the statuses of HTTP.

/// What an error means for the caller, whatever its cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The request cannot be read.
    Malformed,
    /// The caller is not known.
    Unauthenticated,
    /// The caller may not do this.
    Forbidden,
    /// There is no such thing.
    NotFound,
    /// The thing exists, but not for this operation.
    MethodNotAllowed,
    /// The request did not arrive in time.
    TooSlow,
    /// The request does not fit the present state.
    Conflict,
    /// The request was made for an earlier state.
    Outdated,
    /// The request must name the state for which it is made.
    ConditionMissing,
    /// The request has too many bytes.
    TooLarge,
    /// The request has a form that is not read here.
    UnsupportedType,
    /// The request can be read, but its content is not allowed.
    Invalid,
    /// The request needs a WebSocket.
    UpgradeNeeded,
    /// The caller has reached a limit.
    TooMany,
    /// The server cannot do this now.
    Unavailable,
    /// The server failed.
    Failure,
}

impl Class {
    /// Whether the server is the cause, not the request.
    pub const fn is_of_server(self) -> bool {
        matches!(self, Self::Unavailable | Self::Failure)
    }
}

/// The facts about a code.
struct CodeFacts {
    name: &'static str,
    class: Class,
    title: &'static str,
    help: &'static str,
}

/// Declares [`Code`] and the table of its facts, so that each code is declared once.
macro_rules! codes {
    ($($(#[doc = $help:literal])+ $code:ident = $name:literal, $class:ident, $title:literal;)+) => {
        /// The kind of an error. The names never change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code { $($(#[doc = $help])+ $code,)+ }

        /// All codes, in the order of their declaration.
        const ALL: &[Code] = &[$(Code::$code,)+];

        /// The facts, in the same order.
        const FACTS: &[CodeFacts] =
            &[$(CodeFacts { name: $name, class: Class::$class, title: $title, help: concat!($($help),+) },)+];
    };
}

impl Code {
    /// All codes.
    pub const ALL: &[Self] = ALL;

    const fn facts(self) -> &'static CodeFacts {
        &FACTS[self as usize]
    }

    /// The code as answers name it: stable, snake_case.
    pub const fn name(self) -> &'static str {
        self.facts().name
    }

    /// What it means for the caller.
    pub const fn class(self) -> Class {
        self.facts().class
    }

    /// A short title, the same every time.
    pub const fn title(self) -> &'static str {
        self.facts().title
    }

    /// The cause, and what the reader can do about it.
    pub const fn help(self) -> &'static str {
        self.facts().help
    }
}

codes! {
    /// There is nothing at this path. `/docs` lists all paths.
    NotFound = "not_found", NotFound, "No such path";
    /// No game here has this short name. `GET /v1/games` lists them.
    UnknownGame = "unknown_game", NotFound, "No such game";
    /// The path does not take this method; the header `Allow` names those it takes.
    MethodNotAllowed = "method_not_allowed", MethodNotAllowed, "Method not allowed";
    /// The path is for WebSockets, and the request is not a WebSocket handshake.
    UpgradeRequired = "upgrade_required", UpgradeNeeded, "A WebSocket is needed";
    /// The body did not arrive in time.
    BodyTooSlow = "body_too_slow", TooSlow, "The body arrived too slowly";
    /// The connection ended before the whole body had arrived.
    BadBody = "bad_body", Malformed, "The body broke off";
    /// The body is larger than this server accepts.
    BodyTooLarge = "body_too_large", TooLarge, "The body is too large";
    /// This path does not take bodies of this `Content-Type`.
    UnsupportedMediaType = "unsupported_media_type", UnsupportedType, "Unsupported media type";
    /// The body is text but not UTF-8.
    NotUtf8 = "not_utf8", Malformed, "The text is not UTF-8";
    /// The body is not JSON; the detail says where parsing failed.
    BadJson = "bad_json", Malformed, "The body is not JSON";
    /// A field of the JSON body is missing, unknown or of the wrong type; the detail gives its path.
    BadField = "bad_field", Invalid, "A field is wrong";
    /// A query parameter is unknown, given twice, or has an invalid value.
    BadQuery = "bad_query", Malformed, "A query parameter is wrong";
    /// The request asks for more thinking time than this server allows for one decision.
    ThinkTooLong = "think_too_long", Invalid, "The thinking time is too long";
    /// No engine of the game has this name.
    UnknownEngine = "unknown_engine", Invalid, "No such engine";
    /// The position is invalid: a field is wrong, or the whole contradicts the rules.
    BadPosition = "bad_position", Invalid, "The position is wrong";
    /// The match is over in this position, so there is nothing to decide.
    PositionFinished = "position_finished", Invalid, "The match is over";
    /// The position is the view of another seat than the one to move.
    NotToMove = "not_to_move", Invalid, "Not the viewer's move";
    /// The options of the deal are invalid.
    BadOptions = "bad_options", Invalid, "The options are wrong";
    /// The dialogue contradicts the official protocol, the rules, or itself; the detail names the entry.
    BadDialogue = "bad_dialogue", Invalid, "The dialogue is wrong";
    /// The file is none of the known kinds, or damaged; the detail names the line and the column.
    BadFile = "bad_file", Invalid, "The file cannot be read";
    /// The dialogue asks for more decisions than one request has time for; send it in parts.
    TooManyDecisions = "too_many_decisions", Invalid, "Too many decisions are open";
    /// A token is needed here: `Authorization: Bearer ...`.
    TokenNeeded = "token_needed", Unauthenticated, "A token is needed";
    /// The token is malformed, or this server did not issue it.
    BadToken = "bad_token", Unauthenticated, "The token is wrong";
    /// The token has expired. Its owner can make another one (`POST /v1/me/tokens`).
    TokenExpired = "token_expired", Unauthenticated, "The token has expired";
    /// The token may not play for the player: use one of the scope `play`, for a bot one of the scope `bot:NAME`, or the
    /// account's own token.
    PlayScopeNeeded = "play_scope_needed", Forbidden, "The token lacks the scope play";
    /// The token may not manage the account: use one of the scope `manage`, or the account's own token.
    ManageScopeNeeded = "manage_scope_needed", Forbidden, "The token lacks the scope manage";
    /// Only the account's own token (`kbp_...`) can do this: no token with a scope can.
    AccountTokenNeeded = "account_token_needed", Forbidden, "The account's own token is needed";
    /// The player has no token with this id. `GET /v1/me/tokens` lists them.
    NoSuchToken = "no_such_token", NotFound, "No such token";
    /// The token does not hold this seat.
    NotYourSeat = "not_your_seat", Forbidden, "Not your seat";
    /// No match here has this id, or the match is private and the request does not carry its key.
    NoSuchMatch = "no_such_match", NotFound, "No such match";
    /// No puzzle here has this id, or the game has none that the caller has not tried.
    NoSuchPuzzle = "no_such_puzzle", NotFound, "No such puzzle";
    /// The rules allow the move, but the puzzle does not value it, because the game lists only a part of the moves. Choose one of the
    /// puzzle's `moves`.
    UnprovenMove = "unproven_move", Invalid, "The puzzle does not value the move";
    /// No player here has this name.
    NoSuchPlayer = "no_such_player", NotFound, "No such player";
    /// The name belongs to another player already.
    NameTaken = "name_taken", Conflict, "The name is taken";
    /// The seats do not fit the game: too few, too many, or not those of the options.
    BadSeats = "bad_seats", Invalid, "The seats are wrong";
    /// The official protocol of this game has no bot in this seat.
    NoBotSeat = "no_bot_seat", Invalid, "Not a seat for a bot";
    /// The seat is taken, or reserved for another player.
    SeatTaken = "seat_taken", Conflict, "The seat is taken";
    /// No seat of the match is free.
    NoOpenSeat = "no_open_seat", Conflict, "No seat is free";
    /// The caller has a seat in the match already.
    AlreadySeated = "already_seated", Conflict, "Seated already";
    /// The match has not begun: seats are free.
    NotStarted = "not_started", Conflict, "The match has not begun";
    /// The match has begun, so this is no longer possible.
    Started = "started", Conflict, "The match has begun";
    /// The match has ended.
    MatchOver = "match_over", Conflict, "The match is over";
    /// Moves can be taken back only where all other seats are engines, hints are allowed and no clock runs, and only if
    /// the seat has moved.
    NoTakeBack = "no_take_back", Conflict, "No move can be taken back";
    /// The match is not over yet, so its record is secret.
    MatchNotOver = "match_not_over", Conflict, "The match is not over";
    /// The game has no record format of this name; the detail lists its formats.
    UnknownFormat = "unknown_format", Malformed, "No such format";
    /// It is another seat's turn.
    NotYourTurn = "not_your_turn", Conflict, "Not your turn";
    /// A hosted program plays the seat of this bot.
    HostedSeat = "hosted_seat", Conflict, "A hosted program plays this seat";
    /// The rules forbid the move in this position. The turn is not lost: make another move.
    IllegalMove = "illegal_move", Invalid, "The move is illegal";
    /// The text or JSON is not a move of this game.
    BadMove = "bad_move", Invalid, "The move is wrong";
    /// The move is for another ply than the current one, which `ply` gives; `match` is the match as it is now.
    StalePly = "stale_ply", Outdated, "The match is at another ply";
    /// The time of the seat was up before the move arrived, and the turn has counted as a foul. `ply` and `match` are the match
    /// as it is now.
    TimeUp = "time_up", Outdated, "The time was up";
    /// A move must name its ply, in the header `If-Match` or in the body, so that it can be retried safely.
    PlyNeeded = "ply_needed", ConditionMissing, "The ply is needed";
    /// The creator of the match has removed the caller from it. Join another match.
    Removed = "removed", Forbidden, "Removed from the match";
    /// The token is not that of the creator of this match.
    NotYourMatch = "not_your_match", Forbidden, "Not your match";
    /// A rated match must be public.
    RatedPrivate = "rated_private", Invalid, "A private match cannot be rated";
    /// A rated match must have a clock with a limit on the time of a seat.
    RatedClock = "rated_clock", Invalid, "A rated match needs a clock";
    /// The server chooses the seed of a rated match: leave `seed` out.
    RatedSeed = "rated_seed", Invalid, "The seed was chosen by the caller";
    /// A rated match is dealt: leave `position` or `rated` out.
    RatedPosition = "rated_position", Invalid, "A match from a position cannot be rated";
    /// A rated match has no hints.
    RatedHints = "rated_hints", Invalid, "A rated match has no hints";
    /// A rated match needs at least two different players. Matches of engines alone are rated only when the server itself
    /// arranges them.
    RatedSeats = "rated_seats", Invalid, "These seats cannot be rated";
    /// A guest cannot have a seat in a rated match: create a player (`POST /v1/players`) and send its token.
    RatedGuest = "rated_guest", Forbidden, "A rated match is for players with a name";
    /// Two seats of a rated match would belong to the same person: a person and their bot, or two of their bots.
    RatedOwners = "rated_owners", Forbidden, "The same person would have two seats";
    /// An engine in a rated match has its usual thinking time: leave `think_ms` and `nodes` out.
    RatedEngine = "rated_engine", Invalid, "The engine's thinking time is not the usual one";
    /// Two of the players have begun as many rated matches with each other today (UTC) as this server allows. Play an
    /// unrated match, or another opponent.
    RatedLimit = "rated_limit", TooMany, "Too many rated matches of these players today";
    /// No tournament has this id. `GET /v1/tournaments` lists them.
    NoSuchTournament = "no_such_tournament", NotFound, "No such tournament";
    /// Only the organizer of the tournament may do this.
    NotYourTournament = "not_your_tournament", Forbidden, "Not your tournament";
    /// The stage of the tournament does not allow this; the detail says why.
    TournamentStage = "tournament_stage", Conflict, "Not in this stage of the tournament";
    /// The player has entered the tournament already.
    AlreadyEntered = "already_entered", Conflict, "Entered already";
    /// The player does not take part in the tournament.
    NotEntered = "not_entered", NotFound, "Not in the tournament";
    /// The caller cannot enter this player: only oneself, and one's own bots.
    NotEligible = "not_eligible", Forbidden, "Not a player to enter";
    /// The tournament has as many entrants as its organizer allows.
    TournamentFull = "tournament_full", Conflict, "The tournament is full";
    /// More players must enter before the tournament can start.
    TooFewEntrants = "too_few_entrants", Conflict, "Too few entrants";
    /// The tournament has too few entrants for this number of rounds: some would meet twice.
    TooManyRounds = "too_many_rounds", Conflict, "Too many rounds";
    /// With its entrants the tournament would have more games than one may have.
    TooManyGames = "too_many_games", Conflict, "Too many games";
    /// The hours of a tournament are too few for one game of each entrant from every seat.
    TooLittleTime = "too_little_time", Conflict, "Too little time";
    /// Several games of a tournament have the same deal, so records and hidden views of its matches are secret until the
    /// tournament is over.
    Sealed = "sealed", Conflict, "Sealed until all games with the same deal are finished";
    /// A seat in a match of a tournament cannot be given up. Resign once the match has begun, or withdraw from the
    /// tournament.
    TournamentMatch = "tournament_match", Conflict, "The match belongs to a tournament";
    /// The match was not rated, or its result was annulled before.
    NotCounted = "not_counted", Conflict, "The match does not count";
    /// The result can no longer be annulled: too many rated matches of the game have ended after it.
    TooLate = "too_late", Conflict, "Too many results came afterwards";
    /// The caller has no challenge with this id; it may have been settled long ago.
    NoSuchChallenge = "no_such_challenge", NotFound, "No such challenge";
    /// Only the player who was challenged can accept or decline, and only the challenger can withdraw.
    NotYourChallenge = "not_your_challenge", Forbidden, "Not your challenge";
    /// The challenge was declined, withdrawn, has expired or failed.
    ChallengeOver = "challenge_over", Conflict, "The challenge is over";
    /// The player cannot be challenged, or not to this: the detail says why. `GET /v1/bots` lists the bots that are online
    /// and what they accept.
    NotAccepted = "not_accepted", Conflict, "Not accepted";
    /// The bot has no program with this number, or its owner has not published it.
    NoSuchProgram = "no_such_program", NotFound, "No such program";
    /// The state of the program does not allow this; the detail says why.
    ProgramState = "program_state", Conflict, "Not in this state of the program";
    /// The operator of this server has disabled this program; the detail says why. Another build of the same source is another program.
    ProgramDisabled = "program_disabled", Forbidden, "The program is disabled";
    /// The body is not a WebAssembly module in the binary format.
    BadModule = "bad_module", Invalid, "Not a WebAssembly module";
    /// This server runs no programs of bots. Bots on machines of their own can play: `kibitz-shim play`.
    ProgramsOff = "programs_off", Forbidden, "Programs are off";
    /// This passkey, recovery code or token does not sign in here: it was removed, replaced or used, or it belongs to another site. Use
    /// another one.
    SignInRefused = "sign_in_refused", Forbidden, "The sign-in is refused";
    /// The ceremony of a passkey has expired, or was begun for something else. Begin again.
    CeremonyOver = "ceremony_over", Conflict, "The ceremony is over";
    /// The passkey does not answer the ceremony, was made for another site, or is here already.
    BadPasskey = "bad_passkey", Invalid, "The passkey is not accepted";
    /// The caller has no passkey with this id. `GET /v1/me/passkeys` lists them.
    NoSuchPasskey = "no_such_passkey", NotFound, "No such passkey";
    /// This server sends no notifications.
    PushOff = "push_off", Forbidden, "Notifications are off";
    /// The push service of the browser did not take the notification; the detail says why.
    PushFailed = "push_failed", Conflict, "The notification was not taken";
    /// The caller has no subscription with this id. `GET /v1/me/push-subscriptions` lists them.
    NoSuchSubscription = "no_such_subscription", NotFound, "No such subscription";
    /// The operator of this server gives no vacations.
    VacationOff = "vacation_off", Forbidden, "There are no vacations";
    /// The caller has used the days of vacation of this calendar year.
    NoVacationLeft = "no_vacation_left", Conflict, "No vacation is left";
    /// Only a bot can do this: `POST /v1/me/bots` creates one.
    NotABot = "not_a_bot", Forbidden, "Only for bots";
    /// A bot, or a built-in engine, cannot do this; a person can.
    NotAPerson = "not_a_person", Forbidden, "Only for people";
    /// The operator of this server has banned the caller's address, or the player; the detail says which.
    Banned = "banned", Forbidden, "Banned";
    /// The operator of this server has muted the player: no chat, no reasons, no descriptions, no new bots and tournaments. The
    /// detail says why, and until when.
    Muted = "muted", Forbidden, "Muted";
    /// New players need an invitation here: ask the operator of this server for a code, and send it as `invitation`.
    InvitationNeeded = "invitation_needed", Forbidden, "An invitation is needed";
    /// The invitation does not exist, has expired, or was used as often as it may. Ask the operator for another one.
    BadInvitation = "bad_invitation", Forbidden, "The invitation is not valid";
    /// This server takes no new players. Guests can play without a name.
    RegistrationClosed = "registration_closed", Forbidden, "Registration is closed";
    /// The match has no message with this number, or it was deleted.
    NoSuchMessage = "no_such_message", NotFound, "No such message";
    /// Only the author of the message can delete it.
    NotYourMessage = "not_your_message", Forbidden, "Not your message";
    /// The caller has made no report with this id, or it was settled.
    NoSuchReport = "no_such_report", NotFound, "No such report";
    /// Another caller asked for this analysis: only that caller can cancel it.
    NotYourAnalysis = "not_your_analysis", Forbidden, "Not your analysis";
    /// This server was started without an admin token (`--admin-token-file`), so its admin API is off.
    AdminOff = "admin_off", Forbidden, "The admin API is off";
    /// The `Idempotency-Key` must be 16 to 200 visible ASCII characters.
    BadIdempotencyKey = "bad_idempotency_key", Malformed, "The idempotency key is wrong";
    /// The `Idempotency-Key` was used before for another request.
    IdempotencyKeyReused = "idempotency_key_reused", Invalid, "The idempotency key was used before";
    /// The caller's address or player has reached a limit on what one caller may create or hold; the detail names the
    /// limit and its setting. Retry after `retry_after_ms`.
    TooMany = "too_many", TooMany, "Too many";
    /// The database cannot be read or written now; the log of the server gives the reason. Retry.
    StoreUnavailable = "store_unavailable", Unavailable, "The database is unavailable";
    /// No engine would be free in time for the deadline. Retry after `retry_after_ms`.
    Busy = "busy", Unavailable, "All engines are busy";
    /// The server has reached its limit of open WebSockets and streams. Retry later.
    TooManySockets = "too_many_sockets", Unavailable, "Too many open WebSockets and streams";
    /// The server has reached its limit of connections or of body bytes; the detail names the setting. Retry after
    /// `retry_after_ms`.
    Overloaded = "overloaded", Unavailable, "The server is overloaded";
    /// The server is shutting down and takes no new work. Retry: it, or another one, will be up.
    Stopping = "stopping", Unavailable, "The server is stopping";
    /// The engine failed. The server has logged the reason; a retry may help.
    EngineFailed = "engine_failed", Failure, "The engine failed";
    /// The server failed. It has logged the reason; a retry may help.
    Internal = "internal", Failure, "The server failed";
}
