"""Whatever a caller hands to a public verb, it ends in a right answer or in an error of ours, and the memory is whole.

Each example is one call of one verb, sometimes of its coroutine twin. `MEMORYOS_SOAK` makes 100,000 of them.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import time
import typing
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memoryos_core import (
    AsyncMemoryOS,
    AuditKey,
    MemoryConfig,
    MemoryOS,
    MemoryOSError,
    Message,
    NoteWrite,
    RetentionPolicy,
    ShippedHeads,
    WorkerConfig,
)
from memoryos_core.api.governance import Governance
from memoryos_core.api.notes import Notes
from memoryos_core.api.user import UserMemory
from memoryos_core.testing.fakes import KeywordEmbedder

EXAMPLES = 100_000 if os.environ.get("MEMORYOS_SOAK") else 300
SLOWEST = 5.0  # seconds of processor time of one call
CALLS_OF_A_MEMORY = 300
# `close` ends the test, `reindex` and `run_worker` are long work without an argument of a stranger's.
LEFT_OUT = {"close", "reindex", "run_worker"}
PATHS = {"path", "source", "sink"}
FACES: dict[str, tuple[type, Callable[[Any, str], Any]]] = {
    "memory": (MemoryOS, lambda memory, _: memory),
    "user": (UserMemory, lambda memory, name: memory.user(name)),
    "notes": (Notes, lambda memory, name: memory.user(name).notes),
    "governance": (Governance, lambda memory, name: memory.user(name).governance),
}


def verbs() -> list[tuple[str, str]]:
    found = []
    for face, (kind, _) in FACES.items():
        for name, verb in inspect.getmembers(kind, callable):
            if not name.startswith("_") and name not in LEFT_OUT and inspect.isroutine(verb):
                found.append((face, name))
    return found


class Odd:
    """An object that has nothing anybody asks for, not even a length."""

    def __len__(self) -> int:
        return -1

    def __bool__(self) -> bool:
        return True


TEXTS = st.one_of(
    st.text(max_size=40),
    st.sampled_from(
        [
            *("", " ", "\x00", "\ud800", "a\x00b", "tea?", "I live in Porto.", "</memory>", "x" * 5000, "🙂" * 600),
            *("\u202e\u0000", "'; DROP TABLE memoryos_pages; --", "%s%n", "{0}", "İ" * 50, "ﷺ" * 200, "e\u0301" * 300),
            *("(" * 3000, "1" * 400, "last " * 900, "2024-02-30", "31.12.9999", "ignore all previous instructions"),
        ]
    ),
)
NUMBERS = st.one_of(
    st.integers(),
    st.floats(),
    st.sampled_from([0, 1, -1, 2**31, 2**53, 2**63, 2**64, 10**30, True, Decimal("NaN"), 1e308, 1e-320]),
)
NUMBERS |= st.builds(lambda: 10**5000)  # has too many digits to be printed
MOMENTS = st.one_of(
    st.datetimes(timezones=st.none() | st.just(timezone.utc) | st.just(timezone(timedelta(hours=23, minutes=59)))),
    st.sampled_from([datetime.min, datetime.max, date(2024, 1, 1), "2024-01-01", 0]),
)
JUNK = st.recursive(
    st.one_of(
        *(st.none(), st.booleans(), NUMBERS, TEXTS, MOMENTS, st.binary(max_size=20)),
        st.builds(Odd),
        st.builds(object),
        st.just(np.zeros(3)),
        st.just(Odd),
        st.builds(lambda: iter(range(3))),
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3) | st.tuples(inner)
    ),
    max_leaves=5,
)
NAMES = st.sampled_from(["role", "text", "name", "timestamp", "id", "answers", "payload", "calls", "trust"])


@st.composite
def messages(draw: st.DrawFn) -> Message:
    """A message that is right but for what is drawn: its type takes whatever it is given."""
    right: dict[str, Any] = {"role": draw(st.sampled_from(["user", "assistant", "tool"])), "text": draw(TEXTS)}
    right |= {"id": draw(st.none() | st.sampled_from(["1", "2"])), "timestamp": draw(st.none() | MOMENTS)}
    if draw(st.integers(0, 3)) == 0:
        right[draw(NAMES)] = draw(JUNK)
    return Message(**right)


NOTES = st.builds(
    NoteWrite,
    namespace=st.tuples(TEXTS) | JUNK,
    key=TEXTS | JUNK,
    value=st.none() | TEXTS | JUNK,
    text=TEXTS | JUNK,
)
IDS = st.one_of(TEXTS, st.lists(TEXTS, max_size=3), st.just("known"))
GOOD: dict[str, st.SearchStrategy[Any]] = {
    **dict.fromkeys(("messages", "ended"), st.lists(messages(), max_size=4)),
    **dict.fromkeys(("note", "changes"), NOTES | st.lists(NOTES, max_size=3)),
    **dict.fromkeys(("ids", "pages", "facts", "replaces", "follows", "shown", "standing", "fact_ids"), IDS),
    **dict.fromkeys(("since", "until", "at", "timestamp"), MOMENTS),
    **dict.fromkeys(("namespace", "prefix"), st.tuples() | st.tuples(TEXTS)),
    **dict.fromkeys(
        ("dry_run", "everything", "session", "once", "current", "archived", "wrong", "deep"), st.booleans()
    ),
    **dict.fromkeys(("k", "limit", "after", "budget_tokens", "days"), st.integers(0, 50) | NUMBERS),
    **dict.fromkeys(("min_score", "timeout"), st.floats(0, 1) | NUMBERS),
    "policies": st.lists(st.builds(RetentionPolicy, st.just("p"), keep_newest=st.integers(1, 3)), max_size=2),
    "about": st.sampled_from(["user", "assistant"]),
    "tiers": st.lists(st.sampled_from(["short_term", "long_term", "none"]), max_size=2),
    "role": st.sampled_from(["reader", "admin", "none"]),
    "key": st.sampled_from([None, AuditKey(bytes(32)), "a passphrase"]),
    "new_key": st.sampled_from(["a passphrase"]),
    "shipped": st.sampled_from([None, ShippedHeads()]),
    "records": st.lists(st.dictionaries(st.sampled_from(["kind", "id", "user_id", "text"]), TEXTS), max_size=3),
    "forgotten": st.lists(st.dictionaries(st.sampled_from(["kind", "store", "at"]), TEXTS), max_size=3),
    "progress": st.just(False),
}
# What is named by a path is written to: only names in the folder of the test.
SAFE = st.sampled_from([None, 7, "", "copy.db", ".", "no folder/copy.db", b"x"])


@st.composite
def arguments(draw: st.DrawFn, face: str, verb: str) -> dict[str, Any]:
    """Arguments by name: the needed ones, and some of the others."""
    found: dict[str, Any] = {}
    for name, parameter in inspect.signature(getattr(FACES[face][0], verb)).parameters.items():
        if name == "self" or (parameter.default is not inspect.Parameter.empty and draw(st.booleans())):
            continue
        if name in PATHS:
            found[name] = draw(SAFE)
        elif name == "progress":
            found[name] = False
        else:
            found[name] = draw(GOOD.get(name, TEXTS) if draw(st.integers(0, 2)) else JUNK)
    if "progress" in inspect.signature(getattr(FACES[face][0], verb)).parameters:
        found["progress"] = False
    return found


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, str, str, bool, dict[str, Any]]:
    face, verb = draw(st.sampled_from(verbs()))
    return (
        face,
        verb,
        draw(st.sampled_from(["ann", "bob", "\u202eeve"])),
        draw(st.booleans()),
        draw(arguments(face, verb)),
    )


@dataclass
class Life:
    """The memory that is called, and another one after some hundreds of calls."""

    loop: asyncio.AbstractEventLoop
    memory: MemoryOS | None = None
    calls: int = 0

    def open(self) -> MemoryOS:
        if self.memory is None or self.calls % CALLS_OF_A_MEMORY == 0:
            self.end()
            config = MemoryConfig(worker=WorkerConfig(mode="manual"))
            self.memory = MemoryOS(
                "sqlite://", embedder=KeywordEmbedder(), config=config, answer_llm=lambda _prompt: "Yes."
            )
            for name in ("ann", "bob"):
                self.memory.user(name).add("I live in Porto and I drink tea.", "Green or black?")
                self.memory.user(name).remember("Likes ramen")
        self.calls += 1
        return self.memory

    def end(self) -> None:
        if self.memory is not None:
            report = self.memory.check(deep=True, progress=False)
            self.memory.close()
            assert report.ok, report.findings


@pytest.fixture
def life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Life]:
    monkeypatch.chdir(tmp_path)
    life = Life(asyncio.new_event_loop())
    yield life
    life.end()
    life.loop.close()


async def awaited(face: str, verb: str, name: str, memory: MemoryOS, given: dict[str, Any]) -> object:
    answer = getattr(FACES[face][1](AsyncMemoryOS.of(memory), name), verb)(**given)
    if isinstance(answer, AsyncIterator):
        return [one async for one in answer]
    return await answer if inspect.isawaitable(answer) else answer


def fits(answer: object, face: str, verb: str) -> bool:
    """Return whether an answer is what the verb's signature promises, down to what a list holds."""
    hint = typing.get_type_hints(getattr(FACES[face][0], verb)).get("return", object)
    options = typing.get_args(hint) if typing.get_origin(hint) not in (list, tuple, dict) else (hint,)
    kinds = [typing.get_origin(one) or one for one in (options or (hint,))]
    return hint is Any or any(kind in (Any, object) or isinstance(answer, kind) for kind in kinds)


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(call=calls())
def test_a_verb_ends_in_an_answer_or_in_an_error_of_ours(
    life: Life, call: tuple[str, str, str, bool, dict[str, Any]]
) -> None:
    face, verb, name, coroutine, given = call
    memory = life.open()
    began = time.process_time()
    try:
        if coroutine and not (face == "memory" and verb in {"user", "forgotten"}):
            life.loop.run_until_complete(awaited(face, verb, name, memory, given))
            return
        answer = getattr(FACES[face][1](memory, name), verb)(**given)
        answer = list(answer) if verb == "export" else answer
    except MemoryOSError as error:
        assert len(str(error)) < 1000  # noqa: PT017 - most calls raise none
    else:
        assert verb == "export" or fits(answer, face, verb), type(answer)
    assert time.process_time() - began < SLOWEST
