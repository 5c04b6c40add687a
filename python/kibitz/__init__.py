"""kibitz: rules, engines, environments and bots for Splendor, Azul, Septica, Ioiwari and Buraco.

>>> import kibitz
>>> match = kibitz.game("splendor").deal(seats=3, seed=1)
>>> while not match.is_over:
...     match.play(match.legal_moves()[0])
>>> sorted(match.outcome)
['points', 'ranks', 'reason', 'scores']

Importing this package loads nothing else; each name loads the module that has it when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import Error, MissingPackage

if TYPE_CHECKING:
    from .batch import Batch, MatchBatch, play_batch
    from .bots import Bot, Chooser, RandomBot, run
    from .client import ApiError, AsyncClient, Client
    from .engines import LEVELS, Candidate, Decision, Engine, engine
    from .envs import env, gym_env, vector_env
    from .games import Game, Match, Move, View, game, replay
    from .measure import Evaluation, evaluate
    from .online import join, play

    __version__: str

__all__ = [
    "LEVELS",
    "ApiError",
    "AsyncClient",
    "Batch",
    "Bot",
    "Candidate",
    "Chooser",
    "Client",
    "Decision",
    "Engine",
    "Error",
    "Evaluation",
    "Game",
    "Match",
    "MatchBatch",
    "MissingPackage",
    "Move",
    "RandomBot",
    "View",
    "engine",
    "env",
    "evaluate",
    "game",
    "gym_env",
    "join",
    "play",
    "play_batch",
    "replay",
    "run",
    "vector_env",
]

_MODULES = {
    "batch": ("Batch", "MatchBatch", "play_batch"),
    "bots": ("Bot", "Chooser", "RandomBot", "run"),
    "client": ("ApiError", "AsyncClient", "Client"),
    "engines": ("LEVELS", "Candidate", "Decision", "Engine", "engine"),
    "envs": ("env", "gym_env", "vector_env"),
    "games": ("Game", "Match", "Move", "View", "game", "replay"),
    "measure": ("Evaluation", "evaluate"),
    "online": ("join", "play"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("kibitz")
    if name in _HOMES:
        return getattr(import_module(f".{_HOMES[name]}", __name__), name)
    if name in _MODULES:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module 'kibitz' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES, "__version__"})
