"""Checks the real answers of every operation, and the requests that the documentation shows, against the document. The
server's address is in KIBITZ_URL; the files of documentation are the arguments."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from html import unescape
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx

from document import Document
from soft_passkey import SoftPasskey

URL = os.environ["KIBITZ_URL"]

# These open a WebSocket: there is no answer to check.
WEBSOCKETS = {"openDialogue", "openSeatDialogue", "followMatchByWebSocket", "openControlConnection"}
# Streams without an end, whose answers cannot be read as a whole.
ENDLESS = {"followLobby", "followMe"}


def games(http: httpx.Client) -> None:
    """What can be asked about games and positions."""
    for game in http.get("/v1/games").json()["games"]:
        path = f"/v1/games/{game['slug']}"
        http.get(path)
        position = http.post(f"{path}/positions", json={"seed": 7, "plies": 3}).json()["position"]
        http.post(f"{path}/positions")
        legal = http.post(f"{path}/legal-moves", json={"position": position, "notations": ["nonsense"]}).json()["moves"]
        http.post(f"{path}/next-position", json={"position": position, "notation": legal[0]["notation"]}).raise_for_status()
        asked = {"position": position, "think_ms": 20, "deadline_ms": 60_000, "candidates": 3, "level": "hard", "seed": "f" * 64}
        http.post(f"{path}/move", json=asked).raise_for_status()
        # Without ranked moves and with them; the stream ends with the answer.
        http.post(f"{path}/analysis", json=asked).raise_for_status()
        events = http.post(f"{path}/analysis", json=asked, headers={"accept": "text/event-stream"})
        assert "event: done" in events.text, events.text
    text = {"content-type": "text/plain"}
    http.post("/v1/games/ioiwari/move?think_ms=20&deadline_ms=60000&level=easy", content="4 3 2 4 2 3 2\n", headers=text).raise_for_status()
    http.post("/v1/games/ioiwari/dialogue", json={"text": "4 3 2 4 2 3 2", "think_ms": 20}).raise_for_status()
    http.post("/v1/games/ioiwari/official-position", json={"text": "4 3 2 4 2 3 2"}).raise_for_status()
    text = {"content-type": "text/plain"}
    shown = http.post("/v1/games/ioiwari/files", content="< 4 3 2 4 2 3 2\n> 3\n", headers=text).raise_for_status().json()
    assert shown["turns"][0]["played"]["notation"] == "3", shown
    assert http.post("/v1/games/ioiwari/files", content="nonsense", headers=text).status_code == 422
    for path in ["/v1/games/chess", "/v1/games/ioiwari/stdio"]:
        assert http.get(path).is_client_error
    assert http.post("/v1/games/ioiwari/move", json={"position": {}}).status_code == 422


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"}


def matches(http: httpx.Client) -> None:
    """A match with clocks from its creation to its record, and others that end otherwise."""
    player = http.post("/v1/players", json={"name": "answers"}).raise_for_status().json()
    me = bearer(player["token"])
    order: dict[str, Any] = {"game": "ioiwari", "seats": [{"kind": "me", "name": "Ana"}, {"kind": "open"}]}
    order |= {"clock": {"initial_ms": 600000, "increment_ms": 1000}, "options": {"pits": [4, 3, 2, 4, 2, 3, 2]}}
    made = http.post("/v1/matches", json=order, headers={"idempotency-key": os.urandom(16).hex()}).json()
    path, seat = made["url"], bearer(made["seats"][0]["token"])
    http.get(path)
    http.post(f"{path}/join", headers=me).raise_for_status()
    page = http.get(path, headers=seat).raise_for_status().json()
    assert page["stage"] == "running" and page["clock"]["left_ms"], page
    move = {"notation": page["legal_moves"][0]["notation"]}
    http.post(f"{path}/moves", json=move, headers=seat | {"if-match": '"0"'}).raise_for_status()
    assert http.post(f"{path}/moves", json=move | {"ply": 0}, headers=me).status_code in (409, 412)
    http.post(f"{path}/resign", headers=seat).raise_for_status()
    over = http.get(path).json()
    assert over["stage"] == "over" and over["result"], over
    for kind in ["application/x-ndjson", "text/event-stream"]:
        http.get(f"{path}/events?since=0", headers={"accept": kind}).raise_for_status()
    last = {"last-event-id": str(over["seq"])}
    assert http.get(f"{path}/events", headers=last).status_code == 204
    http.get(f"{path}/record").raise_for_status()
    http.get(f"{path}/record/verify").raise_for_status()
    http.get(f"{path}/ratings").raise_for_status()
    assert http.get(f"{path}/analysis").raise_for_status().json() == {"stage": "none"}
    http.post(f"{path}/analysis").raise_for_status()
    while http.get(f"{path}/analysis").raise_for_status().json()["stage"] == "pending":
        time.sleep(0.1)
    http.delete(f"{path}/analysis").raise_for_status()
    http.post(f"{path}/rematch", headers=seat).raise_for_status()

    private = http.post("/v1/matches", json=order | {"private": True}).json()
    assert http.get(private["url"]).status_code == 404
    key = {"match-key": private["key"]}
    http.get(private["url"], headers=key).raise_for_status()
    guest = http.post(f"{private['url']}/join", json={"name": "Bogdan"}, headers=key).json()
    http.post(f"{private['url']}/abort", headers=bearer(guest["seats"][0]["token"])).raise_for_status()
    seats = [{"kind": "me"}, {"kind": "open"}]
    left = http.post("/v1/matches", json={"game": "ioiwari", "seats": seats}, headers=me).json()
    http.post(f"{left['url']}/leave", headers=me).raise_for_status()

    http.get("/v1/matches?game=ioiwari&limit=2").raise_for_status()
    http.get("/v1/players/answers/matches?stage=over").raise_for_status()
    http.get("/v1/players/answers").raise_for_status()
    http.get("/v1/me", headers=me).raise_for_status()
    assert http.get("/v1/me").status_code == 401


def accounts(http: httpx.Client) -> None:
    """What players do with their accounts, and makers with their matches."""
    player = http.post("/v1/players", json={"name": "Ștefan"}).raise_for_status().json()
    rotated = http.post("/v1/me/token", headers=bearer(player["token"])).raise_for_status().json()
    assert http.get("/v1/me", headers=bearer(player["token"])).status_code == 401
    me = bearer(rotated["token"])
    order = {"game": "ioiwari", "seats": [{"kind": "me"}, {"kind": "open"}], "private": True}
    made = http.post("/v1/matches", json=order, headers=me).raise_for_status().json()
    path, key = made["url"], {"match-key": made["key"]}
    assert len(http.get("/v1/me/matches?private=true", headers=me).raise_for_status().json()["matches"]) == 1
    # Three seats, so that the match does not begin when a guest takes the second.
    order["seats"] = [{"kind": "me"}, {"kind": "open"}, {"kind": "open"}]
    three = http.post("/v1/matches", json=order | {"game": "splendor"}, headers=me).raise_for_status().json()
    guest = {"match-key": three["key"]}
    http.post(f"{three['url']}/join", json={"name": "Bogdan"}, headers=guest).raise_for_status()
    http.post(f"{three['url']}/seats/1/remove", headers=me).raise_for_status()
    http.post(f"{path}/cancel", headers=me | key).raise_for_status()
    http.delete("/v1/me", headers=me).raise_for_status()
    assert http.get("/v1/me", headers=me).status_code == 401


def sign_ins(http: httpx.Client) -> None:
    """Passkeys, recovery codes, and signing in with them."""
    token = http.post("/v1/players", json={"name": "Ilinca"}).raise_for_status().json()["token"]
    me = bearer(token)
    begun = http.post("/v1/me/passkeys/options", headers=me).raise_for_status().json()
    passkey = SoftPasskey(begun["options"])
    new = {"name": "phone", "ceremony": begun["ceremony"], "credential": passkey.made}
    made = http.post("/v1/me/passkeys", json=new, headers=me).raise_for_status().json()
    codes = http.post("/v1/me/recovery-codes", headers=me).raise_for_status().json()["codes"]
    begun = http.post("/v1/sign-in/passkey/options").raise_for_status().json()
    shown = {"name": "browser", "ceremony": begun["ceremony"], "credential": passkey.answer(begun["options"])}
    by_passkey = http.post("/v1/sign-in/passkey", json=shown).raise_for_status().json()
    assert http.post("/v1/sign-in/passkey", json=shown).status_code == 403, "an answer counts once"
    by_code = http.post("/v1/sign-in/recovery-code", json={"name": "browser", "code": codes[0]}).raise_for_status().json()
    assert http.post("/v1/sign-in/recovery-code", json={"name": "browser", "code": codes[0]}).status_code == 403
    by_token = http.post("/v1/sign-in/token", json={"name": "browser", "token": token}).raise_for_status().json()
    assert http.post("/v1/sign-in/token", json={"name": "browser", "token": token[:-1]}).status_code == 403
    for signed_in in [by_passkey, by_code, by_token]:
        assert http.get("/v1/me", headers=bearer(signed_in["token"])).raise_for_status().json()["name"] == "Ilinca"
    path = f"/v1/me/passkeys/{made['id']}"
    http.put(path, json={"name": "old phone"}, headers=me).raise_for_status()
    assert len(http.get("/v1/me/passkeys", headers=me).raise_for_status().json()["passkeys"]) == 1
    http.delete(path, headers=me).raise_for_status()


class PushService(BaseHTTPRequestHandler):
    """A push service that takes all messages."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(201)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


