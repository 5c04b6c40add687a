"""A server hands out the wheel, and pip installs it from there by its hash."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path

from servers import Server
from shared import ROOT

import kibitz


def test_pip_installs_the_wheel_of_a_server(tmp_path: Path) -> None:
    dist = ROOT / "python" / "dist"
    (tmp_path / "server").mkdir()
    server = Server(tmp_path / "server", KIBITZ_DOWNLOADS=str(dist))
    try:
        with urllib.request.urlopen(f"{server.url}/v1/downloads") as answer:
            files = json.load(answer)["files"]
        wheel = next(file for file in files if file["kind"] == "python")
        assert wheel["version"] == kibitz.__version__ and (dist / wheel["name"]).stat().st_size == wheel["size"]
        place = f"kibitz @ {server.url}/downloads/{wheel['name']}#sha256="
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
        wrong = subprocess.run([*pip, str(tmp_path / "wrong"), place + "0" * 64], capture_output=True, text=True)
        assert wrong.returncode != 0 and "HASH" in wrong.stderr.upper(), wrong.stderr
        subprocess.run([*pip, str(tmp_path / "right"), place + wheel["sha256"]], check=True)
        assert (tmp_path / "right" / "kibitz" / "__init__.py").exists()
    finally:
        server.stop()
