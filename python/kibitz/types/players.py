"""Types of the operations on players. Generated from /openapi.json by scripts/client-types."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict

from kibitz.types.base import (
    Seat,
)
from kibitz.types.common import (
    AnyPlayerName,
    ClockSpec,
    EngineName,
    FoulKind,
    GameSlug,
    Level,
    MatchId,
    Move,
    MoveText,
    MoveValue,
    OutputLine,
    PlayerKind,
    PlayerName,
    Policy,
    Position,
    ProgramReport,
    ProgramResults,
    ProgramState,
    Reported,
    Stage,
)

__all__ = [
    "About",
    "BlockList",
    "BotFault",
    "BotFaults",
    "BotList",
    "BotOnline",
    "BotProgram",
    "BotRequest",
    "BotsOnline",
    "BrowserKeysRequest",
    "CeremonyAnswer",
    "ChallengeList",
    "ChallengeRequest",
    "ChallengeShown",
    "CheckList",
    "CheckShown",
    "CodeSignInRequest",
    "CountedFaults",
    "DeclineRequest",
    "EngineFacts",
    "FirstMoveEntry",
    "FirstMoves",
    "FuelShown",
    "GameRating",
    "GameResults",
    "Leaderboard",
    "LeaderboardEntry",
    "LobbyEvent",
    "LobbyEventChallenge",
    "LobbyEventChallengeOver",
    "LobbyEventMatch",
    "LobbyEventMatchOver",
    "LobbyEventReady",
    "LobbyEventSse",
    "LobbyShown",
    "LobbyShownSse",
    "MistakeCount",
    "MistakeEntry",
    "MistakeList",
    "ModuleFile",
    "NotificationKind",
    "NotificationKindsRequest",
    "OnlineRating",
    "OpponentEntry",
    "OpponentList",
    "OwnBot",
    "PasskeyEntry",
    "PasskeyList",
    "PasskeyNameRequest",
    "PasskeyRequest",
    "PasskeySignInRequest",
    "PersonOnline",
    "PlayerAnswer",
    "PlayerPage",
    "PlayerRequest",
    "PoolRequest",
    "PoolWaiting",
    "ProgramList",
    "ProgramRequest",
    "PublicProgram",
    "PublicPrograms",
    "PushRenewalRequest",
    "PushSubscriptionEntry",
    "PushSubscriptionList",
    "PushSubscriptionRequest",
    "PushTargetRequest",
    "RatingHistory",
    "RatingPoint",
    "RecoveryCodesAnswer",
    "ReportAnswer",
    "ReportRequest",
    "RotateRequest",
    "SignInAnswer",
    "TokenAnswer",
    "TokenEntry",
    "TokenList",
    "TokenRequest",
    "TokenSignInRequest",
    "VacationAnswer",
    "VacationRequest",
    "WantedProgramState",
]


class About(TypedDict):
    """A player's description of itself; each part may be missing."""

    description: NotRequired[str | None]
    """A description, at most 500 characters."""

    source: NotRequired[str | None]
    """A link to the source code or a home page: http or https, at most 200 characters."""

    version: NotRequired[str | None]
    """Of a bot: its version, at most 40 characters. A rating follows a new version as its matches come in."""


class BlockList(TypedDict):
    """The players whom the caller has blocked."""

    blocked: list[AnyPlayerName]
    """Their names."""


class BotFault(TypedDict):
    """One fault of a bot, with the match and the turn in which it happened."""

    at_ms: int
    """The time of the fault, in milliseconds since 1970."""

    detail: str
    """What was wrong, with what the bot printed."""

    game: GameSlug
    """The game's short name."""

    instead: str | None
    """The move that was played instead, if the match went on."""

    kind: FoulKind
    """The kind of mistake."""

    lines: NotRequired[list[OutputLine]]
    """The last lines that it wrote to standard error in this turn. Only for its own side."""

    match: MatchId
    """The match."""

    ply: int
    """Moves made before it."""

    seat: int
    """The number of the seat."""

    seq: int
    """The number of its event in the match."""

    think_ms: int
    """The bot's time for the decision, in milliseconds."""

    version: str | None
    """`program N` if a program of a hosted bot played; else the version that the bot's description named at that
    time; `null`: none."""