def notifications(http: httpx.Client) -> None:
    """The browsers in which a player is notified."""
    service = HTTPServer(("127.0.0.1", 0), PushService)
    Thread(target=service.serve_forever, daemon=True).start()
    me = bearer(http.post("/v1/players", json={"name": "Nicu"}).raise_for_status().json()["token"])
    keys = {
        "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        "auth": "BTBZMqHH6r4Tts7J_aSIgg",
    }
    browser = {"name": "browser", "endpoint": f"http://127.0.0.1:{service.server_port}/1", "keys": keys, "kinds": ["turn"]}
    made = http.post("/v1/me/push-subscriptions", json=browser, headers=me).raise_for_status().json()
    nonsense = browser | {"endpoint": "nonsense"}
    assert http.post("/v1/me/push-subscriptions", json=nonsense, headers=me).status_code == 422
    path = f"/v1/me/push-subscriptions/{made['id']}"
    http.put(path, json={"kinds": ["challenge", "reminder"]}, headers=me).raise_for_status()
    listed = http.get("/v1/me/push-subscriptions", headers=me).raise_for_status().json()
    assert len(listed["public_key"]) == 87 and listed["subscriptions"][0]["kinds"] == ["reminder", "challenge"], listed
    http.post(f"{path}/test", headers=me).raise_for_status()
    assert http.post(f"{path}/test", headers=me).json()["code"] == "too_many"
    before = {"endpoint": browser["endpoint"], "keys": keys}
    after = {"endpoint": f"http://127.0.0.1:{service.server_port}/2", "keys": keys}
    http.post("/v1/push-subscriptions/renew", json={"from": before, "to": after}).raise_for_status()
    guess = before | {"keys": keys | {"auth": "AAAAAAAAAAAAAAAAAAAAAA"}}
    renewed = http.post("/v1/push-subscriptions/renew", json={"from": guess, "to": before})
    assert renewed.json()["code"] == "no_such_subscription"
    http.delete(path, headers=me).raise_for_status()
    assert http.delete(path, headers=me).json()["code"] == "no_such_subscription"
    service.shutdown()


