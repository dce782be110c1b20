"""Chat engines while the store, the embedder or a recall fails: the conversation goes on, and nothing is lost."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.instrumentation.event_handlers import BaseEventHandler
from llama_index_instrumentation import get_dispatcher
from numpy.typing import NDArray
from pydantic import PrivateAttr

from memoryos_core import ClosedError, InvalidInputError, MemoryConfig, MemoryOS, StoreError, UserMemory, WorkerConfig
from memoryos_core.ports import Store
from memoryos_core.stores.sql.store import SqlStore
from memoryos_core.testing.fakes import KeywordEmbedder
from memoryos_core.values.commands import Append, PageQuery
from memoryos_core.values.dialogue import Page, Vector
from memoryos_llamaindex.events import MemoryOSErrorEvent, dispatch
from memoryos_llamaindex.memory import MemoryOSMemory
from tests.llamaindex.conversing import KINDS, PAIRS, WAYS, Said, engine_of, numbering, prompt, said, say
from tests.llamaindex.scripted import ScriptedLLM

VERBS = frozenset(name for name in vars(Store) if not name.startswith("_")) - {"close"}
DOG = "My dog is called Biscuit."
ASKED = "What is my dog called, please?"


class Unreliable(SqlStore):
    """A real store that can be told to refuse every verb, or to write and lose the answer."""

    down = False
    loses_answers = False
    pages_fail = False

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        if name in VERBS and super().__getattribute__("down"):
            return self._refuse
        return found

    @staticmethod
    def _refuse(*args: object, **kwargs: object) -> None:
        raise StoreError("the database is locked")

    def append(self, append: Append) -> tuple[Page, ...]:
        pages = super().append(append)
        if self.loses_answers:
            raise StoreError("the connection was lost")
        return pages

    def pages(self, query: PageQuery) -> tuple[Page, ...]:
        if self.pages_fail:
            raise StoreError("the connection was lost")
        return super().pages(query)


class Watching(BaseEventHandler):
    """An application's own handler of events."""

    _seen: list[MemoryOSErrorEvent] = PrivateAttr(default_factory=list)

    @classmethod
    def class_name(cls) -> str:
        return "Watching"

    @property
    def seen(self) -> list[tuple[str, str]]:
        return [(event.action, event.error) for event in self._seen]

    @property
    def whose(self) -> set[tuple[str, str]]:
        return {(event.user_id, event.assistant_id) for event in self._seen}

    def handle(self, event: Any, **kwargs: Any) -> None:
        if isinstance(event, MemoryOSErrorEvent):
            event.model_dump_json()
            self._seen.append(event)


@pytest.fixture
def events() -> Iterator[Watching]:
    watching, root = Watching(), get_dispatcher()
    before = list(root.event_handlers)
    root.add_event_handler(watching)
    yield watching
    root.event_handlers = before


@pytest.fixture
def store(path: str) -> Unreliable:
    return Unreliable(path)


@pytest.fixture
def shaky(store: Unreliable) -> Iterator[MemoryOS]:
    """A memory on a real database that may be made to fail."""
    config = MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS(store, embedder=None, config=config, on_event=dispatch) as memory:
        yield memory
        store.down = False


def today(memory: MemoryOS) -> MemoryOSMemory:
    return MemoryOSMemory(memory=memory, user_id="ann", session_id="today")


def turns(*numbers: int) -> Said:
    return [line for n in numbers for line in (("user", f"question {n}"), ("assistant", f"answer {n}"))]


def messages(*numbers: int) -> list[ChatMessage]:
    return [ChatMessage(role=role, content=text) for role, text in turns(*numbers)]


def stored(path: str) -> Said:
    """What somebody else finds in the database."""
    with MemoryOS(path, embedder=None, config=MemoryConfig(worker=WorkerConfig(mode="manual"))) as other:
        return [(m.role, m.text) for page in other.user("ann").pages() for m in page.messages]


# ------------------------------------------------------------------------------------------ the store


