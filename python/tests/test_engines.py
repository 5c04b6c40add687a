"""Engines: decisions, repeatability, threads and signals."""

from __future__ import annotations

import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

import kibitz

LONG = 3600.0


def test_engine_decides(name: str) -> None:
    match = kibitz.game(name).deal(seed=1)
    decision = kibitz.engine(name, nodes=30, seed=1, candidates=3).decide(match.view())
    assert decision.move in match.legal_moves()
    assert 0 <= decision.value <= 1 and decision.nodes >= 0
    assert decision.candidates and len(decision.candidates) <= 3
    assert all(isinstance(move, kibitz.Move) for move in decision.line)
    assert decision.engine.split()[0] in [engine["name"] for engine in match.game.engines]


def test_same_seed_and_nodes_decide_the_same(name: str) -> None:
    view = kibitz.game(name).deal(seed=4).view()
    engine = kibitz.engine(name, "engine:hard", nodes=40, seed=9)
    assert engine.decide(view) == engine.decide(pickle.loads(pickle.dumps(view)))
    assert pickle.loads(pickle.dumps(engine)) == engine


def test_levels_are_those_of_the_arena() -> None:
    assert kibitz.LEVELS == ("easy", "medium", "hard", "max")
    assert kibitz.engine("azul", "engine:medium").level == "medium"
    engine = kibitz.engine("azul", "engine:level=easy,nodes=7,think=250ms")
    assert (engine.level, engine.nodes, engine.time) == ("easy", 7, 0.25)
    assert kibitz.engine("azul", "engine:easy", level="max").level == "max"


def test_engine_refuses_what_it_cannot_decide() -> None:
    match = kibitz.game("azul").deal(seed=1)
    engine = kibitz.engine("azul", nodes=1)
    cases: list[tuple[Callable[[], object], str]] = [
        (lambda: engine.decide(match.view(1)), "not_to_move"),
        (lambda: engine.decide(match.view(None)), "not_to_move"),
        (lambda: engine.decide(kibitz.game("ioiwari").deal(seed=1).view()), "bad_value"),
        (lambda: engine.decide(match.view().to_dict()), "bad_value"),  # type: ignore[arg-type]
        (lambda: kibitz.engine("azul", engine="stockfish"), "unknown_engine"),
        (lambda: kibitz.engine("azul", level="hardest"), "bad_value"),
        (lambda: kibitz.engine("azul", "engine:what=1"), "bad_value"),
        (lambda: kibitz.engine("azul", time=-1).decide(match.view()), "bad_value"),
        (lambda: kibitz.engine("azul", time=float("nan")).decide(match.view()), "bad_value"),
        (lambda: kibitz.engine("chess"), "unknown_game"),
    ]
    for call, code in cases:
        with pytest.raises(kibitz.Error) as refused:
            call()
        assert refused.value.code == code


def test_other_threads_go_on_while_an_engine_thinks() -> None:
    view = kibitz.game("azul").deal(seed=1).view()
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1

    counter = threading.Thread(target=count)
    counter.start()
    try:
        before = counted
        kibitz.engine("azul", time=1.0, seed=1).decide(view)
        # With Python's lock held, the counter could not have moved at all.
        assert counted - before > 1000
    finally:
        done.set()
        counter.join()


def test_threads_decide_at_the_same_time_and_alike() -> None:
    view = kibitz.game("splendor").deal(seed=1).view()
    engine = kibitz.engine("splendor", nodes=100, seed=1)
    wanted = engine.decide(view)
    found: list[kibitz.Decision] = []
    threads = [threading.Thread(target=lambda: found.append(engine.decide(view))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [wanted] * 4


@pytest.mark.parametrize(
    "call", ["kibitz.engine('azul', time=3000).decide(view)", "kibitz.play_batch('buraco', 10**7)"]
)
def test_interrupt_ends_a_search_and_a_batch(call: str) -> None:
    # A shell that starts the tests in the background has Ctrl-C ignored.
    begin = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); import kibitz"
    script = f"{begin}; view = kibitz.game('azul').deal(seed=1).view(); print('go', flush=True); {call}"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", script], stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "go\n"
        # The call begins after the line; a signal before it would end the process in the same way.
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        try:
            _, errors = process.communicate(timeout=LONG)
        finally:
            process.kill()
    assert "KeyboardInterrupt" in errors and process.returncode != 0