def vacation(http: httpx.Client) -> None:
    """The vacation of a player."""
    me = bearer(http.post("/v1/players", json={"name": "Vera"}).raise_for_status().json()["token"])
    free = http.get("/v1/me/vacation", headers=me).raise_for_status().json()
    assert free["until_ms"] is None and free["days_per_year"] == 30, free
    taken = http.put("/v1/me/vacation", json={"until_ms": free["latest_ms"]}, headers=me).raise_for_status().json()
    assert http.put("/v1/me/vacation", json={"until_ms": 0}, headers=me).json()["code"] == "bad_field"
    shown = http.get("/v1/players/Vera").raise_for_status().json()
    assert shown["vacation_until_ms"] == taken["until_ms"] == free["latest_ms"], shown
    assert http.get("/v1/me/matches?days=true", headers=me).raise_for_status().json()["matches"] == []
    http.delete("/v1/me/vacation", headers=me).raise_for_status()


def programs(http: httpx.Client, ann: dict[str, str]) -> None:
    """The programs of ann's bot robo."""
    path, kind = "/v1/me/bots/robo/programs", {"content-type": "application/wasm"}
    # A module that can do nothing: it fails its check.
    module = b"\0asm\x01\0\0\0"
    refused = http.put(f"{path}?game=ioiwari", content=b"nonsense", headers=ann | kind)
    assert refused.status_code == 422 and refused.json()["code"] == "bad_module", refused.text
    made = http.put(f"{path}?game=ioiwari&note=first", content=module, headers=ann | kind)
    assert made.status_code == 201 and made.json()["note"] == "first", made.text
    assert http.put(f"{path}?game=ioiwari", content=module, headers=ann | kind).status_code == 200
    one = f"{path}/{made.json()['number']}"
    while (program := http.get(one, headers=ann).raise_for_status().json())["state"] == "checking":
        time.sleep(0.1)
    assert program["state"] == "refused" and not program["report"]["passed"], program
    assert http.get(f"{one}?format=text", headers=ann).raise_for_status().text.startswith("refused")
    assert http.patch(one, json={"state": "active"}, headers=ann).status_code == 409
    http.patch(one, json={"note": "empty", "published": True}, headers=ann).raise_for_status()
    assert http.get(f"{one}/module", headers=ann).raise_for_status().content == module
    assert http.get("/v1/players/robo/programs/1/module").raise_for_status().content == module
    assert len(http.get("/v1/players/robo/programs").raise_for_status().json()["programs"]) == 1
    assert len(http.get(path, headers=ann).raise_for_status().json()["programs"]) == 1
    policy = http.get("/v1/me/bots/robo/policy", headers=ann).raise_for_status().json()
    http.put("/v1/me/bots/robo/policy", json=policy | {"concurrent": 3}, headers=ann).raise_for_status()
    admin = bearer(Path(os.environ["KIBITZ_ADMIN_TOKEN_FILE"]).read_text().strip())
    ban = f"/v1/admin/programs/{program['hash']}/ban"
    http.put(ban, json={"reason": "it is empty"}, headers=admin).raise_for_status()
    assert http.get("/v1/admin/programs", headers=admin).raise_for_status().json()["disabled"]
    http.delete(ban, headers=admin).raise_for_status()
    http.delete(one, headers=ann).raise_for_status()


