"""Types of the operations on puzzles. Generated from /openapi.json by scripts/client-types."""

from __future__ import annotations

from typing_extensions import NotRequired, TypedDict

from kibitz.types.base import (
    Seat,
)
from kibitz.types.common import (
    GameSlug,
    MatchId,
    Move,
    MoveText,
    Options,
    Position,
)

__all__ = [
    "CountedTry",
    "ProvenMove",
    "PuzzlePage",
    "PuzzleSolverShown",
    "PuzzleTryAnswer",
    "PuzzleTryRequest",
    "RatingShown",
]


class RatingShown(TypedDict):
    """A player's strength in a game, and how sure it is."""

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


class CountedTry(TypedDict):
    """The first try of a player, which counts."""

    after: RatingShown
    """The player's rating after it."""

    before: RatingShown
    """The player's rating before it."""

    right: bool
    """Whether the move was right."""


class ProvenMove(TypedDict):
    """A move of a puzzle with its value."""

    move: Move
    """The move as JSON, by the game's schema."""

    notation: str
    """The move as the official protocol writes it."""

    right: bool
    """Whether it solves the puzzle: it is the engine's move, or loses less than 1 point of winning probability
    beside it."""

    value: float
    """The expected score of the seat to move with this move, 0 to 1."""


class PuzzleSolverShown(TypedDict):
    """A player as a solver of a game's puzzles."""

    rating: RatingShown
    """The rating, which is kept apart from that of matches."""

    solved: int
    """How many of them were right."""

    tried: CountedTry | None
    """The player's first try of this puzzle; `null`: none yet."""

    tries: int
    """The tries that counted."""


class PuzzlePage(TypedDict):
    """A puzzle without its solution."""

    game: GameSlug
    """The game's short name."""

    id: str
    """The puzzle."""

    moves: list[MoveText]
    """The moves to choose from: all that the game lists for the position."""

    options: Options
    """The options of the match from which it comes, in the game's schema."""

    position: Position
    """The position as that seat saw it."""

    rating: RatingShown
    """How hard it is: a rating on the scale of those of its solvers."""

    seat: Seat
    """The seat to move."""

    solved: int
    """How many of them were right."""

    solver: PuzzleSolverShown | None
    """The caller as a solver of this game's puzzles; `null` for callers whose tries do not count: guests and bots."""

    tries: int
    """First tries of players."""


class PuzzleTryAnswer(TypedDict):
    """The verdict on a try, with the solution."""

    best: MoveText
    """The best move."""

    counted: CountedTry | None
    """What the try has changed; `null`: it does not count, because the caller is no person with an account, or has
    tried before."""

    engine: str
    """Name and version of the engine that valued them."""

    judge: int
    """Version of the judge's own rules."""

    match: MatchId
    """The match from which the puzzle comes."""

    moves: list[ProvenMove]
    """All moves with their values, the best first."""

    nodes: int
    """The nodes by which each move was valued, in the engine's own measure."""

    played: MoveText
    """The move that was made in the match."""

    ply: int
    """Moves of the match made before it."""

    rating: RatingShown
    """The rating of the puzzle after it."""

    right: bool
    """Whether the move is right: the best one, or as good."""

    tried: ProvenMove
    """The move that was tried, with its value."""


class PuzzleTryRequest(TypedDict):
    """A move to try."""

    move: NotRequired[Move | None]
    """The move, by the game's schema. Either this or `notation` is required."""

    notation: NotRequired[str | None]
    """The move in the notation of the official protocol."""
