"""Real servers for the tests, which can be killed and started again on the same database, and a proxy that cuts connections."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[3]
PROGRAMS = Path(os.environ.get("KIBITZ_PROGRAMS", ROOT / "target/debug"))


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


class Server:
    """`kibitz serve` with a database of its own, on one port for its whole life."""

    def __init__(self, folder: Path, **settings: str) -> None:
        """`settings`: environment variables of the server."""
        self.folder = folder
        self.settings = settings
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.starts = 0
        self.start()

    def start(self) -> None:
        """Starts it and waits until it serves."""
        self.starts += 1
        log = self.folder / f"log-{self.starts}"
        program = PROGRAMS / "kibitz"
        if not program.exists():
            raise FileNotFoundError(f"{program} is missing: run `cargo build -p kibitz`, or set KIBITZ_PROGRAMS to its folder")
        limits = {"KIBITZ_CREATIONS_PER_MINUTE": "600000", "KIBITZ_CREATIONS_BURST": "600000", "KIBITZ_LADDER": "false"}
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [program, "serve", "--listen", f"127.0.0.1:{self.port}", "--database", self.folder / "kibitz.db"],
                stdout=output,
                stderr=output,
                env={**os.environ, **limits, **self.settings},
            )
        while not re.search(r"serving address", log.read_text("utf-8", "replace")):
            if self.process.poll() is not None:
                raise RuntimeError(f"the server has ended: {log.read_text('utf-8', 'replace')}")
            time.sleep(0.02)

    def kill(self) -> None:
        """Kills it as a crash does."""
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """Asks it to stop, and waits."""
        self.process.terminate()
        self.process.wait()


class Proxy:
    """A TCP proxy before a server. It can cut all connections, and swallow the answer of a request. With `tls` it speaks TLS to
    clients."""

    def __init__(self, port: int, tls: ssl.SSLContext | None = None) -> None:
        self.target = port
        self.tls = tls
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"{'https' if tls else 'http'}://127.0.0.1:{self.listener.getsockname()[1]}"
        self.pairs: set[tuple[socket.socket, socket.socket]] = set()
        self.lock = threading.Lock()
        self.connections = 0
        self.cuts = 0
        # Whether to cut a connection instead of passing on bytes of the server, given the request so far.
        self.swallow: Callable[[bytes], bool] | None = None
        # The number of the server's bytes after which each connection is cut.
        self.cut_after: int | None = None
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            try:
                if self.tls is not None:
                    client = self.tls.wrap_socket(client, server_side=True)
                server = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                client.close()
                continue
            self.connections += 1
            pair = (client, server)
            with self.lock:
                self.pairs.add(pair)
            requests = bytearray()
            threading.Thread(target=self._forward, args=(client, server, pair, requests, False), daemon=True).start()
            threading.Thread(target=self._forward, args=(server, client, pair, requests, True), daemon=True).start()

    def _forward(
        self,
        source: socket.socket,
        target: socket.socket,
        pair: tuple[socket.socket, socket.socket],
        requests: bytearray,
        answers: bool,
    ) -> None:
        passed = 0
        try:
            while data := source.recv(1 << 16):
                if not answers:
                    requests += data
                elif self.swallow is not None and self.swallow(bytes(requests)):
                    self.cuts += 1
                    break
                elif self.cut_after is not None and passed + len(data) > self.cut_after:
                    target.sendall(data[: self.cut_after - passed])
                    self.cuts += 1
                    break
                if answers:
                    requests.clear()
                passed += len(data)
                target.sendall(data)
        except OSError:
            pass  # One side is gone; the other one is closed below.
        self._close(pair)

    def _close(self, pair: tuple[socket.socket, socket.socket]) -> None:
        with self.lock:
            self.pairs.discard(pair)
        for end in pair:
            # It may be closed already.
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def cut(self) -> int:
        """Cuts all connections; their number."""
        with self.lock:
            pairs = list(self.pairs)
        for pair in pairs:
            self._close(pair)
        return len(pairs)

    def close(self) -> None:
        """Stops it: nothing listens any more."""
        # Wakes the thread that accepts connections, unless it was stopped before.
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.cut()