def puzzles(http: httpx.Client, ann: dict[str, str]) -> None:
    """Puzzles from a match of random moves, and a player's first try."""
    engine = {"kind": "engine", "engine": "random"}
    daily = "/v1/puzzles/daily?game=ioiwari"
    while (answer := http.get(daily)).status_code == 404:
        path = http.post("/v1/matches", json={"game": "ioiwari", "seats": [engine, engine]}).raise_for_status().json()["url"]
        http.get(f"{path}/events?since=0", headers={"accept": "application/x-ndjson"}).raise_for_status()
        http.post(f"{path}/analysis").raise_for_status()
        while http.get(f"{path}/analysis").raise_for_status().json()["stage"] == "pending":
            time.sleep(0.05)
    puzzle = answer.raise_for_status().json()
    http.get("/v1/puzzles/next?game=ioiwari", headers=ann).raise_for_status()
    one = f"/v1/puzzles/{puzzle['id']}"
    http.get(one).raise_for_status()
    notation = {"notation": puzzle["moves"][0]["notation"]}
    assert http.post(f"{one}/tries", json=notation, headers=ann).raise_for_status().json()["counted"]
    assert http.post(f"{one}/tries", json={"move": puzzle["moves"][0]["move"]}).raise_for_status().json()["counted"] is None
    assert http.get(one, headers=ann).raise_for_status().json()["solver"]["tried"]


