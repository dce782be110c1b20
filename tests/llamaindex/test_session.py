"""A memory as a component of LlamaIndex: what it accepts, what of it is written down, and what a copy of it is."""

from __future__ import annotations

import asyncio
import copy
import gc
import json
import logging
import pickle
import threading
import uuid
import weakref
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.workflow import JsonSerializer

from memoryos_core import ClosedError, InvalidInputError, MemoryConfig, MemoryOS, StoreError, UserMemory, WorkerConfig
from memoryos_core.stores import address_of
from memoryos_llamaindex.memory import MemoryOSMemory
from tests.llamaindex.scripted import ScriptedLLM

MANUAL = MemoryConfig(worker=WorkerConfig(mode="manual"))
SECRET = "my pin is 4711"
IDS = ("user_id", "session_id", "assistant_id")


def said(text: str) -> ChatMessage:
    return ChatMessage(role="user", content=text)


def texts(memory: MemoryOSMemory) -> list[str]:
    return [m.content or "" for m in memory.get_all()]


def made_with(**given: Any) -> MemoryOSMemory:
    return MemoryOSMemory(**given)


@pytest.fixture
def ann(memory: MemoryOS) -> MemoryOSMemory:
    """Ann's conversation with something in it."""
    ann = MemoryOSMemory(memory=memory, user_id="ann", session_id="s", token_limit=500, insert_method="user")
    ann.put(said(SECRET))
    return ann


# ------------------------------------------------------------------------------------------ what is written down


def test_a_reference_is_small_plain_json_without_text(ann: MemoryOSMemory) -> None:
    written = ann.to_dict()
    text = json.dumps(written, allow_nan=False)
    assert json.loads(text) == written
    assert len(text) < 500
    assert SECRET not in text
    for number in range(50):
        ann.put(said(f"more {number}"))
    assert json.dumps(ann.to_dict()) == text


def test_a_reference_has_no_password() -> None:
    address = address_of("postgresql+psycopg://ann:hunter2@db.example/memory?sslpassword=hunter3")
    assert address is not None
    assert "hunter2" not in address
    with MemoryOS("sqlite://", embedder=None, config=MANUAL) as memory:
        memory._address = address
        written = json.dumps(MemoryOSMemory(memory=memory, user_id="ann").to_dict())
    assert "hunter" not in written
    assert "db.example" in written


def test_a_reference_leads_back_to_the_same_object(ann: MemoryOSMemory) -> None:
    for written in (ann.to_dict(), json.loads(json.dumps(ann.to_dict())), json.loads(ann.to_json())):
        before = copy.deepcopy(written)
        assert MemoryOSMemory.from_dict(written) is ann
        assert written == before
    assert MemoryOSMemory.from_json(ann.to_json()) is ann
    assert JsonSerializer().deserialize(JsonSerializer().serialize(ann)) is ann


def test_a_reference_to_an_object_that_is_gone_leads_to_its_session(memory: MemoryOS, ann: MemoryOSMemory) -> None:
    written = {**ann.to_dict(), "handle": uuid.uuid4().hex}
    again = MemoryOSMemory.from_dict(written)
    assert again is not ann
    assert again.memory is memory
    assert {**again.to_dict(), "handle": ""} == {**written, "handle": ""}
    assert texts(again) == [SECRET]


def test_a_reference_that_was_changed_is_not_the_same_object(ann: MemoryOSMemory) -> None:
    """As a server may do that keeps one reference and fills in whose turn it is."""
    other = MemoryOSMemory.from_dict({**ann.to_dict(), "user_id": "bob"})
    assert other.user_id == "bob"
    assert texts(other) == []
    assert MemoryOSMemory.from_dict(ann.to_dict(), session_id="t").session_id == "t"
    assert ann.user_id == "ann"


