"""Types that several parts of the API use. Generated from /openapi.json by scripts/client-types."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict

from kibitz.types.azul import (
    AzulMove,
    AzulView,
)
from kibitz.types.base import (
    Seat,
)
from kibitz.types.buraco import (
    BuracoMove,
    BuracoView,
)
from kibitz.types.ioiwari import (
    IoiwariMove,
    IoiwariView,
)
from kibitz.types.septica import (
    SepticaMove,
    SepticaView,
)
from kibitz.types.splendor import (
    SplendorMove,
    SplendorView,
)

__all__ = [
    "AnswerId",
    "AnyPlayerName",
    "ClockShown",
    "ClockSpec",
    "Closed",
    "ContestScore",
    "ContestScorePlaces",
    "ContestScorePoints",
    "ContestScoreResult",
    "ControlAnswer",
    "ControlAnswerPolicySet",
    "ControlAnswerRefused",
    "ControlRequest",
    "ControlRequestAccept",
    "ControlRequestDecline",
    "ControlRequestPolicy",
    "EndKind",
    "EngineName",
    "EngineShown",
    "FoulKind",
    "FromPosition",
    "GameSlug",
    "LadderMatch",
    "Level",
    "LiveAnswer",
    "LiveAnswerDone",
    "LiveAnswerRefused",
    "LiveRequest",
    "LiveRequestAbort",
    "LiveRequestLeave",
    "LiveRequestMove",
    "LiveRequestResign",
    "MatchEntry",
    "MatchEvent",
    "MatchEventCreated",
    "MatchEventEnded",
    "MatchEventFouled",
    "MatchEventJoined",
    "MatchEventLeft",
    "MatchEventMoved",
    "MatchEventRefereeSet",
    "MatchEventResumed",
    "MatchEventStarted",
    "MatchEventTakenBack",
    "MatchEventWentOut",
    "MatchId",
    "MatchLink",
    "MatchList",
    "MatchPage",
    "Move",
    "MoveClass",
    "MoveText",
    "MoveTimes",
    "MoveValue",
    "Options",
    "OutReason",
    "OutputLine",
    "PageKind",
    "PlayerKind",
    "PlayerName",
    "Policy",
    "PolicyFrom",
    "PolicyRated",
    "Position",
    "PositionSource",
    "Problem",
    "ProgramRating",
    "ProgramRef",
    "ProgramReport",
    "ProgramResults",
    "ProgramState",
    "Reported",
    "ReportedChat",
    "ReportedMatch",
    "ReportedPlayer",
    "ReportedTournament",
    "Result",
    "SeatListed",
    "SeatShown",
    "Seed",
    "SeedFrom",
    "Stage",
    "State",
    "SuiteHistory",
    "SuiteLine",
    "SuitePosition",
    "TournamentRef",
    "TurnState",
    "WhoKind",
]


AnswerId: TypeAlias = Any
"""Any JSON value that the client chooses. The answer repeats it."""


AnyPlayerName: TypeAlias = str
"""The name of any player: a person's or bot's, or a built-in engine as `GAME:ENGINE:VERSION:LEVEL`."""


class ClockShown(TypedDict):
    """The clocks of all seats at one moment."""

    increment_ms: int
    """The time that a seat's clock gains with each of its moves, in milliseconds. Only with `initial_ms`."""

    initial_ms: NotRequired[int | None]
    """Time for all moves of a seat together, in milliseconds, before increments."""

    left_ms: list[int | None]
    """Per seat, the time left at `since_ms` for all its moves, in milliseconds; null: no such limit."""

    move_ms: NotRequired[int | None]
    """Time for each single move, in milliseconds. Unused time is lost."""

    now_ms: int
    """The time of the server."""

    paused: bool
    """Whether the clock is paused: after a downtime, so that the player can reconnect, while moves cannot be stored,
    or while the player is on vacation."""

    paused_until_ms: NotRequired[int | None]
    """The end of the pause, if it is known."""

    running: Seat | None
    """The seat whose clock runs, or will run after a pause."""

    since_ms: int | None
    """The time since which it runs, pauses left out: by now it has used `now_ms - since_ms`."""


