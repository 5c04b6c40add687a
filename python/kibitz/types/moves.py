"""Types of the operations on moves. Generated from /openapi.json by scripts/client-types."""

from __future__ import annotations

from typing import Literal, TypeAlias

from typing_extensions import NotRequired, TypedDict

from kibitz.types.common import (
    EngineName,
    Level,
    Move,
    MoveText,
    Position,
    Problem,
    Seed,
)

__all__ = [
    "AnalysisFrame",
    "AnalysisFrameDone",
    "AnalysisFrameFailed",
    "AnalysisFrameFound",
    "AnalysisFrameSse",
    "DialogueAnswer",
    "DialogueRequest",
    "MoveAnswer",
    "MoveRequest",
    "RankedMove",
]


class RankedMove(TypedDict):
    """A move an engine considered."""

    move: Move
    """The move as JSON, by the game's schema."""

    notation: str
    """The move as the official protocol writes it."""

    value: float
    """Expected score of the seat to move after it, 0 to 1."""

    visits: int
    """How often the search tried it, in its own measure."""


class AnalysisFrameDone(TypedDict):
    """The last frame: the decision."""

    candidates: list[RankedMove]
    """The best moves, ranked, up to the number that was asked for."""

    depth: int
    """Plies looked ahead, in the engine's own measure."""

    elapsed_ms: float
    """How long the engine thought, in milliseconds."""

    engine: str
    """Name and version of the engine."""

    line: list[MoveText]
    """The principal variation: the moves that the engine expects from here on, its own move first. Empty if an
    engine has no expectation."""

    move: Move
    """The move as JSON, by the game's schema."""

    nodes: int
    """Nodes searched, in the engine's own measure."""

    notation: str
    """The move as the official protocol writes it."""

    queued_ms: float
    """How long the search waited, before it began and while other searches ran, in milliseconds."""

    seed: Seed
    """The seed of all randomness."""

    type: Literal["done"]

    value: float
    """Expected score of the seat to move, 0 to 1: a win is 1, a draw 1/2."""


class AnalysisFrameFailed(TypedDict):
    """The last frame if the engine failed."""

    problem: Problem
    """The error."""

    type: Literal["failed"]


class AnalysisFrameFound(TypedDict):
    """The findings of the engine so far."""

    candidates: list[RankedMove]
    """The best moves, ranked, up to the number that was asked for."""

    depth: int
    """Plies looked ahead, in the engine's own measure."""

    elapsed_ms: float
    """The time that the engine has thought so far, in milliseconds."""

    engine: str
    """Name and version of the engine."""

    line: list[MoveText]
    """The principal variation: the moves that the engine expects from here on, its own move first. Empty if an
    engine has no expectation."""

    move: Move
    """The move as JSON, by the game's schema."""

    nodes: int
    """Nodes searched, in the engine's own measure."""

    notation: str
    """The move as the official protocol writes it."""

    type: Literal["found"]

    value: float
    """Expected score of the seat to move, 0 to 1: a win is 1, a draw 1/2."""


AnalysisFrame: TypeAlias = AnalysisFrameFound | AnalysisFrameDone | AnalysisFrameFailed
"""A frame of the stream of an analysis."""


class AnalysisFrameSse(TypedDict):
    """A server-sent event with a `AnalysisFrame`."""

    data: str
    """A `AnalysisFrame` as JSON, on one line."""

    event: str
    """The kind of the data: its `type`, if it has one."""

    id: NotRequired[str]
    """The `seq` of the event. A client that reconnects sends it as `Last-Event-ID`. Absent if the stream cannot
    continue from here."""


class DialogueAnswer(TypedDict):
    """The lines that the bot prints now."""

    lines: list[str]
    """The lines to print now; none: no line is due."""

    remarks: list[str]
    """The contradictions to the rules, one sentence each."""


class DialogueRequest(TypedDict):
    """The dialogue of a contest, and the options of the engine's decisions."""

    candidates: NotRequired[int | None]
    """Adds lines that begin with `# ` before the lines of each decision: one about the engine's search, then at most
    this many ranked moves."""

    deadline_ms: NotRequired[int | None]
    """The deadline of the answer, in milliseconds after the request. Default: the thinking time and some time for
    the answer."""

    engine: NotRequired[EngineName | None]
    """The engine's name. Default: the game's best."""

    level: NotRequired[Level]
    """The level of play. Default: `"max"`."""

    nodes: NotRequired[int | None]
    """Stop a search after this number of nodes."""

    seed: NotRequired[Seed | None]
    """The source of all randomness. Default: a fresh seed."""

    settings: NotRequired[dict[str, str]]
    """The game's own settings, by their names. Default: `{}`."""

    silence_ms: NotRequired[int | None]
    """How much time has passed since the last line, in milliseconds. Default: 0."""

    text: str
    """A transcript (`< ` what the bot read, `> ` what it printed, `# ` a remark, `.` the end of its input), or an
    official input as the bot would read it. The lines end with `\\n`."""

    think_ms: NotRequired[int | None]
    """The thinking time of one decision, in milliseconds. Default: what the contest allows."""


class MoveAnswer(TypedDict):
    """A decision."""

    candidates: list[RankedMove]
    """The best moves, ranked, up to the number that was asked for."""

    depth: int
    """Plies looked ahead, in the engine's own measure."""

    elapsed_ms: float
    """How long the engine thought, in milliseconds."""

    engine: str
    """Name and version of the engine."""

    line: list[MoveText]
    """The principal variation: the moves that the engine expects from here on, its own move first. Empty if an
    engine has no expectation."""

    move: Move
    """The move as JSON, by the game's schema."""

    nodes: int
    """Nodes searched, in the engine's own measure."""

    notation: str
    """The move as the official protocol writes it."""

    queued_ms: float
    """How long the search waited, before it began and while other searches ran, in milliseconds."""

    seed: Seed
    """The seed of all randomness."""

    value: float
    """Expected score of the seat to move, 0 to 1: a win is 1, a draw 1/2."""


class MoveRequest(TypedDict):
    """A position to decide in, and the options of the decision."""

    candidates: NotRequired[int | None]
    """The most ranked moves to return. Default: 1."""

    deadline_ms: NotRequired[int | None]
    """The deadline of the answer, in milliseconds after the request. Default: the thinking time and some time for
    the answer."""

    engine: NotRequired[EngineName | None]
    """The engine's name. Default: the game's best."""

    level: NotRequired[Level]
    """The level of play. Default: `"max"`."""

    nodes: NotRequired[int | None]
    """Stop after this number of nodes. With a seed too, the same request always gets the same answer."""

    position: Position
    """The view of the seat to move, in the game's schema."""

    seed: NotRequired[Seed | None]
    """The source of all randomness. Default: a fresh seed, which the answer contains."""

    think_ms: NotRequired[int | None]
    """How long to think, in milliseconds. Default: the game's usual time, or no limit if `nodes` is given."""
