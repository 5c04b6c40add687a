"""Compares the requests a second of `kibitz.client` with those of a client that openapi-python-client generates from the same
server, by turns in one run. scripts/python-client --throughput starts it. It is no test: its result depends on the machine."""

from __future__ import annotations

import importlib
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

from servers import ROOT, Server

from kibitz.client import Client

ROUNDS = 9
REQUESTS = 150


def rate(request: Callable[[], object]) -> float:
    """Requests a second, one after another on one connection."""
    begin = time.perf_counter()
    for _ in range(REQUESTS):
        request()
    return REQUESTS / (time.perf_counter() - begin)


def generate(server: str, folder: Path) -> None:
    """Generates the package `kibitz_client` into a folder, with the settings of docs/api.md."""
    document = folder / "openapi.json"
    with urllib.request.urlopen(f"{server}/openapi.json") as answer:
        document.write_bytes(answer.read())
    command: list[str | Path] = ["openapi-python-client", "generate", "--meta", "none", "--path", document]
    command += ["--config", ROOT / "server/tests/clients/python/config.yaml", "--output-path", folder / "kibitz_client"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def compare(server: str) -> None:
    """Prints the rates and their ratio for two operations: the median of the rounds."""
    generated = importlib.import_module("kibitz_client").Client(base_url=server)
    get_game = importlib.import_module("kibitz_client.api.games.get_game")
    get_match = importlib.import_module("kibitz_client.api.matches.get_match")
    slug = importlib.import_module("kibitz_client.models").GameSlug.AZUL
    with Client(server) as client:
        match = client.matches.create("azul", [{"kind": "me"}, {"kind": "open"}])["id"]
        pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
            "getGame": (lambda: client.games.get("azul"), lambda: get_game.sync(slug, client=generated)),
            "getMatch": (lambda: client.matches.get(match), lambda: get_match.sync(match, client=generated)),
        }
        for name, (ours, theirs) in pairs.items():
            rates = [(rate(ours), rate(theirs)) for _ in range(ROUNDS)]
            ratio = statistics.median(one / other for one, other in rates)
            own, other = (statistics.median(column) for column in zip(*rates, strict=True))
            print(f"{name}: kibitz.client {own:.0f}/s, generated {other:.0f}/s, ratio {ratio:.2f} (medians of {ROUNDS} rounds)")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        server = Server(work)
        try:
            generate(server.url, work)
            sys.path.insert(0, folder)
            compare(server.url)
        finally:
            server.stop()


if __name__ == "__main__":
    main()