class ClockSpec(TypedDict):
    """The time that every seat gets. At least one of `initial_ms` and `move_ms` is present."""

    increment_ms: NotRequired[int]
    """The time that a seat's clock gains with each of its moves, in milliseconds. Only with `initial_ms`. Default:
    `0`."""

    initial_ms: NotRequired[int | None]
    """Time for all moves of a seat together, in milliseconds, before increments."""

    move_ms: NotRequired[int | None]
    """Time for each single move, in milliseconds. Unused time is lost."""


class Closed(TypedDict):
    """The last frame of a stream that ends before its match."""

    code: Literal["too_slow", "stopping", "internal", "bad_token", "token_expired", "banned", "store_unavailable"]
    """The reason for the end of the stream."""

    detail: str
    """How to continue, for people."""

    type: Literal["closed"]
    """`closed`."""


class ContestScorePlaces(TypedDict):
    """The opponents who finished behind; one who shares the place counts half."""

    kind: Literal["places"]


class ContestScorePoints(TypedDict):
    """The game's own points."""

    kind: Literal["points"]


class ContestScoreResult(TypedDict):
    """By the result. A shared first place is a draw."""

    draw: int
    """For a shared first place."""

    kind: Literal["result"]

    loss: int
    """For any other place."""

    win: int
    """For the only first place."""


ContestScore: TypeAlias = ContestScoreResult | ContestScorePoints | ContestScorePlaces
"""How a contest counts a match for its bot."""


class ControlAnswerPolicySet(TypedDict):
    """The policy of the bot is set: it holds from now on."""

    type: Literal["policy_set"]


EndKind: TypeAlias = Literal["played", "walkover", "aborted", "abandoned", "guests_left", "cancelled", "terminated"]
"""How a match can end. - `played`: By the rules of the game, penalties included. - `walkover`: At most one seat was
left. - `aborted`: Aborted by a player before the first move. No result. - `abandoned`: Nothing happened for too
long. No result. - `guests_left`: Only guests sat in it, and all of them have left. No result. - `cancelled`:
Ended by its creator: before it began, or with engines alone in its seats. No result. - `terminated`: Ended by the
operator of the server. No result."""


MatchId: TypeAlias = str
"""The id of a match: a UUID in lower case."""


class PositionSource(TypedDict):
    """The place of a position in a match that is over."""

    match: MatchId
    """The match."""

    ply: int
    """The number of moves made before the position."""


class FromPosition(TypedDict):
    """The start of a match that was not dealt. The position itself may be secret."""

    of: PositionSource | None
    """The match and the ply that the position is from; null: the creator gave it."""


GameSlug: TypeAlias = Literal["azul", "buraco", "ioiwari", "septica", "splendor"]
"""The short name of a game."""


LadderMatch: TypeAlias = Literal["rated", "check"]
"""A kind of match of the permanent ladder. - `rated`: A rated match. - `check`: An unrated match that shows whether
a bot speaks the protocol of its game, before its first rated match."""


Move: TypeAlias = AzulMove | SplendorMove | BuracoMove | IoiwariMove | SepticaMove
"""A move, by the game's own schema."""


class MoveText(TypedDict):
    """A move in both its forms."""

    move: Move
    """The move as JSON, by the game's schema."""

    notation: str
    """The move as the official protocol writes it."""


Options: TypeAlias = dict[str, Any]
"""Options of a deal, by the game's own schema."""


PageKind: TypeAlias = Literal["match"]
"""The type of a page. - `match`: A page."""


Position: TypeAlias = BuracoView | SepticaView | SplendorView | AzulView | IoiwariView
"""A position, by the game's own schema."""


class Result(TypedDict):
    """The result of a match."""

    points: list[int] | None
    """The game's own points per seat, where the game was played to its end."""

    ranks: list[int]
    """Place per seat, 1 = winner; equal places are shared. No seat has place 1 when there is no winner. Seats that
    went out rank behind all others."""

    reason: str
    """The reason for the end, in a few words."""


Level: TypeAlias = Literal["easy", "medium", "hard", "max"]
"""How well an engine plays. People must be able to win at `easy`. - `easy`: For people who are learning the game. -
`medium`: For people who play it now and then. - `hard`: For people who play it well. - `max`: As well as the
engine can."""


class EngineShown(TypedDict):
    """An engine in a seat."""

    level: Level

    name: str

    nodes: int | None
    """Most nodes of one search."""

    think_ms: int
    """Its longest thinking time per move, in milliseconds."""

    version: int
    """Its version when the match was created."""


