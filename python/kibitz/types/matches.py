"""Types of the operations on matches. Generated from /openapi.json by scripts/client-types."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict

from kibitz.types.base import (
    Seat,
)
from kibitz.types.common import (
    AnyPlayerName,
    ClockShown,
    ClockSpec,
    Closed,
    EndKind,
    EngineName,
    FoulKind,
    GameSlug,
    LadderMatch,
    Level,
    MatchEvent,
    MatchId,
    MatchPage,
    Move,
    MoveText,
    MoveTimes,
    MoveValue,
    Options,
    OutReason,
    OutputLine,
    PlayerName,
    Position,
    PositionSource,
    ProgramRef,
    Result,
    Seed,
    SeedFrom,
    State,
    TournamentRef,
)

__all__ = [
    "AdmissionAnswer",
    "AnalysisStage",
    "AnalysisStageDone",
    "AnalysisStageFailed",
    "AnalysisStageNone",
    "AnalysisStagePending",
    "BotOutput",
    "ChangeShown",
    "Chat",
    "ChatDeletedBy",
    "ChatFrame",
    "ChatMessage",
    "ChatMessageDeleted",
    "ChatMessagePhrase",
    "ChatMessageText",
    "ChatPhrase",
    "ChatRoom",
    "ChatSaid",
    "ChatSaidPhrase",
    "ChatSaidText",
    "ClockFrame",
    "DealtState",
    "GameRecord",
    "GuestName",
    "JoinRequest",
    "JudgedDecision",
    "JudgedSeat",
    "LineKind",
    "MatchAnalysis",
    "MatchRatings",
    "MatchRequest",
    "PersonKind",
    "PlayRequest",
    "PresenceFrame",
    "Record",
    "RecordEntry",
    "RecordEntryCreated",
    "RecordEntryEnded",
    "RecordEntryFouled",
    "RecordEntryJoined",
    "RecordEntryLeft",
    "RecordEntryMoved",
    "RecordEntryRefereeSet",
    "RecordEntryResumed",
    "RecordEntryStarted",
    "RecordEntryTakenBack",
    "RecordEntryWentOut",
    "RecordFile",
    "RecordSeat",
    "RecordSeatEngine",
    "RecordSeatGuest",
    "RecordSeatOpen",
    "RecordSeatPlayer",
    "RecordSeatReserved",
    "RecordedLine",
    "ScoreAccount",
    "SeatDialogueText",
    "SeatProof",
    "SeatRating",
    "SeatRequest",
    "SeatRequestEngine",
    "SeatRequestMe",
    "SeatRequestOpen",
    "SeatRequestPlayer",
    "SeatToken",
    "SeatVacation",
    "ShownLine",
    "StartPosition",
    "StartPositionTable",
    "StartPositionView",
    "StartRequest",
    "StreamFrame",
    "StreamFrameSse",
    "TakeBackRequest",
    "TurnOutput",
    "UnverifiedPart",
    "Verdict",
]


class SeatToken(TypedDict):
    """A seat that the caller holds now."""

    seat: Seat
    """The number of the seat."""

    token: str | None
    """The token that holds it (`Authorization: Bearer TOKEN`). `null`: the token of the request holds it."""


class AdmissionAnswer(TypedDict):
    """The result of creating or joining a match. The tokens appear only here."""

    id: MatchId
    """The match."""

    key: str | None
    """The key of a private match, for its creator. Others send it in the header `Match-Key` to see the match."""

    maker: NotRequired[str | None]
    """For a creator who is neither a registered player nor in a seat: the token (`Authorization: Bearer TOKEN`) to
    cancel the match or to remove a player. Other creators use the token of the player or the seat."""

    seats: list[SeatToken]
    """The seats of the caller."""

    url: str
    """Its path."""


class JudgedDecision(TypedDict):
    """A move of the match, and what the judge says about it."""

    drawn: bool
    """Whether chance or hidden cards came into play after it: the next seat to move sees what this one could not
    foresee."""

    kind: str
    """The kind of the move, as the game names it."""

    penalty: bool
    """Whether the move is a penalty that replaced the seat's own."""

    phase: str
    """The phase of the match, as the game names it."""

    played: MoveText
    """The move."""

    ply: int
    """Moves made before it."""

    seat: Seat
    """The seat that moved."""

    value: MoveValue | None
    """What the move was worth; `null`: the seat had no choice."""


