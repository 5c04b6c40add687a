"""Measuring: paired deals, statistics of the arena, processes."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import kibitz


def greedy(view: kibitz.View) -> kibitz.Move:
    return view.legal_moves()[0]


class Forgetful(kibitz.Bot):
    """Chooses an illegal move in its second turn."""

    def __init__(self, game: kibitz.Game) -> None:
        super().__init__(game)
        self.turns = 0

    def choose(self, view: kibitz.View, /) -> str | kibitz.Move:
        self.turns += 1
        return "nonsense" if self.turns == 2 else view.legal_moves()[0]


def evaluate(*players: object, **settings: object) -> kibitz.Evaluation:
    return kibitz.evaluate(*players, **{"progress": False, "games": 20, "game": "ioiwari", **settings})  # type: ignore[arg-type]


def test_stronger_player_is_found() -> None:
    result = evaluate("engine:level=max,nodes=300", "random", games=40)
    low, high = result.interval
    assert result.score > 0.7 and low > 0.5 and low <= result.score <= high
    assert result.elo is not None and result.elo[0] > 100
    assert result.games == 40 and result.summary["deals"] == 20
    assert "engine" in str(result) and "random" in str(result)


def test_deals_are_paired_and_seats_exchanged() -> None:
    result = evaluate(greedy, "random", games=4)
    holders = [[seat["player"] for seat in record["seats"]] for record in result.records]
    assert holders == [["greedy", "random"], ["random", "greedy"]] * 2
    assert [record["deal"] for record in result.records] == [0, 0, 1, 1]
    assert result.records[0]["start_hash"] == result.records[1]["start_hash"]


@pytest.mark.parametrize("processes", [1, 3])
def test_result_does_not_depend_on_the_processes(processes: int) -> None:
    def hashes(result: kibitz.Evaluation) -> list[str]:
        return [record["match_hash"] for record in result.records]

    assert hashes(evaluate(greedy, "engine:level=easy,nodes=20", processes=processes)) == hashes(
        evaluate(greedy, "engine:level=easy,nodes=20", processes=2)
    )


def test_arena_counts_the_same_records_alike(kibitz_program: str, tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    players = ["--player", "A=engine:nodes=50", "--player", "B=engine:nodes=1,level=easy"]
    command = [kibitz_program, "arena", "ioiwari", *players, "-n", "20", "--seed", "5", "--json", str(file)]
    subprocess.run(command, check=True, capture_output=True)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    records = [line["record"] for line in lines if "record" in line]
    summary = next(line["summary"] for line in lines if "summary" in line)
    plan = kibitz._native.Plan(kibitz.game("ioiwari"), ["A", "B"], games=20, seed=5)
    counted = plan.summary(records)
    for own, theirs in zip(counted["players"], summary["players"], strict=True):
        for key in ("played", "wins", "draws", "losses", "score", "elo", "points", "seats"):
            assert own[key] == theirs[key]


def test_illegal_move_is_a_foul_and_counts() -> None:
    result = evaluate(Forgetful, "random", processes=1)
    player = result.summary["players"][0]
    assert player["faults"]["bad_line"] == 20
    assert player["forfeits"] + player["voided_actions"] == 20


def test_exception_of_a_player_ends_the_call() -> None:
    def broken(view: kibitz.View) -> str:
        raise ZeroDivisionError("a fault of the bot")

    for processes in (1, 2):
        with pytest.raises(ZeroDivisionError):
            evaluate(broken, "random", processes=processes)


def test_sequential_test_ends_the_matches() -> None:
    result = evaluate("engine:level=max,nodes=300", "random", games=2000, sprt=(0, 50))
    assert result.accepted == "H1" and result.games < 2000
    assert "LLR" in str(result)


def test_more_than_two_seats() -> None:
    result = evaluate("random", greedy, game="splendor", seats=3, games=6)
    assert result.elo is None and len(result.records[0]["seats"]) == 3


def test_frame_and_plot(tmp_path: Path) -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    result = evaluate(greedy, "random", games=4)
    frame = result.to_frame()
    assert list(frame.columns)[:4] == ["game", "deal", "seat", "player"] and len(frame) == 8
    assert frame.groupby("game")["score"].sum().max() == 1
    axes = result.plot()
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 1000


def test_wrong_arguments_are_refused() -> None:
    for settings in ({"games": 0}, {"processes": 0}, {"sprt": (5, 0)}, {"game": "chess"}, {"seats": 9}):
        with pytest.raises(kibitz.Error):
            evaluate(greedy, "random", **settings)
    with pytest.raises(kibitz.Error):
        kibitz.evaluate(greedy, "random")
    with pytest.raises(kibitz.Error):
        evaluate(3, "random")