class CountedFaults(TypedDict):
    """Faults of one kind of one version of a bot in one game."""

    count: int
    """How many there are."""

    first_ms: int
    """The time of the first one, in milliseconds since 1970."""

    game: GameSlug
    """The game's short name."""

    kind: FoulKind
    """The kind of mistake."""

    last_ms: int
    """The time of the last one."""

    version: str | None
    """`program N` if a program of a hosted bot played; else the version that the bot's description named at that
    time; `null`: none."""


class BotFaults(TypedDict):
    """A page of a bot's faults."""

    all: bool
    """Whether these are all faults, as the bot's side sees them. Otherwise they are those in public matches that are
    over."""

    faults: list[BotFault]
    """The faults of this page, those of the newest match first."""

    groups: list[CountedFaults]
    """How many faults of each kind there are, the latest kind first. Of the last 10,000 faults, in all games."""

    next: str | None
    """The value of `before` that requests the next page; `null`: there is none."""


class OwnBot(TypedDict):
    """A bot of the caller."""

    about: About
    """Its description of itself."""

    created_ms: int
    """The time of its creation, in milliseconds since 1970."""

    name: PlayerName


class BotList(TypedDict):
    """The caller's bots."""

    bots: list[OwnBot]
    """The bots, in the order of their names."""


class OnlineRating(TypedDict):
    """A rating in a game."""

    game: GameSlug
    """The game's short name."""

    margin: int
    """The strength lies within this many points of the rating, with a probability of 95%."""

    mu: float
    """The rating as it is computed: the mean, in the units of Weng and Lin."""

    points: int
    """The rating on an Elo-like scale: a player without a match has 1500, and a difference of 400 points means a
    score of 10 to 1."""

    provisional: bool
    """Whether the margin is so large that the rating says little."""

    sigma: float
    """The standard deviation, in the same units."""


class BotOnline(TypedDict):
    """A bot, its policy and its ratings."""

    about: About
    """Its description of itself."""

    name: PlayerName

    owner: PlayerName | None
    """The person who owns it."""

    playing: int
    """The number of matches that it is playing."""

    policy: Policy
    """Its policy: the matches that it accepts."""

    ratings: list[OnlineRating]
    """Its ratings in the games of its policy."""

    since_ms: int
    """The time since which it is online, in milliseconds since 1970."""


class BotProgram(TypedDict):
    """A program of a bot, for its owner."""

    activate: bool
    """Whether it becomes active when its check has passed."""

    activated_ms: int | None
    """The time at which it became active for the last time, in milliseconds since 1970; `null`: it never was."""

    created_ms: int
    """The time of the upload, in milliseconds since 1970."""

    disabled: NotRequired[str | None]
    """Why the operator has disabled it; absent if it is not."""

    game: GameSlug
    """The game's short name."""

    hash: str
    """The SHA-256 of its module, hexadecimal."""

    note: str
    """The owner's note."""

    number: int
    """Its number among the bot's programs, from 1. It is never used again."""

    published: bool
    """Whether others may download it."""

    referee: dict[str, str]
    """The settings of the referee's side of its dialogue that its check has found."""

    report: ProgramReport | None
    """The report of its check; `null` before its end."""

    results: ProgramResults
    """What it has achieved in its matches, those of its check not counted."""

    size: int
    """The size of its module, in bytes."""

    state: ProgramState
    """How far its check and its use have come."""


class BotRequest(TypedDict):
    """A bot to create."""

    about: NotRequired[About]
    """The bot's description of itself. Default: `{}`."""

    name: PlayerName
    """The name; the rules are those for people's names."""


class BotsOnline(TypedDict):
    """The bots that can be challenged now."""

    bots: list[BotOnline]
    """One entry for each connection on which a bot has sent its policy, in the order of names."""


class BrowserKeysRequest(TypedDict):
    """The keys of a browser that subscribes."""

    auth: str
    """Its secret for this server, in URL-safe base 64."""

    p256dh: str
    """Its public key on the curve P-256, uncompressed, in URL-safe base 64."""


class CeremonyAnswer(TypedDict):
    """The beginning of a ceremony in which a device makes or proves a passkey."""

    ceremony: str
    """To be sent back with the answer of the device, within ten minutes."""

    options: dict[str, Any]
    """The options for the browser, as WebAuthn defines their JSON: `PublicKeyCredentialCreationOptionsJSON` for a
    new passkey, `PublicKeyCredentialRequestOptionsJSON` for a sign-in."""


