"""Types of the operations on tournaments. Generated from /openapi.json by scripts/client-types."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict

from kibitz.types.common import (
    AnyPlayerName,
    ClockSpec,
    Closed,
    ContestScore,
    GameSlug,
    MatchId,
    Options,
    PlayerKind,
)

__all__ = [
    "Bye",
    "Contest",
    "CrosstableCell",
    "Dealing",
    "EntrantShown",
    "EntryRequest",
    "ExactShown",
    "Format",
    "FormatGauntlet",
    "FormatLadder",
    "FormatRoundRobin",
    "FormatSampledRoundRobin",
    "FormatSwiss",
    "GameShown",
    "GameStage",
    "Interval",
    "OpenedGame",
    "PairingShown",
    "StandingShown",
    "TournamentEntry",
    "TournamentEventShown",
    "TournamentEventShownAborted",
    "TournamentEventShownCreated",
    "TournamentEventShownDealOpened",
    "TournamentEventShownEnded",
    "TournamentEventShownEntered",
    "TournamentEventShownGameEnded",
    "TournamentEventShownGameStarted",
    "TournamentEventShownGameVoided",
    "TournamentEventShownPaired",
    "TournamentEventShownPaused",
    "TournamentEventShownResumed",
    "TournamentEventShownStarted",
    "TournamentEventShownTitleRemoved",
    "TournamentEventShownWithdrew",
    "TournamentFrame",
    "TournamentFrameSse",
    "TournamentList",
    "TournamentPage",
    "TournamentRequest",
    "TournamentStage",
]


class Bye(TypedDict):
    """An entrant without opponents in a round."""

    entrant: int

    round: int


class Contest(TypedDict):
    """The facts of the game's contest that a gauntlet takes over."""

    score: ContestScore
    """How it counts a match."""

    seats: list[int]
    """The seats that it gives its bots."""


class CrosstableCell(TypedDict):
    """The games of one entrant against another."""

    entrant: int

    games: int
    """Games in which both took part."""

    opponent: int
    """The other one."""

    points: float
    """1 for each game in which the entrant finished before the other, and 1/2 where they shared a place."""


Dealing: TypeAlias = Literal["duplicate", "mirror", "independent"]
"""Which games have the same deal. - `duplicate`: As in duplicate bridge: all tables of a round play the same deals,
no entrant plays a deal twice, and the result of a game is compared with the other results of its deal from the
same seat. - `mirror`: The entrants of a pairing play each deal once from every seat. Only for games of perfect
information, in which the first game of a deal reveals nothing about the second. - `independent`: Every game has a
deal of its own."""


class EntrantShown(TypedDict):
    """A player who has entered."""

    kind: PlayerKind
    """Whether it is a person, a bot or a built-in engine."""

    name: AnyPlayerName

    opponent: bool
    """Whether it is a fixed opponent of a gauntlet, which has no place in the standings."""

    rating: int
    """The rating at the time of entry, which orders entrants of equal points in a Swiss tournament."""

    takes_part: bool
    """Whether the entrant still takes part."""


class EntryRequest(TypedDict):
    """The player who enters."""

    mirror: NotRequired[bool]
    """Of a bot: whether it knows the mirror dialogue of the game (`mirror_seats`). It must then be online with
    `--referee mirror=yes`. Default: no."""

    name: NotRequired[AnyPlayerName | None]
    """The name of one of the caller's bots or, for the organizer, of a built-in engine. Default: the caller."""

    opponent: NotRequired[bool]
    """Whether it enters a gauntlet as a fixed opponent: a built-in engine, entered by the organizer. Default: no."""


class ExactShown(TypedDict):
    """The exact values of a line of the standings: whole numbers as text, to be divided by the denominator, which is
    the same in all lines."""

    buchholz: str | None

    denominator: str

    direct: str | None

    points: str

    sonneborn_berger: str | None


class FormatGauntlet(TypedDict):
    """Each entrant plays against the same fixed opponents on the same deals, from the seats that the contest gives
    its bots, and has the points of the contest."""

    games: int
    """The games of each entrant against each opponent, a multiple of those seats."""

    kind: Literal["gauntlet"]


class FormatLadder(TypedDict):
    """Entrants are paired whenever they are free, by rating and uncertainty."""

    kind: Literal["ladder"]

    pairings: int
    """How many pairings each entrant plays."""


class FormatRoundRobin(TypedDict):
    """Every group of entrants that fits a table meets once."""

    kind: Literal["round_robin"]


class FormatSampledRoundRobin(TypedDict):
    """Each entrant plays a part of the games of a round robin, as many from each seat; all pairs of entrants meet
    about equally often. Exactly one of the fields is needed."""

    games: NotRequired[int | None]
    """The games of each entrant, a multiple of the seats."""

    hours: NotRequired[int | None]
    """As many games as are estimated to fit into this time, in hours, if each takes as long as its clocks allow."""

    kind: Literal["sampled_round_robin"]