class ScoreAccount(TypedDict):
    """What made the result of one seat, in expected score: `start + own + others + luck + correction = result`."""

    correction: float
    """The change where nothing was drawn and nothing was hidden: the engine saw more later and corrected its
    estimate."""

    luck: float
    """The change when chance or hidden cards came into play."""

    luck_gained: float
    """The sum of the gains in `luck`."""

    luck_lost: float
    """The sum of the losses in `luck`, as a number of at least 0."""

    others: float
    """The change by the other seats' decisions. In a match of more than two, the other seats gain equal parts of
    what a decision loses."""

    own: float
    """The change by the seat's own decisions, 0 or less, and by giving the match up or losing it by a foul."""

    result: float
    """The score: a win is 1, a first place shared by k seats is 1/k, else 0."""

    start: float
    """The expected score before the seat's first decision (for two seats: before the first decision of the match):
    what the deal and the order of the seats gave."""


class JudgedSeat(TypedDict):
    """The summary of the decisions of one seat."""

    account: ScoreAccount | None
    """What made the seat's result. `null` if the match has no result or the seat made no decision."""

    accuracy: float | None
    """The mean accuracy of these decisions, 0 to 100. `null` without decisions."""

    classes: list[int]
    """How many of them are of each class: best, good, inaccuracy, mistake, blunder."""

    decisions: int
    """Decisions that were judged: those with a choice, penalties not counted."""

    mean_loss: float | None
    """The mean loss of expected score of these decisions. `null` without decisions."""

    seat: Seat
    """The seat, counted from 0."""


class MatchAnalysis(TypedDict):
    """The analysis of a finished match."""

    costliest: list[int]
    """The plies of the decisions that lost most, the costliest first: at most three, each an inaccuracy or worse."""

    decisions: list[JudgedDecision]
    """All moves of the match, in order."""

    engine: str
    """Name and version of the engine."""

    judge: int
    """Version of the judge's own rules."""

    nodes: int
    """The nodes by which each move was valued, in the engine's own measure."""

    seats: list[JudgedSeat]
    """The seats, in order."""


class AnalysisStageDone(TypedDict):
    """All decisions are judged."""

    analysis: MatchAnalysis
    """The judged decisions, and their summary for each seat."""

    stage: Literal["done"]


class AnalysisStageFailed(TypedDict):
    """It failed. It can be asked for again."""

    reason: str
    """The reason, in one sentence."""

    stage: Literal["failed"]


class AnalysisStageNone(TypedDict):
    """No caller has asked for it yet, or it was cancelled."""

    stage: Literal["none"]


class AnalysisStagePending(TypedDict):
    """It waits or is computed."""

    judged: int
    """How many moves of the match are judged."""

    moves: int
    """The number of moves of the match."""

    stage: Literal["pending"]

    yours: bool
    """Whether the caller asked for it, and so may cancel it."""


AnalysisStage: TypeAlias = AnalysisStageNone | AnalysisStagePending | AnalysisStageDone | AnalysisStageFailed
"""The analysis of a match, as callers see it."""


class TurnOutput(TypedDict):
    """What a bot wrote to standard error, and used, in one turn."""

    cpu_ms: NotRequired[int | None]
    """The processor time of the bot's processes in this turn, in milliseconds; absent where its side cannot tell."""

    cut: NotRequired[bool]
    """Whether it wrote more than is kept: at most 4 KiB a turn and 256 KiB a match."""

    lines: list[OutputLine]
    """The lines, in order."""

    memory_kib: NotRequired[int | None]
    """The most memory that the bot's processes had until then, in KiB; absent where its side cannot tell."""

    ply: int
    """Moves made before the turn. What a bot writes before its first turn has 0."""


class BotOutput(TypedDict):
    """What a bot wrote to standard error, and used, in a match."""

    all: bool
    """Whether this is all that is kept, as the bot's side sees it. Otherwise it has only lines that begin with
    `kibitz `."""

    seat: int
    """The number of the seat."""

    turns: list[TurnOutput]
    """The turns for which there is something, in order."""


