"""The manual names everything public, its examples run, and importing the package loads nothing else."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import subprocess
import sys
import types
from pathlib import Path

import pytest
from shared import ROOT

import kibitz

PAGE = (ROOT / "docs" / "python.md").read_text()
MODULES = ["batch", "bots", "engines", "envs", "errors", "games", "measure"]
# Sections of the page that describe the client; its own tests check them.
NATIVE = (kibitz.Game, kibitz.Match, kibitz.View, kibitz.Move, kibitz.MatchBatch, kibitz.Evaluation, kibitz.Batch)


def members(kind: type) -> set[str]:
    return {name for name in vars(kind) if not name.startswith("_")} | set(getattr(kind, "__annotations__", {}))


def test_every_public_name_is_in_the_manual() -> None:
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`\n]+)`", PAGE))))
    names = {name for module in MODULES for name in importlib.import_module(f"kibitz.{module}").__all__}
    names |= set(kibitz.__all__)
    for kind in NATIVE:
        names |= {name for name in members(kind) if not name.startswith("_")}
    missing = sorted(name for name in names if name not in words)
    assert not missing, missing


def test_every_public_name_resolves() -> None:
    for name in kibitz.__all__:
        assert getattr(kibitz, name) is not None
    assert set(kibitz.__all__) <= set(dir(kibitz))
    for module in MODULES:
        assert isinstance(getattr(kibitz, module, importlib.import_module(f"kibitz.{module}")), types.ModuleType)
    assert not hasattr(kibitz, "no_such_name")


@pytest.mark.parametrize("module", ["", *(f".{name}" for name in MODULES)])
def test_examples_in_docstrings_run(module: str) -> None:
    result = doctest.testmod(importlib.import_module(f"kibitz{module}"))
    assert result.failed == 0


def test_everything_public_has_a_docstring() -> None:
    for module in MODULES:
        home = importlib.import_module(f"kibitz.{module}")
        for name in home.__all__:
            value = getattr(home, name)
            if isinstance(value, type):
                public = [value, *(getattr(value, member) for member in vars(value) if not member.startswith("_"))]
            else:
                public = [value] if callable(value) else []
            for part in public:
                if isinstance(part, (type, property)) or inspect.isroutine(part):
                    assert part.__doc__, f"kibitz.{module}.{name}: {part}"


@pytest.mark.parametrize("number", range(len(re.findall(r"^```python\n", PAGE, re.M))))
def test_examples_of_the_manual_run(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    block = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)[number]
    exec(compile(block, f"docs/python.md, example {number + 1}", "exec"), {"__name__": "manual"})


def test_import_loads_nothing_else() -> None:
    script = (
        "import sys, kibitz; kibitz.Error; "
        "loaded = {'numpy', 'gymnasium', 'pettingzoo', 'pandas', 'matplotlib', 'kibitz._native'} & set(sys.modules); "
        "assert not loaded, loaded; kibitz.game('azul').deal(seed=1); assert 'numpy' not in sys.modules; "
        "kibitz.evaluate; assert 'pandas' not in sys.modules and 'gymnasium' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_version_is_that_of_the_workspace() -> None:
    found = re.search(r'^\[workspace\.package\]\nversion = "(.*)"$', (ROOT / "Cargo.toml").read_text(), re.M)
    assert found is not None and kibitz.__version__ == found[1]
