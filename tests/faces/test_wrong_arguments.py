"""Wrong arguments of public verbs: an error of ours that names the argument, and is short whatever was given."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memoryos_core import MemoryConfig, MemoryOS, WorkerConfig
from memoryos_core.errors import InvalidInputError

HUGE: Any = "x" * 1_000_000
ODD: Any = object()
NONE: Any = None

WRONG: dict[str, Callable[[MemoryOS], Any]] = {
    "shown": lambda m: m.user("ann").recall("tea?", shown=ODD),
    "standing": lambda m: m.user("ann").recall("tea?", standing="id"),
    "k": lambda m: m.user("ann").search("tea?", k=10**30),
    "segment": lambda m: m.user("ann").heat(NONE),
    "timeout": lambda m: m.flush(NONE),
    "timeout=inf": lambda m: m.flush(float("inf")),
    "timeout=nan": lambda m: m.flush(float("nan")),
    "records": lambda m: m.restore(NONE),
    "policies": lambda m: m.retain(ODD),
    "policies[0]": lambda m: m.user("ann").governance.retain([ODD]),
    "limit": lambda m: m.user("ann").governance.audit(limit=10**30),
    "config": lambda _: MemoryOS("sqlite://", config=ODD),
    "clock": lambda _: MemoryOS("sqlite://", clock=ODD),
    "budget_tokens": lambda m: m.user("ann").recall("tea?", budget_tokens=HUGE),
    "min_score": lambda m: m.user("ann").search("tea?", min_score=HUGE),
    "embedder": lambda _: MemoryOS("sqlite://", embedder=HUGE),
    "llm": lambda _: MemoryOS("sqlite://", llm=HUGE),
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryOS]:
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS(f"sqlite:///{tmp_path}/m.db", embedder=None, config=config) as memory:
        memory.user("ann").add("I drink tea.", "Green or black?")
        yield memory


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_argument_is_named_and_loses_nothing(memory: MemoryOS, name: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        WRONG[name](memory)
    assert name.partition("=")[0] in str(raised.value)
    assert len(str(raised.value)) < 500
    assert len(memory.user("ann").pages()) == 1
