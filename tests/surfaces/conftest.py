"""The memory of Ann that most of these tests look at, a program that asks for it, and a browser."""

from __future__ import annotations

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


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryOS]:
    config = replace(MANUAL, recall_log=True)
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=config) as memory:
        fill(memory)
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