def club(http: httpx.Client) -> None:
    """What players do with bots, challenges and tournaments, and what they say to each other."""
    people = [http.post("/v1/players", json={"name": name}).raise_for_status().json() for name in ["ann", "ben"]]
    ann, ben = (bearer(person["token"]) for person in people)
    http.put("/v1/me/about", json={"description": "plays"}, headers=ann).raise_for_status()
    http.post("/v1/qr", json={"text": "https://example.org"}).raise_for_status()
    http.post("/v1/me/bots", json={"name": "robo"}, headers=ann).raise_for_status()
    assert http.get("/v1/me/bots", headers=ann).raise_for_status().json()["bots"]
    http.put("/v1/me/bots/robo/about", json={"version": "1"}, headers=ann).raise_for_status()
    assert http.get("/v1/me/bots/robo/checks", headers=ann).raise_for_status().json()["checks"] == []
    programs(http, ann)
    assert http.get("/v1/players/robo/faults?limit=5", headers=ann).raise_for_status().json()["all"]
    assert "no faults" in http.get("/v1/players/robo/faults?format=text").raise_for_status().text
    wanted = {"name": "shim", "scope": "bot:robo", "lifetime_ms": 60000}
    token = http.post("/v1/me/tokens", json=wanted, headers=ann).raise_for_status().json()
    assert http.get("/v1/me", headers=bearer(token["token"])).raise_for_status().json()["name"] == "robo"
    assert len(http.get("/v1/me/tokens", headers=ann).raise_for_status().json()["tokens"]) == 1
    refused = http.post("/v1/me/tokens", json=wanted, headers=bearer(token["token"]))
    assert refused.status_code == 403 and refused.json()["code"] == "manage_scope_needed"
    http.delete(f"/v1/me/tokens/{token['id']}", headers=ann).raise_for_status()
    http.post("/v1/me/bots/robo/token", headers=ann).raise_for_status()
    http.delete("/v1/me/bots/robo/token", headers=ann).raise_for_status()
    http.delete("/v1/me/bots/robo", headers=ann).raise_for_status()
    for path in ["/v1/bots", "/v1/lobby", "/v1/games/ioiwari/leaderboard"]:
        http.get(path).raise_for_status()

    http.put("/v1/me/blocks/ben", headers=ann).raise_for_status()
    assert http.get("/v1/me/blocks", headers=ann).raise_for_status().json()["blocked"] == ["ben"]
    http.delete("/v1/me/blocks/ben", headers=ann).raise_for_status()

    terms = {"game": "ioiwari", "clock": {"initial_ms": 600000}, "rated": True, "seat": 0}
    ends = [(ben, "decline"), (ann, "withdraw"), (ben, "accept")]
    for who, end in ends:
        made = http.post("/v1/players/ben/challenges", json=terms, headers=ann).raise_for_status().json()
        http.get("/v1/me/challenges", headers=ben).raise_for_status()
        over = http.post(f"/v1/challenges/{made['id']}/{end}", headers=who).raise_for_status().json()
    http.get(f"/v1/challenges/{over['id']}", headers=ann).raise_for_status()
    path = f"/v1/matches/{over['match']}"
    http.post(f"{path}/chat", json={"phrase": "hello"}, headers=ann).raise_for_status()
    assert http.get(f"{path}/chat", headers=ben).raise_for_status().json()["messages"]
    assert http.get(f"{path}/seats/me/output", headers=ann).raise_for_status().json()["all"]
    assert http.get(f"{path}/seats/me/dialogue", headers=ann).raise_for_status().json()["lines"]
    # The result counts only if the loser has moved.
    move = http.get(path, headers=ann).raise_for_status().json()["legal_moves"][0]["notation"]
    http.post(f"{path}/moves", json={"ply": 0, "notation": move}, headers=ann).raise_for_status()
    http.post(f"{path}/resign", headers=ann).raise_for_status()
    http.get("/v1/players/ann/ratings/ioiwari").raise_for_status()
    month = time.strftime("%Y-%m", time.gmtime())
    for records in ["/v1/players/ann/records?rated=true", f"/v1/games/ioiwari/records?month={month}&min_rating=0"]:
        assert http.get(records).raise_for_status().text.count("\n") >= 1, records
    http.get("/v1/players/ann/opponents/ioiwari").raise_for_status()
    path_of_analysis = f"{path}/analysis"
    http.post(path_of_analysis).raise_for_status()
    while http.get(path_of_analysis).raise_for_status().json()["stage"] == "pending":
        time.sleep(0.05)
    assert "moves" in http.get("/v1/players/ann/first-moves/ioiwari").raise_for_status().json()
    assert "counts" in http.get("/v1/players/ann/mistakes/ioiwari").raise_for_status().json()
    http.get("/v1/players/ann/mistakes/ioiwari/suite").raise_for_status()
    puzzles(http, ann)
    admin = bearer(Path(os.environ["KIBITZ_ADMIN_TOKEN_FILE"]).read_text().strip())
    http.post(f"/v1/admin/matches/{over['match']}/annul", headers=admin).raise_for_status()
    http.get("/v1/admin/ratings/check", headers=admin).raise_for_status()
    wish = {"game": "ioiwari", "opponents": ["person"], "stay_ms": 1}
    assert http.post("/v1/pool", json=wish, headers=ann).status_code == 204
    engine = {"kind": "engine", "level": "easy"}
    alone = {"game": "ioiwari", "seats": [{"kind": "me"}, engine], "hints": True}
    alone = http.post("/v1/matches", json=alone, headers=ann).raise_for_status().json()
    page = http.get(alone["url"], headers=ann).raise_for_status().json()
    move = {"ply": 0, "notation": page["legal_moves"][0]["notation"]}
    http.post(f"{alone['url']}/moves", json=move, headers=ann).raise_for_status()
    # The engine may move in between.
    for _ in range(100):
        ply = http.get(alone["url"], headers=ann).raise_for_status().json()["ply"]
        if http.post(f"{alone['url']}/take-back", json={"ply": ply}, headers=ann).status_code == 200:
            break
    text = http.post("/v1/games/ioiwari/official-position", content="4 3 2 4 2 3 2", headers={"content-type": "text/plain"})
    text.raise_for_status()

    cup = {"title": "Cup", "game": "ioiwari", "format": {"kind": "round_robin"}, "clock": {"initial_ms": 60000}}
    cup = http.post("/v1/tournaments", json=cup, headers=ann).raise_for_status().json()
    path = f"/v1/tournaments/{cup['id']}"
    for who in [ann, ben]:
        http.post(f"{path}/entries", json={}, headers=who).raise_for_status()
    http.delete(f"{path}/entries/ben", headers=ben).raise_for_status()
    http.post(f"{path}/entries", json={}, headers=ben).raise_for_status()
    for order in ["start", "pause", "resume", "abort"]:
        http.post(f"{path}/{order}", headers=ann).raise_for_status()
    for rest in ["", "/standings.csv", "/records", "/events"]:
        http.get(path + rest).raise_for_status()
    http.get("/v1/tournaments").raise_for_status()