class FormatSwiss(TypedDict):
    """Entrants with equal points meet, for this many rounds."""

    kind: Literal["swiss"]

    rounds: int
    """The number of rounds."""


Format: TypeAlias = FormatRoundRobin | FormatSampledRoundRobin | FormatGauntlet | FormatSwiss | FormatLadder
"""The method that finds opponents."""


GameStage: TypeAlias = Literal["waiting", "running", "finished", "void"]
"""How far a game has come. - `waiting`: It has not begun. - `running`: Its match is open or running. - `finished`:
It counts. - `void`: It has no result and counts for no entrant."""


class GameShown(TypedDict):
    """A game of a pairing: its seats, its match, its result."""

    deal: int
    """The number of the deal: games with the same number have the same seed."""

    forfeited: list[int]
    """The seats that forfeited it; then it was not played."""

    game_points: list[int] | None
    """The game's own points of each seat, where it was played to its end."""

    half_wins: list[int] | None
    """The same, exact: for each seat 2 for each seat that finished behind, and 1 for each one that shares its place.
    With `n` seats, the score is this number divided by `2 (n - 1)`."""

    match: MatchId | None
    """Its match, if one was created and counts."""

    points: list[float] | None
    """The points of each seat: its score, with `duplicate` deals compared with the other scores of the same deal
    from the same seat."""

    round: int
    """The round, from 1."""

    scores: list[float] | None
    """The score of each seat, 0 to 1: the share of the other seats that finished behind, a shared place counting
    half. Null as long as the game has none or is sealed."""

    sealed: bool
    """Whether it is sealed: its match and result are for its players alone until all games of its deal are finished."""

    seats: list[int]
    """The entrants by seat."""

    stage: GameStage


class Interval(TypedDict):
    """A mean with its 95% interval."""

    high: float | None
    """The upper end; null: unknown."""

    low: float | None
    """The lower end; null: unknown."""

    mean: float


class OpenedGame(TypedDict):
    """A game that is not sealed any more."""

    game: int

    game_points: list[int] | None
    """The game's own points of each seat, where it was played to its end."""

    half_wins: list[int] | None
    """The same, exact: for each seat 2 for each seat that finished behind, and 1 for each one that shares its place.
    With `n` seats, the score is this number divided by `2 (n - 1)`."""

    scores: list[float] | None
    """The score of each seat, 0 to 1: the share of the other seats that finished behind, a shared place counting
    half. Null as long as the game has none or is sealed."""


class PairingShown(TypedDict):
    """Entrants who play each other."""

    entrants: list[int]

    round: int
    """The round, from 1."""


class StandingShown(TypedDict):
    """An entrant's line of the standings."""

    ahead: Interval | None
    """In a gauntlet: by how many points of a game this entrant is ahead of the next one, on the deals that both have
    played."""

    buchholz: float | None
    """Second tie-break where opponents differ: the points of all opponents, each game counted; null in a round
    robin."""

    direct: float | None
    """First tie-break, the direct encounter: the mean results against the entrants with the same points, added up;
    null if not all of them have met."""

    entrant: int

    exact: ExactShown
    """Points and tie-breaks again, exact."""

    games: int
    """Games with points."""

    place: int
    """The place, from 1. Entrants whom no tie-break separates share it."""

    points: float
    """The sum of the points of all games, and a pairing's points for each bye."""

    score: Interval | None
    """The mean of the points of a game with its 95% interval; null without a game."""

    sonneborn_berger: float | None
    """Next tie-break: the points of the opponents, each multiplied by the result against them; null in a gauntlet."""

    superiority: float | None
    """The likelihood that this entrant is stronger than the next one in the standings."""

    won: int
    """Games won alone."""


TournamentStage: TypeAlias = Literal["registration", "running", "paused", "ended", "aborted"]
"""The stage of a tournament's life. - `registration`: Players can enter; no game has begun. - `running`: Games are
played. - `paused`: No new games begin. - `ended`: Played to its end. - `aborted`: Ended early."""


class TournamentEntry(TypedDict):
    """A tournament in a list."""

    created_ms: int
    """The time of its creation, in milliseconds since 1970."""

    entrants: int
    """How many players have entered and not left."""

    finished: int
    """Games that are finished."""

    format: Format
    """The method that finds opponents."""

    game: GameSlug
    """The game's short name."""

    games: int
    """Games so far, those of later rounds not included."""

    id: MatchId
    """The tournament."""

    rated: bool
    """Whether its games change ratings."""

    seats: int
    """Seats of a table."""

    stage: TournamentStage
    """The stage of its life."""

    starts_ms: NotRequired[int | None]
    """The time at which it starts by itself, in milliseconds since 1970. Absent if its organizer starts it."""

    title: str
    """Its title; empty if it was removed."""


