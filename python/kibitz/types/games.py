"""Types of the operations on games. Generated from /openapi.json by scripts/client-types."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict

from kibitz.types.base import (
    Seat,
)
from kibitz.types.common import (
    ContestScore,
    GameSlug,
    Level,
    MatchId,
    Move,
    MoveText,
    Options,
    Position,
    Seed,
)

__all__ = [
    "CheckedMove",
    "EngineInfo",
    "FileAnswer",
    "FileEnd",
    "FileTurn",
    "FormatInfo",
    "GameEntry",
    "GameList",
    "GamePage",
    "GameSchemas",
    "LegalMoves",
    "LegalMovesRequest",
    "NextPosition",
    "NextPositionRequest",
    "OfficialPosition",
    "OfficialText",
    "Outcome",
    "PlayedMove",
    "PositionAnswer",
    "PositionRequest",
    "SchemaObject",
    "ServerLimits",
]


class CheckedMove(TypedDict):
    """The verdict of the rules on a move."""

    legal: bool
    """Whether the viewer may play it now."""

    move: Move | None
    """The move as JSON, in the game's schema; null if it is not legal."""

    notation: str
    """The move as the request wrote it."""

    why: str | None
    """The reason why it is not legal, in one sentence; null if it is."""


class EngineInfo(TypedDict):
    """An engine of a game, as listed."""

    instant: bool
    """Whether it always answers within some microseconds."""

    name: str
    """One word, e.g. `azul`."""

    summary: str
    """One sentence on how it plays."""

    version: int
    """Changes whenever the moves it chooses may."""


class FileEnd(TypedDict):
    """The end of a match in a file."""

    points: list[int]
    """The game's own points, by seat."""

    position: Position
    """The position as a spectator sees it."""


class PlayedMove(TypedDict):
    """A move in both its forms."""

    move: Move

    notation: str


class FileTurn(TypedDict):
    """A turn of a match in a file."""

    fault: NotRequired[str | None]
    """The mistake that was made, in words."""

    played: PlayedMove | None
    """The move that was made, by the player or as a penalty; `null`: none."""

    ply: int
    """Moves made before it; in the dialogue of one bot, which does not say how many, its answers before it."""

    position: Position
    """The position as this seat saw it."""

    seat: Seat
    """The seat to move."""


class FileAnswer(TypedDict):
    """The matches of a file, and one of them turn by turn."""

    end: FileEnd | None
    """The position after the match, if the file has it to its end."""

    id: MatchId | None
    """The id of its match, if the file is a record; `null`: it has none. A server that has the match shows its
    replay."""

    matches: list[str]
    """A name for each match, or for the dialogue of each bot; at most 1,000."""

    names: list[str]
    """The names of its seats; empty where the file has none."""

    notes: list[str]
    """What was left out of the file, one sentence each."""

    shown: int
    """The number of the one that is shown, from 0."""

    turns: list[FileTurn]
    """Its turns, in order."""


class FormatInfo(TypedDict):
    """A record format of a game's own for finished matches, as listed."""

    media_type: str
    """Its media type, such as `application/json`."""

    name: str
    """Short name, used in requests."""

    summary: str
    """One sentence: what it is and which programs read it."""


class GameEntry(TypedDict):
    """A game in the list."""

    bot_seats: list[int]
    """Seats that a bot can hold by the official protocol."""

    contest_score: ContestScore

    engines: list[EngineInfo]
    """The engines, the default first."""

    formats: list[FormatInfo]
    """The game's own formats in which records of its matches are available, besides `kibitz-record-1`."""

    levels: list[Level]
    """The levels, weakest first."""

    match_limit_ms: int | None
    """The official limit for all decisions of one seat in a match."""

    max_dialogue_bytes: int
    """The greatest length of an official dialogue in a request, in bytes without its remarks. A longer one is
    refused (`body_too_large`)."""

    max_position_bytes: int
    """The greatest length of a position as JSON, in bytes. A longer one is refused (`body_too_large`)."""

    max_seats: int
    """Most seats."""

    min_seats: int
    """Fewest seats."""

    mirror_seats: list[int]
    """Other seats that a bot can hold if it knows the mirror dialogue, which the game's README defines."""

    move_limit_ms: int | None
    """The official limit for one decision."""

    perfect_information: bool
    """Whether every player sees the whole state, and nothing random happens after the deal."""

    process: Literal["per_move", "per_match"]
    """Whether the official harness starts a bot's process for each move or for each match."""

    slug: GameSlug

    summary: str
    """A short description of the game."""

    think_ms: int
    """The thinking time of one decision if the request names none."""

    title: str
    """The game's usual name."""


class GameList(TypedDict):
    """All games of this server."""

    games: list[GameEntry]
    """One entry per game."""


SchemaObject: TypeAlias = dict[str, Any]
"""A JSON Schema (draft 2020-12)."""


class GameSchemas(TypedDict):
    """The JSON Schemas of a game's types."""

    move: SchemaObject
    """The schema of a move."""

    options: SchemaObject
    """The schema of the options of a deal."""

    view: SchemaObject
    """The schema of a position."""