def administration(http: httpx.Client) -> None:
    """What the operator does."""
    token = Path(os.environ["KIBITZ_ADMIN_TOKEN_FILE"]).read_text().strip()
    admin = bearer(token)
    player = http.post("/v1/players", json={"name": "rude"}).raise_for_status().json()
    order = {"game": "ioiwari", "seats": [{"kind": "me"}, {"kind": "open"}]}
    made = http.post("/v1/matches", json=order, headers=bearer(player["token"])).raise_for_status().json()
    http.get("/v1/admin/matches?stage=open", headers=admin).raise_for_status()
    http.post(f"/v1/admin/matches/{made['id']}/end", headers=admin).raise_for_status()
    cup = {"title": "Cup", "game": "ioiwari", "format": {"kind": "round_robin"}, "clock": {"initial_ms": 60000}}
    cup = http.post("/v1/tournaments", json=cup, headers=bearer(player["token"])).raise_for_status().json()
    http.post(f"/v1/admin/tournaments/{cup['id']}/abort", headers=admin).raise_for_status()
    http.get("/v1/admin/players?limit=2", headers=admin).raise_for_status()
    http.post("/v1/admin/players/rude/rename", json={"name": "polite"}, headers=admin).raise_for_status()
    http.post("/v1/admin/players/polite/revoke", json={"reissue": True}, headers=admin).raise_for_status()
    http.delete("/v1/admin/players/polite", headers=admin).raise_for_status()
    ban = {"network": "192.0.2.0/24", "reason": "spam", "for_ms": 3600000}
    http.post("/v1/admin/bans", json=ban, headers=admin).raise_for_status()
    assert http.get("/v1/admin/bans", headers=admin).raise_for_status().json()["bans"]
    http.delete("/v1/admin/bans?network=192.0.2.0%2F24", headers=admin).raise_for_status()
    http.post("/v1/admin/retention", json={"older_than_ms": 86400000}, headers=admin).raise_for_status()
    assert http.get("/v1/admin/bans").status_code == 401


