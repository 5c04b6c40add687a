"""Requests and refusals, on a real server."""

from __future__ import annotations

import asyncio
import logging
import pickle
import secrets
import time
from typing import Any

import pytest
from servers import Proxy, Server, free_port

from kibitz.client import (
    ApiError,
    AsyncClient,
    Client,
    NotFound,
    RetryPolicy,
    StalePly,
    Unreachable,
    operations,
)
from kibitz.errors import Error

QUICK = RetryPolicy(attempts=4, shortest_s=0.01, longest_s=0.05)


def test_games_answer_with_their_positions_and_moves(guest: Client) -> None:
    for game in guest.games.list():
        slug = game["slug"]
        position = guest.games.position(slug, seed=7, plies=3)["position"]
        legal = guest.games.legal_moves(slug, position, notations=["nonsense"])
        assert [checked["legal"] for checked in legal["checked"]] == [False]
        notation = legal["moves"][0]["notation"]
        assert guest.games.next_position(slug, position, notation, seed=1)["position"] != position
        answer = guest.moves.request(slug, position, think_ms=5, deadline_ms=60_000, candidates=2)
        assert answer["notation"] in [move["notation"] for move in legal["moves"]]
    assert guest.games.get("azul")["title"] == "Azul"


def test_searches_and_dialogues_stream_and_answer(guest: Client) -> None:
    position = guest.games.position("ioiwari", seed=1)["position"]
    frames = list(guest.moves.analyse("ioiwari", position, think_ms=50, deadline_ms=60_000, candidates=2))
    assert frames[-1]["type"] == "done"
    assert len(guest.moves.dialogue("ioiwari", "4 3 2 4 2 3 2", think_ms=5)["lines"]) == 1
    assert guest.games.official_position("ioiwari", "4 3 2 4 2 3 2")["seat"] == 0
    assert guest.games.read_file("ioiwari", "< 4 3 2 4 2 3 2\n> 3\n")["turns"][0]["seat"] == 0


def test_refusals_are_exceptions_with_the_stable_code(guest: Client) -> None:
    with pytest.raises(NotFound) as missing:
        guest.matches.get("nonsense")
    error = missing.value
    assert (error.code, error.status) == ("no_such_match", 404)
    assert error.detail and error.title and error.request_id
    assert isinstance(error, Error)
    assert pickle.loads(pickle.dumps(error)).problem == error.problem
    with pytest.raises(ApiError, match="token_needed"):
        guest.me.get()
    with pytest.raises(ApiError) as wrong:
        guest.with_token("kbp_wrong").me.get()
    assert wrong.value.code == "bad_token"


def test_move_is_safe_to_repeat_and_a_late_one_carries_the_match(player: Client) -> None:
    made = player.matches.create("splendor", [{"kind": "me"}])
    page = player.matches.get(made["id"])
    move = page["legal_moves"][0]["notation"]
    first = player.matches.play(made["id"], 0, notation=move)
    assert player.matches.play(made["id"], 0, notation=move) == first
    with pytest.raises(StalePly) as late:
        player.matches.play(made["id"], 0, notation="nonsense")
    now = late.value.match
    assert now is not None and now["ply"] == 1
    with pytest.raises(ApiError) as illegal:
        player.matches.play(made["id"], 1, notation="nonsense")
    assert illegal.value.status == 422


def test_idempotency_key_creates_one_match(guest: Client) -> None:
    key = secrets.token_urlsafe(24)
    made = [guest.matches.create("azul", [{"kind": "me"}, {"kind": "open"}], idempotency_key=key) for _ in range(2)]
    assert made[0] == made[1]


def test_lost_answer_of_a_creation_creates_one_match(player: Client, proxy: Proxy) -> None:
    with Client(proxy.url, token=player._core.token, retry=QUICK) as client:
        client.me.get()
        proxy.swallow = lambda request: request.startswith(b"POST /v1/matches ") and proxy.cuts < 2
        made = client.matches.create("azul", [{"kind": "me"}, {"kind": "open"}])
    assert proxy.cuts == 2
    assert [match["id"] for match in player.me.matches()] == [made["id"]]


def test_lost_answer_of_a_move_plays_it_once(player: Client, proxy: Proxy) -> None:
    made = player.matches.create("splendor", [{"kind": "me"}])
    move = player.matches.get(made["id"])["legal_moves"][0]["notation"]
    with Client(proxy.url, token=player._core.token, retry=QUICK) as client:
        proxy.swallow = lambda request: b"/moves " in request and proxy.cuts < 2
        event = client.matches.play(made["id"], 0, notation=move)
    assert proxy.cuts == 2
    assert event["type"] == "moved" and event["ply"] == 0
    assert player.matches.get(made["id"])["ply"] == 1


def test_request_without_a_key_is_not_repeated(player: Client, proxy: Proxy) -> None:
    made = player.matches.create("splendor", [{"kind": "me"}])
    with Client(proxy.url, token=player._core.token, retry=QUICK) as client:
        proxy.swallow = lambda request: b"/chat " in request
        with pytest.raises(Unreachable):
            client.matches.say(made["id"], phrase="hello")
    assert proxy.cuts == 1
    assert len(player.matches.chat(made["id"])["messages"]) == 1


