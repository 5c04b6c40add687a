"""Names that several tests use."""

from __future__ import annotations

import json
import shlex
import subprocess
import tempfile
from pathlib import Path

import kibitz

ROOT = Path(__file__).resolve().parents[2]
"""The folder of the repository."""
GAMES = [game.name for game in kibitz.games.games()]
ENCODED = [game.name for game in kibitz.games.games() if game.encoding is not None]
"""The games with observations and actions."""


def assert_plays_cleanly(program: str, name: str, bot: list[str]) -> None:
    """Plays whole matches with a bot, a command, by the official protocol; it must make no mistake.

    A game with a process for each move gets one match instead of a check in all seats: starting Python takes longest.
    """
    if kibitz.game(name).info["process"] == "per_match":
        command = [program, "check-bot", name, "--deals", "1", "--move-limit", "60000", "--", *bot]
        checked = subprocess.run(command, capture_output=True, text=True)
        assert checked.returncode == 0, checked.stdout + checked.stderr
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "games.json"
        players = [f"Bot=cmd:{shlex.join(bot)}", "Engine=engine:nodes=300"]
        named = [part for player in players for part in ("--player", player)]
        command = [program, "arena", name, *named, "-n", "1", "--no-limits", "--json", str(file)]
        subprocess.run(command, check=True, capture_output=True)
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        record = next(line["record"] for line in lines if "record" in line)
        assert record["outcome"] is not None and "faults" not in record, record