class ChallengeShown(TypedDict):
    """A challenge as its two players see it."""

    challenger: AnyPlayerName
    """The player who proposes the match."""

    challenger_seat: int
    """The seat that the challenger takes, counted from 0."""

    clock: ClockSpec | None
    """The clock; `null`: none."""

    created_ms: int
    """The time of its creation, in milliseconds since 1970."""

    game: GameSlug
    """The game's short name."""

    id: str
    """The id, by which it is accepted, declined or withdrawn."""

    match: MatchId | None
    """The match, once it exists."""

    opponent: AnyPlayerName
    """The player who may accept it."""

    rated: bool
    """Whether the match is rated."""

    reason: str | None
    """The reason why it was declined or failed."""

    role: Literal["challenger", "opponent"]
    """Whether the caller is the `challenger` or the `opponent`."""

    stage: Literal["open", "accepted", "declined", "withdrawn", "expired", "failed"]
    """`open`, `accepted`, `declined`, `withdrawn`, `expired`, or `failed`: it was accepted, but its match could not
    be created."""

    until_ms: int
    """The time at which it expires, in milliseconds since 1970."""


class ChallengeList(TypedDict):
    """The caller's challenges, sent and received."""

    challenges: list[ChallengeShown]
    """The challenges, the oldest first."""


class ChallengeRequest(TypedDict):
    """A challenge to make: a match of two."""

    clock: NotRequired[ClockSpec | None]
    """The time control. Default: no limits."""

    game: GameSlug
    """The game's short name."""

    open_ms: NotRequired[int | None]
    """How long the challenge is open, in milliseconds. Default: five minutes."""

    rated: NotRequired[bool]
    """Whether the match is rated. Default: `false`."""

    seat: NotRequired[int | None]
    """The seat of the challenger. Default: either."""


class CheckShown(TypedDict):
    """A check match of a bot."""

    created_ms: int
    """The time of its creation, in milliseconds since 1970."""

    game: GameSlug
    """The game's short name."""

    match: MatchId
    """The match."""

    report: list[str]
    """What it says of the bot, line by line; empty until it is over."""

    seat: int
    """The bot's seat."""

    seats: int
    """The number of seats of the match."""

    stage: Stage
    """Whether the match is open, running or over."""


class CheckList(TypedDict):
    """The last check matches of a bot."""

    checks: list[CheckShown]
    """At most ten, the newest first."""


class CodeSignInRequest(TypedDict):
    """A recovery code, to sign in."""

    code: str
    """The code: four groups of five letters and digits, in upper or lower case."""

    name: str
    """A name by which the player knows this sign-in in the list of tokens, 1 to 40 characters."""


class DeclineRequest(TypedDict):
    """The reason why a challenge is declined."""

    reason: NotRequired[str | None]
    """The reason, which the challenger sees: at most 200 characters."""


class EngineFacts(TypedDict):
    """The facts about a built-in engine."""

    game: GameSlug
    """The game's short name."""

    level: Level

    name: EngineName
    """The engine's name."""

    version: int


class FirstMoveEntry(TypedDict):
    """A move with which a player began."""

    match: MatchId
    """The last of these matches."""

    move: Move
    """The move as JSON, by the game's schema."""

    notation: str
    """The move as the official protocol writes it."""

    played: int
    """In how many of the matches it was played."""

    ply: int
    """Moves made before it there."""

    position: Position
    """The position there, as the player saw it."""

    score: float
    """The mean score of the player in these, 0 to 1: a win is 1, a draw 1/2."""


class FirstMoves(TypedDict):
    """The moves with which a player begins most often."""

    matches: int
    """The matches that were looked at: the player's last public ones with a result, at most 100."""

    moves: list[FirstMoveEntry]
    """The moves that were most often the player's first one, at most three, the most frequent first. Equal notations
    count as one move. Empty if each was played in three matches or fewer: in a game with other cards in each
    match that can be so."""


class FuelShown(TypedDict):
    """What the programs of a bot have used today (UTC), and may use on a day."""

    allowance: int
    """What they may use on a day, in units of fuel."""

    allowance_s: float
    """The same, in seconds of their clock."""

    used: int
    """What they have used today, in units of fuel."""

    used_s: float
    """The same, in seconds of their clock."""