@pytest.mark.parametrize(("kind", "way"), PAIRS)
async def test_the_conversation_goes_on_and_is_written_once_in_order(
    shaky: MemoryOS,
    store: Unreliable,
    path: str,
    events: Watching,
    caplog: pytest.LogCaptureFixture,
    kind: str,
    way: str,
) -> None:
    ours, llm = today(shaky), ScriptedLLM(numbering)
    engine = engine_of(kind, ours, llm)
    await say(engine, way, "question 1")
    assert not events.seen
    store.down = True
    for number in (2, 3):
        asked = len(llm.asked)
        assert await say(engine, way, f"question {number}") == f"answer {number}"
        shown = prompt(llm.asked[asked])
        for role, text in turns(*range(1, number)):
            assert shown.count(text) == 1, (role, text)
    assert said(engine.chat_history) == turns(1, 2, 3)
    assert stored(path) == turns(1)
    assert {("put", "StoreError"), ("get", "StoreError"), ("recall", "StoreError")} >= set(events.seen)
    assert ("put", "StoreError") in events.seen
    assert events.whose == {("ann", "assistant")}
    assert any(r.levelno == logging.ERROR and r.name.startswith("memoryos_llamaindex") for r in caplog.records)
    ours_said = "\n".join(r.getMessage() for r in caplog.records if r.name.startswith("memoryos"))
    assert "question" not in ours_said, "no word of the user's in a log"
    store.down = False
    await say(engine, way, "question 4")
    assert said(engine.chat_history) == stored(path) == turns(1, 2, 3, 4)
    assert said(today(shaky).get_all()) == turns(1, 2, 3, 4)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_store_that_never_answered_yet(shaky: MemoryOS, store: Unreliable, path: str, kind: str) -> None:
    store.down = True
    engine = engine_of(kind, today(shaky), ScriptedLLM(numbering))
    await say(engine, "achat", "question 1")
    await say(engine, "achat", "question 2")
    assert said(engine.chat_history) == turns(1, 2)
    store.down = False
    await say(engine, "achat", "question 3")
    assert stored(path) == turns(1, 2, 3)


@pytest.mark.parametrize("kind", KINDS)
async def test_what_was_written_while_its_answer_was_lost_is_not_written_twice(
    shaky: MemoryOS, store: Unreliable, path: str, kind: str
) -> None:
    engine = engine_of(kind, today(shaky), ScriptedLLM(numbering))
    await say(engine, "achat", "question 1")
    store.loses_answers = True
    await say(engine, "achat", "question 2")
    await say(engine, "achat", "question 3")
    assert said(engine.chat_history)[:2] == turns(1)
    store.loses_answers = False
    await say(engine, "achat", "question 4")
    assert stored(path) == turns(1, 2, 3, 4)
    assert said(engine.chat_history) == turns(1, 2, 3, 4)


def test_what_was_written_while_its_answer_was_lost_is_shown_once(shaky: MemoryOS, store: Unreliable) -> None:
    ours = today(shaky)
    store.loses_answers = True
    ours.put_messages(messages(1))
    ours.put_messages(messages(2))
    assert said(ours.get_all()) == turns(1, 2)
    assert said(ours.get()) == turns(1, 2)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_store_that_writes_and_cannot_be_read(shaky: MemoryOS, store: Unreliable, path: str, kind: str) -> None:
    llm = ScriptedLLM(numbering)
    engine = engine_of(kind, today(shaky), llm)
    await say(engine, "achat", "question 1")
    store.pages_fail = True
    await say(engine, "achat", "question 2")
    assert "answer 1" in prompt(llm.asked[1])
    assert said(engine.chat_history) == turns(1, 2)
    store.pages_fail = False
    await say(engine, "achat", "question 3")
    assert stored(path) == turns(1, 2, 3)