class ProgramRef(TypedDict):
    """A program that the owner of a bot has uploaded."""

    hash: str
    """The SHA-256 of the module, hexadecimal."""

    number: int
    """Its number among the programs of the bot."""


WhoKind: TypeAlias = Literal["engine", "player", "guest", "open", "reserved"]
"""The kind of holder of a seat. - `engine`: A built-in engine. - `player`: A player with a registered name. -
`guest`: A guest, who has only the token of the seat. - `open`: The seat is open: anyone may join. - `reserved`:
The seat is reserved for a player who has not joined yet."""


class SeatShown(TypedDict):
    """A seat, as all viewers see it."""

    connected: NotRequired[bool | None]
    """Whether the player who holds it is connected. Absent in events, for engines and free seats, and when the match
    is over."""

    engine: NotRequired[EngineShown | None]
    """The engine, if it is one."""

    guest: NotRequired[int | None]
    """The number of a guest without a name, who is shown as "Guest 12"."""

    kind: WhoKind
    """The kind of holder."""

    name: str | None
    """Of an engine, of a player, or of a guest who chose one."""

    out: bool
    """Whether it has dropped out."""

    program: NotRequired[ProgramRef | None]
    """The hosted program that plays for a bot, whose clock counts its instructions. Absent if the bot runs
    elsewhere."""

    seat: Seat
    """Its number."""

    vacation_until_ms: NotRequired[int | None]
    """The end of the vacation of the player who holds it, in milliseconds since 1970. Absent in events, without a
    vacation, and in matches in which vacations do not count."""


SeedFrom: TypeAlias = Literal["host", "caller"]
"""The party that chose the seed of a deal. - `host`: The server, at random. - `caller`: The creator of the match,
who may therefore know the deal."""


Stage: TypeAlias = Literal["open", "running", "over"]
"""The stage of a match. - `open`: It has not begun: seats are free. - `running`: It is being played. - `over`: It
has ended."""


class TournamentRef(TypedDict):
    """The game of a tournament that a match is played for."""

    game: int
    """The number of the game in it, from 0."""

    id: str
    """The tournament."""

    shares_deal: NotRequired[bool]
    """Whether other games of the tournament have the same deal. Until all of them are finished, the match is sealed:
    only its players see it."""


class MatchPage(TypedDict):
    """The current state of a match, as one viewer sees it."""

    clock: ClockShown | None
    """The clocks; null: no limits."""

    commitment: str
    """SHA-256 of the bytes of the salt followed by those of the seed, hexadecimal. It is public before the first
    move, so that the deal can be checked after the last."""

    created_ms: int
    """The time of its creation, in milliseconds since 1970."""

    ended: EndKind | None
    """How it ended."""

    from_position: NotRequired[FromPosition | None]
    """That it began with a position. Absent if it was dealt."""

    game: GameSlug
    """The game's short name."""

    hints: bool
    """Whether the players may ask engines for hints during the match."""

    id: MatchId
    """The id of the match."""

    idle_ms: int
    """The match ends after this long without an event, in milliseconds (before the start, and after it without a
    clock)."""

    ladder: NotRequired[LadderMatch | None]
    """The kind of match of the permanent ladder that it is. Absent if it is none."""

    legal_moves: list[MoveText]
    """The moves that the viewer may make now."""

    options: Options
    """The options of the deal, by the game's schema."""

    ply: int
    """The number of moves made so far, those of penalties included. A move must name it."""

    position: Position | None
    """The view, by the game's schema; null before the start."""

    private: bool
    """Whether only its players and holders of its key can see it."""

    rated: bool
    """Whether the result changes the ratings of the players."""

    rematch: MatchId | None
    """The rematch of this match."""

    rematch_of: MatchId | None
    """The match of which this one is the rematch."""

    result: Result | None
    """The result, if there is one."""

    salt: NotRequired[str | None]
    """After the end: the salt of the commitment, hexadecimal. Absent in matches of tournaments."""

    seats: list[SeatShown]
    """The seats, in order."""

    seed: NotRequired[str | None]
    """After the end: the seed of the deal, hexadecimal. Absent in matches of tournaments, where several games have
    the same deal: their records contain it, which are sealed until all of those are finished."""

    seed_from: SeedFrom
    """The party that chose the seed."""

    seq: int
    """The place of the last event."""

    stage: Stage

    tournament: NotRequired[TournamentRef | None]
    """The game of a tournament that it is played for."""

    turn: Seat | None
    """The seat to move."""

    type: PageKind

    you: Seat | None
    """The viewer's own seat."""


