"""Fixtures of all tests: each game, and the programs that the repository builds."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings
from shared import ENCODED, GAMES, ROOT

# The machine may be slow, and no test says how fast it is.
settings.register_profile("kibitz", deadline=None, max_examples=150)
settings.load_profile("kibitz")


@pytest.fixture(params=GAMES)
def name(request: pytest.FixtureRequest) -> str:
    """Each game."""
    return str(request.param)


@pytest.fixture(params=ENCODED)
def encoded(request: pytest.FixtureRequest) -> str:
    """Each game with observations and actions."""
    return str(request.param)


@pytest.fixture(scope="session")
def kibitz_program() -> str:
    """The program ``kibitz``, from the folder ``KIBITZ_PROGRAMS`` or ``target/debug``."""
    folder = Path(os.environ.get("KIBITZ_PROGRAMS", ROOT / "target" / "debug"))
    program = shutil.which("kibitz", path=str(folder))
    if program is None:
        pytest.fail(f"{folder}/kibitz is missing: cargo build -p kibitz, or set KIBITZ_PROGRAMS")
    return str(Path(program).resolve())