class ServerLimits(TypedDict):
    """The limits of this server for one request, for one address and for all addresses together."""

    creations_per_minute: int
    """Matches that one address may create per minute in the long run."""

    max_body: int
    """The largest body, in bytes."""

    max_connections_per_address: int
    """The most open connections from one address."""

    max_matches_per_address: int
    """Matches created by one address that are not over."""

    max_matches_per_player: int
    """Matches of one player that are not over."""

    max_seats_per_address: int
    """Seats that one address has taken in matches that are not over."""

    max_sockets: int
    """The most WebSockets and streams at a time."""

    max_sockets_per_address: int
    """The most WebSockets and streams of one address."""

    max_think_ms: int
    """The longest thinking time of one decision, in milliseconds."""


class GamePage(TypedDict):
    """A game with everything needed to use it."""

    bot_seats: list[int]
    """Seats that a bot can hold by the official protocol."""

    contest_score: ContestScore

    engines: list[EngineInfo]
    """The engines, the default first."""

    formats: list[FormatInfo]
    """The game's own formats in which records of its matches are available, besides `kibitz-record-1`."""

    levels: list[Level]
    """The levels, weakest first."""

    limits: ServerLimits
    """The limits of this server."""

    match_limit_ms: int | None
    """The official limit for all decisions of one seat in a match."""

    max_dialogue_bytes: int
    """The greatest length of an official dialogue in a request, in bytes without its remarks. A longer one is
    refused (`body_too_large`)."""

    max_position_bytes: int
    """The greatest length of a position as JSON, in bytes. A longer one is refused (`body_too_large`)."""

    max_seats: int
    """Most seats."""

    min_seats: int
    """Fewest seats."""

    mirror_seats: list[int]
    """Other seats that a bot can hold if it knows the mirror dialogue, which the game's README defines."""

    move_limit_ms: int | None
    """The official limit for one decision."""

    perfect_information: bool
    """Whether every player sees the whole state, and nothing random happens after the deal."""

    process: Literal["per_move", "per_match"]
    """Whether the official harness starts a bot's process for each move or for each match."""

    sample: list[str]
    """The beginning of a sample dialogue, as a transcript."""

    schemas: GameSchemas
    """The game's types."""

    slug: GameSlug

    summary: str
    """A short description of the game."""

    think_ms: int
    """The thinking time of one decision if the request names none."""

    title: str
    """The game's usual name."""


class LegalMoves(TypedDict):
    """The moves of a position, and the verdict on those that were asked about."""

    checked: list[CheckedMove]
    """The verdict of the rules on each of the `notations`, in the same order."""

    moves: list[MoveText]
    """The viewer's legal moves; none if it is not the viewer's turn. A sensible part if there are very many."""

    premoves: list[MoveText]
    """While another seat is to move: the moves that the viewer may choose in advance. Each names the same choice
    whatever the others do until the viewer's next turn; whether it is legal then, `legal_moves` of that turn
    says. None in a game that has no such moves."""

    seat: int | None
    """The seat to move; `null` if the match is over."""


class LegalMovesRequest(TypedDict):
    """A position and the moves to check in it."""

    notations: NotRequired[list[str]]
    """Moves to check, as the official protocol writes them, at most 100: for games whose list of moves is not
    complete. Default: `[]`."""

    position: Position
    """The view of a seat, in the game's schema."""


class Outcome(TypedDict):
    """The result of a match."""

    points: list[int]
    """The game's own points, per seat."""

    ranks: list[int]
    """Place per seat, 1 = winner; equal places are shared (1, 1, 3). No seat has place 1 in a match without a
    winner."""

    reason: str
    """Reason for the end, in a few words."""


class NextPosition(TypedDict):
    """The position after a move."""

    position: Position
    """The view of the requested seat, otherwise of the seat that is to move next; then, at the end of the match, the
    view of a spectator."""

    result: Outcome | None
    """The result, if the match is over; otherwise `null`."""

    seat: int | None
    """The seat to move; `null` if the match is over."""

    seed: Seed
    """The seed of the random draws."""


class NextPositionRequest(TypedDict):
    """A position and the move to play in it."""

    notation: str
    """The move, as the official protocol writes it."""

    position: Position
    """The view of the seat to move, in the game's schema."""

    seed: NotRequired[Seed | None]
    """Decides all random draws. Default: a fresh seed, which the answer contains."""

    viewer: NotRequired[int | None]
    """The seat whose view is returned. Default: the seat that is to move next."""


class OfficialPosition(TypedDict):
    """A position that an official text describes."""

    position: Position
    """The view of the bot, in the form that the other requests take."""

    remarks: list[str]
    """The contradictions to the rules, one sentence each."""

    seat: int | None
    """The seat to move, which is the bot's."""


class OfficialText(TypedDict):
    """A contest's official text."""

    settings: NotRequired[dict[str, str]]
    """The game's own settings, by their names. Default: `{}`."""

    text: str
    """A transcript (`< ` what the bot read, `> ` what it printed), or an official input as the bot would read it.
    The lines end with `\\n`."""


class PositionAnswer(TypedDict):
    """A position that was made from a seed."""

    ply: int
    """Moves made since the deal."""

    position: Position
    """The view of the seat to move."""

    seat: int | None
    """The seat to move; `null` if the match is over at once."""

    seed: Seed
    """The seed of the position."""


class PositionRequest(TypedDict):
    """The position to create."""

    options: NotRequired[Options]
    """Number of seats and variants, in the game's schema. Default: the usual ones."""

    plies: NotRequired[int]
    """How many random moves to play first; fewer if the match would be over. Default: `0`."""

    seed: NotRequired[Seed | None]
    """Decides the deal and the moves. Default: a fresh seed, which the answer contains."""
