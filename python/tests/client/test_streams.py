"""Streams and downloads that go on after a cut, on a real server behind a proxy."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import pytest
from servers import Proxy, Server

from kibitz.client import ApiError, AsyncClient, Client, RetryPolicy, Unreachable
from kibitz.client.request import LineSplitter
from kibitz.client.resume import EventResumption, StateResumption, closed

QUICK = RetryPolicy(attempts=8, shortest_s=0.01, longest_s=0.05)


def play_alone(client: Client, plies: int) -> str:
    """A match of one seat after some moves, which the caller resigns."""
    id = client.matches.create("splendor", [{"kind": "me"}])["id"]
    for _ in range(plies):
        page = client.matches.get(id)
        client.matches.play(id, page["ply"], notation=page["legal_moves"][0]["notation"])
    client.matches.resign(id)
    return id


def numbered(frames: list[Any]) -> list[int]:
    """The numbers of the events, without the page."""
    return [frame["seq"] for frame in frames if frame["type"] != "match" and "seq" in frame]


def test_stream_repeats_a_match_that_is_over(player: Client) -> None:
    id = play_alone(player, 3)
    frames = list(player.matches.follow(id, since=0))
    assert frames[0]["type"] == "match" and frames[-1]["type"] == "ended"
    assert numbered(frames) == list(range(1, frames[-1]["seq"] + 1))
    assert [frame["type"] for frame in player.matches.follow(id)] == ["match"]
    assert numbered(list(player.matches.follow(id, since=frames[-1]["seq"]))) == []


def test_cut_streams_lose_and_repeat_no_event(player: Client, proxy: Proxy) -> None:
    id = player.matches.create("splendor", [{"kind": "me"}])["id"]
    frames: list[Any] = []

    def follow() -> None:
        with Client(proxy.url, token=player._core.token, retry=QUICK) as client:
            frames.extend(client.matches.follow(id))

    follower = threading.Thread(target=follow)
    follower.start()
    # A follower that comes after the end sees a page and no event.
    while not frames:
        time.sleep(0.01)
    cuts = 0
    for _ in range(12):
        page = player.matches.get(id)
        player.matches.play(id, page["ply"], notation=page["legal_moves"][0]["notation"])
        cuts += proxy.cut()
    player.matches.resign(id)
    follower.join(60)
    assert not follower.is_alive() and cuts > 0
    events = numbered(frames)
    assert events == list(range(events[0], events[0] + len(events)))
    assert events[0] == frames[0]["seq"] + 1 and frames[-1]["type"] == "ended"
    assert sum(frame["type"] == "match" for frame in frames) == 1


def test_asynchronous_stream_goes_on_after_cuts(player: Client, proxy: Proxy) -> None:
    id = play_alone(player, 6)
    whole = numbered(list(player.matches.follow(id, since=0)))

    async def work() -> list[Any]:
        async with AsyncClient(proxy.url, token=player._core.token, retry=QUICK) as client:
            frames = []
            async for frame in client.matches.follow(id, since=0):
                frames.append(frame)
                # Each connection ends early, until one is left alone.
                if len(frames) % 4 == 0:
                    proxy.cut()
            return frames

    assert numbered(asyncio.run(work())) == whole


def test_stream_goes_on_after_a_restart_of_the_server(own_server: Server) -> None:
    with Client(own_server.url) as guest:
        player = guest.with_token(guest.players.create("ana")["token"])
        id = player.matches.create("splendor", [{"kind": "me"}])["id"]
        frames = player.matches.follow(id)
        seen = [next(frames)]
        for round in range(2):
            page = player.matches.get(id)
            player.matches.play(id, page["ply"], notation=page["legal_moves"][0]["notation"])
            seen.append(next(frames))
            if round == 0:
                own_server.kill()
                own_server.start()
        player.matches.resign(id)
        seen += frames
    events = numbered(seen)
    assert events == list(range(events[0], events[0] + len(events))) and seen[-1]["type"] == "ended"


def test_download_goes_on_after_cuts(player: Client, proxy: Proxy) -> None:
    name = player.me.get()["name"]
    ids = [play_alone(player, 4) for _ in range(60)]
    whole = list(player.players.records(name))
    assert [record["id"] for record in whole] == ids
    with Client(proxy.url, retry=QUICK) as client:
        # Each connection brings some records, compressed, and breaks off.
        proxy.cut_after = 9_000
        cut = list(client.players.records(name, game="splendor"))
    assert cut == whole and proxy.cuts > 0


def test_records_of_a_game_and_a_month(player: Client) -> None:
    id = play_alone(player, 2)
    month = time.strftime("%Y-%m", time.gmtime())
    records = list(player.games.records("splendor", month))
    assert id in [record["id"] for record in records]
    assert player.matches.record(id) in records
    assert list(player.games.records("splendor", month, after=id)) == []
    assert player.matches.verify(id)["true"]


def test_follower_of_an_account_gets_the_state_again(player: Client, proxy: Proxy) -> None:
    id = player.matches.create("splendor", [{"kind": "me"}])["id"]
    with Client(proxy.url, token=player._core.token, retry=QUICK) as client:
        events = client.me.follow()
        first = [next(events), next(events)]
        assert [event["type"] for event in first] == ["match", "ready"]
        proxy.cut()
        again: Any = next(events)
        assert (again["type"], again["id"]) == ("match", id)
        events.close()


def test_lobby_is_followed(guest: Client) -> None:
    states = guest.lobby.follow()
    assert "waiting" in next(states)
    states.close()


def test_refused_stream_raises(guest: Client) -> None:
    with pytest.raises(ApiError, match="no_such_match"):
        list(guest.matches.follow("nonsense"))


def test_stream_gives_up_after_all_attempts(player: Client, proxy: Proxy) -> None:
    id = player.matches.create("splendor", [{"kind": "me"}])["id"]
    with Client(proxy.url, token=player._core.token, retry=QUICK) as client:
        frames = client.matches.follow(id)
        next(frames)
        proxy.close()
        with pytest.raises(Unreachable):
            list(frames)


def test_tournament_is_followed_and_downloaded(player: Client, proxy: Proxy) -> None:
    made = player.tournaments.create(
        {"title": "Cup", "game": "ioiwari", "format": {"kind": "round_robin"}, "clock": {"initial_ms": 60_000}}
    )
    id = made["id"]
    for level in ("easy", "max"):
        player.tournaments.enter(id, name=f"ioiwari:random:1:{level}")
    assert player.tournaments.start(id)["stage"] != "registration"
    frames: list[Any] = list(player.tournaments.follow(id, since=0))
    assert frames[0]["id"] == id and frames[-1]["type"] == "ended"
    assert [frame["seq"] for frame in frames[1:]] == list(range(1, len(frames)))
    records = list(player.tournaments.records(id))
    assert records and len(records) == len(player.tournaments.get(id)["games"])
    with Client(proxy.url, retry=QUICK) as client:
        proxy.swallow = lambda request: b"/records" in request and proxy.cuts < 1
        assert list(client.tournaments.records(id)) == records
    assert player.tournaments.standings_csv(id).count("\n") == 3
    assert id in [entry["id"] for entry in player.tournaments.list(game="ioiwari")]


def test_lines_are_put_together_from_parts() -> None:
    splitter = LineSplitter()
    parts = [b"ab", b"c\nd", b"", b"\n\ne\nf"]
    assert [line for part in parts for line in splitter.lines(part)] == [b"abc", b"d", b"", b"e"]


def test_end_of_a_stream_tells_whether_more_must_come() -> None:
    stream = EventResumption(None, frozenset({"ended"}), frozenset({"over"}))
    stream.begins()
    assert stream.is_new({"type": "match", "stage": "running", "seq": 4})
    assert not stream.is_new({"type": "moved", "seq": 4}) and stream.is_new({"type": "moved", "seq": 5})
    assert stream.is_new({"type": "clock"})
    with pytest.raises(Unreachable):
        stream.ends()
    with pytest.raises(Unreachable, match="too_slow"):
        stream.is_new({"type": "closed", "code": "too_slow", "detail": "too slow"})
    assert stream.parameters().headers == {"last-event-id": "5"}
    stream.begins()
    stream.ends()
    assert stream.over
    with pytest.raises(Unreachable):
        StateResumption().ends()
    lost = closed({"code": "bad_token", "detail": "the token was revoked"})
    assert isinstance(lost, ApiError) and (lost.code, lost.status) == ("bad_token", 401)
