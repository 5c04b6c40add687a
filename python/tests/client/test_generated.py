"""The generated files are those of the server's document."""

from __future__ import annotations

import json
import sys
import urllib.request
from typing import Any

import pytest
from servers import ROOT, Server

from kibitz.client import Operation, operations

sys.path.insert(0, str(ROOT / "python/tools"))

from client_types.__main__ import generated
from client_types.schemas import sorted_by_need
from client_types.synchronous import synchronous


def document(server: Server) -> dict[str, Any]:
    with urllib.request.urlopen(f"{server.url}/openapi.json") as answer:
        found: dict[str, Any] = json.load(answer)
    return found


def test_generated_files_are_those_of_the_document(server: Server) -> None:
    stale = [
        name
        for name, code in generated(document(server)).items()
        if (ROOT / "python/kibitz" / name).read_text("utf-8") != code
    ]
    assert stale == [], "run scripts/client-types, and commit the files"


def test_every_operation_is_in_the_table(server: Server) -> None:
    table = {row.id: row for row in vars(operations).values() if isinstance(row, Operation)}
    for path, methods in document(server)["paths"].items():
        for method, operation in methods.items():
            if "101" in operation["responses"]:
                assert operation["operationId"] not in table, "a WebSocket is no request"
                continue
            row = table[operation["operationId"]]
            assert (row.path, row.method) == (path, method.upper())


def test_synchronous_form_differs_in_words_only() -> None:
    code = "async with aclosing(f()) as x:\n    async for y in x:\n        await asyncio.sleep(1)\n"
    assert synchronous("x.py", code).splitlines()[1:] == [
        "with closing(f()) as x:",
        "    for y in x:",
        "        time.sleep(1)",
    ]
    assert "Generator[int, None, None]" in synchronous("x.py", "AsyncGenerator[int, None]")


def test_schemas_that_need_each_other_are_refused() -> None:
    loop = {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}
    with pytest.raises(ValueError, match="needs itself"):
        sorted_by_need(loop, {"A", "B"})
