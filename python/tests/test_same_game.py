"""The same seed deals the same match in Python, on a server and in the arena, and the same moves lead to the same states."""

from __future__ import annotations

import json
import random
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from servers import Server
from shared import GAMES

import kibitz
from kibitz._native import Plan, fingerprint
from kibitz.client import Client

# A match takes some hundred requests.
few = settings(max_examples=5)
seeds = st.integers(0, 2**64 - 1).map(str) | st.binary(min_size=32, max_size=32).map(bytes.hex)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that all these tests share."""
    started = Server(tmp_path_factory.mktemp("server"))
    yield started
    started.stop()


class MatchInBoth:
    """A match in Python, and the one with the same seed and options on a server, whose seats this program holds."""

    def __init__(self, server: Server, game: kibitz.Game, seats: int, seed: str) -> None:
        options = game.options_for(seats)
        self.here = game.deal(options=options, seed=seed)
        self.dealt = self.here.state()
        me: Any = {"kind": "me"}
        name: Any = game.name
        self.guest = Client(server.url)
        created = self.guest.matches.create(name, [me] * seats, options=options, seed=seed)
        self.id = created["id"]
        self.clients = [self.guest.with_token(seat["token"]) for seat in created["seats"]]

    def __enter__(self) -> MatchInBoth:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.guest.close()

    def assert_same_views(self) -> None:
        """Each seat has the same view and the same moves in both."""
        for seat, client in enumerate(self.clients):
            page, view = client.matches.get(self.id), self.here.view(seat)
            assert page["position"] == view.to_dict()
            assert page["legal_moves"] == [move.to_dict() for move in view.legal_moves()]
            assert (page["ply"], page["turn"]) == (self.here.ply, self.here.turn)

    def play(self, move: kibitz.MoveLike) -> None:
        """Plays the move in both."""
        assert self.here.turn is not None
        notation = self.here.view().check(move).notation
        self.clients[self.here.turn].matches.play(self.id, self.here.ply, notation=notation)
        self.here.play(move)
        self.assert_same_views()

    def assert_same_record(self) -> None:
        """The server's record has the seed, the whole dealt state, the moves and the result of the match in Python."""
        record: Any = self.clients[0].matches.record(self.id)
        created, ended = record["events"][0], record["events"][-1]
        moves = [(event["seat"], event["notation"]) for event in record["events"] if event["type"] == "moved"]
        assert (record["seed"], created["state"]) == (self.here.seed, self.dealt)
        assert moves == [(seat, move.notation) for seat, move in self.here.moves]
        assert self.here.outcome is not None
        assert ended["result"] == {key: self.here.outcome[key] for key in ended["result"]}
        assert kibitz.replay(record).state() == self.here.state()


@pytest.mark.parametrize("name", GAMES)
@few
@given(st.data(), seeds, st.randoms(use_true_random=False))
def test_server_plays_the_match_of_python(
    server: Server, name: str, data: st.DataObject, seed: str, chooser: random.Random
) -> None:
    game = kibitz.game(name)
    with MatchInBoth(server, game, data.draw(st.sampled_from(game.seat_counts)), seed) as both:
        both.assert_same_views()
        while not both.here.is_over:
            both.play(chooser.choice(both.here.legal_moves()))
        both.assert_same_record()


def records_of_arena(program: str, game: kibitz.Game, seats: int, seed: str, games: int) -> list[dict[str, Any]]:
    """The records in the file of `kibitz arena --json`."""
    players = [part for number in range(seats) for part in ("--player", f"p{number}=engine:nodes=1,level=easy")]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "games.json"
        command = [program, "arena", game.name, *players, "--games", str(games), "--seed", seed, "--moves"]
        command += ["--options", json.dumps(game.options_for(seats)), "--json", str(file)]
        subprocess.run(command, check=True, capture_output=True)
        lines = [json.loads(line) for line in file.read_text().splitlines()]
    return [line["record"] for line in lines if "record" in line]


@pytest.mark.parametrize("name", GAMES)
@few
@given(st.data(), seeds)
def test_python_and_server_play_the_match_of_the_arena(
    kibitz_program: str, server: Server, name: str, data: st.DataObject, seed: str
) -> None:
    game = kibitz.game(name)
    # The arena compares players: it needs two.
    seats = data.draw(st.sampled_from([seats for seats in game.seat_counts if seats > 1]))
    deal = data.draw(st.integers(0, 3))
    names = [f"p{number}" for number in range(seats)]
    plan = Plan(game, names, games=1, options=game.options_for(seats))
    games = plan.games_per_deal * (deal + 1)
    record = records_of_arena(kibitz_program, game, seats, seed, games)[-1]
    plan = Plan(game, names, games=games, seed=seed, options=game.options_for(seats))
    fixture = plan.fixture(record["game"])
    with MatchInBoth(server, game, seats, fixture["seed"]) as both:
        for notation in record.get("opening", []):
            both.play(notation)
        assert both.here.state_hash() == record["start_hash"]
        for notation in record["moves"]:
            both.play(notation)
        both.assert_same_record()
        assert both.here.outcome is not None
        ends = [both.here.outcome["ranks"], both.here.outcome["points"]]
    assert fingerprint([record["start_hash"], record["moves"], ends]) == record["match_hash"]
