"""Bots that speak the official dialogue, played by the project's own referee."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest
from shared import GAMES, assert_plays_cleanly

import kibitz

BOT = """
import sys
import kibitz
{before}
kibitz.run({bot})
"""


def program(tmp_path: Path, bot: str, before: str = "") -> list[str]:
    file = tmp_path / "bot.py"
    file.write_text(BOT.format(before=before, bot=bot))
    return [sys.executable, str(file)]


@pytest.mark.parametrize("name", GAMES)
def test_bot_plays_whole_matches_without_a_mistake(name: str, kibitz_program: str, tmp_path: Path) -> None:
    bot = program(tmp_path, f"kibitz.RandomBot({name!r}, 1)")
    assert_plays_cleanly(kibitz_program, name, bot)


def test_prints_of_a_bot_do_not_reach_the_referee(kibitz_program: str, tmp_path: Path) -> None:
    choose = "    def choose(self, view):\n        print('hm')\n        return super().choose(view)"
    chatty = f"class Chatty(kibitz.RandomBot):\n{choose}"
    bot = program(tmp_path, "Chatty('azul', 1)", chatty)
    assert_plays_cleanly(kibitz_program, "azul", bot)


def ended(tmp_path: Path, choose: str) -> subprocess.CompletedProcess[str]:
    """A bot whose ``choose`` is this, in the first turn of a match of Ioiwari."""
    bot = program(tmp_path, "choose, 'ioiwari'", f"def choose(view):\n    {choose}")
    start = kibitz.game("ioiwari").deal(seed=1)
    lines = "".join(f"{line}\n" for line in start.official_text(0))
    return subprocess.run(bot, input=lines, capture_output=True, text=True)


def test_bot_that_raises_ends_with_a_traceback(tmp_path: Path) -> None:
    done = ended(tmp_path, "raise ValueError('no idea')")
    assert done.returncode == 1 and done.stdout == ""
    assert "ValueError: no idea" in done.stderr and "in choose" in done.stderr


def test_bot_that_chooses_an_illegal_move_ends_with_the_reason(tmp_path: Path) -> None:
    done = ended(tmp_path, "return '99'")
    assert done.returncode == 1 and done.stdout == ""
    assert "kibitz.errors.Error: bad_move" in done.stderr


def test_function_is_a_bot(tmp_path: Path) -> None:
    done = ended(tmp_path, "return view.legal_moves()[0]")
    assert done.returncode == 0 and done.stdout and done.stderr == ""


def test_dialogue_runs_on_given_files() -> None:
    match = kibitz.game("ioiwari").deal(seed=1)
    source, sink = io.StringIO("".join(f"{line}\n" for line in match.official_text(0))), io.StringIO()
    kibitz.run(kibitz.RandomBot("ioiwari", 1), source=source, sink=sink)
    first = sink.getvalue().splitlines()[0]
    assert match.view().is_legal(first)


def test_run_needs_a_game() -> None:
    with pytest.raises(kibitz.Error) as refused:
        kibitz.run(lambda view: view.legal_moves()[0])
    assert refused.value.code == "bad_value"


def test_session_continues_from_a_transcript() -> None:
    game = kibitz.game("ioiwari")
    lines = game.deal(seed=1).official_text(0)
    session = game.session()
    session.transcript("".join(f"< {line}\n" for line in lines))
    step = session.advance()
    assert step["kind"] == "decision" and isinstance(step["view"], kibitz.View)
    assert step["thinking_time"] > 0 and session.has_understood
    move = step["view"].legal_moves()[0]
    session.decide(move)
    assert session.take_lines() == [move.notation]
    assert session.take_lines() == [] and session.take_remarks() == []
    with pytest.raises(kibitz.Error) as refused:
        session.decide(move)
    assert refused.value.code == "bad_dialogue"
