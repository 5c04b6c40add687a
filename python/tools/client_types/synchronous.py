"""Writes the synchronous client from the asynchronous one, which is written by hand: the two differ in a few words."""

from __future__ import annotations

import re

# Words, and what they are in the synchronous client.
WORDS = {
    "async def ": "def ",
    "async for ": "for ",
    "async with ": "with ",
    "await ": "",
    "AsyncIterator": "Iterator",
    "AsyncGenerator": "Generator",
    "AsyncClient": "Client",
    "AsyncTransport": "Transport",
    "AsyncExitStack": "ExitStack",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "aclose": "close",
    "aclosing": "closing",
    "asyncio.sleep": "time.sleep",
    "import asyncio": "import time",
    "kibitz.client.asynchronous": "kibitz.client.synchronous",
    "asynchronous": "synchronous",
}
PATTERN = re.compile("|".join(rf"(?<!\w){re.escape(word)}" for word in sorted(WORDS, key=len, reverse=True)))


def synchronous(name: str, code: str) -> str:
    """The synchronous form of a module. `name`: its file's name, for the note at its top."""
    generators = re.sub(r"AsyncGenerator\[(.+?), None\]", r"Generator[\1, None, None]", code)
    text = PATTERN.sub(lambda found: WORDS[found.group()], generators)
    note = f"# Written by scripts/client-types from asynchronous/{name}: change that file.\n"
    return note + text