class ChangeShown(TypedDict):
    """What a match has changed in a rating."""

    after: int
    """The rating after it, in points."""

    before: int
    """The rating before it, in points: that of a player without a match, if it was the first one."""

    best: bool
    """Whether it is the highest rating that the player has had in this game, after at least 10 rated matches."""


ChatDeletedBy: TypeAlias = Literal["author", "operator"]
"""Who deleted a message. - `author`: The player who wrote it. - `operator`: The operator of the server."""


class ChatMessageDeleted(TypedDict):
    """It was deleted; what it said is gone."""

    at_ms: int
    """The time at which it was sent, in milliseconds since 1970."""

    deleted: ChatDeletedBy

    n: int
    """Its number in the match: 0, 1, 2, ... Players and spectators number theirs together, so there are gaps."""

    player: NotRequired[str | None]
    """The name of the spectator who sent it; missing: a seat did, or the account is deleted."""

    seat: NotRequired[int | None]
    """The seat that sent it; missing: a spectator did."""


ChatPhrase: TypeAlias = Literal["hello", "good_luck", "good_move", "thanks", "sorry", "one_moment", "well_played", "good_game", "play_again"]
"""A phrase that every page can show in its own language."""


class ChatMessagePhrase(TypedDict):
    """A ready phrase."""

    at_ms: int
    """The time at which it was sent, in milliseconds since 1970."""

    n: int
    """Its number in the match: 0, 1, 2, ... Players and spectators number theirs together, so there are gaps."""

    phrase: ChatPhrase

    player: NotRequired[str | None]
    """The name of the spectator who sent it; missing: a seat did, or the account is deleted."""

    seat: NotRequired[int | None]
    """The seat that sent it; missing: a spectator did."""


class ChatMessageText(TypedDict):
    """A line that the author wrote."""

    at_ms: int
    """The time at which it was sent, in milliseconds since 1970."""

    n: int
    """Its number in the match: 0, 1, 2, ... Players and spectators number theirs together, so there are gaps."""

    player: NotRequired[str | None]
    """The name of the spectator who sent it; missing: a seat did, or the account is deleted."""

    seat: NotRequired[int | None]
    """The seat that sent it; missing: a spectator did."""

    text: str


ChatMessage: TypeAlias = ChatMessagePhrase | ChatMessageText | ChatMessageDeleted
"""A message with its number and author."""


ChatRoom: TypeAlias = Literal["players", "spectators"]
"""Whose chat it is. - `players`: That of those who hold a seat. - `spectators`: That of all others."""


class Chat(TypedDict):
    """The chat of a match."""

    messages: list[ChatMessage]
    """The messages, the oldest first."""

    room: ChatRoom
    """Whose chat it is."""

    text: bool
    """Whether this server allows free text."""


class ChatFrame(TypedDict):
    """A message of the chat: of the players for those who hold a seat, of the spectators for the others."""

    message: ChatMessage

    type: Literal["chat"]
    """`chat`."""


class ChatSaidPhrase(TypedDict):
    """A ready phrase."""

    phrase: ChatPhrase


class ChatSaidText(TypedDict):
    """A text of at most 200 characters in one line."""

    text: str


ChatSaid: TypeAlias = ChatSaidPhrase | ChatSaidText
"""The content of a message: a phrase or a text."""


class ClockFrame(TypedDict):
    """The clocks, when they pause or go on without an event."""

    clock: ClockShown
    """The clocks now."""

    type: Literal["clock"]
    """`clock`."""


DealtState: TypeAlias = dict[str, Any]
"""The whole state of a match after the deal, in the game's own form."""


GameRecord: TypeAlias = dict[str, Any]
"""The record of a match in a form of the game's own, where that is JSON."""


GuestName: TypeAlias = str
"""The name of a guest: as a player's, and with spaces inside and any ASCII punctuation."""


class JoinRequest(TypedDict):
    """The seat to take."""

    bot: NotRequired[bool]
    """Whether a foreign bot will play: then only seats that the official protocol gives to a bot count. Default:
    `false`."""

    mirror: NotRequired[bool]
    """Whether that bot knows the mirror dialogue of its game, so that it can have the other seats, too
    (`mirror_seats`). Default: `false`."""

    name: NotRequired[GuestName | None]
    """The name of a guest. Registered players have their own."""

    seat: NotRequired[Seat | None]
    """The number of the seat. Default: the one reserved for the caller, else the first open one."""


