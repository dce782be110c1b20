"""What waits for the store, and conversations whose process ends within a change: nothing twice, nothing lost."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage

from memoryos_core import ClosedError, MemoryConfig, MemoryOS, StoreError, UserMemory, WorkerConfig
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.stores.sql.writing import notes, pages
from memoryos_core.stores.sql.writing import pages as conversations
from memoryos_llamaindex import conversation as conversing
from memoryos_llamaindex.memory import MemoryOSMemory

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))


class Killed(BaseException):
    """The end of a process: nothing after it is done."""


def talk(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role="assistant" if n % 2 else "user", content=text) for n, text in enumerate(texts)]


def shown(memory: MemoryOSMemory) -> list[str]:
    return [m.content or "" for m in memory.get_all()]


def learnt(memory: MemoryOSMemory) -> list[str]:
    return [m.text for page in memory.user.pages(session=True) for m in page.messages]


def down(*_: object, **__: object) -> None:
    raise StoreError("no disk")


class Clock:
    """The clock by which a conversation tries again."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.now = 1000.0
        patch.setattr(conversing, "time", SimpleNamespace(monotonic=lambda: self.now))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


@pytest.fixture
def ann(memory: MemoryOS, caplog: pytest.LogCaptureFixture) -> Iterator[MemoryOSMemory]:
    caplog.set_level(logging.CRITICAL)
    ann = MemoryOSMemory(memory, user_id="ann", session_id="s")
    yield ann
    conversing._unwritten.discard(ann._talk)  # what was killed waits for ever


# ------------------------------------------------------------------------------------------ what waits