def test_options_go_on_through_a_reference(ann: MemoryOSMemory) -> None:
    again = MemoryOSMemory.from_dict({**ann.to_dict(), "handle": None})
    assert (again.token_limit, again.insert_method, again.budget_tokens) == (500, "user", 1000)


@pytest.mark.parametrize(
    "written",
    [
        {},
        {"class_name": "MemoryOSMemory"},
        {"address": None},
        {"address": 7, "session_id": "s"},
        {"address": "in-process:", "session_id": ["x"]},
    ],
)
def test_what_is_no_reference_is_refused(written: dict[str, Any]) -> None:
    with pytest.raises((InvalidInputError, StoreError)) as caught:
        MemoryOSMemory.from_dict(written)
    assert "Traceback" not in str(caught.value)


def test_a_reference_with_a_foreign_setting_is_refused(ann: MemoryOSMemory) -> None:
    with pytest.raises(InvalidInputError):
        MemoryOSMemory.from_dict({**ann.to_dict(), "handle": None, "token_limit": "many"})


def test_after_closing_and_opening_the_file(path: str) -> None:
    with MemoryOS(path, embedder=None, config=MANUAL) as first:
        one = MemoryOSMemory(memory=first, user_id="ann", session_id="s")
        one.put(said(SECRET))
        written = one.to_dict()
    with MemoryOS(path, embedder=None, config=MANUAL) as second:
        MemoryOSMemory(memory=second, user_id="bob")
        again = MemoryOSMemory.from_dict(written)
        assert again is not one
        assert again.memory is second
        assert texts(again) == [SECRET]


def test_with_nothing_open_the_file_is_opened(path: str) -> None:
    with MemoryOS(path, embedder=None, config=MANUAL) as first:
        one = MemoryOSMemory(memory=first, user_id="ann", session_id="s")
        one.put(said(SECRET))
        written = one.to_dict()
    again = MemoryOSMemory.from_dict(written)
    try:
        assert again.memory is not first
        assert texts(again) == [SECRET]
        assert MemoryOSMemory.from_dict({**written, "user_id": "bob"}).memory is again.memory
    finally:
        again.memory.close()


def test_a_closed_memory_says_so(path: str) -> None:
    with MemoryOS(path, embedder=None, config=MANUAL) as memory:
        ann = MemoryOSMemory(memory=memory, user_id="ann")
    for call in (ann.get, ann.get_all, ann.reset, lambda: ann.put(said("x")), lambda: ann.set([]), ann.user.profile):
        with pytest.raises(ClosedError):
            call()


# ------------------------------------------------------------------------------------------ copies


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickled_it_is_the_same_object(ann: MemoryOSMemory, protocol: int) -> None:
    written = pickle.dumps(ann, protocol)
    assert SECRET.encode() not in written
    assert pickle.loads(written) is ann


def test_copies_are_the_same_object(ann: MemoryOSMemory) -> None:
    assert copy.copy(ann) is ann
    assert copy.deepcopy(ann) is ann
    assert copy.deepcopy({"memory": [ann]})["memory"][0] is ann
    assert ann.model_copy() is ann
    assert ann.model_copy(deep=True) is ann


def test_a_copy_with_other_settings_is_another_one_on_the_same_session(ann: MemoryOSMemory) -> None:
    other = ann.model_copy(update={"token_limit": 9, "user_id": None})
    assert (ann.token_limit, other.token_limit) == (500, 9)
    assert other.to_dict()["handle"] != ann.to_dict()["handle"]
    smaller = ann.model_copy(update={"token_limit": 9})
    smaller.put(said("more"))
    assert texts(ann) == [SECRET, "more"]
    with pytest.raises(InvalidInputError):
        ann.model_copy(update={"token_limit": 0})


# ------------------------------------------------------------------------------------------ how it shows itself


def test_it_is_shown_short_and_without_text(ann: MemoryOSMemory) -> None:
    for shown in (repr(ann), str(ann), f"{ann}", f"{[ann]}"):
        assert len(shown) < 200
        assert SECRET not in shown
        assert "session_id='s'" in shown
        assert "user_id='ann'" in shown