class TournamentEventShownAborted(TypedDict):
    """The tournament was ended early: the last event, with the secret and the salt."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    salt: str

    secret: str

    seq: int
    """Its place in the log: 0 for the first event of a tournament, without gaps."""

    type: Literal["aborted"]


class TournamentEventShownCreated(TypedDict):
    """The tournament was created."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    seq: int
    """Its place in the log: 0 for the first event of a tournament, without gaps."""

    type: Literal["created"]


class TournamentEventShownDealOpened(TypedDict):
    """All games of a shared deal are finished, and are not sealed any more."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    deal: int
    """The number of the deal."""

    games: list[OpenedGame]
    """The games of the deal that have a result."""

    seq: int
    """Its place in the log: 0 for the first event of a tournament, without gaps."""

    type: Literal["deal_opened"]


class TournamentEventShownEnded(TypedDict):
    """All games are finished: the last event. It shows the secret of the deals and the salt of the commitment to it."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    salt: str

    secret: str

    seq: int
    """Its place in the log: 0 for the first event of a tournament, without gaps."""

    type: Literal["ended"]


class TournamentEventShownEntered(TypedDict):
    """A player entered, as the last entrant."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    name: AnyPlayerName

    seq: int
    """Its place in the log: 0 for the first event of a tournament, without gaps."""

    type: Literal["entered"]


class TournamentEventShownGameEnded(TypedDict):
    """A game is finished."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    forfeited: list[int]
    """The seats that forfeited it."""

    game: int

    game_points: list[int] | None
    """The game's own points of each seat, where it was played to its end."""

    half_wins: list[int] | None
    """The same, exact: for each seat 2 for each seat that finished behind, and 1 for each one that shares its place.
    With `n` seats, the score is this number divided by `2 (n - 1)`."""

    scores: list[float] | None
    """The score of each seat, 0 to 1: the share of the other seats that finished behind, a shared place counting
    half. Null as long as the game has none or is sealed."""

    seq: int
    """Its place in the log: 0 for the first event of a tournament, without gaps."""

    type: Literal["game_ended"]


class TournamentEventShownGameStarted(TypedDict):
    """A game has a match."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    game: int

    match: MatchId

    seq: int
    """Its place in the log: 0 for the first event of a tournament, without gaps."""

    type: Literal["game_started"]


class TournamentEventShownGameVoided(TypedDict):
    """The match of a game ended without a result."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    game: int

    postponed: bool

    seq: int
    """Its place in the log: 0 for the first event of a tournament, without gaps."""

    type: Literal["game_voided"]


class TournamentEventShownPaired(TypedDict):
    """The games of one or more rounds follow those known so far."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    pairings: list[PairingShown]

    seq: int
    """Its place in the log: 0 for the first event of a tournament, without gaps."""

    type: Literal["paired"]


class TournamentEventShownPaused(TypedDict):
    """No new games begin."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    seq: int
    """Its place in the log: 0 for the first event of a tournament, without gaps."""

    type: Literal["paused"]


class TournamentEventShownResumed(TypedDict):
    """Games begin again."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    seq: int
    """Its place in the log: 0 for the first event of a tournament, without gaps."""

    type: Literal["resumed"]


class TournamentEventShownStarted(TypedDict):
    """The games begin."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    seq: int
    """Its place in the log: 0 for the first event of a tournament, without gaps."""

    type: Literal["started"]


