"""Every example runs: bots through the project's referee, training with a learning curve."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pytest
from shared import GAMES, ROOT, assert_plays_cleanly

import kibitz

EXAMPLES = ROOT / "python" / "examples"
TESTED = {f"greedy_{name}.py" for name in GAMES} | {"random_bot.py", "self_play.py", "speed.py"}
sys.path.insert(0, str(EXAMPLES))


def test_every_example_is_tested() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == TESTED


def test_greedy_bot_plays_for_the_referee_and_beats_random_moves(name: str, kibitz_program: str) -> None:
    assert_plays_cleanly(kibitz_program, name, [sys.executable, str(EXAMPLES / f"greedy_{name}.py")])
    bot = importlib.import_module(f"greedy_{name}").Greedy
    result = kibitz.evaluate(bot, "random", game=name, games=40, progress=False)
    assert result.interval[0] > 0.6, str(result)
    assert result.summary["players"][0]["faults"] == {"illegal_move": 0, "bad_line": 0, "time": 0, "crash": 0}


def test_random_bot_plays_for_the_referee(kibitz_program: str) -> None:
    assert_plays_cleanly(kibitz_program, "ioiwari", [sys.executable, str(EXAMPLES / "random_bot.py"), "ioiwari"])


@pytest.mark.parametrize(("name", "rounds", "matches", "least"), [("ioiwari", 60, 256, 0.7), ("azul", 6, 48, 0.75)])
def test_self_play_learns_to_beat_random_moves(name: str, rounds: int, matches: int, least: float) -> None:
    self_play = importlib.import_module("self_play")
    curve = self_play.train(name, rounds=rounds, matches=matches)
    assert len(curve) == min(rounds, 10) + 1 and max(curve[-3:]) > least > curve[0] - 0.1, curve


def test_learning_curve_is_drawn(tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    self_play = importlib.import_module("self_play")
    self_play.plot([0.5, 0.6, 0.7], "ioiwari", str(tmp_path / "curve.png"))
    assert (tmp_path / "curve.png").stat().st_size > 1000


def test_speed_is_measured() -> None:
    shown = subprocess.run(
        [sys.executable, str(EXAMPLES / "speed.py"), "--seconds", "0.05"], check=True, capture_output=True, text=True
    )
    assert all(name in shown.stdout for name in GAMES)