def test_in_a_notebook_it_is_short_escaped_and_of_this_user_alone(memory: MemoryOS) -> None:
    evil = MemoryOSMemory(memory=memory, user_id="<script>alert(1)</script>", session_id="<i>x")
    evil.user.remember("<img src=x onerror=alert(1)>")
    memory.user("bob").remember("Bob's secret")
    for number in range(100):
        evil.put(said(f"{number} " * 100))
    shown = evil._repr_html_()
    assert "<script" not in shown
    assert "<img" not in shown
    assert "<i>" not in shown
    assert "Bob" not in shown
    assert len(shown) < 20_000


def test_an_empty_one_counts_as_a_memory(memory: MemoryOS) -> None:
    empty = MemoryOSMemory(memory=memory, user_id="ann")
    assert empty.get_all() == []
    assert bool(empty) is True
    assert not hasattr(empty, "__len__")
    engine = SimpleChatEngine.from_defaults(llm=ScriptedLLM(["Hello"]), memory=empty)
    engine.chat("Hi")
    assert texts(empty) == ["Hi", "Hello"]


def test_nothing_but_settings_is_dumped(ann: MemoryOSMemory) -> None:
    dumped = ann.model_dump()
    assert set(dumped) == {"class_name", *IDS, "token_limit", "budget_tokens", "insert_method", "actor"}
    assert SECRET not in ann.model_dump_json()


# ------------------------------------------------------------------------------------------ what is accepted


@pytest.mark.parametrize("name", IDS)
def test_ids_as_applications_have_them(memory: MemoryOS, name: str) -> None:
    number = uuid.UUID(int=7)
    for given, stored in ((7, "7"), (number, str(number)), ("x", "x")):
        made = made_with(memory=memory, **{name: given})
        assert getattr(made, name) == stored
        assert getattr(MemoryOSMemory.from_dict({**made.to_dict(), "handle": None}), name) == stored


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize(
    "given", ["", "  ", "x" * 513, "a\x00b", True, 1.5, b"ann", ["ann"], {"secret": SECRET}, "\ud800"]
)
def test_ids_that_cannot_be_used(memory: MemoryOS, name: str, given: object) -> None:
    with pytest.raises(InvalidInputError) as caught:
        made_with(memory=memory, **{name: given})
    assert name in str(caught.value)
    assert SECRET not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        *((name, value) for name in ("token_limit", "budget_tokens") for value in (0, -1, 1.5, True, "9")),
        ("insert_method", "nowhere"),
        ("insert_method", ["auto"]),
        ("insert_method", SECRET),
        ("memory", "sqlite://"),
        ("memory", None),
        ("memory", {"secret": SECRET}),
        ("tokenizer_fn", SECRET),
    ],
)
def test_settings_that_cannot_be_used(memory: MemoryOS, name: str, given: object) -> None:
    with pytest.raises(InvalidInputError) as caught:
        made_with(**{"memory": memory, name: given})
    assert name in str(caught.value)
    assert SECRET not in f"{caught.value!r}"


def test_without_a_user_each_session_is_a_user_of_its_own(memory: MemoryOS) -> None:
    one, two = MemoryOSMemory(memory=memory, session_id="a"), MemoryOSMemory(memory=memory, session_id="b")
    assert (one.user_id, two.user_id) == ("session:a", "session:b")
    one.put(said(SECRET))
    assert texts(two) == []
    assert two.get("pin") == []
    fresh = MemoryOSMemory(memory=memory)
    assert fresh.session_id
    assert fresh.user_id == f"session:{fresh.session_id}"
    assert fresh.session_id != MemoryOSMemory(memory=memory).session_id


