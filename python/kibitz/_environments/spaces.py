"""Spaces of a game's observations and actions, and the pictures of its table."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from .._native import Game, Match
from ..errors import Error

RENDER_MODES = ["ansi", "human", "svg", "rgb_array"]


def observation_box(game: Game) -> spaces.Box:
    """The space of a game's observations, with the bounds of each field."""
    encoding = _encoding(game)
    sizes = [int(np.prod(field["shape"])) for field in encoding["observation"]]
    low = np.repeat([field["low"] for field in encoding["observation"]], sizes)
    high = np.repeat([field["high"] for field in encoding["observation"]], sizes)
    return spaces.Box(low.astype(np.int16), high.astype(np.int16), dtype=np.int16)


def action_space(game: Game) -> spaces.Discrete:
    """The space of a game's actions."""
    return spaces.Discrete(_encoding(game)["action_count"])


def _encoding(game: Game) -> dict[str, Any]:
    encoding = game.encoding
    if encoding is None:
        raise Error("no_encoding", f"{game.title} has no observations and actions as numbers")
    return encoding


def check_render_mode(mode: str | None) -> None:
    """Refuses an unknown way to show the table."""
    if mode is not None and mode not in RENDER_MODES:
        raise Error("bad_value", f"render_mode is one of {', '.join(RENDER_MODES)}, not {mode!r}")


def check_seed(seed: object) -> None:
    """Refuses what is no seed of an environment: Gymnasium knows whole numbers only."""
    if seed is not None and not (isinstance(seed, int) and seed >= 0):
        raise Error("bad_value", f"a seed is a whole number from 0, not {seed!r}")


def action_number(action: Any) -> int:
    """The number of an action that a program has chosen."""
    try:
        return int(action)
    except (TypeError, ValueError, OverflowError) as error:
        raise Error("bad_value", f"an action is a whole number: {error}") from error


def render(match: Match, mode: str | None) -> str | npt.NDArray[np.uint8] | None:
    """The table as spectators see it: text, an SVG picture or pixels. ``human`` prints the text."""
    view = match.view(None)
    if mode == "svg":
        return view.svg()
    if mode == "rgb_array":
        return view.rgb()
    text = f"{match!r}\n" + "\n".join(f"  {name}: {value}" for name, value in view.items())
    if mode == "human":
        print(text)
        return None
    return text if mode == "ansi" else None


def rewards(match: Match) -> list[float]:
    """The reward of each seat: 0 before the end; then 1 for a win, and the sum is 0."""
    outcome = match.outcome
    if outcome is None or 1 not in outcome["ranks"]:
        return [0.0] * match.seats
    others = max(match.seats - 1, 1)
    return [(score * match.seats - 1) / others for score in outcome["scores"]]
