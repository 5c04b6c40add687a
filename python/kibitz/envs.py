"""Environments for learning programs: PettingZoo, Gymnasium, and vectorized Gymnasium.

Observations and actions are those of ``Game.encoding``, whose layout never changes within a version. They are made from
views, so what a seat may not know is not in them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._native import Game
from .errors import MissingPackage
from .games import game as find_game

if TYPE_CHECKING:
    from ._environments.gym import SeatEnv, SeatVectorEnv
    from ._environments.table import TableEnv
    from .bots import Chooser

__all__ = ["env", "gym_env", "vector_env"]


def env(
    game: str | Game,
    *,
    seats: int | None = None,
    options: dict[str, Any] | None = None,
    render_mode: str | None = None,
) -> TableEnv:
    """A PettingZoo environment (AEC) with an agent for each seat, ``seat_0`` and so on.

    An observation is ``{"observation": int16 vector, "action_mask": int8 flags}``. Rewards come at the end and sum to
    0; a win is 1. ``render_mode``: ``ansi``, ``human``, ``svg`` or ``rgb_array``; it shows what spectators see.

    Raises ``MissingPackage`` without ``kibitz[envs]``; ``Error`` with ``no_encoding``, ``bad_options``.
    """
    home = _load("table", "pettingzoo")
    made: TableEnv = home.TableEnv(find_game(game), seats=seats, options=options, render_mode=render_mode)
    return made


def gym_env(
    game: str | Game,
    *,
    opponent: str | Chooser = "random",
    seat: int | None = None,
    seats: int | None = None,
    options: dict[str, Any] | None = None,
    on_illegal: str = "lose",
    render_mode: str | None = None,
) -> SeatEnv:
    """A Gymnasium environment for one seat; ``opponent`` plays the others: ``random``, an engine such as
    ``engine:medium``, or a bot.

    The observation is the int16 vector; ``info["action_mask"]`` tells the legal actions. ``seat``: the seat of the
    agent; ``None``: each in turn. ``on_illegal``: an illegal action loses the match (``lose``) or raises (``raise``).
    """
    home = _load("gym", "gymnasium")
    made: SeatEnv = home.SeatEnv(
        find_game(game),
        opponent=opponent,
        seat=seat,
        seats=seats,
        options=options,
        on_illegal=on_illegal,
        render_mode=render_mode,
    )
    return made


def vector_env(
    game: str | Game,
    num_envs: int,
    *,
    opponent: str = "random",
    seats: int | None = None,
    options: dict[str, Any] | None = None,
    threads: int | None = None,
) -> SeatVectorEnv:
    """A vectorized Gymnasium environment: one native call steps all matches, opponents included.

    ``opponent``: ``random`` or an engine such as ``engine:level=easy,nodes=100``. The agent's seat changes from match to
    match. ``info["action_mask"]`` has a row for each match. An illegal action raises, and nothing is played. The step
    after the end of a match begins the next one and ignores the action (``AutoresetMode.NEXT_STEP``).
    """
    home = _load("gym", "gymnasium")
    made: SeatVectorEnv = home.SeatVectorEnv(
        find_game(game), num_envs, opponent=opponent, seats=seats, options=options, threads=threads
    )
    return made


def _load(module: str, package: str) -> Any:
    """The module of the environments that need this package."""
    try:
        import_module(package)
    except ImportError as error:
        raise MissingPackage(package, "envs") from error
    return import_module(f"._environments.{module}", __package__)
