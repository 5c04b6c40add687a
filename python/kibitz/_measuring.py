"""Plays the matches of a plan with players of Python: in this process, in threads, or in other processes."""

from __future__ import annotations

import dataclasses
import inspect
import multiprocessing
import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import islice
from typing import Any

from ._native import Game, Match, Plan, View, fingerprint
from .bots import Chooser, MoveLike, RandomBot
from .engines import Engine, engine
from .errors import Error

Player = str | Chooser | Callable[[View], MoveLike] | type[Any]
"""``random``, an engine such as ``engine:medium``, a bot, a function of a view, or a class of bots."""

# Deals that are under way for each worker, so that none waits while results are counted.
_DEALS_AHEAD = 3


def is_native(player: Player) -> bool:
    """Whether Python's lock is free while the player decides."""
    return isinstance(player, (str, Engine))


def _maker(game: Game, player: Player) -> Callable[[str], Callable[[View], MoveLike]]:
    """The player as a function from the seed of a match to the function that decides."""
    if isinstance(player, str) and player == "random":
        return lambda seed: RandomBot(game, int(seed, 16)).choose
    if isinstance(player, str):
        player = engine(game, player)
    if isinstance(player, Engine):
        thinker = player
        return lambda seed: (dataclasses.replace(thinker, seed=seed) if thinker.seed is None else thinker).choose
    if inspect.isclass(player):
        made: Callable[..., Any] = player
        takes_game = bool(inspect.signature(made).parameters)
        return lambda _seed: _chooser(made(game) if takes_game else made())
    choose = _chooser(player)
    return lambda _seed: choose


def _chooser(player: Any) -> Callable[[View], MoveLike]:
    """The function that decides for a bot, or the function that the player is."""
    found = player.choose if isinstance(player, Chooser) else player
    if not callable(found):
        raise Error("bad_value", f"{type(player).__name__} is no player: it has no choose(view)")
    decide: Callable[[View], MoveLike] = found
    return decide


class PlanTable:
    """Where the matches of a plan are played. Other processes can have a copy if its players can be pickled."""

    def __init__(
        self, game: Game, names: tuple[str, ...], players: tuple[Player, ...], settings: dict[str, Any]
    ) -> None:
        self._parts = (game, names, players, settings)
        self.names = names
        self.plan = Plan(game, list(names), **settings)
        self._makers = [_maker(game, player) for player in players]

    def __reduce__(self) -> tuple[type[PlanTable], tuple[Any, ...]]:
        return type(self), self._parts

    def deals(self) -> int:
        """The number of deals."""
        return -(-self.plan.games // self.plan.games_per_deal)

    def play_deal(self, deal: int) -> list[dict[str, Any]]:
        """The records of all matches on one deal."""
        first = deal * self.plan.games_per_deal
        last = min(first + self.plan.games_per_deal, self.plan.games)
        return [self.play(game) for game in range(first, last)]

    def play(self, game: int) -> dict[str, Any]:
        """The record of one match."""
        fixture = self.plan.fixture(game)
        match, opening = self.plan.deal(game)
        start = match.state_hash()
        choosers = {player: self._makers[player](fixture["seed"]) for player in sorted(set(fixture["seats"]))}
        seats: list[dict[str, Any]] = [{"player": self.names[player], "times_us": []} for player in fixture["seats"]]
        faults: list[dict[str, Any]] = []
        while (seat := match.turn) is not None:
            choose = choosers[fixture["seats"][seat]]
            began = time.perf_counter_ns()
            move = choose(match.view())
            seats[seat]["times_us"].append((time.perf_counter_ns() - began) // 1000)
            try:
                match.play(move)
            except Error as error:
                faults.append(_punish(match, seat, error))
        outcome = match.outcome
        assert outcome is not None, "a match without a turn is over"
        result = {key: outcome[key] for key in ("points", "ranks", "reason")}
        moves = [move.notation for _, move in match.moves]
        return {
            **{key: fixture[key] for key in ("game", "deal", "seed")},
            "opening": opening,
            "start_hash": start,
            "match_hash": fingerprint([start, moves, [result["ranks"], result["points"]]]),
            "outcome": result,
            "plies": match.ply,
            "faults": faults,
            "seats": seats,
        }


def _punish(match: Match, seat: int, error: Error) -> dict[str, Any]:
    """Applies the official penalty for a move that cannot be played."""
    ply = match.ply
    kind = "illegal_move" if error.code == "illegal_move" else "bad_line"
    instead = match.foul(error.detail)
    fault = {"ply": ply, "seat": seat, "kind": kind, "detail": error.detail}
    return fault if instead is None else {**fault, "instead": instead.notation}


# The table of a worker process: it is set before the process begins, so that a fork needs no pickle.
_worker_table: PlanTable | None = None


def _enter(table: PlanTable) -> None:
    global _worker_table
    _worker_table = table


def _work(deal: int) -> list[dict[str, Any]]:
    assert _worker_table is not None, "the worker was given its table"
    return _worker_table.play_deal(deal)


def play_all(table: PlanTable, processes: int | None, native: bool) -> Iterator[list[dict[str, Any]]]:
    """The records of each deal, in order."""
    workers = os.cpu_count() or 1 if processes is None else processes
    if workers < 1:
        raise Error("bad_value", "processes: at least 1")
    workers = min(workers, table.deals())
    if workers == 1:
        yield from map(table.play_deal, range(table.deals()))
        return
    if native:
        with ThreadPoolExecutor(workers) as threads:
            yield from _in_order(threads, table.play_deal, table.deals(), workers)
        return
    way = "fork" if "fork" in multiprocessing.get_all_start_methods() else None
    context = multiprocessing.get_context(way)
    with ProcessPoolExecutor(workers, context, _enter, (table,)) as pool:
        yield from _in_order(pool, _work, table.deals(), workers)


def _in_order(
    executor: Executor, work: Callable[[int], list[dict[str, Any]]], deals: int, workers: int
) -> Iterator[list[dict[str, Any]]]:
    """The results of all deals in order, a few ahead; the rest is dropped if the caller stops."""
    waiting: deque[Future[list[dict[str, Any]]]] = deque()
    left = iter(range(deals))
    try:
        while True:
            ahead = islice(left, _DEALS_AHEAD * workers - len(waiting))
            waiting.extend(executor.submit(work, deal) for deal in ahead)
            if not waiting:
                return
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