LineKind: TypeAlias = Literal["read", "printed", "remark", "end"]
"""The kind of a line of a dialogue. - `read`: The bot read it. - `printed`: The bot printed it. - `remark`: It says
what happened. - `end`: The input of the bot ended."""


class SeatRating(TypedDict):
    """The rating of the player in a seat."""

    change: NotRequired[ChangeShown | None]
    """What this match has changed. Absent if it does not count, or not yet."""

    margin: int
    """The strength lies within this many points of the rating, with a probability of 95%."""

    mu: float
    """The rating as it is computed: the mean, in the units of Weng and Lin."""

    name: AnyPlayerName
    """The player, also an engine."""

    played: int
    """The player's rated matches of the game."""

    points: int
    """The rating on an Elo-like scale: a player without a match has 1500, and a difference of 400 points means a
    score of 10 to 1."""

    provisional: bool
    """Whether the margin is so large that the rating says little."""

    sigma: float
    """The standard deviation, in the same units."""


class MatchRatings(TypedDict):
    """The ratings of the players of a match."""

    seats: list[SeatRating | None]
    """By seat; `null`: a guest, a free seat, or a player without a rated match of this game."""


class SeatRequestEngine(TypedDict):
    """The object `SeatRequestEngine` of the API."""

    engine: NotRequired[EngineName | None]
    """Its name. Default: the game's best."""

    kind: Literal["engine"]

    level: NotRequired[Level]
    """Default: `"max"`."""

    nodes: NotRequired[int | None]
    """Stop each search after this many nodes."""

    think_ms: NotRequired[int | None]
    """Its thinking time per move, in milliseconds. Default: set by the game."""


class SeatRequestMe(TypedDict):
    """The creator of the match."""

    kind: Literal["me"]

    name: NotRequired[GuestName | None]
    """The name of a guest. Registered players have their own."""


class SeatRequestOpen(TypedDict):
    """Anyone who joins."""

    kind: Literal["open"]


class SeatRequestPlayer(TypedDict):
    """A registered player, who still has to join."""

    kind: Literal["player"]

    name: PlayerName
    """The name of the player."""


SeatRequest: TypeAlias = SeatRequestEngine | SeatRequestOpen | SeatRequestMe | SeatRequestPlayer
"""The kind of holder that a seat is for."""


StartRequest: TypeAlias = Position | str | PositionSource
"""The position with which a match begins: what a seat knows, in the game's schema (what it does not know is drawn
from the seed); or an official text, or a file of the contest's harness; or the position in a match that is over."""


class MatchRequest(TypedDict):
    """A request to create a match."""

    clock: NotRequired[ClockSpec | None]
    """The time control. Default: no limits."""

    game: GameSlug
    """The game's short name."""

    hints: NotRequired[bool | None]
    """Whether the players may ask engines for hints (`POST /v1/games/{game}/analysis`) during the match. Joining
    means agreeing to it. Default: no if two seats are for people."""

    idle_ms: NotRequired[int | None]
    """The match ends after this long without an event, in milliseconds: before the start, and after it if there is
    no clock. Default: set by the server."""

    options: NotRequired[Options | None]
    """The options of the deal, by the game's schema. Default: the usual ones for this number of seats."""

    position: NotRequired[StartRequest | None]
    """The position with which the match begins. Default: it is dealt. Such a match is never rated. The options
    follow from the position unless it leaves them open. A bot that speaks the official protocol can have a seat
    only if the protocol can tell it the position."""

    private: NotRequired[bool]
    """Whether only its players and holders of the key in the answer can see it. Default: `false`."""

    rated: NotRequired[bool]
    """Whether the result changes the ratings of the players. A rated match is public, has a clock, a seed from the
    server and no hints; all its seats are for players with names, no two with the same owner, and for engines.
    Default: `false`."""

    seats: list[SeatRequest]
    """The seats, in order."""

    seed: NotRequired[Seed | None]
    """The seed of the deal. Default: a random one, secret until the end."""