class GameRating(TypedDict):
    """A player's rating in a game."""

    game: GameSlug
    """The game's short name."""

    last_ms: int
    """The time at which the last rated match ended, in milliseconds since 1970."""

    margin: int
    """The strength lies within this many points of the rating, with a probability of 95%."""

    mu: float
    """The rating as it is computed: the mean, in the units of Weng and Lin."""

    played: int
    """Rated matches."""

    points: int
    """The rating on an Elo-like scale: a player without a match has 1500, and a difference of 400 points means a
    score of 10 to 1."""

    provisional: bool
    """Whether the margin is so large that the rating says little."""

    rank: int | None
    """The place among the players whose rating is not provisional, from 1. `null`: the rating is provisional, or the
    place is beyond 10,000."""

    sigma: float
    """The standard deviation, in the same units."""


class GameResults(TypedDict):
    """A player's results in a game."""

    game: GameSlug
    """The game's short name."""

    played: int
    """Matches with a result."""

    shared: int
    """Matches with a shared first place."""

    won: int
    """Matches won alone."""


class LeaderboardEntry(TypedDict):
    """A player on a leaderboard."""

    kind: PlayerKind
    """Whether it is a person, a bot or a built-in engine."""

    last_ms: int
    """The time at which the last of them ended, in milliseconds since 1970."""

    margin: int
    """The strength lies within this many points of the rating, with a probability of 95%."""

    mu: float
    """The rating as it is computed: the mean, in the units of Weng and Lin."""

    name: AnyPlayerName

    owner: NotRequired[PlayerName | None]
    """The person who owns it, if it is a bot."""

    played: int
    """Rated matches."""

    points: int
    """The rating on an Elo-like scale: a player without a match has 1500, and a difference of 400 points means a
    score of 10 to 1."""

    provisional: bool
    """Whether the margin is so large that the rating says little."""

    rank: int | None
    """The place in this list, from 1; `null` for provisional ratings."""

    sigma: float
    """The standard deviation, in the same units."""


class Leaderboard(TypedDict):
    """A page of a game's leaderboard."""

    game: GameSlug
    """The game's short name."""

    next: str | None
    """The value of `after` that requests the next page; `null`: there is none."""

    players: list[LeaderboardEntry]
    """Players whose rating is not provisional, then provisional ones; each the best first, by `points` minus
    `margin`."""


class LobbyEventChallenge(TypedDict):
    """A challenge by or to the player is open."""

    challenger: AnyPlayerName
    """The player who proposes the match."""

    challenger_seat: int
    """The seat that the challenger takes, counted from 0."""

    clock: ClockSpec | None
    """The clock; `null`: none."""

    created_ms: int
    """The time of its creation, in milliseconds since 1970."""

    game: GameSlug
    """The game's short name."""

    id: str
    """The id, by which it is accepted, declined or withdrawn."""

    match: MatchId | None
    """The match, once it exists."""

    opponent: AnyPlayerName
    """The player who may accept it."""

    rated: bool
    """Whether the match is rated."""

    reason: str | None
    """The reason why it was declined or failed."""

    role: Literal["challenger", "opponent"]
    """Whether the caller is the `challenger` or the `opponent`."""

    stage: Literal["open", "accepted", "declined", "withdrawn", "expired", "failed"]
    """`open`, `accepted`, `declined`, `withdrawn`, `expired`, or `failed`: it was accepted, but its match could not
    be created."""

    type: Literal["challenge"]

    until_ms: int
    """The time at which it expires, in milliseconds since 1970."""


class LobbyEventChallengeOver(TypedDict):
    """A challenge that was open is settled: its `stage` says how."""

    challenger: AnyPlayerName
    """The player who proposes the match."""

    challenger_seat: int
    """The seat that the challenger takes, counted from 0."""

    clock: ClockSpec | None
    """The clock; `null`: none."""

    created_ms: int
    """The time of its creation, in milliseconds since 1970."""

    game: GameSlug
    """The game's short name."""

    id: str
    """The id, by which it is accepted, declined or withdrawn."""

    match: MatchId | None
    """The match, once it exists."""

    opponent: AnyPlayerName
    """The player who may accept it."""

    rated: bool
    """Whether the match is rated."""

    reason: str | None
    """The reason why it was declined or failed."""

    role: Literal["challenger", "opponent"]
    """Whether the caller is the `challenger` or the `opponent`."""

    stage: Literal["open", "accepted", "declined", "withdrawn", "expired", "failed"]
    """`open`, `accepted`, `declined`, `withdrawn`, `expired`, or `failed`: it was accepted, but its match could not
    be created."""

    type: Literal["challenge_over"]

    until_ms: int
    """The time at which it expires, in milliseconds since 1970."""


