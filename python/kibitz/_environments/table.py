"""The PettingZoo environment: one agent for each seat of a match."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces as gym_spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv

from .._native import Game, Match
from ..errors import Error
from ..games import deal_options
from . import spaces


class TableEnv(AECEnv[str, dict[str, npt.NDArray[Any]], int]):  # type: ignore[misc]  # PettingZoo has no types
    """A match as an environment of agents that move in turn; see ``kibitz.env``."""

    def __init__(
        self,
        game: Game,
        *,
        seats: int | None = None,
        options: dict[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        spaces.check_render_mode(render_mode)
        self.game = game
        self.render_mode = render_mode
        self._options = deal_options(game, seats, options)
        version = (game.encoding or {}).get("version", 0)
        self.metadata = {
            "name": f"kibitz_{game.name}_v{version}",
            "render_modes": spaces.RENDER_MODES,
            "is_parallelizable": False,
            "render_fps": 2,
        }
        actions, observation = spaces.action_space(game), spaces.observation_box(game)
        mask = gym_spaces.Box(0, 1, (int(actions.n),), np.int8)
        self.match: Match = game.deal(options=self._options, seed=0)
        self.possible_agents = [f"seat_{seat}" for seat in range(self.match.seats)]
        self.observation_spaces = {
            agent: gym_spaces.Dict({"observation": observation, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.action_space(game) for agent in self.possible_agents}
        self._random, _ = seeding.np_random()
        self._is_reset = False

    def observation_space(self, agent: str) -> gym_spaces.Space[Any]:
        """The space of ``{"observation", "action_mask"}``, the same for each agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gym_spaces.Space[Any]:
        """The space of actions, the same for each agent."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a match. A seed determines it and those after it. ``options["deal"]``: of the deal, instead of the usual."""
        spaces.check_seed(seed)
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        match = self.game.deal(options=(options or {}).get("deal", self._options), seed=self._random.bytes(32))
        if match.seats != len(self.possible_agents):
            raise Error("bad_options", f"this environment has {len(self.possible_agents)} seats")
        self.match = match
        self._is_reset = True
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._mover()

    def observe(self, agent: str) -> dict[str, npt.NDArray[Any]]:
        """What the agent may know; the mask is empty when it is not its turn."""
        view = self.match.view(self.possible_agents.index(agent))
        return {"observation": view.observe(), "action_mask": view.action_mask().astype(np.int8)}

    def step(self, action: int | None) -> None:
        """Plays an action of the agent whose turn it is; ``None`` if that agent's match is over.

        Raises ``Error`` with ``illegal_move`` or ``bad_move``.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise Error("bad_move", "None is no action while the match goes on")
        self.match.play_action(spaces.action_number(action))
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        if self.match.is_over:
            earned = spaces.rewards(self.match)
            self.rewards = dict(zip(self.possible_agents, earned, strict=True))
            self.terminations = dict.fromkeys(self.agents, True)
        self.agent_selection = self._mover()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def _mover(self) -> str:
        """The agent to move; after the end the first one that is left."""
        turn = self.match.turn
        return self.agents[0] if turn is None else self.possible_agents[turn]

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The table as spectators see it, in the way of ``render_mode``."""
        return spaces.render(self.match, self.render_mode)

    def close(self) -> None:
        """Nothing is open."""
