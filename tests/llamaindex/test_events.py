"""What LlamaIndex's instrumentation is shown: recalls, promotions and errors, in spans that end, and never any text."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.base.event import BaseEvent
from llama_index_instrumentation.event_handlers import BaseEventHandler
from llama_index_instrumentation.span import BaseSpan
from llama_index_instrumentation.span_handlers import BaseSpanHandler
from pydantic import PrivateAttr

from memoryos_core import (
    ClosedError,
    HeatConfig,
    InvalidInputError,
    MemoryConfig,
    MemoryOS,
    ShortTermConfig,
    StoreError,
    UserMemory,
    WorkerConfig,
)
from memoryos_core.values.dialogue import Scope
from memoryos_core.values.events import PageAdded, StepFailed
from memoryos_llamaindex.events import (
    MemoryOSErrorEvent,
    MemoryOSEvent,
    MemoryOSPromotionEvent,
    MemoryOSRecallEndEvent,
    MemoryOSRecallStartEvent,
    dispatch,
)
from memoryos_llamaindex.memory import MemoryOSMemory

PAST = "My dog Biscuit is afraid of thunder"
QUESTION = "What is my dog afraid of?"


class Events(BaseEventHandler):
    """Keeps the events of this library."""

    _seen: list[BaseEvent] = PrivateAttr(default_factory=list)

    @classmethod
    def class_name(cls) -> str:
        return "Events"

    @property
    def seen(self) -> list[Any]:
        return [event for event in self._seen if isinstance(event, MemoryOSEvent)]

    def handle(self, event: BaseEvent, **kwargs: Any) -> None:
        self._seen.append(event)


class Spans(BaseSpanHandler[BaseSpan]):
    """Keeps how each span of a memory began and ended."""

    _log: list[tuple[str, str]] = PrivateAttr(default_factory=list)

    @classmethod
    def class_name(cls) -> str:
        return "Spans"

    @property
    def log(self) -> list[tuple[str, str]]:
        return [(kind, name.partition(".")[2].partition("-")[0]) for kind, name in self._log if "Memory" in name]

    def open(self) -> list[str]:
        return [name for name in self.open_spans if "Memory" in name]

    def new_span(
        self,
        id_: str,
        bound_args: inspect.BoundArguments,
        instance: Any | None = None,
        parent_span_id: str | None = None,
        tags: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> BaseSpan:
        self._log.append(("begin", id_))
        return BaseSpan(id_=id_, parent_id=parent_span_id, tags=tags or {})

    def prepare_to_exit_span(
        self, id_: str, bound_args: Any, instance: Any | None = None, result: Any | None = None, **kwargs: Any
    ) -> BaseSpan | None:
        self._log.append(("end", id_))
        return self.open_spans[id_]

    def prepare_to_drop_span(
        self, id_: str, bound_args: Any, instance: Any | None = None, err: BaseException | None = None, **kwargs: Any
    ) -> BaseSpan | None:
        self._log.append(("drop", id_))
        return self.open_spans.get(id_)


@pytest.fixture
def events() -> Iterator[Events]:
    handler, root = Events(), get_dispatcher()
    root.add_event_handler(handler)
    try:
        yield handler
    finally:
        root.event_handlers.remove(handler)


@pytest.fixture
def spans() -> Iterator[Spans]:
    handler, root = Spans(), get_dispatcher()
    root.add_span_handler(handler)
    try:
        yield handler
    finally:
        root.span_handlers.remove(handler)


@pytest.fixture
def ann(memory: MemoryOS) -> MemoryOSMemory:
    memory.user("ann", session_id="long ago").add(PAST, "Poor Biscuit")
    return MemoryOSMemory(memory=memory, user_id="ann", session_id="s")


def user(text: str) -> ChatMessage:
    return ChatMessage(role="user", content=text)


def kinds(events: Events) -> list[str]:
    return [event.class_name() for event in events.seen]


def plain(events: Events) -> str:
    """The events as JSON; raises when one of them is not."""
    return json.dumps([json.loads(event.model_dump_json()) for event in events.seen])


# ------------------------------------------------------------------------------------------ events


def test_a_recall_begins_and_ends_once_a_turn(ann: MemoryOSMemory, events: Events) -> None:
    ann.put(user(QUESTION))
    for question in (None, QUESTION, None):
        ann.get(question)
    assert kinds(events) == ["MemoryOSRecallStartEvent", "MemoryOSRecallEndEvent"]
    begun, ended = events.seen
    assert isinstance(begun, MemoryOSRecallStartEvent)
    assert isinstance(ended, MemoryOSRecallEndEvent)
    for event in (begun, ended):
        assert (event.user_id, event.assistant_id, event.session_id) == ("ann", "assistant", "s")
    assert (ended.hits > 0, ended.tokens > 0) == (True, True)
    assert not any(word in plain(events) for word in ("Biscuit", "thunder", "afraid"))


def test_a_recall_that_fails_ends_as_well(
    ann: MemoryOSMemory, events: Events, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)

    def fail(*_: object, **__: object) -> None:
        raise StoreError("no disk")

    ann.put(user(QUESTION))
    with monkeypatch.context() as down:
        down.setattr(UserMemory, "recall", fail)
        for _ in range(3):
            ann.get()
    assert kinds(events) == ["MemoryOSRecallStartEvent", "MemoryOSRecallEndEvent", "MemoryOSErrorEvent"]
    end = events.seen[1]
    assert (end.session_id, end.hits, end.tokens) == ("s", 0, 0)


@pytest.mark.parametrize("question", [None, "thunder?"], ids=["the same", "another"])
def test_a_handler_may_read_the_memory_that_has_recalled(ann: MemoryOSMemory, question: str | None) -> None:
    class Reading(Events):
        _found: list[str] = PrivateAttr(default_factory=list)

        def handle(self, event: BaseEvent, **kwargs: Any) -> None:
            super().handle(event, **kwargs)
            if isinstance(event, MemoryOSRecallEndEvent) and not self._found:
                self._found.append("reading")
                self._found += [m.content or "" for m in ann.get(question)]

    handler, root = Reading(), get_dispatcher()
    ann.put(user(QUESTION))
    root.add_event_handler(handler)
    # In a thread that need not end: it would wait for itself for ever.
    reader = threading.Thread(target=ann.get, daemon=True)
    try:
        reader.start()
        reader.join(60)
        assert not reader.is_alive()
    finally:
        root.event_handlers.remove(handler)
    assert PAST in "".join(handler._found)
    pairs = ["MemoryOSRecallStartEvent", "MemoryOSRecallEndEvent"]
    assert kinds(handler) == pairs * (1 if question is None else 2)


def test_nothing_found_is_told_as_nothing(memory: MemoryOS, events: Events) -> None:
    bob = MemoryOSMemory(memory=memory, user_id="bob", session_id="s")
    bob.put(user("Hi"))
    bob.get()
    assert (events.seen[-1].hits, events.seen[-1].tokens) == (0, 0)


@pytest.mark.parametrize(
    ("verb", "call", "action"),
    [
        ("add_messages", lambda m: m.put(user("Hi")), "put"),
        ("transcript", lambda m: m.get_all(), "get"),
        ("messages", lambda m: m.get(), "get"),
        ("transcript", lambda m: m.set([]), "put"),
        ("recall", lambda m: m.get(QUESTION), "recall"),
    ],
)
def test_what_failed_is_told_without_its_words(
    ann: MemoryOSMemory,
    events: Events,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    verb: str,
    call: Callable[[MemoryOSMemory], object],
    action: str,
) -> None:
    caplog.set_level(logging.CRITICAL)

    def fail(*_: object, **__: object) -> None:
        raise StoreError("the words of the error")

    with monkeypatch.context() as down:
        down.setattr(UserMemory, verb, fail)
        call(ann)
    found = [event for event in events.seen if isinstance(event, MemoryOSErrorEvent)]
    assert [(e.action, e.error, e.user_id) for e in found] == [(action, "StoreError", "ann")]
    assert "the words" not in plain(events)
    ann.put(user("Well"))
    assert len([e for e in events.seen if isinstance(e, MemoryOSErrorEvent)]) == 1


def test_a_promotion_is_told(path: str, events: Events) -> None:
    config = MemoryConfig(
        short_term=ShortTermConfig(capacity_pages=1, batch_pages=1),
        heat=HeatConfig(threshold=0.0),
        worker=WorkerConfig(mode="manual"),
    )
    with MemoryOS(path, embedder=None, config=config, on_event=dispatch) as memory:
        ann = MemoryOSMemory(memory=memory, user_id="ann", session_id="s")
        for number in range(4):
            ann.put_messages([user(f"{PAST} {number}"), ChatMessage(role="assistant", content="I see")])
        ann.user.consolidate()
        segments = {s.id for s in ann.user.segments()}
    promoted = [event for event in events.seen if isinstance(event, MemoryOSPromotionEvent)]
    assert promoted
    for event in promoted:
        assert event.user_id == "ann"
        assert event.segment_id in segments
        assert min(event.facts, event.traits, event.profile_fields) >= 0
    assert "Biscuit" not in plain(events)


def test_of_the_cores_events_errors_are_told_and_others_are_not(events: Events) -> None:
    scope = Scope("ann")
    dispatch(PageAdded(scope, "page", "s"))
    assert events.seen == []
    dispatch(StepFailed(scope, "summarise", "ModelAnswerError"))
    (event,) = events.seen
    assert (event.class_name(), event.action, event.error) == ("MemoryOSErrorEvent", "summarise", "ModelAnswerError")


def test_a_handler_that_fails_is_nobodys_problem(ann: MemoryOSMemory) -> None:
    class Broken(Events):
        def handle(self, event: BaseEvent, **kwargs: Any) -> None:
            raise RuntimeError("out of order")

    handler, root = Broken(), get_dispatcher()
    root.add_event_handler(handler)
    try:
        ann.put(user(QUESTION))
        assert PAST in str(ann.get()[0].content)
    finally:
        root.event_handlers.remove(handler)


# ------------------------------------------------------------------------------------------ spans


def test_every_verb_is_a_span_that_ends(ann: MemoryOSMemory, spans: Spans) -> None:
    ann.put(user(QUESTION))
    ann.get()
    ann.get_all()
    ann.set([user("Hi")])
    ann.reset()
    names = ["put_messages", "get", "get_all", "set", "reset"]
    assert spans.log == [(kind, name) for name in names for kind in ("begin", "end")]
    assert spans.open() == []


async def test_awaited_verbs_are_spans_that_end(ann: MemoryOSMemory, spans: Spans) -> None:
    await ann.aput(user(QUESTION))
    await ann.aput_messages([user("and")])
    await asyncio.gather(*(ann.aget() for _ in range(5)))
    await ann.aget_all()
    await ann.aset([user("Hi")])
    await ann.areset()
    begun = sorted(name for kind, name in spans.log if kind == "begin")
    assert begun == ["get"] * 5 + ["get_all", "put_messages", "put_messages", "reset", "set"]
    assert sorted(name for kind, name in spans.log if kind == "end") == begun
    assert spans.open() == []


def test_a_verb_that_raises_drops_its_span(ann: MemoryOSMemory, spans: Spans) -> None:
    with pytest.raises(InvalidInputError):
        ann.put_messages(["text"])
    ann.memory.close()
    for call in (ann.get, ann.get_all, ann.reset):
        with pytest.raises(ClosedError):
            call()
    assert spans.log == [(k, n) for n in ("put_messages", "get", "get_all", "reset") for k in ("begin", "drop")]
    assert spans.open() == []


def test_threads_have_spans_that_end(ann: MemoryOSMemory, spans: Spans) -> None:
    def turn(number: int) -> None:
        ann.put(user(f"{number}"))
        ann.get()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(turn, range(24)))
    for kind in ("begin", "end"):
        assert sorted(n for k, n in spans.log if k == kind) == ["get"] * 24 + ["put_messages"] * 24
    assert spans.open() == []
