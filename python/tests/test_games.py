"""Games, matches, views and moves."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from shared import GAMES, ROOT

import kibitz

RECORDS = sorted((ROOT / "server/src/matches/record/golden").glob("*.json"))


def played(name: str, plies: int | None = None, seed: int = 1) -> kibitz.Match:
    match = kibitz.game(name).deal(seed=seed)
    match.play_random(plies=plies, seed=seed)
    return match


def test_registry_has_the_five_games() -> None:
    assert GAMES == ["azul", "buraco", "ioiwari", "septica", "splendor"]
    assert repr(kibitz.game("azul")) == "Game('azul')"


def test_match_is_played_to_its_end(name: str) -> None:
    match = played(name)
    outcome = match.outcome
    assert match.is_over and match.turn is None and outcome is not None
    assert len(outcome["points"]) == len(outcome["ranks"]) == len(outcome["scores"]) == match.seats
    assert match.legal_moves() == []
    assert len(match.moves) == match.ply
    with pytest.raises(kibitz.Error) as refused:
        match.play(match.moves[-1][1])
    assert refused.value.code == "match_over"


def test_each_number_of_seats_can_be_dealt(name: str) -> None:
    game = kibitz.game(name)
    for seats in game.seat_counts:
        assert game.deal(seats=seats, seed=1).seats == seats
    with pytest.raises(kibitz.Error) as refused:
        game.deal(seats=max(game.seat_counts) + 1)
    assert refused.value.code == "bad_options"


def test_move_has_the_forms_of_the_api(name: str) -> None:
    match = kibitz.game(name).deal(seed=3)
    move = match.legal_moves()[0]
    forms = [move, move.notation, move.move, move.to_dict(), {"notation": move.notation}, {"move": move.move}]
    after = []
    for form in forms:
        fork = match.copy()
        fork.play(form)
        after.append(fork)
    assert all(fork == after[0] for fork in after)
    assert match.ply == 0 and match != after[0]
    assert str(move) == move.notation and move == kibitz.Move(name, move.notation)
    assert hash(move) == hash(match.game.read_move(move.to_dict()))


def test_view_is_the_position_of_the_api(name: str) -> None:
    match = played(name, plies=4)
    assert match.turn is not None
    view = match.view()
    assert view.viewer == view.turn == match.turn
    assert isinstance(view, Mapping)
    assert dict(view) == view.to_dict() == json.loads(view.to_json())
    assert match.game.view(view.to_dict()) == view
    assert view.legal_moves() == match.legal_moves()
    assert all(view.is_legal(move) for move in view.legal_moves())
    assert match.view(None).viewer is None and match.view(None).legal_moves() == []
    first = next(iter(view))
    assert first in view and view[first] == view.get(first) and len(view) == len(view.keys())
    assert view.get("no such field", 5) == 5


def test_view_hides_what_the_seat_may_not_know() -> None:
    match = kibitz.game("septica").deal(seed=1)
    text = match.view(0).to_json()
    # Two matches that differ in what seat 0 cannot see have the same view.
    assert match.view(0).guess(seed=2).view(0).to_json() == text
    assert match.view(0).guess(seed=2).state() != match.view(0).guess(seed=3).state()


def test_same_seed_deals_the_same(name: str) -> None:
    game = kibitz.game(name)
    seeds: list[Any] = [7, "7", (7).to_bytes(32, "little"), (7).to_bytes(32, "little").hex()]
    assert len({game.deal(seed=seed).state_hash() for seed in seeds}) == 1
    match = game.deal(seed=7)
    assert match.seed is not None and game.deal(seed=match.seed) == match


def test_copies_and_pickles_are_equal_and_go_their_own_way(name: str) -> None:
    match = played(name, plies=5)
    move = match.legal_moves()[0]
    copies = [match.copy(), copy.copy(match), copy.deepcopy(match), pickle.loads(pickle.dumps(match))]
    for other in copies:
        assert other == match and other.moves == match.moves and other.seed == match.seed
        other.play(move)
        assert other != match
    for value in (match.game, move, match.view(), match.view(None), played(name)):
        again = pickle.loads(pickle.dumps(value))
        assert again == value and type(again) is type(value)
    assert {match.game: 1}[kibitz.game(name)] == 1 and len({match.view(), match.view()}) == 1


def test_fouled_match_is_pickled_with_its_result(name: str) -> None:
    match = kibitz.game(name).deal(seed=2)
    match.foul("it sleeps")
    again = pickle.loads(pickle.dumps(match))
    assert again == match and again.outcome == match.outcome


def test_match_begins_with_state_or_position(name: str) -> None:
    match = played(name, plies=6)
    restored = match.game.restore(match.state())
    assert restored.state() == match.state() and restored.ply == 0 and restored.seed is None
    view = match.view()
    begun = match.game.from_position(view, seed=1)
    assert begun.view(view.viewer).to_dict() == view.to_dict()
    assert match.game.from_position(view.to_dict(), seed=1) == begun


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_record_of_the_server_leads_to_the_same_result(path: Path) -> None:
    record = json.loads(path.read_text())
    match = kibitz.replay(record)
    ended = record["events"][-1]
    moves = [event["notation"] for event in record["events"] if event["type"] == "moved"]
    assert [move.notation for _, move in kibitz.replay(record, plies=3).moves][:1] == moves[:1]
    if ended["how"] == "played":
        assert match.outcome is not None
        assert {key: match.outcome[key] for key in ("points", "ranks", "reason")} == ended["result"]


def test_changed_record_is_refused() -> None:
    record = json.loads(next(path for path in RECORDS if path.stem == "azul-played").read_text())
    other = "0" * 64
    changes: list[dict[str, Any]] = [{"seed": other}, {"game": "chess"}, {"events": []}]
    for change in changes:
        changed = {**record, **change}
        if "game" in change:
            changed["events"] = [{**record["events"][0], **change}, *record["events"][1:]]
        with pytest.raises(kibitz.Error) as refused:
            kibitz.replay(changed)
        assert refused.value.code in ("bad_record", "unknown_game")


def test_arena_deals_and_plays_the_same(name: str, kibitz_program: str, tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    players = ["--player", "A=engine:nodes=1,level=easy", "--player", "B=engine:nodes=1"]
    command = [kibitz_program, "arena", name, *players, "-n", "4", "--seed", "5", "--moves", "--json", str(file)]
    subprocess.run(command, check=True, capture_output=True)
    records = [json.loads(line)["record"] for line in file.read_text().splitlines() if '"record"' in line]
    plan = kibitz.games.Game(name)
    from kibitz._native import Plan, fingerprint

    fixtures = Plan(plan, ["A", "B"], games=4, seed=5)
    assert len(records) == 4
    for record in records:
        match, opening = fixtures.deal(record["game"])
        assert opening == record.get("opening", [])
        assert match.state_hash() == record["start_hash"]
        for notation in record["moves"]:
            match.play(notation)
        assert match.outcome is not None
        ends = [match.outcome["ranks"], match.outcome["points"]]
        assert fingerprint([record["start_hash"], record["moves"], ends]) == record["match_hash"]


def test_pictures_and_official_text(name: str) -> None:
    match = played(name, plies=2)
    view = match.view(None)
    svg, png, rgb = view.svg(), view.png(width=300), view.rgb(width=300)
    assert svg is not None and svg.startswith("<svg")
    assert png is not None and png.startswith(b"\x89PNG")
    assert rgb is not None and rgb.shape == (157, 300, 3) and rgb.any()
    start = match.game.deal(seed=1)
    for seat in match.game.info["bot_seats"]:
        if seat < start.seats:
            assert isinstance(start.official_text(seat), list)


def test_export_writes_the_formats_of_the_game(name: str) -> None:
    match = played(name)
    with pytest.raises(kibitz.Error) as refused:
        match.export("no such format")
    assert refused.value.code == "unknown_format"


def test_schemas_describe_options_views_and_moves(name: str) -> None:
    assert set(kibitz.game(name).schemas) == {"options", "view", "move"}
    assert kibitz.game(name).info["slug"] == name
    assert [engine["name"] for engine in kibitz.game(name).engines]