class Problem(TypedDict):
    """The body of every error (RFC 9457), `application/problem+json`."""

    code: Literal["not_found", "unknown_game", "method_not_allowed", "upgrade_required", "body_too_slow", "bad_body", "body_too_large", "unsupported_media_type", "not_utf8", "bad_json", "bad_field", "bad_query", "think_too_long", "unknown_engine", "bad_position", "position_finished", "not_to_move", "bad_options", "bad_dialogue", "bad_file", "too_many_decisions", "token_needed", "bad_token", "token_expired", "play_scope_needed", "manage_scope_needed", "account_token_needed", "no_such_token", "not_your_seat", "no_such_match", "no_such_puzzle", "unproven_move", "no_such_player", "name_taken", "bad_seats", "no_bot_seat", "seat_taken", "no_open_seat", "already_seated", "not_started", "started", "match_over", "no_take_back", "match_not_over", "unknown_format", "not_your_turn", "hosted_seat", "illegal_move", "bad_move", "stale_ply", "time_up", "ply_needed", "removed", "not_your_match", "rated_private", "rated_clock", "rated_seed", "rated_position", "rated_hints", "rated_seats", "rated_guest", "rated_owners", "rated_engine", "rated_limit", "no_such_tournament", "not_your_tournament", "tournament_stage", "already_entered", "not_entered", "not_eligible", "tournament_full", "too_few_entrants", "too_many_rounds", "too_many_games", "too_little_time", "sealed", "tournament_match", "not_counted", "too_late", "no_such_challenge", "not_your_challenge", "challenge_over", "not_accepted", "no_such_program", "program_state", "program_disabled", "bad_module", "programs_off", "sign_in_refused", "ceremony_over", "bad_passkey", "no_such_passkey", "push_off", "push_failed", "no_such_subscription", "vacation_off", "no_vacation_left", "not_a_bot", "not_a_person", "banned", "muted", "invitation_needed", "bad_invitation", "registration_closed", "no_such_message", "not_your_message", "no_such_report", "not_your_analysis", "admin_off", "bad_idempotency_key", "idempotency_key_reused", "too_many", "store_unavailable", "busy", "too_many_sockets", "overloaded", "stopping", "engine_failed", "internal"]
    """The stable name of the error."""

    detail: str
    """The error and its place, in a sentence."""

    match: NotRequired[MatchPage | None]
    """With `stale_ply` and `time_up`: the match as it is now."""

    ply: NotRequired[int | None]
    """With `stale_ply` and `time_up`: the current ply of the match."""

    request_id: NotRequired[str | None]
    """The id of the request, as in the header `X-Request-Id` and in the server's log."""

    retry_after_ms: NotRequired[int | None]
    """Milliseconds after which a retry may succeed."""

    status: int
    """The HTTP status."""

    title: str
    """A short title, the same every time."""

    type: str
    """The URI of the explanation of the code, relative to this server."""


class ControlAnswerRefused(TypedDict):
    """A message was refused. The connection stays open."""

    problem: Problem
    """The reason."""

    type: Literal["refused"]


ControlAnswer: TypeAlias = ControlAnswerRefused | ControlAnswerPolicySet
"""A message from the server that is not an event."""


class ControlRequestAccept(TypedDict):
    """Accept a challenge."""

    id: str
    """The challenge."""

    type: Literal["accept"]


class ControlRequestDecline(TypedDict):
    """Decline a challenge."""

    id: str
    """The challenge."""

    reason: NotRequired[str | None]
    """The reason, which the challenger sees: at most 200 characters."""

    type: Literal["decline"]


PolicyFrom: TypeAlias = Literal["anyone", "people", "bots", "owner"]
"""The opponents that a bot accepts. - `anyone`: Anyone with a name. - `people`: People, and no bots. - `bots`: Other
bots. - `owner`: Its owner, and the owner's other bots."""


PolicyRated: TypeAlias = Literal["any", "only", "never"]
"""Whether a bot plays rated matches. - `any`: Rated and unrated ones. - `only`: Only rated ones. - `never`: Only
unrated ones."""