PersonKind: TypeAlias = Literal["player", "guest"]
"""Whether a seat's holder has an account. - `player`: With an account, and so with a name of their own. - `guest`:
Without an account."""


class PlayRequest(TypedDict):
    """A move to make."""

    move: NotRequired[Move | None]
    """The move, by the game's schema. Either this or `notation` is required."""

    notation: NotRequired[str | None]
    """The move in the notation of the official protocol."""

    ply: NotRequired[int | None]
    """The number of moves made before it: `ply` of the match. `If-Match` may give it instead."""


class SeatVacation(TypedDict):
    """The vacation of the player who holds a seat."""

    seat: Seat

    until_ms: int
    """Its end, in milliseconds since 1970."""


class PresenceFrame(TypedDict):
    """The players who are connected or on vacation, when that has changed."""

    connected: list[Seat]
    """The seats whose players are connected."""

    type: Literal["presence"]
    """`presence`."""

    vacations: NotRequired[list[SeatVacation]]
    """The seats whose players are on vacation. Absent if there are none."""


class RecordSeatEngine(TypedDict):
    """A built-in engine."""

    engine: str
    """Its name."""

    kind: Literal["engine"]

    level: Level
    """Its level of play."""

    nodes: int | None
    """The limit on the nodes of one search."""

    think_ms: int
    """Its thinking time for a move, in milliseconds."""

    version: int
    """Its version then."""


class RecordSeatGuest(TypedDict):
    """Held by a guest."""

    kind: Literal["guest"]

    name: str | None
    """The name that the guest chose."""


class RecordSeatOpen(TypedDict):
    """Open to anyone."""

    kind: Literal["open"]


class RecordSeatPlayer(TypedDict):
    """Held by a player, who has an account."""

    kind: Literal["player"]

    name: str
    """The name at that time, or later a replacement."""

    program: NotRequired[ProgramRef | None]
    """The hosted program that plays for the player, which is a bot. Absent if its own client does."""


class RecordSeatReserved(TypedDict):
    """Reserved for one player or guest."""

    kind: Literal["reserved"]

    name: str | None
    """The name, if there is one."""

    person: PersonKind
    """Whether the holder is a player or a guest."""


RecordSeat: TypeAlias = RecordSeatEngine | RecordSeatOpen | RecordSeatReserved | RecordSeatPlayer | RecordSeatGuest
"""A seat when the match was created."""


class StartPositionTable(TypedDict):
    """What all seats together know. The seed draws what no seat knows, such as the order of the deck."""

    kind: Literal["table"]

    state: State
    """The whole state, as a record has it. What the seed draws is replaced."""


class StartPositionView(TypedDict):
    """What one seat knows. The seed draws all that it does not know."""

    kind: Literal["view"]

    view: Position
    """The view, by the game's schema."""


StartPosition: TypeAlias = StartPositionView | StartPositionTable
"""A position from which a match begins."""


class RecordEntryCreated(TypedDict):
    """The match was created."""

    at_ms: int
    """The time at which it was decided, by the server's clock, in milliseconds since 1970."""

    clock: ClockSpec | None
    """The clock; `null`: without time limits."""

    commitment: str
    """The commitment to the seed."""

    game: GameSlug
    """The game's short name."""

    hints: NotRequired[bool | None]
    """Whether its seats were allowed to ask engines for advice. Absent in records of older matches, which had no
    such rule."""

    idle_ms: int
    """The match would have ended when nothing happened for this long, in milliseconds."""

    ladder: NotRequired[LadderMatch | None]
    """The kind of match of the permanent ladder that it was. Absent if it was none, and in records of older matches."""

    options: Options
    """The options of the deal, in the game's schema."""

    position: NotRequired[StartPosition | None]
    """The position with which the match began. With the seed it gives `state`. Absent if the match was dealt."""

    position_of: NotRequired[PositionSource | None]
    """The match and the ply that the position is from. Nothing checks it; absent if the creator gave the position."""

    private: bool
    """Whether only its seats and holders of its key could see it."""

    rated: NotRequired[bool]
    """Whether its result changed the ratings of its players."""

    rematch_of: MatchId | None
    """The match of which this one is the rematch."""

    seats: list[RecordSeat]
    """The seats when the match was created."""

    seed_from: SeedFrom
    """Whether the caller or the server chose the seed."""

    seq: int
    """0 for the first, without gaps."""

    state: DealtState
    """The whole state before the first move."""

    tournament: NotRequired[TournamentRef | None]
    """The game of a tournament that it was played for."""

    type: Literal["created"]


