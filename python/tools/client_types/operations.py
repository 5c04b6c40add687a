"""Turns the operations of the document into the table of `kibitz.client.operations`."""

from __future__ import annotations

import re
from typing import Any

from client_types.schemas import HEADER, annotation, references

# What an answer is, in the order in which the client prefers it. Streams come as lines of JSON.
MEDIA = ("application/json", "application/x-ndjson", "application/wasm", "text/csv", "text/plain", "application/openmetrics-text")


def constant(operation: str) -> str:
    """The Python name of an operation: `listOwnBots` is LIST_OWN_BOTS."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", operation).upper()


def answer(responses: dict[str, Any]) -> tuple[str, str]:
    """The media type and the Python type of the answer of a success."""
    content: dict[str, Any] = {}
    for status, response in responses.items():
        if status.startswith("2"):
            content |= response.get("content", {})
    empty = any(status == "204" for status in responses)
    for media in MEDIA:
        if media in content:
            # A module is bytes, whatever its schema says.
            kind = "bytes" if media == "application/wasm" else annotation(content[media]["schema"])
            return media, f"{kind} | None" if empty and media == "application/json" else kind
    return "", "None"


# The documentation promises that these give the same answer when they are sent again: a move names its ply.
REPEATABLE = {"playMove", "acceptChallenge"}


def repeatable(path: str, method: str, operation: dict[str, Any]) -> bool:
    """Whether the request may be sent again when its answer was lost. Requests about games compute and change nothing. A
    repeated DELETE would find nothing and report an error."""
    names = {parameter["name"] for parameter in operation.get("parameters", [])}
    computes = path.startswith("/v1/games/")
    return method in ("get", "put") or computes or "Idempotency-Key" in names or operation["operationId"] in REPEATABLE


def table(document: dict[str, Any]) -> str:
    """The code of the module."""
    rows = []
    names: set[str] = set()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if "101" in operation["responses"]:
                continue  # WebSockets
            media, kind = answer(operation["responses"])
            keyed = any(parameter["name"] == "Idempotency-Key" for parameter in operation.get("parameters", []))
            names |= {name for name in references(operation["responses"]) if re.search(rf"\b{name}\b", kind)}
            name = operation["operationId"]
            flags = f"{repeatable(path, method, operation)}, {keyed}"
            summary = operation.get("summary", "").strip().rstrip(".")
            rows.append(
                f"{constant(name)}: Final[Operation[{kind}]] = Operation(\n"
                f'    "{name}", "{method.upper()}", "{path}", "{media}", {flags}\n)\n'
                + (f'"""{summary}."""\n' if summary else "")
            )
    imports = "".join(f"    {name},\n" for name in sorted(names))
    head = HEADER.format(title="All operations of the API, with the type of each answer.")
    return (
        f"{head}\nfrom __future__ import annotations\n\nfrom typing import Final\n\n"
        f"from kibitz.client.operation import Operation\nfrom kibitz.types import (\n{imports})\n\n" + "\n".join(rows)
    )
