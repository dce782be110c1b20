"""The memory of Ann that most of these tests look at, and a program that asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memoryos_core import MemoryOS
from memoryos_core.ops.inspector.identity import Identity
from tests.surfaces.asgi import TOKEN
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