class LobbyEventMatch(TypedDict):
    """The player has a seat in this match, which is not over; or a seat that is kept for the player, who still has
    to join."""

    game: GameSlug
    """The game's short name."""

    id: MatchId
    """The match."""

    stage: Stage
    """`open` or `running`."""

    type: Literal["match"]

    url: str
    """Its path."""


class LobbyEventMatchOver(TypedDict):
    """A match in which the player had a seat is over, or the player has no seat in it any more."""

    id: MatchId
    """The match."""

    type: Literal["match_over"]


class LobbyEventReady(TypedDict):
    """The events before this one are the whole current state: everything that is open or running."""

    type: Literal["ready"]


LobbyEvent: TypeAlias = LobbyEventChallenge | LobbyEventChallengeOver | LobbyEventMatch | LobbyEventMatchOver | LobbyEventReady
"""An event on a control connection. A client ignores types that it does not know: there may be more."""


class LobbyEventSse(TypedDict):
    """A server-sent event with a `LobbyEvent`."""

    data: str
    """A `LobbyEvent` as JSON, on one line."""

    event: str
    """The kind of the data: its `type`, if it has one."""

    id: NotRequired[str]
    """The `seq` of the event. A client that reconnects sends it as `Last-Event-ID`. Absent if the stream cannot
    continue from here."""


class PersonOnline(TypedDict):
    """A person who is online: with a control connection."""

    name: PlayerName

    ratings: list[OnlineRating]
    """The person's ratings."""


class PoolWaiting(TypedDict):
    """Players in the pool who ask for the same kind of match."""

    clock: ClockSpec | None
    """The time control; `null`: none."""

    game: GameSlug
    """The game's short name."""

    players: int
    """How many players wait."""

    rated: bool
    """Whether the match would be rated."""


class LobbyShown(TypedDict):
    """The players who are online, and those who wait to be paired."""

    bots: list[BotOnline]
    """The bots that are online, as `GET /v1/bots` lists them."""

    people: list[PersonOnline]
    """The people who are online, in the order of names."""

    waiting: list[PoolWaiting]
    """The groups of players who wait in the pool."""


class LobbyShownSse(TypedDict):
    """A server-sent event with a `LobbyShown`."""

    data: str
    """A `LobbyShown` as JSON, on one line."""

    event: str
    """The kind of the data: its `type`, if it has one."""

    id: NotRequired[str]
    """The `seq` of the event. A client that reconnects sends it as `Last-Event-ID`. Absent if the stream cannot
    continue from here."""


class MistakeCount(TypedDict):
    """The decisions of a player in one phase and of one kind."""

    decisions: int
    """The number of decisions."""

    kind: str
    """The kind of the move that was made, as the game names it."""

    mean_loss: float
    """The mean loss of expected score, 0 to 1."""

    mistakes: int
    """How many lost 10 points or more: mistakes and blunders."""

    phase: str
    """The phase of the match, as the game names it."""


class MistakeEntry(TypedDict):
    """A costly decision."""

    kind: str
    """The kind of the move that was made, as the game names it."""

    match: MatchId
    """The match in which it was made."""

    phase: str
    """The phase of the match, as the game names it."""

    played: MoveText
    """The move that was made."""

    ply: int
    """Moves made before it."""

    position: Position
    """The position, as the player saw it."""

    seat: Seat
    """The seat of the player."""

    value: MoveValue
    """What it was worth."""


class MistakeList(TypedDict):
    """The costly decisions of a player."""

    accuracy: float | None
    """The mean accuracy of all decisions with a choice, 0 to 100; `null`: there is none. The filters do not change
    it."""

    counts: list[MistakeCount]
    """All decisions with a choice, counted by phase and kind. The filters do not change it."""

    mistakes: list[MistakeEntry]
    """Decisions that lost 5 points of winning probability or more, the costliest first."""

    next: str | None
    """The value of `after` that requests the next page; `null`: there is none."""


ModuleFile: TypeAlias = str
"""A WebAssembly module for WASI preview 1, in the binary format, of at most 16 MiB."""


NotificationKind: TypeAlias = Literal["turn", "reminder", "challenge", "tournament"]
"""What a notification is about. - `turn`: The player is to move in a match. - `reminder`: The time for a move of
several days ends soon. - `challenge`: Another player challenges the player. - `tournament`: A tournament that the
player has entered starts soon."""


