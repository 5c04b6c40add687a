"""Whatever callers pass, Python gets an exception: never a panic, never an abort."""

from __future__ import annotations

import contextlib
import io
import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from shared import ENCODED, GAMES

import kibitz
from kibitz._native import MatchVector, Plan, engine_settings, fingerprint

# Codes that only a fault of kibitz itself gives.
FAULTS = {"internal", "engine_failed"}

plain = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.binary(max_size=40)
values = st.recursive(
    plain,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
names = st.sampled_from(GAMES)


def refuses(call: Callable[[], object]) -> None:
    """Runs the call. Wrong types may raise the exceptions of Python; everything else is ``kibitz.Error``."""
    try:
        call()
    except kibitz.Error as error:
        assert error.code and error.detail and error.code not in FAULTS, error
    except (TypeError, OverflowError):
        pass


@given(names, values)
def test_any_value_is_no_crash(name: str, value: Any) -> None:
    game = kibitz.game(name)
    match = game.deal(seed=1)
    view = match.view()
    calls: list[Callable[[], object]] = [
        lambda: kibitz.game(value),
        lambda: kibitz.games.Game(value),
        lambda: game.deal(seed=value),
        lambda: game.deal(seats=value),
        lambda: game.deal(options=value),
        lambda: game.restore(value),
        lambda: game.from_position(value),
        lambda: game.from_position(view, options=value),
        lambda: game.view(value),
        lambda: game.read_move(value),
        lambda: game.session(value),
        lambda: game.options_for(value),
        lambda: match.copy().play(value),
        lambda: match.copy().play(match.legal_moves()[0], seat=value),
        lambda: match.copy().play_action(value),
        lambda: match.copy().play_random(plies=0, seed=value),
        lambda: match.copy().foul(value),
        lambda: match.view(value),
        lambda: match.official_text(value),
        lambda: match.official_text(0, value),
        lambda: match.export(value),
        lambda: match.export("x", value),
        lambda: kibitz.Match.from_saved(name, value),
        lambda: kibitz.View.from_json(name, value),
        lambda: kibitz.Move(name, value),
        lambda: view.check(value),
        lambda: view.is_legal(value),
        lambda: view.action(value),
        lambda: view.action_index(value),
        lambda: view.guess(seed=value),
        lambda: view.png(width=value) if not isinstance(value, int) or value > 4800 or value < 1 else None,
        lambda: view.get(value) if not isinstance(value, (list, dict)) else None,
        lambda: kibitz.engine(name, value),
        lambda: kibitz.engine(name, nodes=1, seed=value).decide(view),
        lambda: kibitz.replay(value),
        lambda: engine_settings(value),
        lambda: fingerprint(value),
        lambda: kibitz.play_batch(name, 1, options=value),
        lambda: kibitz.play_batch(name, 1, seed=value),
        lambda: Plan(game, ["a", "b"], games=2, options=value),
        lambda: Plan(game, value, games=2),
        lambda: Plan(game, ["a", "b"], games=2).summary(value),
    ]
    for call in calls:
        refuses(call)


def is_small(value: Any) -> bool:
    """Whether the value, if it is a valid number, asks for little work."""
    return not isinstance(value, int) or value <= 3


@settings(max_examples=60)
@given(names, values.filter(is_small))
def test_any_argument_of_batches_and_environments_is_no_crash(name: str, value: Any) -> None:
    calls: list[Callable[[], object]] = [
        lambda: kibitz.play_batch(name, value),
        lambda: kibitz.play_batch(name, 1, seats=value),
        lambda: kibitz.play_batch(name, 1, threads=value),
        lambda: kibitz.play_batch(name, 1, value),
        lambda: kibitz.MatchBatch(value, 1),
        lambda: kibitz.MatchBatch(name, value),
        lambda: kibitz.MatchBatch(name, 1, seats=value),
        lambda: kibitz.MatchBatch(name, 1, options=value),
        lambda: kibitz.MatchBatch(name, 1, seed=value),
        lambda: kibitz.MatchBatch(name, 1, opponent=value),
        lambda: kibitz.MatchBatch(name, 1, first_deal=value),
        lambda: kibitz.MatchBatch(name, 1, threads=value),
        lambda: kibitz.MatchBatch(name, 1, seed=1).reset(value),
        lambda: kibitz.MatchBatch(name, 1, seed=1).step(value),
        lambda: kibitz.env(value),
        lambda: kibitz.env(name, seats=value),
        lambda: kibitz.env(name, options=value),
        lambda: kibitz.env(name, render_mode=value),
        lambda: begun(kibitz.env(name)).step(value),
        lambda: kibitz.env(name).reset(seed=value),
        lambda: kibitz.gym_env(value),
        lambda: kibitz.gym_env(name, opponent=value),
        lambda: kibitz.gym_env(name, seat=value),
        lambda: kibitz.gym_env(name, seats=value),
        lambda: kibitz.gym_env(name, options=value),
        lambda: kibitz.gym_env(name, on_illegal=value),
        lambda: kibitz.gym_env(name, render_mode=value),
        lambda: begun(kibitz.gym_env(name, on_illegal="raise")).step(value),
        lambda: kibitz.vector_env(value, 1),
        lambda: kibitz.vector_env(name, value),
        lambda: kibitz.vector_env(name, 1, opponent=value),
        lambda: kibitz.vector_env(name, 1, seats=value),
        lambda: kibitz.vector_env(name, 1, options=value),
        lambda: kibitz.vector_env(name, 1, threads=value),
        lambda: begun(kibitz.vector_env(name, 1)).step(value),
    ]
    for call in calls:
        refuses(call)


def begun(env: Any) -> Any:
    """The environment after its first reset."""
    env.reset(seed=1)
    return env


@settings(max_examples=60)
@given(names, values.filter(is_small))
def test_any_argument_of_engines_bots_and_measuring_is_no_crash(name: str, value: Any) -> None:
    view = kibitz.game(name).deal(seed=1).view()
    few: Any = {"game": name, "games": 2, "processes": 1, "progress": False}
    calls: list[Callable[[], object]] = [
        lambda: kibitz.engine(value),
        lambda: kibitz.engine(name, engine=value, nodes=1).choose(view),
        lambda: kibitz.engine(name, level=value, nodes=1).choose(view),
        lambda: kibitz.engine(name, nodes=value, time=0.001).choose(view),
        lambda: kibitz.engine(name, time=value, nodes=1).choose(view),
        lambda: kibitz.engine(name, candidates=value, nodes=1).decide(view),
        lambda: kibitz.engine(name, nodes=1).decide(value),
        lambda: kibitz.Bot(value),
        lambda: kibitz.RandomBot(value),
        lambda: kibitz.RandomBot(name, value),
        lambda: kibitz.run(kibitz.RandomBot(name), value, source=io.StringIO(), sink=io.StringIO()),
        lambda: kibitz.run(kibitz.RandomBot(name), settings=value, source=io.StringIO(), sink=io.StringIO()),
        lambda: kibitz.evaluate(value, "random", **few),
        lambda: kibitz.evaluate("random", value, **few),
        *(
            lambda key=key: kibitz.evaluate("random", "random", **{**few, key: value})
            for key in ("game", "games", "seed", "seats", "options", "sprt", "risks", "processes")
        ),
    ]
    for call in calls:
        refuses(call)


@given(names, st.text(max_size=200))
def test_any_text_is_no_crash(name: str, text: str) -> None:
    game = kibitz.game(name)
    session = game.session()
    for call in (
        lambda: session.read(text),
        lambda: session.transcript(text),
        session.advance,
        session.silence,
        session.end,
        session.advance,
        lambda: session.decide(text),
        session.take_lines,
        session.take_remarks,
        session.keep,
    ):
        refuses(call)


@given(names, st.data())
def test_changed_states_and_views_are_refused_or_playable(name: str, data: st.DataObject) -> None:
    game = kibitz.game(name)
    match = game.deal(seed=data.draw(st.integers(0, 9)))
    match.play_random(plies=data.draw(st.integers(0, 12)), seed=1)
    for value, begin in ((match.state(), game.restore), (match.view(0).to_dict(), game.from_position)):
        changed = mutated(value, data)
        with contextlib.suppress(kibitz.Error):
            begun = begin(changed)
            begun.play_random(plies=3, seed=1)


def mutated(value: Any, data: st.DataObject) -> Any:
    """The JSON value with one part replaced."""
    if isinstance(value, dict) and value and data.draw(st.booleans()):
        key = data.draw(st.sampled_from(sorted(value)))
        return {**value, key: mutated(value[key], data)}
    if isinstance(value, list) and value and data.draw(st.booleans()):
        place = data.draw(st.integers(0, len(value) - 1))
        return [*value[:place], mutated(value[place], data), *value[place + 1 :]]
    if isinstance(value, int) and not isinstance(value, bool) and data.draw(st.booleans()):
        return value + data.draw(st.sampled_from([-1, 1, 100]))
    return data.draw(values)


@given(st.sampled_from(ENCODED), st.lists(st.integers(), max_size=4), st.integers(1, 3))
def test_any_actions_are_no_crash(name: str, actions: list[int], count: int) -> None:
    batch = kibitz.MatchBatch(name, count, seed=1)
    before = batch.observations.copy()
    try:
        batch.step(actions)
    except kibitz.Error as error:
        assert error.code in ("illegal_move", "bad_move", "bad_value")
        assert (batch.observations == before).all(), "nothing was played"


def test_arrays_of_a_wrong_shape_are_refused() -> None:
    vector = MatchVector(kibitz.game("ioiwari"), 2, seed=1)
    rows: list[Any] = [np.zeros((2, vector.observation_len), np.int16), np.zeros((2, vector.action_count), np.bool_)]
    rest: list[Any] = [np.zeros((2, 2), np.float32), np.zeros(2, np.bool_), np.zeros(2, np.int8)]
    vector.reset(*rows, *rest)
    with pytest.raises(kibitz.Error):
        vector.reset(rows[0][:1], rows[1], *rest)
    with pytest.raises(kibitz.Error):
        vector.reset(np.asfortranarray(np.zeros((2, vector.observation_len), np.int16)), rows[1], *rest)
    with pytest.raises(TypeError):
        vector.reset(rows[0].astype(np.int32), rows[1], *rest)


def test_illegal_move_has_the_code_and_sentence_of_the_api() -> None:
    match = kibitz.game("ioiwari").deal(seed=1)
    with pytest.raises(kibitz.Error) as refused:
        match.play(match.legal_moves()[0], seat=1)
    assert refused.value.code == "not_your_turn"
    assert str(refused.value) == f"not_your_turn: {refused.value.detail}"
    again = pickle.loads(pickle.dumps(refused.value))
    assert (again.code, again.detail) == (refused.value.code, refused.value.detail)
    with pytest.raises(kibitz.Error) as refused:
        match.play("not a move")
    assert refused.value.code == "bad_move"
    assert match.ply == 0


def test_value_that_contains_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    for call in (kibitz.game("azul").restore, kibitz.game("azul").read_move):
        with pytest.raises(kibitz.Error):
            call(endless)  # type: ignore[arg-type]
    deep = json.loads("[" * 500 + "]" * 500)
    with pytest.raises(kibitz.Error):
        kibitz.game("azul").view(deep)


def test_missing_package_names_the_command_that_installs_it() -> None:
    error = kibitz.MissingPackage("pandas", "measure")
    assert isinstance(error, ImportError) and "pip install 'kibitz[measure]'" in str(error)
    assert pickle.loads(pickle.dumps(error)).package == "pandas"
