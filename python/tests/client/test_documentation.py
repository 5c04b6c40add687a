"""The examples of docs/python-client.md run, and the page names everything that is public."""

from __future__ import annotations

import os
import re
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

from servers import ROOT, Server

import kibitz.client
import kibitz.online
from kibitz.client import Client

PAGE = (ROOT / "docs/python-client.md").read_text("utf-8")
RESOURCES = ("games", "moves", "matches", "players", "me", "lobby", "tournaments")


def test_page_names_all_that_is_public(guest: Client) -> None:
    named = set(re.findall(r"\w+", PAGE))
    public = {*kibitz.client.__all__, *kibitz.online.__all__}
    public |= {name for name in dir(guest) if not name.startswith("_")} - {"transport"}
    for resource in RESOURCES:
        row = re.search(rf"^\| `{resource}` \| (.*) \|$", PAGE, re.M)
        assert row is not None, resource
        methods = {name for name in dir(getattr(guest, resource)) if not name.startswith("_")}
        assert set(re.findall(r"\w+", row.group(1))) == methods, resource
    assert public - named == set()


def test_examples_run(server: Server, guest: Client, tmp_path: Path) -> None:
    owner = guest.with_token(guest.players.create(f"o{secrets.token_hex(5)}")["token"])
    bot = owner.me.create_bot(f"b{secrets.token_hex(5)}")
    (tmp_path / "robo.token").write_text(bot["token"] + "\n")
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE, re.M | re.S)
    code = "\n".join(blocks).replace("http://127.0.0.1:8080", server.url)
    program = tmp_path / "examples.py"
    program.write_text(code)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    running = subprocess.Popen(
        [sys.executable, program], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    # The last example keeps the bot online until a signal comes.
    while running.poll() is None and bot["name"] not in [one["name"] for one in guest.players.online_bots()]:
        time.sleep(0.05)
    running.send_signal(signal.SIGTERM)
    output, notes = running.communicate()
    assert running.returncode == 0, notes
    assert "no_such_match" in output and "places" not in output and "ranks" in output, output