@pytest.mark.parametrize("way", WAYS)
async def test_objects_made_for_each_request_share_what_waits(
    shaky: MemoryOS, store: Unreliable, path: str, way: str
) -> None:
    store.down = True
    for number in (1, 2, 3):
        llm = ScriptedLLM(numbering)
        await say(engine_of("simple", today(shaky), llm), way, f"question {number}")
        assert said(llm.asked[0])[:-1] == turns(*range(1, number))
        gc.collect()
    store.down = False
    await say(engine_of("simple", today(shaky), ScriptedLLM(numbering)), way, "question 4")
    assert stored(path) == turns(1, 2, 3, 4)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_stateless_server_through_an_outage_learns_each_turn_once(
    shaky: MemoryOS, store: Unreliable, path: str, kind: str
) -> None:
    clients: list[ChatMessage] = []
    for number in range(1, 6):
        store.down = number in (2, 3)
        ours = today(shaky)
        await say(engine_of(kind, ours, ScriptedLLM(numbering)), "achat", f"question {number}", clients)
        clients += messages(number)
        assert said(ours.get_all()) == said(clients)
    assert stored(path) == turns(1, 2, 3, 4, 5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_reset_that_the_store_refuses_is_told_and_changes_nothing(
    shaky: MemoryOS, store: Unreliable, path: str, kind: str
) -> None:
    ours = today(shaky)
    engine = engine_of(kind, ours, ScriptedLLM(numbering))
    engine.chat("question 1")
    store.down = True
    engine.chat("question 2")
    with pytest.raises(StoreError):
        engine.reset()
    with pytest.raises(StoreError):
        ours.forget(session=True)
    assert said(engine.chat_history) == turns(1, 2)
    store.down = False
    engine.reset()
    assert engine.chat_history == []
    assert stored(path) == turns(1, 2), "ended, and remembered"
    ours.forget(session=True)
    assert stored(path) == []


def test_many_threads_through_an_outage(shaky: MemoryOS, store: Unreliable, path: str) -> None:
    here = threading.Barrier(8)

    def speak(speaker: int) -> None:
        here.wait(timeout=60)
        for n in range(5):
            today(shaky).put(ChatMessage(content=f"{speaker}:{n}"))

    store.down = True
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(speak, range(8)))
    before = [text for _, text in said(today(shaky).get_all())]
    store.down = False
    today(shaky).put(ChatMessage(content="8:0"))
    there = [text for _, text in stored(path)]
    assert there == [*before, "8:0"]
    for speaker in range(8):
        assert [t for t in there if t.startswith(f"{speaker}:")] == [f"{speaker}:{n}" for n in range(5)]


@pytest.mark.parametrize("text", ["\x00", "half \ud800 a pair", ""])
def test_no_text_holds_up_what_is_said_after_it(memory: MemoryOS, path: str, text: str) -> None:
    ours = today(memory)
    ours.put(ChatMessage(content=text))
    ours.put(ChatMessage(role="assistant", content="answer 1"))
    assert said(ours.get_all()) == [("user", text), ("assistant", "answer 1")]
    assert [text for _, text in stored(path)][-1] == "answer 1"


def test_what_is_no_message_is_refused_and_holds_up_nothing(shaky: MemoryOS, store: Unreliable, path: str) -> None:
    ours = today(shaky)
    for down in (True, False):
        store.down = down
        for bad in ("text", None, ["text"], [messages(1)[0], None], {"role": "user"}):
            with pytest.raises(InvalidInputError):
                ours.put_messages(bad)
    ours.put_messages(messages(1))
    assert stored(path) == turns(1)


