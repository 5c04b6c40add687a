"""Executes the notebook on a real server with some matches."""

from __future__ import annotations

import os
import random
import secrets
import sys
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from servers import ROOT, Server

from kibitz.client import Client
from kibitz.online import join

NOTEBOOK = ROOT / "python/examples/statistics.ipynb"


class RandomChooser:
    """Plays any legal move."""

    def __init__(self) -> None:
        self.random = random.Random(1)

    def choose(self, view: Any) -> Any:
        return self.random.choice(view.legal_moves())


def test_notebook_draws_rating_accuracy_and_openings(
    server: Server, guest: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = guest.players.create(f"n{secrets.token_hex(5)}")
    player = guest.with_token(made["token"])
    bot = RandomChooser()
    for level in ("easy", "hard", "easy"):
        engine: Any = {"kind": "engine", "level": level}
        match = player.matches.create("ioiwari", [{"kind": "me"}, engine], clock={"initial_ms": 600_000}, rated=True)
        assert join(bot, f"{server.url}{match['url']}", token=made["token"]) is not None

    monkeypatch.setenv("KIBITZ_URL", server.url)
    monkeypatch.setenv("KIBITZ_PLAYER", made["name"])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    notebook: Any = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    assert not any(cell.get("outputs") for cell in notebook.cells), "the notebook is stored without outputs"
    NotebookClient(notebook, timeout=None, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    texts = "".join(output.get("text", "") for output in outputs)
    assert f"3 matches of {made['name']}" in texts
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(pictures) == 3
