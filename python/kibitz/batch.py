"""Many matches in one call, played by native code on all cores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ._native import Game, MatchVector, engine_settings, random_batch
from .errors import Error
from .games import deal_options
from .games import game as find_game

__all__ = ["Batch", "BatchPolicy", "MatchBatch", "play_batch"]

BatchPolicy = Callable[[npt.NDArray[np.int16], npt.NDArray[np.bool_], npt.NDArray[np.int8]], npt.ArrayLike]
"""Chooses an action for each row of observations, action masks and seats to move."""

_MOST_AT_A_TIME = 1024


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """The results of a batch, one row a match."""

    game: Game
    points: npt.NDArray[np.int32]
    """The game's own points, by match and seat."""
    ranks: npt.NDArray[np.uint8]
    """The place, 1 for the winner, by match and seat."""
    plies: npt.NDArray[np.uint32]
    """The number of moves, by match."""

    def __len__(self) -> int:
        return len(self.plies)

    @property
    def scores(self) -> npt.NDArray[np.float64]:
        """A win is 1, a first place that k seats share 1/k, else 0; by match and seat."""
        won = self.ranks == 1
        shares: npt.NDArray[np.float64] = won / np.maximum(won.sum(axis=1, keepdims=True), 1)
        return shares


class MatchBatch:
    """Matches that step together, for self-play and for policies that decide for a whole batch.

    After ``reset`` and each ``step`` the attributes hold a row for each match. The arrays are reused: copy what you
    keep. With ``opponent="self"`` a row is that of the seat to move; otherwise it is that of the seat that the
    program holds, ``i % seats`` in deal number i, and the opponents have moved already.
    """

    observations: npt.NDArray[np.int16]
    """By match: the observation, as ``Game.encoding`` describes it."""
    action_masks: npt.NDArray[np.bool_]
    """By match: whether each action is legal; all false when the match is over."""
    rewards: npt.NDArray[np.float32]
    """By match and seat: 0 before the end; then 1 for a win, and the sum is 0."""
    over: npt.NDArray[np.bool_]
    """By match: whether it is over."""
    turns: npt.NDArray[np.int8]
    """By match: the seat whose row it is."""

    def __init__(
        self,
        game: str | Game,
        n: int,
        *,
        seats: int | None = None,
        options: dict[str, Any] | None = None,
        seed: int | str | bytes | None = None,
        opponent: str = "self",
        autoreset: bool = False,
        first_deal: int = 0,
        threads: int | None = None,
    ) -> None:
        """``opponent``: ``self``, ``random`` or an engine such as ``engine:level=easy,nodes=100``. ``autoreset``:
        whether the step after the end of a match begins the next one, with the next deal.

        Raises ``Error`` with ``no_encoding``, ``bad_options`` or ``bad_value``.
        """
        self.game = find_game(game)
        engine = None
        if not isinstance(opponent, str):
            raise Error(
                "bad_value", f"{type(opponent).__name__} is no opponent: self, random or an engine such as engine:easy"
            )
        if opponent.split(":")[0] == "engine":
            settings = engine_settings(opponent)
            engine = (settings["engine"], settings["level"], settings["nodes"], settings["time"])
        self._vector = MatchVector(
            self.game,
            n,
            options=deal_options(self.game, seats, options),
            seed=seed,
            opponent=None if engine else opponent,
            engine=engine,
            autoreset=autoreset,
            first=first_deal,
            threads=threads,
        )
        vector = self._vector
        self.observations = np.zeros((n, vector.observation_len), np.int16)
        self.action_masks = np.zeros((n, vector.action_count), np.bool_)
        self.rewards = np.zeros((n, vector.seats), np.float32)
        self.over = np.zeros(n, np.bool_)
        self.turns = np.zeros(n, np.int8)
        self.reset()

    def __len__(self) -> int:
        return len(self.over)

    @property
    def seats(self) -> int:
        """The number of seats."""
        return self._vector.seats

    def reset(self, seed: int | str | bytes | None = None) -> None:
        """Begins all matches anew, from the first deal; with a seed, with the deals of that seed."""
        arrays = (self.observations, self.action_masks, self.rewards, self.over, self.turns)
        self._vector.reset(*arrays, seed=seed)

    def step(self, actions: npt.ArrayLike) -> None:
        """Plays an action in each match that is not over. If one of them is illegal, none is played.

        Raises ``Error`` with ``illegal_move``, ``bad_move`` or ``bad_value``.
        """
        try:
            chosen = np.ascontiguousarray(actions, dtype=np.int64)
        except (TypeError, ValueError, OverflowError) as error:
            raise Error("bad_value", f"actions are whole numbers, one for each match: {error}") from error
        if chosen.shape != self.over.shape:
            raise Error("bad_value", f"actions have the shape {chosen.shape}, not {self.over.shape}")
        arrays = (self.observations, self.action_masks, self.rewards, self.over, self.turns)
        self._vector.step(chosen, *arrays)

    def results(self) -> Batch:
        """Points and ranks of the matches, 0 where a match is not over, and the moves made."""
        return Batch(self.game, *self._vector.results())

    def random_actions(self, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """A random legal action for each match, each with the same probability; 0 where there is none."""
        legal = np.flatnonzero(self.action_masks)
        if not len(legal):
            return np.zeros(len(self), np.int64)
        counts = np.bincount(legal // self.action_masks.shape[1], minlength=len(self))
        # The legal actions of a row lie one after the other, those of the first row first.
        firsts = np.cumsum(counts) - counts
        places = firsts + (rng.random(len(self)) * counts).astype(np.int64)
        chosen = legal[np.minimum(places, len(legal) - 1)] % self.action_masks.shape[1]
        drawn: npt.NDArray[np.int64] = np.where(counts > 0, chosen, 0)
        return drawn


def play_batch(
    game: str | Game,
    n: int,
    policy: BatchPolicy | None = None,
    *,
    seats: int | None = None,
    options: dict[str, Any] | None = None,
    seed: int | str | bytes | None = None,
    threads: int | None = None,
) -> Batch:
    """Plays ``n`` matches on all cores. Without a policy each legal move that the game lists is equally likely.

    ``policy`` decides for all seats, for many matches at a time, from the rows of the matches that are not over.
    Match number i has the deal number i of ``kibitz arena`` with this seed. The results do not depend on the number
    of threads. Ctrl-C stops the call; other threads of Python go on meanwhile.

    Raises ``Error`` with ``unknown_game``, ``bad_options``, ``bad_value``, or the codes of ``MatchBatch.step``.
    """
    played = find_game(game)
    chosen = deal_options(played, seats, options)
    if policy is None:
        return Batch(played, *random_batch(played, n, options=chosen, seed=seed, threads=threads))
    if n < 1:
        raise Error("bad_value", "a batch with a policy has at least one match")
    parts = []
    for first in range(0, n, _MOST_AT_A_TIME):
        count = min(_MOST_AT_A_TIME, n - first)
        batch = MatchBatch(played, count, options=chosen, seed=seed, first_deal=first, threads=threads)
        parts.append(_play_out(batch, policy))
    joined = (np.concatenate([getattr(part, name) for part in parts]) for name in ("points", "ranks", "plies"))
    return Batch(played, *joined)


def _play_out(batch: MatchBatch, policy: BatchPolicy) -> Batch:
    """Lets the policy decide until all matches are over."""
    actions = np.zeros(len(batch), np.int64)
    while not batch.over.all():
        going = np.flatnonzero(~batch.over)
        decided = policy(batch.observations[going], batch.action_masks[going], batch.turns[going])
        try:
            actions[going] = np.asarray(decided)
        except (TypeError, ValueError) as error:
            raise Error("bad_value", f"a policy returns one action for each row: {error}") from error
        batch.step(actions)
    return batch.results()