def test_an_interrupt_in_the_middle_of_a_write_loses_nothing(
    shaky: MemoryOS, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = today(shaky)

    def interrupted(self: UserMemory, *args: Any, **kwargs: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(UserMemory, "add_messages", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ours.put(messages(1)[0])
    ours.put(messages(1)[1])
    assert stored(path) == said(ours.get_all()) == turns(1)


# ------------------------------------------------------------------------------------------ closed


@pytest.mark.parametrize(("kind", "way"), PAIRS)
async def test_a_closed_memory_is_the_applications_mistake_and_raised(
    memory: MemoryOS, events: Watching, kind: str, way: str
) -> None:
    ours, llm = today(memory), ScriptedLLM(numbering)
    engine = engine_of(kind, ours, llm)
    await say(engine, way, "question 1")
    memory.close()
    with pytest.raises(ClosedError):
        await say(engine, way, "question 2")
    assert not [m for m in llm.asked if "question 2" in prompt(m)], "no model is asked what nobody will remember"
    for call in (ours.get, ours.get_all, ours.reset, lambda: ours.put_messages(messages(2)), lambda: ours.set([])):
        with pytest.raises(ClosedError):
            call()
    assert not events.seen


# ------------------------------------------------------------------------------------------ recalls and embedders


@pytest.mark.parametrize(("kind", "way"), PAIRS)
async def test_a_recall_that_fails_leaves_the_plain_conversation(
    memory: MemoryOS,
    events: Watching,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    way: str,
) -> None:
    before = MemoryOSMemory(memory=memory, user_id="ann", session_id="earlier")
    before.put(ChatMessage(content=DOG))
    ours, llm = today(memory), ScriptedLLM(numbering)
    engine = engine_of(kind, ours, llm)
    tried: list[str] = []

    def failing(self: UserMemory, query: str, **kwargs: Any) -> Any:
        tried.append(query)
        raise RuntimeError(f"SECRET {query}")

    with monkeypatch.context() as patched:
        patched.setattr(UserMemory, "recall", failing)
        assert await say(engine, way, ASKED) == "I see."
        ours.get(input=ASKED) if kind != "simple" else ours.get()
    assert len(tried) == (1 if kind == "simple" else 2), "once a turn"
    assert set(events.seen) == {("recall", "RuntimeError")}
    assert any(r.levelno >= logging.WARNING and "RuntimeError" in r.getMessage() for r in caplog.records)
    assert "SECRET" not in "".join(r.getMessage() for r in caplog.records)
    assert "Biscuit" not in "".join(map(prompt, llm.asked))
    await say(engine, way, "How is my dog called?")
    assert "Biscuit" in "".join(map(prompt, llm.asked)), "with the next turn it is tried again"


class Broken(KeywordEmbedder):
    """An embedder whose server went away."""

    down = False

    def embed_documents(self, texts: Any) -> NDArray[np.float32]:
        if self.down:
            raise ConnectionError("SECRET")
        return super().embed_documents(texts)

    def embed_query(self, text: str) -> Vector:
        if self.down:
            raise ConnectionError("SECRET")
        return super().embed_query(text)


@pytest.mark.parametrize("kind", KINDS)
async def test_a_failing_embedder_leaves_recall_by_words(
    path: str, events: Watching, caplog: pytest.LogCaptureFixture, kind: str
) -> None:
    embedder, config = Broken(), MemoryConfig(worker=WorkerConfig(mode="manual"))
    with MemoryOS(path, embedder=embedder, config=config, on_event=dispatch) as memory:
        MemoryOSMemory(memory=memory, user_id="ann", session_id="earlier").put(ChatMessage(content=DOG))
        embedder.down = True
        llm = ScriptedLLM(numbering)
        engine = engine_of(kind, today(memory), llm)
        await say(engine, "achat", ASKED)
        await say(engine, "achat", "question 2")
        assert "Biscuit" in "".join(map(prompt, llm.asked))
        assert said(engine.chat_history) == [("user", ASKED), ("assistant", "I see."), *turns(2)]
    assert any("embedder failed" in r.getMessage() for r in caplog.records)
    assert "SECRET" not in "".join(r.getMessage() for r in caplog.records)


def test_an_embedder_that_fails_behind_the_caller_is_an_event(path: str, events: Watching) -> None:
    embedder, config = Broken(), MemoryConfig(worker=WorkerConfig(mode="inline"))
    embedder.down = True
    with MemoryOS(path, embedder=embedder, config=config, on_event=dispatch) as memory:
        engine = engine_of("simple", today(memory), ScriptedLLM(numbering))
        for number in range(1, 20):
            engine.chat(f"question {number}")
        assert said(engine.chat_history) == turns(*range(1, 20))
    assert {error for _, error in events.seen} == {"ModelError"}
    assert events.whose == {("ann", "assistant")}
