"""References find the living memory, in this process and another; what they alone hold is bounded."""

from __future__ import annotations

import gc
import json
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.base.event import BaseEvent
from llama_index_instrumentation.event_handlers import BaseEventHandler
from pydantic import PrivateAttr

from memoryos_core import MemoryConfig, MemoryOS, StoreError, WorkerConfig
from memoryos_llamaindex import registry
from memoryos_llamaindex.events import MemoryOSErrorEvent
from memoryos_llamaindex.memory import MemoryOSMemory
from tests.docs.pages import elsewhere

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
ELSEWHERE = """
import json, sys
from memoryos_core import MemoryOSError
from memoryos_llamaindex.memory import MemoryOSMemory
for written in json.load(sys.stdin):
    try:
        memory = MemoryOSMemory.from_dict(written)
        print([m.content for m in memory.get_all()])
        memory.memory.close()
    except MemoryOSError as error:
        print(type(error).__name__, error)
"""


@pytest.fixture(autouse=True)
def clean() -> Iterator[None]:
    """What these tests have kept is let go again."""
    before = dict(registry._kept)
    yield
    for address in [a for a in registry._kept if a not in before]:
        registry._kept.pop(address).close()


def in_ram() -> MemoryOS:
    return MemoryOS("sqlite://", embedder=None, config=MANUAL)


def said(text: str) -> ChatMessage:
    return ChatMessage(role="user", content=text)


def test_in_another_process_a_file_is_opened_and_a_memory_in_ram_is_gone(memory: MemoryOS, tmp_path: Path) -> None:
    with in_ram() as ram:
        pair = [MemoryOSMemory(memory=m, user_id="ann", session_id="s") for m in (memory, ram)]
        for one in pair:
            one.put(said("Hi"))
        file, ram_line = elsewhere(ELSEWHERE, tmp_path, json.dumps([one.to_dict() for one in pair])).splitlines()
    assert file == "['Hi']"
    assert ram_line.startswith("StoreError this memory lived in RAM and is gone")
    assert "Hi" not in ram_line


RECALLING = """
import json, sys
from llama_index.core.base.llms.types import ChatMessage
from memoryos_llamaindex.memory import MemoryOSMemory
sys.stderr = sys.stdout  # what it warns of
memory = MemoryOSMemory.from_dict(json.load(sys.stdin))
memory.put(ChatMessage("What is Biscuit afraid of?"))
print(memory.get()[-1].content)
memory.memory.user("ann", session_id="elsewhere").add("Biscuit likes snow", "Nice")
memory.put(ChatMessage("What does Biscuit like?"))
print(memory.get()[-1].content)
memory.memory.close()
"""


def meanings(texts: list[str]) -> list[list[float]]:
    """An embedder of this process alone."""
    return [[1.0, float(len(text) % 7), 0.5] for text in texts]


def test_another_process_without_the_embedder_recalls_by_words(path: str, tmp_path: Path) -> None:
    with MemoryOS(path, embedder=meanings, config=MANUAL) as memory:
        past = memory.user("ann", session_id="long ago")
        past.add("My dog Biscuit is afraid of thunder", "Poor thing")
        past.consolidate()
        written = json.dumps(MemoryOSMemory(memory, user_id="ann", session_id="s").to_dict())
        told = elsewhere(RECALLING, tmp_path, written)
        assert "afraid of thunder" in told
        assert "Biscuit likes snow" in told
        assert "recall uses words only" in told
        past.consolidate()
        assert [hit.text for hit in past.search("snow", k=1)] == ["user: Biscuit likes snow"], "the vectors are its own"


def test_a_memory_in_ram_that_was_never_written_down_is_not_kept() -> None:
    memory = in_ram()
    MemoryOSMemory(memory=memory, user_id="ann").put(said("Hi"))
    gone = weakref.ref(memory)
    del memory
    gc.collect()
    assert gone() is None


def test_a_memory_in_ram_that_was_written_down_is_kept() -> None:
    ann = MemoryOSMemory(memory=in_ram(), user_id="ann")
    ann.put(said("Hi"))
    written = ann.to_dict()
    del ann
    gc.collect()
    again = MemoryOSMemory.from_dict(written)
    assert [m.content for m in again.get_all()] == ["Hi"]


def test_a_closed_memory_in_ram_is_gone() -> None:
    with in_ram() as memory:
        ann = MemoryOSMemory(memory=memory, user_id="ann")
        written = ann.to_dict()
    with pytest.raises(StoreError, match="lived in RAM and is gone"):
        MemoryOSMemory.from_dict(written)


def test_a_closed_memory_is_not_held_by_its_reference() -> None:
    memory = in_ram()
    for _ in range(3):
        MemoryOSMemory(memory=memory, user_id="ann").to_dict()
    gone = weakref.ref(memory)
    memory.close()
    del memory
    gc.collect()
    assert gone() is None