def moderation(http: httpx.Client) -> None:
    """What people delete and report, and what the operator does about it."""
    admin = bearer(Path(os.environ["KIBITZ_ADMIN_TOKEN_FILE"]).read_text().strip())
    people = [http.post("/v1/players", json={"name": name}).raise_for_status().json() for name in ["gina", "horia"]]
    gina, horia = (bearer(person["token"]) for person in people)
    order = {"game": "ioiwari", "seats": [{"kind": "me"}, {"kind": "open"}]}
    path = http.post("/v1/matches", json=order, headers=gina).raise_for_status().json()["url"]
    match = path.rsplit("/", 1)[1]
    http.post(f"{path}/join", headers=horia).raise_for_status()
    for _ in range(2):
        http.post(f"{path}/chat", json={"phrase": "hello"}, headers=gina).raise_for_status()
    first, second = (said["n"] for said in http.get(f"{path}/chat", headers=horia).raise_for_status().json()["messages"])
    report = {"about": {"kind": "chat", "match": match, "n": first}, "reason": "insulting"}
    made = http.post("/v1/reports", json=report, headers=horia).raise_for_status().json()
    http.delete(f"/v1/reports/{made['id']}", headers=horia).raise_for_status()
    http.post("/v1/reports", json={"about": {"kind": "player", "name": "gina"}, "reason": "a name"}).raise_for_status()
    (listed,) = http.get("/v1/admin/reports", headers=admin).raise_for_status().json()["reports"]
    http.delete(f"/v1/admin/reports/{listed['id']}", headers=admin).raise_for_status()
    http.delete(f"{path}/chat/{first}", headers=gina).raise_for_status()
    http.delete(f"/v1/admin/matches/{match}/chat/{second}", headers=admin).raise_for_status()
    http.delete(f"/v1/admin/matches/{match}/analysis", headers=admin).raise_for_status()
    http.delete(f"/v1/admin/matches/{match}", headers=admin).raise_for_status()
    assert http.get(path).status_code == 404

    terms = {"game": "ioiwari", "clock": {"initial_ms": 600000}}
    asked = http.post("/v1/players/horia/challenges", json=terms, headers=gina).raise_for_status().json()
    http.post(f"/v1/challenges/{asked['id']}/decline", json={"reason": "no time"}, headers=horia).raise_for_status()
    http.delete(f"/v1/challenges/{asked['id']}/reason", headers=horia).raise_for_status()
    cup: dict[str, Any] = {"title": "Cup", "game": "ioiwari", "format": {"kind": "round_robin"}, "clock": {"initial_ms": 60000}}
    for owner, place in [(gina, "/v1"), (admin, "/v1/admin")]:
        made = http.post("/v1/tournaments", json=cup, headers=gina).raise_for_status().json()
        http.delete(f"{place}/tournaments/{made['id']}/title", headers=owner).raise_for_status()
        assert http.get(f"/v1/tournaments/{made['id']}").raise_for_status().json()["title"] == ""
        http.delete(f"{place}/tournaments/{made['id']}", headers=owner).raise_for_status()
    http.put("/v1/me/about", json={"description": "plays"}, headers=horia).raise_for_status()
    http.delete("/v1/admin/players/horia/about", headers=admin).raise_for_status()
    mute = "/v1/admin/players/horia/restrictions/mute"
    http.put(mute, json={"reason": "insults", "for_ms": 60000}, headers=admin).raise_for_status()
    assert http.get("/v1/admin/restrictions", headers=admin).raise_for_status().json()
    http.delete(mute, headers=admin).raise_for_status()
    invited = http.post("/v1/admin/invitations", json={"uses": 2, "note": "club"}, headers=admin).raise_for_status().json()
    assert http.get("/v1/admin/invitations", headers=admin).raise_for_status().json()["invitations"]
    http.delete(f"/v1/admin/invitations/{invited['id']}", headers=admin).raise_for_status()