def test_two_objects_on_one_session_have_one_conversation(memory: MemoryOS, ann: MemoryOSMemory) -> None:
    other = MemoryOSMemory(memory=memory, user_id="ann", session_id="s")
    other.put(ChatMessage(role="assistant", content="Noted"))
    assert texts(ann) == texts(other) == [SECRET, "Noted"]
    other.reset()
    assert texts(ann) == []
    assistant = MemoryOSMemory(memory=memory, user_id="ann", session_id="s", assistant_id="other")
    assert texts(assistant) == []


def test_defaults_with_nothing_given() -> None:
    made = MemoryOSMemory.from_defaults()
    try:
        assert texts(made) == []
        made.put(said("Hi"))
        assert texts(made) == ["Hi"]
    finally:
        made.memory.close()


def test_defaults_with_a_history_and_a_model(memory: MemoryOS) -> None:
    llm = ScriptedLLM(context_window=1000)
    made = MemoryOSMemory.from_defaults(memory, user_id=1, session_id=2, chat_history=[said("Hi")], llm=llm)
    assert (made.user_id, made.session_id, made.token_limit, texts(made)) == ("1", "2", 750, ["Hi"])
    again = MemoryOSMemory.from_defaults(memory, user_id=1, session_id=2, chat_history=[], token_limit=9, llm=llm)
    assert (again.token_limit, texts(again)) == (9, ["Hi"])


# ------------------------------------------------------------------------------------------ what is held


def collected(memory: weakref.ref[Any]) -> bool:
    gc.collect()
    return memory() is None


def test_nothing_keeps_a_memory_with_a_file_that_nobody_holds(path: str) -> None:
    memory = MemoryOS(path, embedder=None, config=MANUAL)
    ann = MemoryOSMemory(memory=memory, user_id="ann", session_id="s")
    ann.put(said("Hi"))
    ann.get("Hi?")
    ann.set([said("Hi"), said("Ho")])
    written = ann.to_dict()
    pickle.loads(pickle.dumps(ann))
    gone, object_gone = weakref.ref(memory), weakref.ref(ann)
    del memory, ann
    assert collected(object_gone)
    assert collected(gone)
    again = MemoryOSMemory.from_dict(written)
    assert texts(again) == ["Hi", "Ho"]
    again.memory.close()


def test_an_object_goes_while_its_memory_stays(memory: MemoryOS) -> None:
    ann = MemoryOSMemory(memory=memory, user_id="ann", session_id="s")
    ann.put(said("Hi"))
    gone, talk = weakref.ref(ann), weakref.ref(ann._talk)
    del ann
    assert collected(gone)
    assert collected(talk)


def test_what_waits_to_be_written_survives_its_object(
    memory: MemoryOS, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.CRITICAL)

    def fail(*_: object, **__: object) -> None:
        raise StoreError("no disk")

    ann = MemoryOSMemory(memory=memory, user_id="ann", session_id="s")
    with monkeypatch.context() as down:
        down.setattr(UserMemory, "add_messages", fail)
        ann.put(said("Hi"))
        gone = weakref.ref(ann)
        del ann
        assert collected(gone)
    again = MemoryOSMemory(memory=memory, user_id="ann", session_id="s")
    assert texts(again) == ["Hi"]
    again.put(said("Ho"))
    assert [m.text for m in again.user.transcript()] == ["Hi", "Ho"]
    talk = weakref.ref(again._talk)
    del again
    assert collected(talk)  # nothing waits any more


def test_closed_memories_leave_no_threads(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    for number in range(10):
        with MemoryOS(f"sqlite:///{tmp_path}/{number}.db", embedder=None) as memory:
            own = MemoryOSMemory(memory, user_id="ann")
            asyncio.run(own.aput(ChatMessage("Hello")))  # noqa: TID251 - ten programs one after the other
            asyncio.run(own.aget("Hello"))  # noqa: TID251
    left = [thread for thread in threading.enumerate() if thread not in before and "memoryos" in thread.name]
    for thread in left:
        thread.join(10)
    assert not [thread for thread in left if thread.is_alive()]