class NotificationKindsRequest(TypedDict):
    """What a subscription is for."""

    kinds: list[NotificationKind]
    """What the player wants to be notified of."""


class OpponentEntry(TypedDict):
    """Results against an opponent."""

    drawn: int
    """Those in which both had the same place."""

    kind: PlayerKind
    """Whether it is a person, a bot or a built-in engine."""

    lost: int
    """Those in which the opponent had the better place."""

    name: AnyPlayerName | None
    """The opponent's name; `null`: the account was deleted."""

    played: int
    """Rated matches with both."""

    won: int
    """Those in which the player had the better place."""


class OpponentList(TypedDict):
    """A player's results against each opponent in rated matches of a game."""

    next: str | None
    """The value of `after` that requests the next page; `null`: there is none."""

    opponents: list[OpponentEntry]
    """The opponents, those met most often first."""


class PasskeyEntry(TypedDict):
    """A passkey. It contains no secret: the server knows only its public key."""

    created_ms: int
    """The time of its creation, in milliseconds since 1970."""

    id: str

    name: str

    used_ms: int | None
    """The time of the last sign-in with it, in milliseconds since 1970; `null`: never used."""


class PasskeyList(TypedDict):
    """The caller's ways to sign in besides the account's own token."""

    passkeys: list[PasskeyEntry]
    """The passkeys, the oldest first."""

    recovery_codes_left: int
    """How many recovery codes are not used yet."""


class PasskeyNameRequest(TypedDict):
    """A new name for a passkey."""

    name: str
    """The name, 1 to 40 characters."""


class PasskeyRequest(TypedDict):
    """A passkey to add."""

    ceremony: str
    """The ceremony that the device answers (`POST /v1/me/passkeys/options`)."""

    credential: dict[str, Any]
    """The answer, as WebAuthn defines its JSON: `RegistrationResponseJSON`."""

    name: str
    """A name by which its player knows it, 1 to 40 characters."""


class PasskeySignInRequest(TypedDict):
    """The answer of a passkey, to sign in."""

    ceremony: str
    """The ceremony that the device answers (`POST /v1/sign-in/passkey/options`)."""

    credential: dict[str, Any]
    """The answer, as WebAuthn defines its JSON: `AuthenticationResponseJSON`."""

    name: str
    """A name by which the player knows this sign-in in the list of tokens, 1 to 40 characters."""


class PlayerAnswer(TypedDict):
    """A player and the token that proves the player's identity. No other answer contains the token."""

    name: PlayerName

    token: str
    """The token, to be sent as `Authorization: Bearer TOKEN`."""


class PlayerPage(TypedDict):
    """A player, their results and their ratings."""

    about: About
    """The player's description of itself."""

    created_ms: int
    """The time of the player's creation, in milliseconds since 1970."""

    engine: NotRequired[EngineFacts | None]
    """The facts about it, if it is an engine."""

    kind: PlayerKind
    """Whether it is a person, a bot or a built-in engine."""

    name: AnyPlayerName

    owner: NotRequired[PlayerName | None]
    """The person who owns it, if it is a bot."""

    ratings: list[GameRating]
    """Ratings: one entry per game with a rated match, in the order of the games' names."""

    results: list[GameResults]
    """Results of all public matches (for an engine: of rated matches), one entry per game, in the order of the
    games' names."""

    vacation_until_ms: NotRequired[int | None]
    """The end of the player's vacation, in milliseconds since 1970. Absent without one."""


class PlayerRequest(TypedDict):
    """A player to create."""

    invitation: NotRequired[str | None]
    """The code of an invitation, if this server wants one: `kbi_` and 43 more characters."""

    name: PlayerName
    """2 to 32 letters and digits of any script, with - _ . allowed inside. The name must differ from other players'
    names in more than case and letters that look alike."""


class PoolRequest(TypedDict):
    """A request to be paired with an opponent for a match of two."""

    clock: NotRequired[ClockSpec | None]
    """The time control; players with the same one are paired. Default: no limits."""

    game: GameSlug
    """The game's short name."""

    opponents: NotRequired[list[PlayerKind]]
    """The kinds of opponents. Default: people only."""

    others_after_ms: NotRequired[int]
    """How long the request waits for a person before an online bot or an engine of about the same rating is taken,
    in milliseconds, if `opponents` names those. Default: 10 seconds."""

    rated: NotRequired[bool]
    """Whether the match is rated. Default: `false`."""

    stay_ms: NotRequired[int]
    """How long the request waits, in milliseconds. Default: 25 seconds."""


