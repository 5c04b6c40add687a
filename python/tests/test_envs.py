"""The environments pass the checks of the packages that define them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, render_test, seed_test
from shared import ENCODED

import kibitz

SEATS = [(name, seats) for name in ENCODED for seats in kibitz.game(name).seat_counts]


@pytest.mark.parametrize(("name", "seats"), SEATS)
def test_pettingzoo_api(name: str, seats: int) -> None:
    env = kibitz.env(name, seats=seats)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        api_test(env, num_cycles=300)
    assert len(env.possible_agents) == seats


def test_pettingzoo_seeds(encoded: str) -> None:
    seed_test(lambda: kibitz.env(encoded), num_cycles=60)


def test_pettingzoo_render(encoded: str) -> None:
    modes: dict[str, Any] = {
        "svg": lambda picture: isinstance(picture, str) and picture.startswith("<svg"),
        "ansi": lambda text: isinstance(text, str) and encoded in text,
    }
    render_test(lambda render_mode=None: kibitz.env(encoded, render_mode=render_mode), custom_tests=modes)


def test_rewards_of_a_match_sum_to_zero(encoded: str) -> None:
    env = kibitz.env(encoded)
    env.reset(seed=5)
    total = dict.fromkeys(env.possible_agents, 0.0)
    rng = np.random.default_rng(5)
    for agent in env.agent_iter():
        observation, reward, over, cut, _ = env.last()
        total[agent] += reward
        legal = np.flatnonzero(observation["action_mask"])
        env.step(None if over or cut else int(rng.choice(legal)))
    outcome = env.match.outcome
    assert outcome is not None and abs(sum(total.values())) < 1e-9
    for agent, rank in zip(env.possible_agents, outcome["ranks"], strict=True):
        assert (total[agent] > 0) == (rank == 1 and outcome["ranks"].count(1) < len(total))


def test_illegal_action_is_refused(encoded: str) -> None:
    env = kibitz.env(encoded)
    env.reset(seed=1)
    while (mask := env.observe(env.agent_selection)["action_mask"]).all():
        env.step(0)
    with pytest.raises(kibitz.Error) as refused:
        env.step(int(np.flatnonzero(mask == 0)[0]))
    assert refused.value.code == "illegal_move"
    with pytest.raises(kibitz.Error) as refused:
        env.step(10**6)
    assert refused.value.code == "bad_move"


@pytest.mark.parametrize("opponent", ["random", "engine:level=easy,nodes=5"])
def test_gymnasium_check(encoded: str, opponent: str) -> None:
    with warnings.catch_warnings():
        # Fields of one value, and bounds that are not -1 and 1, are as they should be.
        warnings.simplefilter("ignore")
        check_env(kibitz.gym_env(encoded, opponent=opponent, render_mode="rgb_array"), skip_render_check=False)


def play(env: Any, seed: int) -> list[float]:
    rng = np.random.default_rng(seed)
    rewards = []
    _, info = env.reset(seed=seed)
    over = False
    while not over:
        legal = np.flatnonzero(info["action_mask"])
        _, reward, over, _, info = env.step(rng.choice(legal))
        rewards.append(reward)
    return rewards


def test_bot_can_be_the_opponent(encoded: str) -> None:
    env = kibitz.gym_env(encoded, opponent=kibitz.RandomBot(encoded, 1), seat=1)
    assert isinstance(env, gymnasium.Env)
    rewards = play(env, 1)
    assert env.seat == 1 and rewards[-1] in (-1, 0, 1) and not any(rewards[:-1])


def test_illegal_action_loses_or_raises() -> None:
    env = kibitz.gym_env("ioiwari")
    _, info = env.reset(seed=1)
    illegal = 10**6 if info["action_mask"].all() else int(np.flatnonzero(info["action_mask"] == 0)[0])
    _, reward, over, cut, info = env.step(illegal)
    assert (reward, over, cut, info["illegal_action"]) == (-1.0, True, False, True)
    with pytest.raises(kibitz.Error) as refused:
        env.step(0)
    assert refused.value.code == "match_over"
    strict = kibitz.gym_env("ioiwari", on_illegal="raise")
    strict.reset(seed=1)
    with pytest.raises(kibitz.Error):
        strict.step(illegal)


def test_vector_steps_all_matches(encoded: str) -> None:
    env = kibitz.vector_env(encoded, 6)
    observations, info = env.reset(seed=3)
    again, _ = env.reset(seed=3)
    assert (observations == again).all() and observations.shape == env.observation_space.shape
    assert observations in env.observation_space
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(400):
        chances = rng.random(info["action_mask"].shape) * info["action_mask"]
        observations, rewards, over, cut, info = env.step(chances.argmax(axis=1))
        assert observations in env.observation_space
        assert not cut.any() and (rewards[~over] == 0).all()
        ended += int(over.sum())
    assert ended > 0 or encoded == "buraco"


def test_wrong_arguments_are_refused() -> None:
    cases: list[Callable[[], object]] = [
        lambda: kibitz.env("ioiwari", render_mode="opengl"),
        lambda: kibitz.env("ioiwari", seats=3),
        lambda: kibitz.env("chess"),
        lambda: kibitz.gym_env("ioiwari", opponent="stockfish"),
        lambda: kibitz.gym_env("ioiwari", opponent="engine:level=best"),
        lambda: kibitz.gym_env("ioiwari", seat=2),
        lambda: kibitz.gym_env("ioiwari", on_illegal="ignore"),
        lambda: kibitz.vector_env("ioiwari", 0),
        lambda: kibitz.vector_env("ioiwari", 2, opponent="self"),
    ]
    for call in cases:
        with pytest.raises(kibitz.Error):
            call()