Policy = TypedDict("Policy", {
    "clock_ms": NotRequired[list[int] | None],
    "concurrent": NotRequired[int],
    "from": NotRequired[PolicyFrom],
    "games": list[GameSlug],
    "ladder": NotRequired[bool],
    "rated": NotRequired[PolicyRated],
    "referee": NotRequired[dict[str, str]],
    "unlimited": NotRequired[bool],
})
"""The matches that a bot accepts, as long as the connection is open on which it sent this."""


class ControlRequestPolicy(TypedDict):
    """Set the policy of a bot, which applies from now on; `null`: it accepts nothing. It is online for others while
    this connection is open."""

    policy: NotRequired[Policy | None]

    type: Literal["policy"]


ControlRequest: TypeAlias = ControlRequestPolicy | ControlRequestAccept | ControlRequestDecline
"""A message from the client: one JSON object per line."""


EngineName: TypeAlias = str
"""The name of an engine, as `GET /v1/games` lists it."""


FoulKind: TypeAlias = Literal["time", "illegal_move", "bad_line", "crash", "out"]
"""The mistake of a seat. - `time`: Its time was up. - `illegal_move`: A bot made a move that the rules forbid.
(Illegal moves of people are refused and cost nothing.) Logs of earlier versions have `bad_line` for it. -
`bad_line`: A bot wrote a line that its protocol does not allow. - `crash`: The program of a bot ended before its
move. - `out`: The seat had dropped out: it resigned, or its time ran out at several turns in a row."""


class MatchEventCreated(TypedDict):
    """The match was created."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    clock: ClockSpec | None

    commitment: str

    from_position: NotRequired[FromPosition | None]
    """That it began with a position. Absent if it was dealt."""

    game: GameSlug

    hints: bool

    idle_ms: int

    ladder: NotRequired[LadderMatch | None]
    """The kind of match of the permanent ladder that it is. Absent if it is none."""

    options: Options

    private: bool

    rated: bool

    rematch_of: MatchId | None

    seats: list[SeatShown]

    seed_from: SeedFrom

    seq: int
    """Its place in the log: 0 for the first event of a match, without gaps."""

    tournament: NotRequired[TournamentRef | None]
    """The game of a tournament that it is played for."""

    type: Literal["created"]


class MatchEventEnded(TypedDict):
    """The match is over."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    how: EndKind

    position: Position | None

    result: Result | None

    salt: NotRequired[str | None]
    """The salt of the commitment. Absent in matches of tournaments."""

    seed: NotRequired[str | None]
    """The seed of the deal. Absent in matches of tournaments, where several games have the same deal: their records
    contain it, which are sealed until all of those are finished."""

    seq: int
    """Its place in the log: 0 for the first event of a match, without gaps."""

    type: Literal["ended"]


class MoveTimes(TypedDict):
    """How the time of a move was spent, in microseconds. Only `think_us` is charged to the player."""

    commit_us: int
    """How long it took to commit the event that began the turn. The turn became visible only after that."""

    fuel: NotRequired[int | None]
    """The instructions that a hosted program has executed for it, from which `think_us` follows; absent for all
    other players."""

    queue_us: int
    """The wait for a free engine, or for the actor of the match."""

    think_us: int
    """The player's own time: from the moment when the turn became visible until the move arrived. For an engine: its
    search."""


class MatchEventFouled(TypedDict):
    """The official penalty was given."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    clock: ClockShown | None
    """The clocks; null: no limits."""

    detail: str
    """A description of the foul, in one sentence. Viewers other than the seat get only a general description."""

    instead: MoveText | None

    kind: FoulKind

    legal_moves: list[MoveText]
    """The moves that the viewer may make now."""

    ply: int

    position: Position
    """The view, by the game's schema."""

    seat: Seat

    seq: int
    """Its place in the log: 0 for the first event of a match, without gaps."""

    times: MoveTimes

    turn: Seat | None
    """The seat to move."""

    type: Literal["fouled"]


class MatchEventJoined(TypedDict):
    """A seat was taken."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    engine: NotRequired[EngineShown | None]
    """The engine, if it is one."""

    guest: NotRequired[int | None]
    """The number of a guest without a name, who is shown as "Guest 12"."""

    kind: WhoKind
    """The kind of holder."""

    name: str | None
    """Of an engine, of a player, or of a guest who chose one."""

    program: NotRequired[ProgramRef | None]
    """The hosted program that plays for a bot, whose clock counts its instructions. Absent if the bot runs
    elsewhere."""

    seat: Seat

    seq: int
    """Its place in the log: 0 for the first event of a match, without gaps."""

    type: Literal["joined"]


class MatchEventLeft(TypedDict):
    """A seat was given up before the start."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    removed: NotRequired[bool]
    """Whether the creator of the match removed its holder."""

    seat: Seat

    seq: int
    """Its place in the log: 0 for the first event of a match, without gaps."""

    type: Literal["left"]