class ProgramList(TypedDict):
    """The programs of a bot."""

    fuel: FuelShown
    """What they have used today, and may use."""

    programs: list[BotProgram]
    """The last ten, and active ones that are older; the newest first."""


WantedProgramState: TypeAlias = Literal["active", "retired"]
"""A state that the owner of a program can choose. - `active`: It plays. - `retired`: It does not play."""


class ProgramRequest(TypedDict):
    """What to change about a program. Fields that are left out stay as they are."""

    note: NotRequired[str | None]
    """The new note: at most 200 characters on one line."""

    published: NotRequired[bool | None]
    """Whether others may download it."""

    state: NotRequired[WantedProgramState | None]
    """`active`: it plays from now on, instead of the one before. `retired`: it plays no longer."""


class PublicProgram(TypedDict):
    """A program that everybody may know."""

    active: bool
    """Whether it plays for the bot."""

    created_ms: int
    """The time of the upload, in milliseconds since 1970."""

    game: GameSlug
    """The game's short name."""

    hash: str
    """The SHA-256 of its module, hexadecimal."""

    number: int
    """Its number among the bot's programs."""

    published: bool
    """Whether anyone may download it."""

    size: int
    """The size of its module, in bytes."""


class PublicPrograms(TypedDict):
    """The programs of a bot that everybody may know."""

    programs: list[PublicProgram]
    """Those that play and those that are published, the newest first."""


class PushTargetRequest(TypedDict):
    """The address and the keys of a subscription, as the browser's `PushSubscription` has them."""

    endpoint: str
    """The address at the push service of the browser."""

    keys: BrowserKeysRequest
    """The keys of the browser."""


PushRenewalRequest = TypedDict("PushRenewalRequest", {
    "from": PushTargetRequest,
    "to": PushTargetRequest,
})
"""A subscription that the browser has replaced by another one."""


class PushSubscriptionEntry(TypedDict):
    """A browser in which the player is notified."""

    created_ms: int
    """The time of its creation, in milliseconds since 1970."""

    delivered_ms: int | None
    """The time at which the push service took a notification last, in milliseconds since 1970; `null`: it has taken
    none."""

    id: str

    kinds: list[NotificationKind]
    """What the player wants to be notified of."""

    name: str


class PushSubscriptionList(TypedDict):
    """The browsers in which the player is notified."""

    public_key: str | None
    """The public key of this server, with which a browser subscribes (`applicationServerKey`), in URL-safe base 64;
    `null`: this server sends no notifications."""

    subscriptions: list[PushSubscriptionEntry]
    """The browsers, the oldest first."""


class PushSubscriptionRequest(TypedDict):
    """A browser in which the player wants to be notified, as its `PushSubscription` describes it."""

    endpoint: str
    """The address at the push service of the browser. It begins with `https://` and is not in a private network."""

    keys: BrowserKeysRequest
    """The keys of the browser."""

    kinds: list[NotificationKind]
    """What the player wants to be notified of."""

    language: NotRequired[str]
    """The tag of the language of the notifications, such as `pt-BR`. Default: English."""

    name: str
    """A name by which its player knows it, 1 to 40 characters."""


class RatingPoint(TypedDict):
    """A rating after a match."""

    at_ms: int
    """The time of its end, in milliseconds since 1970."""

    margin: int
    """The strength lies within this many points of the rating, with a probability of 95%."""

    match: MatchId
    """The match. It may have been deleted since."""

    mu: float
    """The rating as it is computed: the mean, in the units of Weng and Lin."""

    played: int
    """The number of the match among the player's rated matches of the game, from 1."""

    points: int
    """The rating on an Elo-like scale: a player without a match has 1500, and a difference of 400 points means a
    score of 10 to 1."""

    provisional: bool
    """Whether the margin is so large that the rating says little."""

    sigma: float
    """The standard deviation, in the same units."""


class RatingHistory(TypedDict):
    """The history of a player's rating in a game."""

    game: GameSlug
    """The game's short name."""

    history: list[RatingPoint]
    """The rating after some of them, spread evenly, the first and the last one included; in order."""

    name: AnyPlayerName
    """The player."""

    played: int
    """The player's rated matches of the game."""