class TournamentEventShownTitleRemoved(TypedDict):
    """The title was removed. It can come after the end."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    seq: int
    """Its place in the log: 0 for the first event of a tournament, without gaps."""

    type: Literal["title_removed"]


class TournamentEventShownWithdrew(TypedDict):
    """An entrant left. Before the start the entrants behind move up by one place."""

    at_ms: int
    """Its time, in milliseconds since 1970."""

    entrant: int

    seq: int
    """Its place in the log: 0 for the first event of a tournament, without gaps."""

    type: Literal["withdrew"]


TournamentEventShown: TypeAlias = TournamentEventShownCreated | TournamentEventShownEntered | TournamentEventShownWithdrew | TournamentEventShownStarted | TournamentEventShownPaused | TournamentEventShownResumed | TournamentEventShownPaired | TournamentEventShownGameStarted | TournamentEventShownGameEnded | TournamentEventShownDealOpened | TournamentEventShownGameVoided | TournamentEventShownEnded | TournamentEventShownAborted | TournamentEventShownTitleRemoved
"""An event of a tournament, as all readers see it."""


class TournamentPage(TypedDict):
    """A tournament as anyone may see it."""

    byes: list[Bye]
    """Entrants without opponents in a round."""

    clock: ClockSpec
    """The time control of every game."""

    commitment: str
    """SHA-256 of the bytes of the salt followed by those of the secret, hexadecimal: published from the beginning."""

    contest: Contest | None
    """The contest whose points a gauntlet counts; null in other formats."""

    created_ms: int
    """The time of its creation, in milliseconds since 1970."""

    crosstable: list[CrosstableCell]
    """For each two entrants who have played each other, in both directions: their games."""

    dealing: Dealing
    """Which games have the same deal."""

    deals: int
    """How often the entrants of a pairing play from every seat."""

    entrants: list[EntrantShown]
    """The entrants. Other lists refer to them by their places in this one, from 0."""

    format: Format
    """The system that pairs opponents."""

    game: GameSlug
    """The game's short name."""

    games: list[GameShown]
    """The games of all rounds paired so far, in the order in which they are to be played."""

    grace_ms: int
    """How long a game waits for its players, in milliseconds."""

    id: MatchId
    """The tournament."""

    max_entrants: int
    """The most entrants."""

    max_running: int
    """The most games that are played at the same time."""

    options: Options | None
    """The options of every deal, by the game's schema; null: the usual ones."""

    organizer: AnyPlayerName
    """The name of the player who created it."""

    per_entrant: int
    """The most games that a person or bot plays at the same time."""

    rated: bool
    """Whether the games change the players' ratings."""

    salt: NotRequired[str | None]
    """The salt of the commitment, hexadecimal, when the tournament is over."""

    seats: int
    """Seats of a table."""

    secret: NotRequired[str | None]
    """The secret, hexadecimal, when the tournament is over. The seed of deal N is HMAC-SHA256 of the text `deal N`
    with the secret's bytes as the key."""

    seq: int
    """The place of its last event."""

    stage: TournamentStage
    """The stage of its life."""

    standings: list[StandingShown]
    """The standings, the best first."""

    starts_ms: int | None
    """The time at which it starts by itself, in milliseconds since 1970; null: when its organizer starts it."""

    title: str
    """Its title; empty if it was removed."""

    waits_until_ms: int | None
    """The time until which games wait for absent players now, in milliseconds since 1970: the end of the window, or
    in a Swiss tournament that of this round's share; null: there is no window, or it has not begun."""

    window_ms: int | None
    """How long after the start games wait for absent players, in milliseconds; null: not at all."""


TournamentFrame: TypeAlias = TournamentPage | TournamentEventShown | Closed
"""A frame of a stream: first the tournament, then its events."""


class TournamentFrameSse(TypedDict):
    """A server-sent event with a `TournamentFrame`."""

    data: str
    """A `TournamentFrame` as JSON, on one line."""

    event: str
    """The kind of the data: its `type`, if it has one."""

    id: NotRequired[str]
    """The `seq` of the event. A client that reconnects sends it as `Last-Event-ID`. Absent if the stream cannot
    continue from here."""


class TournamentList(TypedDict):
    """A page of tournaments, the newest first."""

    next: MatchId | None
    """The value of `before` that requests the next page; `null`: there is none."""

    tournaments: list[TournamentEntry]
    """The tournaments of this page."""


class TournamentRequest(TypedDict):
    """A request to create a tournament."""

    clock: ClockSpec
    """The time control of every game."""

    dealing: NotRequired[Dealing | None]
    """Which games have the same deal. Default: `mirror` for games of perfect information, else `duplicate`."""

    deals: NotRequired[int]
    """How often the entrants of a pairing play from every seat: a pairing has this many games for each seat.
    Default: 1."""

    format: Format
    """The system that pairs opponents."""

    game: GameSlug
    """The game's short name."""

    grace_ms: NotRequired[int]
    """How long a game waits for its players, in milliseconds, before those who are absent forfeit it. The time
    begins anew when another player joins; downtime of the server does not count. Default: 5 minutes."""

    max_entrants: NotRequired[int]
    """The most entrants. Default: 32."""

    max_running: NotRequired[int]
    """The most games that are played at the same time. Default: 16."""

    options: NotRequired[Options | None]
    """The options of every deal, by the game's schema. Default: the usual ones for this number of seats."""

    per_entrant: NotRequired[int]
    """The most games that a person or bot plays at the same time. Default: 1."""

    rated: NotRequired[bool]
    """Whether the games change the players' ratings. Games between players of one owner never do. Default: no."""

    seats: NotRequired[int]
    """Seats of a table. Default: 2."""

    starts_ms: NotRequired[int | None]
    """The time at which it starts by itself, in milliseconds since 1970. With too few entrants it waits for more.
    Default: its organizer starts it."""

    title: str
    """The title, 1 to 80 characters."""

    window_ms: NotRequired[int | None]
    """How long after the start games wait for absent players, in milliseconds: a game begins when all its players
    are connected (`/v1/me`), and is forfeited at the end of this time only. In a Swiss tournament each round has
    an equal share of it. Default: games begin at once."""