class MatchEventMoved(TypedDict):
    """A move was made."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    clock: ClockShown | None
    """The clocks; null: no limits."""

    legal_moves: list[MoveText]
    """The moves that the viewer may make now."""

    move: Move
    """The move as JSON, by the game's schema."""

    notation: str
    """The move as the official protocol writes it."""

    ply: int

    position: Position
    """The view, by the game's schema."""

    seat: Seat

    seq: int
    """Its place in the log: 0 for the first event of a match, without gaps."""

    times: MoveTimes

    turn: Seat | None
    """The seat to move."""

    type: Literal["moved"]


class MatchEventRefereeSet(TypedDict):
    """The program of a bot has chosen settings of the referee's side of its dialogue."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    seat: Seat

    seq: int
    """Its place in the log: 0 for the first event of a match, without gaps."""

    settings: dict[str, str]
    """All settings that differ from the default, by name."""

    type: Literal["referee_set"]


class MatchEventResumed(TypedDict):
    """The server was down and is back, or the player to move was on vacation."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    away_ms: int

    clock: ClockShown | None

    grace_ms: int

    seq: int
    """Its place in the log: 0 for the first event of a match, without gaps."""

    type: Literal["resumed"]

    vacation: NotRequired[bool]
    """Whether a vacation of the player to move is in the time of the pause. Absent if not."""


class MatchEventStarted(TypedDict):
    """All seats are taken."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    clock: ClockShown | None
    """The clocks; null: no limits."""

    legal_moves: list[MoveText]
    """The moves that the viewer may make now."""

    position: Position
    """The view, by the game's schema."""

    seq: int
    """Its place in the log: 0 for the first event of a match, without gaps."""

    turn: Seat | None
    """The seat to move."""

    type: Literal["started"]


class MatchEventTakenBack(TypedDict):
    """A player took moves back, in a match against engines: `ply` moves stay."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    clock: ClockShown | None
    """The clocks; null: no limits."""

    legal_moves: list[MoveText]
    """The moves that the viewer may make now."""

    ply: int

    position: Position
    """The view, by the game's schema."""

    seat: Seat

    seq: int
    """Its place in the log: 0 for the first event of a match, without gaps."""

    turn: Seat | None
    """The seat to move."""

    type: Literal["taken_back"]


OutReason: TypeAlias = Literal["resigned", "vanished"]
"""The reason why a seat dropped out. - `resigned`: Its player gave up. - `vanished`: Its time ran out at several
turns in a row."""


class MatchEventWentOut(TypedDict):
    """A seat dropped out."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    seat: Seat

    seq: int
    """Its place in the log: 0 for the first event of a match, without gaps."""

    type: Literal["went_out"]

    why: OutReason


MatchEvent: TypeAlias = MatchEventCreated | MatchEventJoined | MatchEventLeft | MatchEventStarted | MatchEventMoved | MatchEventFouled | MatchEventWentOut | MatchEventResumed | MatchEventTakenBack | MatchEventRefereeSet | MatchEventEnded
"""An event, as one viewer sees it."""


class LiveAnswerDone(TypedDict):
    """The action was performed and is on disk."""

    frame: MatchEvent
    """The event of the action, as the seat sees it."""

    id: AnswerId | None
    """The `id` of the request."""

    type: Literal["done"]


class LiveAnswerRefused(TypedDict):
    """The action was refused. The connection stays open."""

    id: AnswerId | None
    """The `id` of the request; `null` if it could not be read."""

    problem: Problem
    """The reason."""

    type: Literal["refused"]


LiveAnswer: TypeAlias = LiveAnswerDone | LiveAnswerRefused
"""The answer to a message."""


class LiveRequestAbort(TypedDict):
    """Abort the match, before the first move."""

    id: NotRequired[AnswerId | None]
    """The answer repeats it."""

    type: Literal["abort"]


class LiveRequestLeave(TypedDict):
    """Give up the seat, before the start."""

    id: NotRequired[AnswerId | None]
    """The answer repeats it."""

    type: Literal["leave"]


class LiveRequestMove(TypedDict):
    """Make a move."""

    id: NotRequired[AnswerId | None]
    """The answer repeats it."""

    move: NotRequired[Move | None]
    """The move, by the game's schema. Either this or `notation` is required."""

    notation: NotRequired[str | None]
    """The move in the notation of the official protocol."""

    ply: NotRequired[int | None]
    """The number of moves made before it: `ply` of the match."""

    type: Literal["move"]


