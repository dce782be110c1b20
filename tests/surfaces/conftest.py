"""The memory of Ann that most of these tests look at, a program that asks for it, and a browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memoryos_core import MemoryOS
from memoryos_core.ops.inspector.identity import Identity
from tests.surfaces.asgi import TOKEN
from tests.surfaces.chromium import Chromium, find_chromium
from tests.surfaces.programs import Program
from tests.surfaces.test_inspector import MANUAL, fill

LOGGED = replace(MANUAL, recall_log=True)


@pytest.fixture(scope="session")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed file with the memory of Ann: copying it takes a fifth of what filling another takes."""
    path = tmp_path_factory.mktemp("filled") / "m.db"
    with MemoryOS(f"sqlite:///{path}", embedder=None, config=LOGGED) as memory:
        fill(memory)
    return path


@pytest.fixture
def memory(filled: Path, tmp_path: Path) -> Iterator[MemoryOS]:
    copied = shutil.copy(filled, tmp_path)
    with MemoryOS(f"sqlite:///{copied}", embedder=None, config=LOGGED) as memory:
        yield memory


@pytest.fixture
def program(memory: MemoryOS) -> Program:
    return Program(Identity(memory, TOKEN, edit=True))


@pytest.fixture(scope="session")
def chromium() -> Iterator[Chromium | None]:
    """The browser that all tests of a process share; None where none is installed."""
    program = find_chromium()
    if program is None:
        yield None
        return
    chromium = Chromium(program)
    yield chromium
    chromium.close()


@pytest.fixture
def browser(chromium: Chromium | None) -> Chromium | None:
    """A tab that no other test has done anything in."""
    if chromium is not None:
        chromium.renew()
    return chromium
