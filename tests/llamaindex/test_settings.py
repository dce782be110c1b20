"""How a memory is made: by position, with names that are known and settings that stay; what each door refuses."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.storage.chat_store import SimpleChatStore
from pydantic import ValidationError

from memoryos_core import AsyncMemoryOS, InvalidInputError, MemoryConfig, MemoryOS, RecallConfig, WorkerConfig
from memoryos_llamaindex import (
    MemoryOSEmbedding,
    MemoryOSMemory,
    MemoryOSMemoryBlock,
    MemoryOSRetriever,
    MemoryOSToolSpec,
    import_history,
)

SETTINGS: dict[str, Any] = {
    "session_id": "t",
    "user_id": "bob",
    "assistant_id": "other",
    "token_limit": 9,
    "budget_tokens": 8,
    "insert_method": "user",
    "tokenizer_fn": str.split,
}


@pytest.fixture
def small() -> Iterator[MemoryOS]:
    """A memory that is configured to recall little."""
    config = MemoryConfig(recall=RecallConfig(budget_tokens=77), worker=WorkerConfig(mode="manual"))
    with MemoryOS("sqlite://", embedder=None, config=config) as memory:
        yield memory


@pytest.fixture
def ann(memory: MemoryOS) -> MemoryOSMemory:
    return MemoryOSMemory(memory, user_id="ann", session_id="s")


@pytest.mark.parametrize("make", [MemoryOSMemory, MemoryOSMemory.from_defaults, MemoryOSMemoryBlock])
def test_the_memory_comes_by_position_and_a_slip_of_the_pen_is_no_setting(memory: MemoryOS, make: Any) -> None:
    """A misspelt user would be nobody's, or a session's own: it must not go unseen."""
    assert make(memory, user_id="ann").memory is memory
    with pytest.raises(TypeError, match="usr_id"):
        make(memory, usr_id="ann")
    with pytest.raises(TypeError):
        make(memory, "ann")


@pytest.mark.parametrize("name", [*SETTINGS, "memory"])
def test_settings_stay_as_they_were_given(memory: MemoryOS, ann: MemoryOSMemory, name: str) -> None:
    before = getattr(ann, name)
    with pytest.raises(ValidationError, match="frozen"):
        setattr(ann, name, SETTINGS.get(name, memory))
    assert getattr(ann, name) == before


@pytest.mark.parametrize("name", SETTINGS)
def test_a_copy_may_have_other_settings(ann: MemoryOSMemory, name: str) -> None:
    other = ann.model_copy(update={name: SETTINGS[name]})
    assert getattr(other, name) == SETTINGS[name]
    rest = [n for n in SETTINGS if n != name]
    assert [getattr(other, n) for n in rest] == [getattr(ann, n) for n in rest]
    assert other.memory is ann.memory


def test_a_copy_with_another_user_is_that_users(ann: MemoryOSMemory) -> None:
    ann.put(ChatMessage(role="user", content="Ann's secret"))
    bob = ann.model_copy(update={"user_id": "bob"})
    bob.put(ChatMessage(role="user", content="Hi"))
    assert [m.content for m in bob.get_all()] == ["Hi"]
    assert [m.content for m in ann.get_all()] == ["Ann's secret"]


def test_recall_takes_what_is_configured(small: MemoryOS) -> None:
    made = MemoryOSMemory(small, user_id="ann")
    others = [
        MemoryOSMemory(small, user_id="ann", budget_tokens=None),
        MemoryOSMemory.from_defaults(small, user_id="ann"),
        MemoryOSMemory(small, user_id="ann", budget_tokens=5).model_copy(update={"budget_tokens": None}),
    ]
    assert [one.budget_tokens for one in (made, *others)] == [77] * 4
    assert MemoryOSMemoryBlock(small, user_id="ann").budget_tokens == 77
    assert MemoryOSMemoryBlock(small, user_id="ann", budget_tokens=5).budget_tokens == 5


# ------------------------------------------------------------------------------------------ references


@pytest.mark.parametrize("given", [None, [], "x", 5, b"x", [("address", "sqlite://")]])
def test_what_is_no_mapping_is_no_reference(given: Any) -> None:
    with pytest.raises(InvalidInputError, match="to_dict"):
        MemoryOSMemory.from_dict(given)


@pytest.mark.parametrize("address", ["sqlite:///secret\x00.db", "sqlite:///secret\ud800.db", "secret", ""])
def test_an_address_that_cannot_be_one_is_refused(ann: MemoryOSMemory, address: str) -> None:
    written = {**ann.to_dict(), "handle": None, "address": address}
    with pytest.raises(InvalidInputError) as caught:
        MemoryOSMemory.from_dict(written)
    assert "secret" not in str(caught.value)


def test_a_reference_of_a_later_version_is_read(ann: MemoryOSMemory) -> None:
    ann.put(ChatMessage(role="user", content="Hi"))
    written = {**ann.to_dict(), "colour": "blue", "version": 9}
    for handle in (written["handle"], None):
        again = MemoryOSMemory.from_dict({**written, "handle": handle})
        assert (again.user_id, again.session_id) == ("ann", "s")
        assert [m.content for m in again.get_all()] == ["Hi"]


# ------------------------------------------------------------------------------------------ schemas


def test_what_an_object_is_made_with_has_a_json_schema() -> None:
    for kind, settings in (
        (MemoryOSMemory, SETTINGS),
        (MemoryOSMemoryBlock, {"user_id", "assistant_id", "session_id", "budget_tokens", "learn", "priority"}),
        (MemoryOSEmbedding, {"model_name"}),
    ):
        schema = json.loads(json.dumps(kind.model_json_schema()))
        assert json.dumps(kind.model_json_schema(mode="serialization"))
        properties = set(schema["properties"])
        assert (set(settings) - {"tokenizer_fn"}) <= properties
        assert not properties & {"memory", "tokenizer_fn"}, "objects of this process are no settings"
        assert not set(schema.get("required", ())) - properties


# ------------------------------------------------------------------------------------------ messages


def test_what_is_no_message_is_named_by_its_place(ann: MemoryOSMemory) -> None:
    hello: Any = "hello"
    with pytest.raises(InvalidInputError) as one:
        ann.put(hello)
    assert str(one.value) == "message must be LlamaIndex's ChatMessage; this is of type str"
    for write in (ann.put_messages, ann.set):
        with pytest.raises(InvalidInputError) as third:
            write([ChatMessage("a"), ChatMessage("b"), hello])
        assert str(third.value) == "messages must be a list of LlamaIndex's ChatMessage; messages[2] is of type str"
        with pytest.raises(InvalidInputError) as none:
            write(hello)
        assert str(none.value) == "messages must be a list of LlamaIndex's ChatMessage; this is of type str"
    assert ann.get_all() == []


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda memory: "sqlite:///memory.db", "str; open one first"),
        (lambda memory: None, "NoneType; open one first"),
        (lambda memory: memory.user("ann"), "UserMemory; give the adapter the MemoryOS, and name the user"),
        (AsyncMemoryOS.of, "AsyncMemoryOS; give the adapter a MemoryOS: it has a coroutine for each"),
    ],
)
def test_what_is_no_memory_is_told_what_to_give_instead(
    memory: MemoryOS, make: Callable[[MemoryOS], Any], told: str
) -> None:
    for adapter in (MemoryOSMemory, MemoryOSMemoryBlock, MemoryOSRetriever, MemoryOSToolSpec):
        with pytest.raises(InvalidInputError) as refused:
            adapter(make(memory), user_id="ann")
        assert f"expected a MemoryOS, got {told}" in str(refused.value)
        assert ("coroutine" in str(refused.value)) is ("Async" in told)
        assert "memory.db" not in str(refused.value).replace("MemoryOS('sqlite:///memory.db')", "")


# ------------------------------------------------------------------------------------------ questions


@pytest.mark.parametrize("question", [5, ["x"], {"x": 1}, b"x", 1.5])
async def test_a_question_is_text_or_a_message(ann: MemoryOSMemory, question: Any) -> None:
    ann.put(ChatMessage(role="user", content="Hi"))
    with pytest.raises(InvalidInputError, match="input"):
        ann.get(question)
    with pytest.raises(InvalidInputError, match="input"):
        await ann.aget(question)


@pytest.mark.parametrize("count", ["many", "9", 1.5, True, [1]])
def test_tokens_elsewhere_are_a_number(ann: MemoryOSMemory, count: Any) -> None:
    with pytest.raises(InvalidInputError, match="initial_token_count"):
        ann.get("Hi", initial_token_count=count)


OPENED: dict[str, Callable[[Any], object]] = {
    "memory": lambda memory: MemoryOSMemory(memory, user_id="ann"),
    "block": lambda memory: MemoryOSMemoryBlock(memory, user_id="ann"),
    "retriever": lambda memory: MemoryOSRetriever(memory, user_id="ann"),
    "tools": lambda memory: MemoryOSToolSpec(memory, user_id="ann"),
    "import_history": lambda memory: import_history(memory, SimpleChatStore(), user_id="ann"),
}
INSTEAD: dict[str, tuple[Callable[[MemoryOS], object], str]] = {
    "AsyncMemoryOS": (AsyncMemoryOS.of, "give the adapter a MemoryOS: it has a coroutine for each"),
    "AsyncUserMemory": (lambda m: AsyncMemoryOS.of(m).user("ann"), "give the adapter the MemoryOS, and name the user"),
    "UserMemory": (lambda m: m.user("ann"), "give the adapter the MemoryOS, and name the user"),
    "str": (lambda _: "sqlite:///secret.db", "open one first"),
    "NoneType": (lambda _: None, "open one first"),
}


@pytest.mark.parametrize("kind", INSTEAD)
@pytest.mark.parametrize("door", OPENED)
def test_what_is_no_memory_is_refused_with_what_to_pass(memory: MemoryOS, door: str, kind: str) -> None:
    wrong, says = INSTEAD[kind]
    with pytest.raises(ValueError, match=f"expected a MemoryOS, got {kind}; {says}") as refused:
        OPENED[door](wrong(memory))
    assert "secret" not in str(refused.value)
