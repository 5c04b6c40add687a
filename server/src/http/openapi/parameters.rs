//! The parameters of routes in paths, queries and headers.

use schemars::JsonSchema;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Required, Schema};

use crate::domain::{PlayerKind, Stage};
use crate::http::openapi::{AnyPlayerName, EngineName, GameSlug, MatchId, PlayerName};
use crate::request::seed::SeedText;
use crate::store::RestrictionKind;
use engines::search::Level;

/// The schema of this type, which is a component of the document.
fn of<T: JsonSchema>() -> RefOr<Schema> {
    Ref::from_schema_name(T::schema_name()).into()
}

/// A whole number, at least `least`.
fn number(least: u64) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(least as f64))
}

/// A text of this pattern.
fn pattern(pattern: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern))
}

/// Declares parameters that several routes have.
macro_rules! parameters {
    ($($(#[doc = $doc:literal])* $name:ident: [$(($in:ident, $param:literal, $required:ident, $schema:expr, $what:literal)),+ $(,)?];)+) => {
        $(
            $(#[doc = $doc])*
            pub(crate) struct $name;

            impl utoipa::IntoParams for $name {
                fn into_params(_: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
                    vec![$(
                        ParameterBuilder::new()
                            .name($param)
                            .parameter_in(ParameterIn::$in)
                            .required(Required::$required)
                            .description(Some($what))
                            .schema(Some($schema))
                            .build()
                    ),+]
                }
            }
        )+
    };
}

parameters! {
    GamePath: [(Path, "game", True, of::<GameSlug>(), "The game's short name.")];
    PuzzlePath: [(Path, "id", True, of::<MatchId>(), "The puzzle.")];
    MatchPath: [(Path, "id", True, of::<MatchId>(), "The match.")];
    SeatPath: [(Path, "seat", True, pattern("^(me|0|[1-9][0-9]{0,2})$"), "The seat's number, or `me`.")];
    SeatNumberPath: [(Path, "seat", True, pattern("^(0|[1-9][0-9]{0,2})$"), "The seat's number.")];
    MessagePath: [(Path, "n", True, number(0), "The message's number.")];
    /// The report, or the invitation, of a path.
    EntryPath: [(Path, "id", True, ObjectBuilder::new().schema_type(Type::String), "The entry's id.")];
    RestrictionPath: [(Path, "kind", True, of::<RestrictionKind>(), "`mute` or `ban`.")];
    PlayerPath: [(Path, "name", True, of::<AnyPlayerName>(), "The player's name, in upper or lower case.")];
    ProgramPath: [(Path, "number", True, number(1), "The program's number among the bot's.")];
    OfferedFilePath: [(Path, "file", True, pattern("^[0-9A-Za-z][0-9A-Za-z._+-]{0,99}$"), "The name of the file.")];
    ProgramHashPath: [(Path, "hash", True, pattern("^[0-9a-f]{64}$"), "The SHA-256 of the module.")];
    /// The game of a program, and what becomes of it.
    UploadQuery: [
        (Query, "game", True, of::<GameSlug>(), "The game that it plays."),
        (Query, "note", False, ObjectBuilder::new().schema_type(Type::String).max_length(Some(200)),
            "A note for the owner, on one line."),
        (Query, "activate", False, ObjectBuilder::new().schema_type(Type::Boolean),
            "Whether it becomes active when its check has passed. Default: `true`."),
    ];
    VerifyQuery: [(Query, "programs", False, ObjectBuilder::new().schema_type(Type::Boolean),
        "Whether the hosted programs of the match run again, too. Default: `false`.")];
    TextQuery: [(Query, "format", False, pattern("^(json|text)$"), "`text`: a text for people. Default: `json`.")];
    /// The players of a leaderboard to list.
    LeaderboardQuery: [
        (Query, "kind", False, of::<PlayerKind>(), "Only people, only bots, or only built-in engines."),
        (Query, "provisional", False, ObjectBuilder::new().schema_type(Type::Boolean),
            "`false`: without players whose rating is provisional. Default: `true`."),
        (Query, "after", False, pattern("^.+$"), "`next` of the previous page."),
        (Query, "limit", False, number(1).maximum(Some(200.0)), "The most players to list. Default: 50."),
    ];
    ChallengePath: [(Path, "id", True, ObjectBuilder::new().schema_type(Type::String), "The challenge.")];
    TokenPath: [(Path, "id", True, of::<MatchId>(), "The token's id, from the list.")];
    PasskeyPath: [(Path, "id", True, of::<MatchId>(), "The passkey's id, from the list.")];
    PushSubscriptionPath: [(Path, "id", True, of::<MatchId>(), "The subscription's id, from the list.")];
    /// The game that a list is about.
    GameQuery: [(Query, "game", False, of::<GameSlug>(), "Only this game.")];
    PuzzleGameQuery: [(Query, "game", True, of::<GameSlug>(), "The game.")];
    ExceptQuery: [(Query, "except", False, of::<MatchId>(), "Not the puzzle with this id, such as the one that is shown.")];
    /// How many points of a history to return.
    PointsQuery: [(Query, "points", False, number(1).maximum(Some(500.0)), "The most points. Default: 200.")];
    /// The costly decisions to list.
    MistakesQuery: [
        (Query, "phase", False, pattern("^.+$"), "Only this phase of the match, as the game names it."),
        (Query, "kind", False, pattern("^.+$"), "Only this kind of move, as the game names it."),
        (Query, "after", False, pattern("^.+$"), "`next` of the previous page."),
        (Query, "limit", False, number(1).maximum(Some(50.0)), "The most entries. Default: 20; of a suite: 50."),
    ];
    /// A page of a list.
    PageQuery: [
        (Query, "after", False, pattern("^.+$"), "`next` of the previous page."),
        (Query, "limit", False, number(1).maximum(Some(200.0)), "The most entries. Default: 50."),
    ];
    /// Makes a request safe to send again.
    IdempotencyKey: [(Header, "Idempotency-Key", False,
        pattern("^[!-~]+$").min_length(Some(16)).max_length(Some(200)),
        "16 to 200 visible ASCII characters that cannot be guessed, such as a random UUID. The same request with the same \
         key gets the same answer and is done only once; a different request with the key is refused.")];
    /// The ply that a move is for.
    IfMatch: [(Header, "If-Match", False, pattern("^\"[0-9]+\"$"),
        "The ply in quotes, as in the `ETag` of the match.")];
    /// The match of a file.
    FileQuery: [(Query, "match", False, number(0), "The number of the match to show, from 0. Default: the first.")];
    /// The faults to list.
    FaultQuery: [
        (Query, "game", False, of::<GameSlug>(), "Only faults in this game."),
        (Query, "before", False, pattern("^[0-9a-f-]{36}[.][0-9]+$"), "Only faults before this one: `next` of the previous page."),
        (Query, "limit", False, number(1).maximum(Some(100.0)), "The most faults to list. Default: 20."),
        (Query, "format", False, pattern("^(json|text)$"), "`json`, the default, or `text`, for people."),
    ];
    /// The event after which a stream continues.
    SinceQuery: [(Query, "since", False, number(0), "The `seq` of the last event that the caller has seen.")];
    /// The event after which a stream continues, and the seat whose view it shows.
    EventsQuery: [
        (Query, "seat", False, number(0), "Sends the events as this seat saw them. Only when the match is over."),
        (Header, "Last-Event-ID", False, number(0), "The same as `since`, and takes precedence over it."),
    ];
    /// The subprotocols with which browsers send tokens, since they cannot set headers.
    Subprotocols: [(Header, "Sec-WebSocket-Protocol", False, ObjectBuilder::new().schema_type(Type::String),
        "`kibitz`, and with it `token.TOKEN` and `key.KEY` if the client cannot set headers.")];
    /// The matches to list.
    ListQuery: [
        (Query, "game", False, of::<GameSlug>(), "Only matches of this game."),
        (Query, "stage", False, of::<Stage>(), "Only matches in this stage."),
        (Query, "before", False, of::<MatchId>(), "Only matches created before this one: `next` of the previous page."),
        (Query, "limit", False, number(1).maximum(Some(100.0)), "The most matches to list. Default: 20."),
    ];
    TournamentPath: [(Path, "id", True, of::<MatchId>(), "The tournament.")];
    /// The tournaments to list.
    TournamentQuery: [
        (Query, "game", False, of::<GameSlug>(), "Only tournaments of this game."),
        (Query, "before", False, of::<MatchId>(), "Only tournaments created before this one: `next` of the previous page."),
        (Query, "limit", False, number(1).maximum(Some(100.0)), "The most tournaments to list. Default: 20."),
    ];
    /// The event after which a stream continues, as browsers send it.
    LastEventId: [(Header, "Last-Event-ID", False, number(0), "The same as `since`, and takes precedence over it.")];
    /// The player whose matches to list.
    PlayerQuery: [(Query, "player", False, of::<PlayerName>(), "Only matches in which this player has a seat.")];
    /// The number of the first message.
    ChatQuery: [(Query, "from", False, number(0), "Only messages from this number on. Default: 0.")];
    /// The month of a download.
    MonthQuery: [(Query, "month", True, pattern("^[0-9]{4}-[0-9]{2}$"), "The month (UTC) in which the matches were created, as `2026-11`.")];
    /// The matches of a download.
    RecordsQuery: [
        (Query, "from", False, pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$"), "Only matches created on this day (UTC) or later, as `2026-11-01`."),
        (Query, "to", False, pattern("^[0-9]{4}-[0-9]{2}-[0-9]{2}$"), "Only matches created on this day (UTC) or earlier."),
        (Query, "rated", False, ObjectBuilder::new().schema_type(Type::Boolean),
            "`true`: only rated matches; `false`: only unrated ones. Default: both."),
        (Query, "min_rating", False, ObjectBuilder::new().schema_type(Type::Integer),
            "Only matches after which each player had at least this rating. Matches that changed no ratings are left out."),
        (Query, "after", False, of::<MatchId>(), "Only matches created after this one: the last match of a download that broke off."),
    ];
    /// The format of a record.
    FormatQuery: [(Query, "format", False, pattern("^.+$"),
        "`kibitz-record-1` (the default) or one of the game's own.")];
    /// The format of the dialogue of a seat.
    DialogueFormatQuery: [(Query, "format", False, pattern("^(json|transcript|input)$"),
        "`json` (the default), `transcript` or `input`.")];
    /// The options of an engine's decisions in a dialogue.
    DialogueQuery: [
        (Query, "think_ms", False, number(0), "The thinking time of one decision, in milliseconds."),
        (Query, "deadline_ms", False, number(0), "The deadline of each answer, in milliseconds."),
        (Query, "nodes", False, number(0), "Stop a search after this number of nodes."),
        (Query, "level", False, of::<Level>(), "How well to play."),
        (Query, "seed", False, of::<SeedText>(), "The source of all randomness."),
        (Query, "engine", False, of::<EngineName>(), "The engine's name."),
        (Query, "candidates", False, number(0).maximum(Some(65_535.0)),
            "Adds lines that begin with `# ` before the lines of each decision: one about the engine's search, then at \
             most this many ranked moves."),
    ];
    /// How long a dialogue has been silent.
    SilenceQuery: [(Query, "silence_ms", False, number(0), "How much time has passed since the last line, in milliseconds.")];
}