class LiveRequestResign(TypedDict):
    """The object `LiveRequestResign` of the API."""

    id: NotRequired[AnswerId | None]
    """The answer repeats it."""

    type: Literal["resign"]


LiveRequest: TypeAlias = LiveRequestMove | LiveRequestLeave | LiveRequestResign | LiveRequestAbort
"""A message from the client."""


class SeatListed(TypedDict):
    """A seat of a match, as lists of matches show it."""

    engine: NotRequired[EngineShown | None]
    """The engine, if it is one."""

    guest: NotRequired[int | None]
    """The number of a guest without a name, who is shown as "Guest 12"."""

    kind: WhoKind
    """The kind of holder."""

    name: str | None
    """Of an engine, of a player, or of a guest who chose one."""

    points: NotRequired[int | None]
    """Its points in the result."""

    program: NotRequired[ProgramRef | None]
    """The hosted program that plays for a bot, whose clock counts its instructions. Absent if the bot runs
    elsewhere."""

    rank: NotRequired[int | None]
    """Its rank in the result; 1 is the winner."""


class MatchEntry(TypedDict):
    """A match in a list."""

    clock: NotRequired[ClockSpec | None]
    """The time control. Absent without one, and for older matches."""

    created_ms: int
    """The time of its creation, in milliseconds since 1970."""

    ended_ms: int | None
    """The time of its end, in milliseconds since 1970."""

    game: GameSlug
    """The game's short name."""

    hints: NotRequired[bool | None]
    """Whether its seats may ask engines for advice while they play. Absent for older matches, which had no such
    rule."""

    id: MatchId
    """The match."""

    ladder: NotRequired[LadderMatch | None]
    """The kind of match of the permanent ladder that it is. Absent if it is none, and for older matches."""

    private: NotRequired[bool]
    """Whether it is private. Absent for public matches. Only lists of the caller's own matches and of the operator
    contain private ones."""

    rated: NotRequired[bool]
    """Whether the result changes the ratings of the players. Absent if not."""

    result: NotRequired[Result | None]
    """The result, if there is one."""

    sealed: NotRequired[bool]
    """Whether it is sealed: only its players see it and its result until all games of its tournament with the same
    deal are finished. Absent if not."""

    seats: list[SeatListed]
    """By number."""

    stage: Stage
    """Whether it is open, running or over."""


class MatchLink(TypedDict):
    """A reference to a match."""

    id: MatchId
    """The match."""

    url: str
    """Its path."""


class MatchList(TypedDict):
    """A page of matches, the newest first."""

    matches: list[MatchEntry]
    """The matches of this page."""

    next: MatchId | None
    """The value of `before` that requests the next page; `null`: there is none."""


MoveClass: TypeAlias = Literal["best", "good", "inaccuracy", "mistake", "blunder"]
"""How good a decision was, by the expected score that it lost. - `best`: Lost less than 1 point of winning
probability. - `good`: Lost less than 5 points. - `inaccuracy`: Lost less than 10 points. - `mistake`: Lost less
than 20 points. - `blunder`: Lost 20 points or more."""


MoveValue = TypedDict("MoveValue", {
    "after": float,
    "before": float,
    "best": MoveText,
    "class": MoveClass,
    "line": list[MoveText],
    "loss": float,
})
"""What a decision was worth. Values are expected scores of its seat, by what the seat could know: 0 to 1, a win is
1."""


class OutputLine(TypedDict):
    """A line that a bot wrote to standard error."""

    ms: int
    """The time since the turn began, by the clock of the bot's side, in milliseconds."""

    text: str
    """The text. Tokens are left out of it."""


PlayerKind: TypeAlias = Literal["person", "bot", "engine"]
"""A person, a bot or an engine. - `person`: A person with a name of their own. - `bot`: A program that a person
owns. - `engine`: A built-in engine, in one version, at one level."""


