"""The Gymnasium environments: one seat against opponents, alone and vectorized."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from .._native import Game, Match, View
from ..batch import MatchBatch
from ..bots import Chooser, MoveLike, RandomBot
from ..engines import engine
from ..errors import Error
from ..games import deal_options
from . import spaces

Observation = npt.NDArray[np.int16]


def _player(game: Game, opponent: str | Chooser) -> Callable[[int], Callable[[View], MoveLike]]:
    """The opponent as a function from a seed to the function that decides, the same for the same seed."""
    if not isinstance(opponent, str):
        if not isinstance(opponent, Chooser):
            raise Error("bad_value", f"{type(opponent).__name__} is no opponent: it has no choose(view)")
        choose = opponent.choose
        return lambda _seed: choose
    if opponent == "random":
        return lambda seed: RandomBot(game, seed).choose
    if opponent.split(":")[0] != "engine":
        raise Error("bad_value", f"{opponent!r} is no opponent: random, an engine such as engine:medium, or a bot")
    engine(game, opponent)
    return lambda seed: engine(game, opponent, seed=seed).choose


class SeatEnv(gymnasium.Env[Observation, np.int64]):
    """One seat of a match; see ``kibitz.gym_env``."""

    def __init__(
        self,
        game: Game,
        *,
        opponent: str | Chooser = "random",
        seat: int | None = None,
        seats: int | None = None,
        options: dict[str, Any] | None = None,
        on_illegal: str = "lose",
        render_mode: str | None = None,
    ) -> None:
        spaces.check_render_mode(render_mode)
        if on_illegal not in ("lose", "raise"):
            raise Error("bad_value", f"on_illegal is lose or raise, not {on_illegal!r}")
        self.metadata = {"render_modes": spaces.RENDER_MODES, "render_fps": 2}
        self.game = game
        self.render_mode = render_mode
        self.observation_space: gymnasium.Space[Any] = spaces.observation_box(game)
        self.action_space = spaces.action_space(game)
        self._options = deal_options(game, seats, options)
        self._on_illegal = on_illegal
        self._make_opponent = _player(game, opponent)
        self._opponent = self._make_opponent(0)
        self.match: Match = game.deal(options=self._options, seed=0)
        if seat is not None and seat not in range(self.match.seats):
            raise Error("bad_value", f"seat {seat}: the match has seats 0 to {self.match.seats - 1}")
        self._fixed_seat = seat
        self._matches = 0
        self._lost = False

    @property
    def seat(self) -> int:
        """The seat of the agent in this match."""
        if self._fixed_seat is not None:
            return self._fixed_seat
        return max(self._matches - 1, 0) % self.match.seats

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins a match. A seed determines it and those after it. ``options["deal"]``: of the deal, instead of the usual."""
        spaces.check_seed(seed)
        super().reset(seed=seed)
        if seed is not None:
            self._matches = 0
        self.match = self.game.deal(options=(options or {}).get("deal", self._options), seed=self.np_random.bytes(32))
        self._opponent = self._make_opponent(int(self.np_random.integers(2**63)))
        self._matches += 1
        self._lost = False
        self._play_others()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action, then the moves of the opponents. The reward is 0 before the end; a win is 1, a loss at most 0."""
        if self._lost or self.match.is_over:
            raise Error("match_over", "the match is over: call reset")
        number = spaces.action_number(action)
        try:
            self.match.play_action(number)
        except Error as error:
            if self._on_illegal == "raise" or error.code not in ("illegal_move", "bad_move"):
                raise
            self._lost = True
            return self._observation(), -1.0, True, False, {**self._info(), "illegal_action": True}
        self._play_others()
        reward = spaces.rewards(self.match)[self.seat]
        if self.render_mode == "human":
            self.render()
        return self._observation(), reward, self.match.is_over, False, self._info()

    def _play_others(self) -> None:
        while self.match.turn not in (None, self.seat):
            self.match.play(self._opponent(self.match.view()))

    def _observation(self) -> Observation:
        return self.match.view(self.seat).observe()

    def _info(self) -> dict[str, Any]:
        mask = self.match.view(self.seat).action_mask()
        return {"action_mask": mask.astype(np.int8), "seat": self.seat, "ply": self.match.ply}

    def render(self) -> Any:
        """The table as spectators see it, in the way of ``render_mode``."""
        return spaces.render(self.match, self.render_mode)


class SeatVectorEnv(VectorEnv[Observation, npt.NDArray[np.int64], npt.NDArray[Any]]):
    """One seat in each of many matches; see ``kibitz.vector_env``."""

    def __init__(
        self,
        game: Game,
        num_envs: int,
        *,
        opponent: str = "random",
        seats: int | None = None,
        options: dict[str, Any] | None = None,
        threads: int | None = None,
    ) -> None:
        if opponent == "self":
            raise Error("bad_value", "for self-play use kibitz.MatchBatch, whose rows are those of the seat to move")
        self.game = game
        self._batch = MatchBatch(
            game, num_envs, seats=seats, options=options, opponent=opponent, autoreset=True, threads=threads
        )
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP, "render_modes": []}
        self.single_observation_space = spaces.observation_box(game)
        self.single_action_space = spaces.action_space(game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Begins all matches anew. ``seed``: one whole number, which determines them all."""
        del options
        spaces.check_seed(seed)
        super().reset(seed=seed)
        self._batch.reset(seed=self.np_random.bytes(32))
        return self._batch.observations.copy(), self._info()

    def step(self, actions: npt.ArrayLike) -> tuple[Observation, Any, Any, Any, dict[str, Any]]:
        """Plays an action in each match, then the moves of the opponents."""
        self._batch.step(actions)
        batch = self._batch
        rows = np.arange(self.num_envs)
        rewards = batch.rewards[rows, batch.turns].astype(np.float64)
        truncated = np.zeros(self.num_envs, np.bool_)
        return batch.observations.copy(), rewards, batch.over.copy(), truncated, self._info()

    def _info(self) -> dict[str, Any]:
        batch = self._batch
        return {"action_mask": batch.action_masks.astype(np.int8), "seat": batch.turns.copy()}