def formats(http: httpx.Client) -> None:
    """The records of matches between engines, in every form there is."""
    for game in http.get("/v1/games").json()["games"]:
        engine = {"kind": "engine", "level": "easy", "think_ms": 1, "nodes": 1}
        order = {"game": game["slug"], "seats": [engine] * max(2, game["min_seats"])}
        path = http.post("/v1/matches", json=order).raise_for_status().json()["url"]
        # All that happens, to the end.
        http.get(f"{path}/events?since=0", headers={"accept": "application/x-ndjson"}).raise_for_status()
        for form in ["kibitz-record-1"] + [form["name"] for form in game["formats"]]:
            http.get(f"{path}/record?format={form}").raise_for_status()
        # Others begin with a position: a given one, and one of this match.
        given = http.post(f"/v1/games/{game['slug']}/positions", json={"seed": 5, "plies": 3}).json()["position"]
        for position in [given, {"match": path.rsplit("/", 1)[1], "ply": 2}]:
            begun = http.post("/v1/matches", json=order | {"position": position}).raise_for_status().json()["url"]
            http.get(f"{begun}/events?since=0", headers={"accept": "application/x-ndjson"}).raise_for_status()
            assert http.get(begun).json()["from_position"], begun
            http.get(f"{begun}/record").raise_for_status()


def operations(http: httpx.Client) -> None:
    """What is for those who run the server."""
    for path in ["/healthz", "/readyz", "/metrics"]:
        http.get(path).raise_for_status()
    for file in http.get("/v1/downloads").raise_for_status().json()["files"]:
        http.get(f"/downloads/{file['name']}").raise_for_status()


def shown(document: Document, http: httpx.Client, files: list[str]) -> int:
    """Checks the JSON bodies of all curl commands in the documentation; their number."""
    texts = {name: Path(name).read_text() for name in files}
    for page in ["/bots", "/docs/"]:
        text = httpx.get(URL + page).raise_for_status().text
        texts[page] = unescape(re.sub(r"<[^>]+>", "", text))
    count = 0
    within = r"(?:(?!curl )[^|\n])*?"
    command = re.compile(
        rf"curl ({within})(/v1|\$api|\$match)(/[\w/$\-{{}}]*)?({within})-d '(\{{.*?\}})'", re.DOTALL
    )
    for name, text in texts.items():
        for before, root, rest, after, body in command.findall(text.replace("\\\n", " ")):
            given = re.search(r"-X (\w+)", f"{before} {after}")
            method = given.group(1) if given else "POST"
            base = {"/v1": "/v1", "$api": "/v1", "$match": "/v1/matches/$id"}[root]
            path = re.sub(r"\$\w+|\{\w+\}", "x", base + (rest or ""))
            try:
                document.request(method, path, "application/json", body.encode())
            except (AssertionError, json.JSONDecodeError) as error:
                raise AssertionError(f"{name} shows {body}: {error}") from error
            count += 1
    return count


def main() -> None:
    document = Document(URL)
    began = time.monotonic()
    with httpx.Client(base_url=URL, timeout=120, event_hooks=document.hooks()) as http:
        for part in [games, matches, accounts, sign_ins, notifications, vacation, club, administration, moderation, formats, operations]:
            part(http)
        for path, game, body in document.examples():
            http.post(path.replace("{game}", game), json=body).raise_for_status()
        examples = shown(document, http, sys.argv[1:])
    assert examples >= 5, f"only {examples} examples were found"
    unchecked = set(document.operations()) - document.checked - WEBSOCKETS - ENDLESS
    assert not unchecked, f"no answer of {sorted(unchecked)} was checked: add a request for it to {__file__}"
    count, seconds = len(document.checked), time.monotonic() - began
    print(f"answers of {count} operations and {examples} documented requests fit the document, {seconds:.1f} s")


if __name__ == "__main__":
    main()
