"""Random matches a second: in a loop of Python, in self-play batches, and in play_batch. Run it on an idle machine.

``cargo build --release -p engines --example random_games`` builds the loop of ``play_batch`` without Python. ``--rust
target/release/examples/random_games`` measures it in the same run, game by game; ``ratio`` is how many times the matches of
one thread of ``play_batch`` it plays.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import time
from collections.abc import Callable

import numpy as np

import kibitz


def rate(play: Callable[[int], int], seconds: float) -> float:
    """Matches a second of ``play(count)``, which plays about that many and returns how many."""
    count = 1
    while True:
        began = time.perf_counter()
        played = play(count)
        took = time.perf_counter() - began
        if took >= seconds:
            return played / took
        count = max(2 * count, int(count * 1.2 * seconds / max(took, 1e-6)))


def loop(name: str) -> Callable[[int], int]:
    """Matches one after the other, each move chosen in Python."""
    game, chooser = kibitz.game(name), random.Random(1)

    def play(count: int) -> int:
        for seed in range(count):
            match = game.deal(seed=seed)
            while not match.is_over:
                match.play(chooser.choice(match.legal_moves()))
        return count

    return play


def steps(name: str) -> Callable[[int], int]:
    """Matches side by side, whose actions numpy chooses from the masks."""
    rng = np.random.default_rng(1)

    def play(count: int) -> int:
        batch = kibitz.MatchBatch(name, max(count, 256), seed=1)
        while not batch.over.all():
            batch.step(batch.random_actions(rng))
        return len(batch)

    return play


def batch(name: str, threads: int | None) -> Callable[[int], int]:
    """Matches in one native call."""
    return lambda count: len(kibitz.play_batch(name, count, seed=1, threads=threads))


def rust(program: str, name: str, seconds: float) -> float:
    """Matches a second of the same loop in Rust."""
    shown = subprocess.run([program, str(seconds), name], check=True, capture_output=True, text=True).stdout
    return float(shown.split()[-1])


def main() -> None:
    """Prints a table."""
    parser = argparse.ArgumentParser(description="Random matches a second.")
    parser.add_argument("--seconds", type=float, default=2.0, help="how long to measure each number")
    parser.add_argument("--rust", metavar="PROGRAM", help="the example random_games, to compare with")
    given = parser.parse_args()
    seconds = given.seconds
    compared = f"{'Rust, 1 thread':>16}{'ratio':>7}" if given.rust else ""
    print(f"{'game':10}{'loop':>10}{'MatchBatch':>12}{'play_batch':>12}{'1 thread':>11}{compared}")
    for game in kibitz.games.games():
        ways = [loop(game.name), batch(game.name, None), batch(game.name, 1)]
        alone, all_cores, single = (rate(way, seconds) for way in ways)
        stepped = rate(steps(game.name), seconds) if game.encoding else float("nan")
        row = f"{game.name:10}{alone:10,.0f}{stepped:12,.0f}{all_cores:12,.0f}{single:11,.0f}"
        if given.rust:
            native = rust(given.rust, game.name, seconds)
            row += f"{native:16,.0f}{native / single:7.2f}"
        print(row, flush=True)


if __name__ == "__main__":
    main()