class RecoveryCodesAnswer(TypedDict):
    """New recovery codes."""

    codes: list[str]
    """The codes. No other answer contains them."""


class ReportAnswer(TypedDict):
    """A stored report."""

    id: str
    """Its id, by which the caller can withdraw it."""


class ReportRequest(TypedDict):
    """A user's report to the operator."""

    about: Reported
    """The match, player, message or tournament that the report is about."""

    reason: str
    """What is wrong: 1 to 300 characters in one line."""


class RotateRequest(TypedDict):
    """A request for a new token."""

    end_others: NotRequired[bool]
    """Whether the player's tokens with a scope become invalid, too. Default: they stay valid."""

    token: NotRequired[str | None]
    """The new token, if the client generates it: `kbp_` and 43 characters of URL-safe base 64 that encode 32 random
    bytes. Then the account is not lost if the answer does not arrive. Default: the server generates one."""


class SignInAnswer(TypedDict):
    """The answer to a sign-in that succeeded."""

    expires_ms: int
    """The time at which it expires, in milliseconds since 1970."""

    id: str
    """Its id in the list of tokens. `DELETE /v1/me/tokens/{id}` signs out."""

    name: PlayerName
    """The player who is signed in."""

    token: str
    """The token, to be sent as `Authorization: Bearer TOKEN`. It has all rights of the account. No other answer
    contains it."""


class TokenAnswer(TypedDict):
    """A new token."""

    created_ms: int
    """The time of its creation, in milliseconds since 1970."""

    expires_ms: int | None
    """The time at which it expires, in milliseconds since 1970; `null`: never. One that has expired stays in the
    list until its owner makes another one."""

    id: str

    name: str

    scope: str
    """Its scope: `read`, `play`, `manage`, `bot:NAME`, or `account`: a sign-in."""

    token: str
    """The token, to be sent as `Authorization: Bearer TOKEN`. No other answer contains it."""

    used_ms: int | None
    """The time of its last use, in milliseconds since 1970, accurate to about a minute; `null`: never used."""


class TokenEntry(TypedDict):
    """A token in its owner's list. The list does not contain the token itself."""

    created_ms: int
    """The time of its creation, in milliseconds since 1970."""

    expires_ms: int | None
    """The time at which it expires, in milliseconds since 1970; `null`: never. One that has expired stays in the
    list until its owner makes another one."""

    id: str

    name: str

    scope: str
    """Its scope: `read`, `play`, `manage`, `bot:NAME`, or `account`: a sign-in."""

    used_ms: int | None
    """The time of its last use, in milliseconds since 1970, accurate to about a minute; `null`: never used."""


class TokenList(TypedDict):
    """The caller's tokens."""

    tokens: list[TokenEntry]
    """The tokens besides the account's own, the oldest first."""


class TokenRequest(TypedDict):
    """A token to make."""

    lifetime_ms: NotRequired[int | None]
    """How long it is valid, in milliseconds: at most ten years. Default: without end. A token that another one makes
    expires with that one at the latest."""

    name: str
    """A name by which its owner knows it, 1 to 40 characters."""

    scope: str
    """`read`, `play`, `manage`, or `bot:NAME` with the name of one of the caller's bots."""


class TokenSignInRequest(TypedDict):
    """The account's own token, to sign in."""

    name: str
    """A name by which the player knows this sign-in in the list of tokens, 1 to 40 characters."""

    token: str
    """The token: `kbp_` and 43 characters."""


class VacationAnswer(TypedDict):
    """The caller's vacation, and what is left of the allowance."""

    begun_ms: int | None
    """When the vacation that goes on began, in milliseconds since 1970; `null`: there is none."""

    days_per_year: int
    """The days of vacation in a calendar year (UTC); 0: this server has no vacations."""

    latest_ms: int | None
    """The latest end that the vacation can have, or one that begins now, in milliseconds since 1970; `null`: none
    can begin now."""

    left_hours: int
    """The hours that are left of this year's days, after the planned end of the vacation that goes on. Each vacation
    counts in started hours."""

    until_ms: int | None
    """When it ends."""


class VacationRequest(TypedDict):
    """A vacation to begin, or to move the end of."""

    until_ms: int
    """Its end, in milliseconds since 1970: in the future, and at most `latest_ms`."""
