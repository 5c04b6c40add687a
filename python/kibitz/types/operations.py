"""Types of the operations on operations. Generated from /openapi.json by scripts/client-types."""

from __future__ import annotations

from typing import Literal, TypeAlias

from typing_extensions import TypedDict


__all__ = [
    "OfferedContent",
    "OfferedFile",
    "OfferedFileKind",
    "OfferedFileList",
    "QrAnswer",
    "QrRequest",
]


OfferedContent: TypeAlias = str
"""The content of a file."""


OfferedFileKind: TypeAlias = Literal["shim", "python", "other"]
"""What a file is for. - `shim`: The program that connects a bot with a server. - `python`: A wheel: the Python
package. - `other`: Something else."""


class OfferedFile(TypedDict):
    """A file to download."""

    kind: OfferedFileKind
    """What it is for."""

    name: str
    """Its name: `GET /downloads/NAME` has the file."""

    platform: str | None
    """The system that it is for: of a program, such as `x86_64-linux`; of a wheel, the tag in its name, such as
    `linux_x86_64`. `null`: any, or unknown."""

    sha256: str
    """Its SHA-256, hexadecimal."""

    size: int
    """Its size, in bytes."""

    version: str | None
    """The version in its name. `null`: the name has none."""


class OfferedFileList(TypedDict):
    """The files to download."""

    files: list[OfferedFile]
    """The files, by name."""


class QrAnswer(TypedDict):
    """A QR code."""

    rows: list[str]
    """The rows from top to bottom, each with one digit per module from left to right: 1 is dark, 0 is light. The
    quiet zone around the code, four modules wide, is not included."""


class QrRequest(TypedDict):
    """A text to draw."""

    text: str
    """The text: 1 to 500 bytes."""