class RecordEntryEnded(TypedDict):
    """The end of the match: always the last event."""

    at_ms: int
    """The time at which it was decided, by the server's clock, in milliseconds since 1970."""

    how: EndKind
    """How it ended."""

    result: Result | None
    """The result, if there is one."""

    salt: str
    """The salt of the commitment."""

    seed: str
    """The seed of the deal."""

    seq: int
    """0 for the first, without gaps."""

    type: Literal["ended"]


class RecordEntryFouled(TypedDict):
    """A penalty."""

    at_ms: int
    """The time at which it was decided, by the server's clock, in milliseconds since 1970."""

    detail: str
    """A description of the foul, in one sentence."""

    instead: str | None
    """The move played instead, if the game goes on."""

    kind: FoulKind
    """The kind of foul."""

    left_ms: int | None
    """The rest of the seat's time after it, in milliseconds."""

    ply: int
    """Moves made before it."""

    seat: Seat

    seq: int
    """0 for the first, without gaps."""

    times: MoveTimes
    """How the time of the turn was spent."""

    type: Literal["fouled"]


class RecordEntryJoined(TypedDict):
    """A caller took a seat."""

    at_ms: int
    """The time at which it was decided, by the server's clock, in milliseconds since 1970."""

    kind: PersonKind
    """Whether the holder is a player or a guest."""

    name: str | None
    """The name, if there is one."""

    seat: Seat

    seq: int
    """0 for the first, without gaps."""

    type: Literal["joined"]


class RecordEntryLeft(TypedDict):
    """A seat was given up before the start."""

    at_ms: int
    """The time at which it was decided, by the server's clock, in milliseconds since 1970."""

    removed: NotRequired[bool]
    """Whether the match's creator removed the holder; absent if the holder left."""

    seat: Seat

    seq: int
    """0 for the first, without gaps."""

    type: Literal["left"]


class RecordEntryMoved(TypedDict):
    """A move."""

    at_ms: int
    """The time at which it was decided, by the server's clock, in milliseconds since 1970."""

    left_ms: int | None
    """The rest of the seat's time after it, in milliseconds."""

    notation: str
    """The move, as the official protocol writes it."""

    ply: int
    """Moves made before it."""

    seat: Seat

    seq: int
    """0 for the first, without gaps."""

    times: MoveTimes
    """How the time of the turn was spent."""

    type: Literal["moved"]


class RecordEntryRefereeSet(TypedDict):
    """Settings of the referee's side of a bot's dialogue."""

    at_ms: int
    """The time at which it was decided, by the server's clock, in milliseconds since 1970."""

    seat: Seat

    seq: int
    """0 for the first, without gaps."""

    settings: dict[str, str]
    """All settings that differ from the default, by name."""

    type: Literal["referee_set"]


class RecordEntryResumed(TypedDict):
    """The match resumed after a downtime, or after a vacation of the player to move."""

    at_ms: int
    """The time at which it was decided, by the server's clock, in milliseconds since 1970."""

    away_ms: int
    """How long no clock ran, in milliseconds."""

    grace_ms: NotRequired[int]
    """How long the clock of the seat to move stayed stopped after that, in milliseconds."""

    seq: int
    """0 for the first, without gaps."""

    type: Literal["resumed"]

    vacation: NotRequired[bool]
    """Whether a vacation of the player to move is in the time of the pause. Absent if not."""


class RecordEntryStarted(TypedDict):
    """The match started."""

    at_ms: int
    """The time at which it was decided, by the server's clock, in milliseconds since 1970."""

    seq: int
    """0 for the first, without gaps."""

    type: Literal["started"]