def test_only_so_many_memories_in_ram_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_MOST_KEPT", 3)
    monkeypatch.setattr(registry, "_kept", OrderedDict[str, MemoryOS]())
    written, seen = [], []
    for number in range(8):
        memory = in_ram()
        ann = MemoryOSMemory(memory=memory, user_id="ann")
        ann.put(said(f"Hi {number}"))
        written.append(ann.to_dict())
        seen.append(weakref.ref(memory))
        del memory, ann
    gc.collect()
    assert [number for number, one in enumerate(seen) if one() is not None] == [5, 6, 7]
    assert [m.content for m in MemoryOSMemory.from_dict(written[-1]).get_all()] == ["Hi 7"]
    with pytest.raises(StoreError, match="gone"):
        MemoryOSMemory.from_dict(written[0])


def test_what_was_used_last_is_kept_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_MOST_KEPT", 2)
    monkeypatch.setattr(registry, "_kept", OrderedDict[str, MemoryOS]())
    memories = [in_ram() for _ in range(3)]
    first, second, third = memories
    for memory in (first, second, first, third):
        MemoryOSMemory(memory=memory, user_id="ann").to_dict()
    assert list(registry._kept) == [first.address, third.address]
    second.close()


def test_of_two_memories_on_one_file_a_living_one_is_found(path: str) -> None:
    one = MemoryOS(path, embedder=None, config=MANUAL)
    two = MemoryOS(path, embedder=None, config=MANUAL)
    first, second = (MemoryOSMemory(memory=m, user_id="ann", session_id="s") for m in (one, two))
    written = {**first.to_dict(), "handle": None}
    two.close()
    again = MemoryOSMemory.from_dict(written)
    assert not again.memory.closed
    assert again.memory is not second.memory
    again.put(said("Hi"))
    assert [m.content for m in first.get_all()] == ["Hi"]
    if again.memory is not one:
        again.memory.close()
    one.close()


def test_threads_that_connect_at_once_come_to_the_same_session(path: str) -> None:
    with MemoryOS(path, embedder=None, config=MANUAL) as memory:
        written = {**MemoryOSMemory(memory=memory, user_id="ann", session_id="s").to_dict(), "handle": None}
        MemoryOSMemory.from_dict(written).put(said("Hi"))
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: MemoryOSMemory.from_dict(written), range(16)))
    assert [[m.content for m in one.get_all()] for one in found] == [["Hi"]] * 16
    for one in found:
        one.memory.close()


def opened_by_reference(path: str) -> tuple[MemoryOSMemory, dict[str, object]]:
    """A session whose memory nobody but the reference has opened."""
    with MemoryOS(path, embedder=None, config=MANUAL) as memory:
        ann = MemoryOSMemory(memory, user_id="ann", session_id="s")
        ann.put(said("Hi"))
        written = ann.to_dict()
    return MemoryOSMemory.from_dict(written), written


def test_a_memory_that_a_reference_opened_is_found_again(path: str) -> None:
    again, written = opened_by_reference(path)
    gone, memory = weakref.ref(again), weakref.ref(again.memory)
    del again
    gc.collect()
    assert gone() is None
    later = MemoryOSMemory.from_dict(written)
    assert later.memory is memory()
    assert not later.memory.closed
    assert [m.content for m in later.get_all()] == ["Hi"]


def test_of_memories_that_references_opened_only_so_many_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "_MOST_KEPT", 2)
    monkeypatch.setattr(registry, "_kept", OrderedDict[str, MemoryOS]())
    seen = [weakref.ref(opened_by_reference(f"sqlite:///{tmp_path}/{n}.db")[0].memory) for n in range(4)]
    gc.collect()
    assert [one() is not None for one in seen] == [False, False, True, True]
    for one in seen[2:]:
        memory = one()
        assert memory is not None
        memory.close()


def test_what_happens_in_a_memory_that_a_reference_opened_is_shown(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Seen(BaseEventHandler):
        _errors: list[tuple[str, str, str]] = PrivateAttr(default_factory=list)

        def handle(self, event: BaseEvent, **kwargs: Any) -> None:
            if isinstance(event, MemoryOSErrorEvent):
                self._errors.append((event.user_id, event.action, event.error))

    def fail(*_: object, **__: object) -> None:
        raise StoreError("secret")

    again, _ = opened_by_reference(path)
    handler, root = Seen(), get_dispatcher()
    root.add_event_handler(handler)
    try:
        monkeypatch.setattr(again.memory._engine._updater, "consolidate", fail)
        with pytest.raises(StoreError):
            again.user.consolidate()
    finally:
        root.event_handlers.remove(handler)
    assert handler._errors == [("ann", "consolidate", "StoreError")]


def test_a_database_that_cannot_be_opened_says_so(tmp_path: Path, memory: MemoryOS) -> None:
    written = MemoryOSMemory(memory=memory, user_id="ann").to_dict()
    broken = tmp_path / "broken.db"
    broken.write_bytes(b"no database at all" * 100)
    with pytest.raises(StoreError):
        MemoryOSMemory.from_dict({**written, "handle": None, "address": f"sqlite:///{broken}"})