PlayerName: TypeAlias = str
"""The name of a player: 2 to 32 letters and digits of one script, with - _ . inside. The pattern excludes what is
ASCII and may not be in a name; the server knows the rules for other characters."""


class ProgramRating(TypedDict):
    """The rating of a bot after the last rated match that a program has played for it. Annulled matches do not
    count."""

    margin: int
    """The strength lies within this many points of the rating, with a probability of 95%."""

    played: int
    """The rated matches of the program."""

    points: int
    """The rating on an Elo-like scale."""


class ProgramReport(TypedDict):
    """What the check of a program has found."""

    lines: list[str]
    """The whole report for people, line by line."""

    matches: int
    """The matches that were played."""

    mistakes: int
    """How many of them were mistakes: illegal, not readable, or late."""

    moves: int
    """The moves of the program in them."""

    passed: bool
    """Whether it can play."""


class ProgramResults(TypedDict):
    """What a program has achieved in the matches that it has played for its bot."""

    drawn: int
    """Matches in which it shared the first place."""

    lost: int
    """Matches in which another seat came before it."""

    mistakes: int
    """Its mistakes in all its matches: illegal or unreadable moves, crashes, and turns out of time."""

    rating: ProgramRating | None
    """The bot's rating while the program played; `null`: none of its matches was rated."""

    won: int
    """Matches that it won alone."""


ProgramState: TypeAlias = Literal["checking", "ready", "active", "retired", "refused"]
"""The stage of a program's life. - `checking`: It waits for its check, or is being checked. - `ready`: It has passed
its check, and has never been active. - `active`: It plays for the bot. A bot has at most one active program of a
game. - `retired`: It was active. - `refused`: It has failed its check."""


class ReportedChat(TypedDict):
    """A message in the chat of a match."""

    kind: Literal["chat"]

    match: MatchId
    """The match."""

    n: int
    """The number of the message."""


class ReportedMatch(TypedDict):
    """The conduct in a match."""

    kind: Literal["match"]

    match: MatchId
    """The match."""


class ReportedPlayer(TypedDict):
    """The name of a player, or the player's description."""

    kind: Literal["player"]

    name: AnyPlayerName
    """The name of the player."""


class ReportedTournament(TypedDict):
    """The title of a tournament."""

    kind: Literal["tournament"]

    tournament: MatchId
    """The tournament."""


Reported: TypeAlias = ReportedMatch | ReportedPlayer | ReportedChat | ReportedTournament
"""The thing that a report is about."""


Seed: TypeAlias = int | str
"""A number, or a text of 64 hexadecimal digits."""


State: TypeAlias = dict[str, Any]
"""The whole state of a match, in the game's own form."""


class SuiteHistory(TypedDict):
    """The match that led to a position."""

    moves: list[str]
    """The moves of all seats up to the position."""

    start: State
    """The whole dealt state, as a record has it."""


class SuitePosition(TypedDict):
    """A position of a suite: one line of its file."""

    bad: NotRequired[list[str]]
    """Moves that do not solve the position, whatever they lose."""

    game: str
    """The game's short name."""

    good: NotRequired[list[str]]
    """Moves that lose nothing."""

    history: NotRequired[SuiteHistory | None]
    """The match that led to the position, for bots whose dialogue cannot tell a position."""

    judged_by: NotRequired[str | None]
    """What valued the moves, for people."""

    kind: NotRequired[str]
    """The kind of the move that was made there, as the game names it."""

    losses: NotRequired[dict[str, float]]
    """What each of these moves loses of the expected score, 0 to 1; the best move loses 0."""

    name: str
    """The name of the position, which no other one of the suite has."""

    phase: NotRequired[str]
    """The phase of the match, as the game names it."""

    position: Position
    """What the seat to move sees, as in move requests."""

    source: NotRequired[str]
    """Where it comes from, for people."""

    value: NotRequired[float | None]
    """The expected score with the best move, 0 to 1."""


SuiteLine: TypeAlias = SuitePosition
"""A position of a suite."""


class TurnState(TypedDict):
    """The state after an event, as the viewer sees it."""

    clock: ClockShown | None
    """The clocks; null: no limits."""

    legal_moves: list[MoveText]
    """The moves that the viewer may make now."""

    position: Position
    """The view, by the game's schema."""

    turn: Seat | None
    """The seat to move."""