class RecordEntryTakenBack(TypedDict):
    """A player took moves back, in a match against engines."""

    at_ms: int
    """The time at which it was decided, by the server's clock, in milliseconds since 1970."""

    ply: int
    """The number of moves that stay."""

    seat: Seat

    seq: int
    """0 for the first, without gaps."""

    type: Literal["taken_back"]


class RecordEntryWentOut(TypedDict):
    """A seat went out of the match."""

    at_ms: int
    """The time at which it was decided, by the server's clock, in milliseconds since 1970."""

    seat: Seat

    seq: int
    """0 for the first, without gaps."""

    type: Literal["went_out"]

    why: OutReason
    """The reason."""


RecordEntry: TypeAlias = RecordEntryCreated | RecordEntryJoined | RecordEntryLeft | RecordEntryStarted | RecordEntryMoved | RecordEntryFouled | RecordEntryWentOut | RecordEntryResumed | RecordEntryTakenBack | RecordEntryRefereeSet | RecordEntryEnded
"""An event with its place and time."""


class RecordedLine(TypedDict):
    """A line that a bot wrote for the public on standard error."""

    ply: int
    """Moves made before its turn."""

    seat: Seat
    """The seat of the bot."""

    text: str
    """The line, without the prefix `kibitz `."""


class UnverifiedPart(TypedDict):
    """What a record has that no check covers."""

    bot_lines: list[RecordedLine]
    """What the bots wrote for the public on standard error, by seat, then in order."""


class Record(TypedDict):
    """A finished match with all that is needed to play it again."""

    commitment: str
    """The commitment to the seed, published before the first move: SHA-256 of the salt's 32 bytes followed by the
    seed's, hexadecimal."""

    events: list[RecordEntry]
    """All events, in order."""

    format: Literal["kibitz-record-1"]
    """The name of this format of record."""

    game: GameSlug
    """The game's short name."""

    id: MatchId
    """The match's id."""

    salt: str
    """The salt of the commitment, 32 bytes, hexadecimal."""

    seed: str
    """The seed of the deal."""

    unverified: NotRequired[UnverifiedPart]
    """What the players' own programs sent. Nothing checks it; absent if there is nothing."""


RecordFile: TypeAlias = Record | GameRecord
"""The formats of records."""


class ShownLine(TypedDict):
    """A line of an official dialogue."""

    fuel: NotRequired[int | None]
    """The instructions that a hosted program has executed for its decision; only in the line that is the decision."""

    kind: LineKind
    """The kind of line."""

    ply: int
    """Moves made before it was written."""

    text: str
    """The text, without a line break."""

    used_ms: NotRequired[int | None]
    """How long the seat took for its decision, in milliseconds; only in the line that is the decision."""


class SeatDialogueText(TypedDict):
    """The official dialogue of a seat."""

    lines: list[ShownLine]
    """The lines, in order."""

    seat: int
    """The number of the seat."""


class SeatProof(TypedDict):
    """What came of the proof of one seat."""

    decisions: int
    """Its decisions in the log."""

    difference: str | None
    """The first decision that the program makes otherwise, in one sentence; `null`: there is none."""

    fuel: int
    """The fuel that the log has for them."""

    program: ProgramRef
    """The program that played it."""

    seat: int
    """The number of the seat."""


StreamFrame: TypeAlias = MatchPage | MatchEvent | ClockFrame | PresenceFrame | ChatFrame | Closed
"""A frame of a stream: first the match, then its events."""


class StreamFrameSse(TypedDict):
    """A server-sent event with a `StreamFrame`."""

    data: str
    """A `StreamFrame` as JSON, on one line."""

    event: str
    """The kind of the data: its `type`, if it has one."""

    id: NotRequired[str]
    """The `seq` of the event. A client that reconnects sends it as `Last-Event-ID`. Absent if the stream cannot
    continue from here."""


class TakeBackRequest(TypedDict):
    """How many moves the player knows of."""

    ply: int
    """The number of moves made: `ply` of the match."""


class Verdict(TypedDict):
    """The result of checking a record."""

    detail: str
    """A summary in one line, or the first thing that is not true."""

    programs: NotRequired[list[SeatProof] | None]
    """What came of running the hosted programs again, by seat. Only if it was asked for, and the rest is true."""

    true: bool
    """Whether all of it is true."""