def test_server_that_is_away_is_unreachable_after_all_attempts(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "kibitz.client"), pytest.raises(Unreachable) as error:
        with Client(f"http://127.0.0.1:{free_port()}", retry=QUICK) as client:
            client.games.list()
    assert error.value.code == "unreachable" and not error.value.permanent
    assert [record.getMessage().rpartition("; ")[2] for record in caplog.records] == [
        "attempt 2 follows",
        "attempt 3 follows",
    ]


@pytest.mark.parametrize("address", ["127.0.0.1:8080", "ftp://h", "http://", "http://h?x=1"])
def test_wrong_address_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"http://127\.0\.0\.1:8080"):
        Client(address)


def test_lists_have_all_entries_of_all_pages(player: Client) -> None:
    made = [player.matches.create("azul", [{"kind": "me"}, {"kind": "open"}])["id"] for _ in range(7)]
    assert [match["id"] for match in player.me.matches(page_size=3)] == made[::-1]
    name = player.me.get()["name"]
    assert [match["id"] for match in player.players.matches(name, stage="open", page_size=2)] == made[::-1]


def test_account_bots_tokens_and_blocks(player: Client, guest: Client) -> None:
    bot = player.me.create_bot(f"b{secrets.token_hex(5)}", about={"version": "1.0"})
    assert [own["name"] for own in player.me.bots()] == [bot["name"]]
    player.me.describe_bot(bot["name"], {"version": "1.1"})
    about = guest.players.get(bot["name"])["about"]
    assert about is not None and about["version"] == "1.1"
    token = player.me.create_token("shim", f"bot:{bot['name']}", lifetime_ms=60_000)
    assert guest.with_token(token["token"]).me.get()["name"] == bot["name"]
    player.me.revoke_token(token["id"])
    assert player.me.tokens() == []
    other = guest.players.create(f"o{secrets.token_hex(5)}")["name"]
    player.me.block(other)
    assert player.me.blocks() == [other]
    player.me.unblock(other)
    assert list(player.players.faults(bot["name"])) == []
    player.me.delete_bot(bot["name"])
    rotated = player.me.rotate_token()
    guest.with_token(rotated["token"]).me.delete()


def test_programs_of_a_hosted_bot(player: Client) -> None:
    bot = player.me.create_bot(f"b{secrets.token_hex(5)}")["name"]
    with pytest.raises(ApiError, match="bad_module"):
        player.me.upload_program(bot, "ioiwari", b"nonsense")
    # A module that can do nothing: it fails its check.
    module = b"\0asm\x01\0\0\0"
    number = player.me.upload_program(bot, "ioiwari", module, note="first")["number"]
    while player.me.program(bot, number)["state"] == "checking":
        time.sleep(0.05)
    assert player.me.change_program(bot, number, {"note": "empty", "published": True})["note"] == "empty"
    assert player.me.program_module(bot, number) == module == player.players.program(bot, number)
    assert [program["number"] for program in player.me.programs(bot)["programs"]] == [number]
    assert len(player.players.programs(bot)) == 1
    player.me.delete_program(bot, number)


def test_saved_games_are_texts(guest: Client) -> None:
    formats = [(game["slug"], one["name"]) for game in guest.games.list() for one in game["formats"]]
    assert formats
    for slug, name in formats:
        engine: Any = {"kind": "engine", "level": "easy", "think_ms": 5}
        id = guest.matches.create(slug, [engine, engine])["id"]
        assert list(guest.matches.follow(id))
        assert isinstance(guest.matches.saved_game(id, name), str)


def test_challenges_make_matches(player: Client, guest: Client) -> None:
    other = guest.with_token(guest.players.create(f"o{secrets.token_hex(5)}")["token"])
    name = other.me.get()["name"]
    declined = player.players.challenge(name, "ioiwari", clock={"initial_ms": 60_000})
    assert other.lobby.decline(declined["id"], reason="later")["reason"] == "later"
    other.lobby.delete_reason(declined["id"])
    withdrawn = player.players.challenge(name, "ioiwari")
    assert player.lobby.withdraw(withdrawn["id"])["stage"] == "withdrawn"
    accepted = player.players.challenge(name, "ioiwari", seat=0)
    # The server's picture of the lobby follows a moment later.
    while [one["id"] for one in other.me.challenges()] != [accepted["id"]]:
        time.sleep(0.02)
    match = other.lobby.accept(accepted["id"])["match"]
    assert match is not None and player.matches.get(match)["stage"] == "running"
    assert player.lobby.pair("ioiwari", opponents=["person"], stay_ms=1) is None
    assert isinstance(guest.lobby.get()["bots"], list)


def test_generic_call_reaches_operations_without_a_method(guest: Client) -> None:
    assert guest.call(operations.CHECK_HEALTH).strip() == "ok"
    assert guest.call(operations.DRAW_QR, body={"text": "https://example.org"})["rows"]


def test_asynchronous_client_answers_alike(server: Server) -> None:
    async def work() -> None:
        async with AsyncClient(server.url) as client:
            games = await asyncio.gather(*(client.games.get(game["slug"]) for game in await client.games.list()))
            assert len(games) == 5
            made = await client.matches.create("ioiwari", [{"kind": "me", "name": "Ana"}, {"kind": "open"}])
            token = made["seats"][0]["token"]
            seat = client.with_token(token)
            assert (await seat.matches.get(made["id"]))["you"] == 0
            with pytest.raises(NotFound):
                await client.matches.get("nonsense")
            assert (await seat.matches.cancel(made["id"]))["type"] == "ended"

    asyncio.run(work())
