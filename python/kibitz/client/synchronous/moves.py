# Written by scripts/client-types from asynchronous/moves.py: change that file.
"""The moves of engines: in positions, as a stream while they search, and in the contests' dialogues."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing

from typing_extensions import Unpack

from kibitz.client import operations
from kibitz.client.synchronous.core import Core
from kibitz.client.options import SearchOptions
from kibitz.client.request import without_none
from kibitz.types import AnalysisFrame, DialogueAnswer, GameSlug, MoveAnswer, Position


class Moves:
    """The operations that ask engines: `client.moves`. They have no effect on the server."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def request(
        self, game: GameSlug, position: Position, **search: Unpack[SearchOptions]
    ) -> MoveAnswer:
        """The move of an engine, with its value and `candidates` further ones."""
        body = {"position": position, **search}
        return self._core.call(operations.REQUEST_MOVE, path={"game": game}, body=body)

    def analyse(
        self, game: GameSlug, position: Position, **search: Unpack[SearchOptions]
    ) -> Generator[AnalysisFrame, None, None]:
        """The search of an engine while it computes: the best move so far, and at the end the move (type `done`). The search
        ends when the caller closes the iterator."""
        body = {"position": position, **search}
        frames = self._core.lines(operations.ANALYSE_POSITION, path={"game": game}, body=body)
        with closing(frames):
            for frame in frames:
                yield frame

    def dialogue(
        self, game: GameSlug, text: str, *, settings: dict[str, str] | None = None, **search: Unpack[SearchOptions]
    ) -> DialogueAnswer:
        """What an engine prints next in a dialogue of the contest. `text`: an official input, or a transcript. `settings`: of
        the referee's side."""
        body = without_none({"text": text, "settings": settings, **search})
        return self._core.call(operations.CONTINUE_DIALOGUE, path={"game": game}, body=body)
