"""Batches: random matches, matches that step together, policies."""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt
import pytest

import kibitz


def test_batch_is_the_same_on_any_number_of_threads(name: str) -> None:
    batches = [kibitz.play_batch(name, 40, seed=3, threads=threads) for threads in (1, 2, 7)]
    for batch in batches[1:]:
        assert (batch.points == batches[0].points).all() and (batch.plies == batches[0].plies).all()
    first = batches[0]
    assert len(first) == 40 and first.points.shape == first.ranks.shape == first.scores.shape
    assert first.points.dtype == np.int32 and (first.plies > 0).all()
    assert np.isin(first.scores.sum(axis=1).round(9), [0, 1]).all()


def test_batch_has_as_many_seats_as_asked() -> None:
    assert kibitz.play_batch("splendor", 3, seats=4, seed=1).points.shape == (3, 4)
    assert len(kibitz.play_batch("azul", 0)) == 0
    with pytest.raises(kibitz.Error):
        kibitz.play_batch("splendor", 3, seats=4, options={"players": 2})


def first_legal(
    observations: npt.NDArray[np.int16], masks: npt.NDArray[np.bool_], turns: npt.NDArray[np.int8]
) -> npt.NDArray[np.int64]:
    assert len(observations) == len(masks) == len(turns)
    chosen: npt.NDArray[np.int64] = masks.argmax(axis=1)
    return chosen


def test_policy_decides_for_whole_batches(encoded: str) -> None:
    batch = kibitz.play_batch(encoded, 12, first_legal, seed=3)
    again = kibitz.play_batch(encoded, 12, first_legal, seed=3, threads=1)
    assert (batch.points == again.points).all() and (batch.plies > 0).all() and (batch.ranks.min(axis=1) >= 1).all()
    # The same match in a loop of Python, from the same deal.
    plan = kibitz._native.Plan(kibitz.game(encoded), ["a"], games=12, seed=3, opening_plies=0)
    match = kibitz.game(encoded).deal(seed=plan.fixture(5)["seed"])
    while not match.is_over:
        match.play_action(int(match.view().action_mask().argmax()))
    assert match.outcome is not None and match.outcome["points"] == batch.points[5].tolist()


def test_rows_are_those_of_the_view_of_the_seat_to_move(encoded: str) -> None:
    rng = np.random.default_rng(1)
    batch = kibitz.MatchBatch(encoded, 3, seed=8)
    plan = kibitz._native.Plan(kibitz.game(encoded), ["a"], games=3, seed=8, opening_plies=0)
    matches = [kibitz.game(encoded).deal(seed=plan.fixture(n)["seed"]) for n in range(3)]
    for _ in range(25):
        for row, match in enumerate(matches):
            assert batch.over[row] == match.is_over
            if not match.is_over:
                view = match.view()
                assert batch.turns[row] == match.turn
                assert (batch.observations[row] == view.observe()).all()
                assert (batch.action_masks[row] == view.action_mask()).all()
        actions = batch.random_actions(rng)
        for action, match in zip(actions, matches, strict=True):
            if not match.is_over:
                match.play_action(int(action))
        batch.step(actions)


def test_encoding_and_moves_agree(encoded: str) -> None:
    game = kibitz.game(encoded)
    layout = game.encoding
    assert layout is not None
    match = game.deal(seed=2)
    chooser = random.Random(2)
    while not match.is_over:
        view = match.view()
        mask = view.action_mask()
        assert view.observe().shape == (layout["observation_len"],) and mask.shape == (layout["action_count"],)
        legal = view.legal_moves()
        assert int(mask.sum()) == len(legal)
        move = chooser.choice(legal)
        index = view.action_index(move)
        assert mask[index] and view.action(index) == move
        match.play_action(index)
        assert match.moves[-1][1] == move


def test_matches_begin_again_by_themselves() -> None:
    rng = np.random.default_rng(2)
    batch = kibitz.MatchBatch("ioiwari", 4, seed=1, opponent="random", autoreset=True)
    ends = 0
    for _ in range(60):
        batch.step(batch.random_actions(rng))
        ends += int(batch.over.sum())
        assert np.allclose(batch.rewards.sum(axis=1), 0, atol=1e-6)
        assert (batch.rewards[~batch.over] == 0).all()
    assert ends > 8
    batch.reset(seed=1)
    fresh = kibitz.MatchBatch("ioiwari", 4, seed=1, opponent="random", autoreset=True)
    assert (batch.observations == fresh.observations).all()


def test_random_actions_are_legal_and_all_are_drawn() -> None:
    rng = np.random.default_rng(4)
    batch = kibitz.MatchBatch("ioiwari", 3, seed=1)
    batch.step(batch.random_actions(rng))
    batch.step(batch.random_actions(rng))
    drawn = [set[int](), set[int](), set[int]()]
    for _ in range(200):
        for row, action in enumerate(batch.random_actions(rng)):
            drawn[row].add(int(action))
    assert drawn == [set(np.flatnonzero(mask).tolist()) for mask in batch.action_masks]


def test_engine_can_be_the_opponent() -> None:
    rng = np.random.default_rng(3)
    batch = kibitz.MatchBatch("ioiwari", 40, seed=1, opponent="engine:level=max,nodes=200")
    while not batch.over.all():
        batch.step(batch.random_actions(rng))
    own = batch.rewards[np.arange(40), batch.turns]
    assert own.mean() < -0.3, "random play loses to the engine"
    assert sorted(set(batch.turns.tolist())) == [0, 1]