def test_what_waits_is_written_by_a_read_when_some_seconds_have_passed(
    ann: MemoryOSMemory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as failing:
        failing.setattr(UserMemory, "add_messages", down)
        ann.put_messages(talk("one", "One."))
    clock.now += 4.5
    assert shown(ann) == ["one", "One."]
    ann.get()
    assert learnt(ann) == []
    assert ann._talk in conversing._unwritten
    clock.now += 1.0
    assert shown(ann) == learnt(ann) == ["one", "One."]
    assert ann._talk not in conversing._unwritten
    ann.put(talk("two")[0])
    assert shown(ann) == learnt(ann) == ["one", "One.", "two"]


def test_a_read_for_the_model_writes_what_waits_as_well(
    ann: MemoryOSMemory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as failing:
        failing.setattr(UserMemory, "add_messages", down)
        ann.put(talk("one")[0])
        for _ in range(3):  # each try begins the wait anew
            clock.now += 5.5
            assert [m.content for m in ann.get()] == ["one"]
    assert [m.content for m in ann.get()] == ["one"]
    assert learnt(ann) == []
    clock.now += 5.5
    assert [m.content for m in ann.get()] == ["one"]
    assert learnt(ann) == ["one"]


def test_a_store_that_is_down_is_asked_once_in_five_seconds(
    ann: MemoryOSMemory, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[float] = []

    def failing(*_: object, **__: object) -> None:
        tries.append(clock.now)
        raise StoreError("no disk")

    # A write that may have come through begins by looking what is there.
    monkeypatch.setattr(UserMemory, "add_messages", failing)
    monkeypatch.setattr(UserMemory, "pages", failing)
    ann.put(talk("one")[0])
    for _ in range(24):
        clock.now += 1.0
        assert shown(ann) == ["one"]
    assert tries == [1000.0, 1006.0, 1012.0, 1018.0, 1024.0]


def test_an_answer_that_got_lost_shows_no_message_twice(ann: MemoryOSMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    real = UserMemory.add_messages

    def losing(*args: Any, **kwargs: Any) -> Any:
        real(*args, **kwargs)
        raise StoreError("the answer got lost")

    ann.put_messages(talk("one", "One."))
    with monkeypatch.context() as failing:
        failing.setattr(UserMemory, "add_messages", losing)
        ann.put(talk("two")[0])
    assert shown(ann) == ["one", "One.", "two"]
    ann.put(ChatMessage(role="assistant", content="Two."))
    monkeypatch.setattr(UserMemory, "transcript", down)
    monkeypatch.setattr(UserMemory, "messages", down)
    assert shown(ann) == [m.content for m in ann.get()] == ["one", "One.", "two", "Two."]
    assert learnt(ann) == ["one", "One.", "two", "Two."]


ENDS: dict[str, Callable[[MemoryOSMemory], object]] = {
    "reset": lambda ann: ann.reset(),
    "session": lambda ann: ann.forget(session=True),
    "everything": lambda ann: ann.forget(everything=True),
    "page": lambda ann: ann.forget(pages=ann.user.pages(session=True)),
}


@pytest.mark.parametrize("end", ENDS)
def test_what_ended_does_not_come_back_when_the_store_fails_next(
    ann: MemoryOSMemory, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    ann.put_messages(talk("one", "One."))
    assert shown(ann) == ["one", "One."]
    ENDS[end](ann)
    for verb in ("transcript", "messages", "recall"):
        monkeypatch.setattr(UserMemory, verb, down)
    assert ann.get_all() == []
    assert ann.get("one") == []


def test_half_a_tool_exchange_that_waits_is_not_sent(ann: MemoryOSMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    ann.put_messages(talk("one", "One.", "two", "Two."))
    ann.set(talk("two", "Two.", "one", "One."))
    function = {"name": "f", "arguments": "{}"}
    call = ChatMessage(role="assistant", content="", additional_kwargs={"tool_calls": [{"id": "x", **function}]})
    result = ChatMessage(role="tool", content="stray", additional_kwargs={"tool_call_id": "unknown"})
    for verb in ("add_messages", "transcript", "messages"):
        monkeypatch.setattr(UserMemory, verb, down)
    ann.put_messages([*talk("three"), call, *talk("four"), result, *talk("five")])
    assert shown(ann)[-5:] == ["three", "", "four", "stray", "five"]
    sent = ann.get()
    assert [m.content for m in sent][-3:] == ["three", "four", "five"]
    assert not any(m.role.value == "tool" or m.additional_kwargs for m in sent)


# ------------------------------------------------------------------------------------------ killed

FOUR = ("one", "One.", "two", "Two.")
WANTED: dict[str, tuple[str, ...]] = {
    "longer": (*FOUR, "three", "Three."),
    "shorter": ("one", "One."),
    "its end": ("two", "Two."),
    "an answer edited": ("one", "Uno.", "two", "Two."),
    "a new end": ("one", "One.", "zwei", "Zwei."),
    "new between known": ("one", "One.", "new", "New.", "two", "Two."),
    "another order": ("two", "Two.", "one", "One."),
    "known at its end": ("x", "X.", "one", "One.", "y", "Y."),
    "all new": ("x", "X.", "y", "Y."),
}
# Verbs of the face and of the store, and within its transactions.
STEPS = [
    pytest.param(owner, verb, call, when, id=f"{verb}-{call}-{when}")
    for owner, verb, call in (
        (UserMemory, "add_messages", 0),
        (UserMemory, "end_session", 0),
        (UserMemory, "pages", 0),
        (SqlStore, "append", 0),
        (SqlStore, "append", 1),
        (SqlStore, "end_session", 0),
        (pages, "insert_pages", 0),
        (conversations, "end", 0),
        (notes, "write", 0),
    )
    for when in ("before", "after")
]


def kill(patch: pytest.MonkeyPatch, owner: Any, verb: str, call: int, when: str) -> None:
    real, calls = getattr(owner, verb), iter(range(1_000_000))

    def killed(*args: Any, **kwargs: Any) -> Any:
        now = next(calls) == call
        if now and when == "before":
            raise Killed
        result = real(*args, **kwargs)
        if now:
            raise Killed
        return result

    patch.setattr(owner, verb, killed)


BEFORE = ("said", "set")
# Every case with both beginnings, and every moment with both, but each pair of moment and case with one of them.
CASES = [
    (*step.values, case, before)
    for row, step in enumerate(STEPS)
    for column, case in enumerate(WANTED)
    for before in (BEFORE if "MEMORYOS_SOAK" in os.environ else BEFORE[(row // 2 + row + column) % 2 :][:1])
]


@pytest.mark.parametrize(("owner", "verb", "call", "when", "case", "before"), CASES)
def test_a_process_that_ends_within_a_set_leaves_a_conversation_whole(
    ann: MemoryOSMemory,
    path: str,
    monkeypatch: pytest.MonkeyPatch,
    owner: Any,
    verb: str,
    call: int,
    when: str,
    case: str,
    before: str,
) -> None:
    wanted = list(WANTED[case])
    ann.put_messages(talk(*FOUR))
    if before == "set":
        ann.set(talk("two", "Two.", "one"))
    old = shown(ann)
    with monkeypatch.context() as ending:
        kill(ending, owner, verb, call, when)
        with suppress(Killed):
            ann.set(talk(*wanted))
    with MemoryOS(path, embedder=None, config=MANUAL) as memory:
        later = MemoryOSMemory(memory, user_id="ann", session_id="s")
        now = shown(later)
        new = [text for text in wanted if text not in FOUR]
        assert now in (old, wanted)
        assert Counter(learnt(later)) == Counter([*FOUR, *(new if now == wanted else [])])
        later.set(talk(*wanted))
        assert shown(later) == wanted
        assert Counter(learnt(later)) == Counter([*FOUR, *new])


def test_what_waits_does_not_hold_a_closed_memory(ann: MemoryOSMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(UserMemory, "add_messages", down)
        ann.put_messages(talk("I keep bees."))
    assert ann._talk in conversing._unwritten
    ann.memory.close()
    for _ in range(2):
        with pytest.raises(ClosedError):
            ann.put_messages(talk("Nine hives."))
        assert ann._talk not in conversing._unwritten
