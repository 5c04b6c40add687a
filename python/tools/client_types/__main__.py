"""python -m client_types DOCUMENT PYTHON_FOLDER: writes the generated files of `kibitz.client` into a folder.

DOCUMENT is a file with the server's /openapi.json; PYTHON_FOLDER is the folder that has `kibitz`. The asynchronous client is
read from the folder beside this package."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from client_types.operations import table
from client_types.schemas import modules
from client_types.synchronous import synchronous

SOURCE = Path(__file__).parents[2] / "kibitz/client/asynchronous"


def generated(document: dict[str, Any]) -> dict[str, str]:
    """All generated files: path below the folder `kibitz`, and content."""
    files = {f"types/{name}.py": code for name, code in modules(document).items()}
    files["client/operations.py"] = table(document)
    for source in sorted(SOURCE.glob("*.py")):
        if source.name != "transport.py":
            files[f"client/synchronous/{source.name}"] = synchronous(source.name, source.read_text("utf-8"))
    return files


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: python -m client_types DOCUMENT PYTHON_FOLDER")
    document = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    for name, code in generated(document).items():
        file = Path(sys.argv[2]) / "kibitz" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code, "utf-8")


if __name__ == "__main__":
    main()
