"""What putting and getting a fact reads: as much with a thousand facts as with a few."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.base import PutOp
from sqlalchemy import event

from memoryos_core import Fact, MemoryConfig, MemoryOS, UserMemory, WorkerConfig
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.store_samples import T0
from memoryos_core.values.commands import Learning, NoteWrite, Promotion
from memoryos_langchain.store import MemoryOSStore

FACTS = ("ada", "facts")
KEY = bytes(range(32))
MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
Work = Callable[[MemoryOSStore], object]


def fill(memory: MemoryOS, first: int, last: int) -> None:
    """Facts under names of their own, and for each one that it replaced, in two transactions."""
    ada = memory.user("ada")
    store, scope = memory._engine.parts.store, ada.scope
    new = [Fact(f"n{i}", "user", f"likes tree {i}", T0, T0) for i in range(first, last)]
    old = [Fact(f"o{i}", "user", f"liked tree {i}", T0, T0, status="superseded", superseded_by=f"n{i}")
           for i in range(first, last)]  # fmt: skip
    notes = tuple(NoteWrite(("facts",), f"k{f.id}", '{"text": "x"}', fact_id=f.id) for f in new)
    store.promote(Promotion(scope, Learning((*new, *old), notes=notes), T0))


class Meter:
    """Counts what a database does: steps of SQLite's machine, or rows that a server sends."""

    def __init__(self, memory: MemoryOS) -> None:
        store = memory._engine.parts.store
        assert isinstance(store, SqlStore)
        self._engine = store._database._engine
        self.count = 0

    def _step(self) -> int:
        self.count += 1
        return 0

    def _sent(self, _connection: object, cursor: Any, *_: object) -> None:
        self.count += max(cursor.rowcount, 0)

    def of(self, work: Callable[[], object]) -> int:
        self.count = 0
        with self._watched():
            work()
        return self.count

    @contextmanager
    def _watched(self) -> Any:
        if self._engine.dialect.name == "postgresql":
            event.listen(self._engine, "after_cursor_execute", self._sent)
            yield
            event.remove(self._engine, "after_cursor_execute", self._sent)
            return
        with self._engine.connect() as connection:
            driver: Any = connection.connection.dbapi_connection
        driver.set_progress_handler(self._step, 1)  # of the one connection that a single thread is given
        yield
        driver.set_progress_handler(None, 1)


PLACES = ["file", "encrypted file"] + [
    pytest.param(name, marks=pytest.mark.postgres) for name in ("server", "sealed server")
]
WORKS: dict[str, Work] = {
    "a new fact": lambda store: store.put(FACTS, "new", {"text": "drinks green tea"}),
    "the same again": lambda store: store.put(FACTS, "new", {"text": "drinks green tea"}),
    "under another name": lambda store: store.put(FACTS, "too", {"text": "drinks  green tea"}),
    "another fact for that name": lambda store: store.put(FACTS, "too", {"text": "drinks black tea"}),
    "a correction": lambda store: store.put(FACTS, "too", {"text": "drinks white tea"}),
    "of somebody else": lambda store: store.put(FACTS, "too", {"text": "drinks white tea", "about": "assistant"}),
    "a known one": lambda store: store.get(FACTS, "too"),
    "an unknown one": lambda store: store.get(FACTS, "nothing"),
    "the end": lambda store: store.batch([PutOp(FACTS, "too", None), PutOp(FACTS, "new", None)]),
}


@pytest.fixture(params=PLACES)
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    file = "file" in request.param
    url = f"sqlite:///{tmp_path}/m.db" if file else request.getfixturevalue("postgres_url")
    key = KEY if request.param in ("encrypted file", "sealed server") else None
    with MemoryOS(url, embedder=None, config=MANUAL, key=key) as memory:
        yield memory


def test_putting_and_getting_a_fact_reads_no_more_of_many_facts(memory: MemoryOS) -> None:
    store, meter = MemoryOSStore(memory), Meter(memory)
    read: list[dict[str, int]] = []
    for first, last in ((0, 20), (20, 400)):
        fill(memory, first, last)
        store.put(FACTS, "before", {"text": f"sleeps until {last}"})  # reads once what came from elsewhere
        read.append({name: meter.of(partial(work, store)) for name, work in WORKS.items()})
        assert texts(memory.user("ada")) == {f"sleeps until {last}", *(f"likes tree {i}" for i in range(last))}
    few, many = read
    assert few["a new fact"] > 0
    assert {name: (few[name], many[name]) for name in WORKS if many[name] > few[name] * 1.5 + 5} == {}


def texts(user: UserMemory) -> set[str]:
    return {fact.text for fact in user.facts()}
