"""LangChain's messages through the core and back: every class, every field, whatever is inside."""

from __future__ import annotations

import json
import logging
import math
from datetime import datetime, timezone
from typing import Any, Literal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    ChatMessageChunk,
    FunctionMessage,
    HumanMessage,
    HumanMessageChunk,
    RemoveMessage,
    SystemMessage,
    SystemMessageChunk,
    ToolMessage,
    ToolMessageChunk,
    message_chunk_to_message,
)

from memoryos_core import MemoryOS, Message
from memoryos_langchain.messages import from_core, to_core

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4"
CALL = {"name": "weather", "args": {"place": "Lisbon", "days": 2}, "id": "call-1", "type": "tool_call"}
BROKEN = {"name": "weather", "args": '{"place":', "id": "call-2", "error": "no JSON", "type": "invalid_tool_call"}
USAGE: Any = {"input_tokens": 9, "output_tokens": 4, "total_tokens": 13, "input_token_details": {"cache_read": 3}}

SHAPES: dict[str, BaseMessage] = {
    "human": HumanMessage("Good morning", id="h1"),
    "human named": HumanMessage("Good morning", id="h2", name="Ann", additional_kwargs={"mood": ["sunny", None]}),
    "human empty": HumanMessage("", id="h3"),
    "ai": AIMessage("Good morning, Ann", id="a1", name="Bot", response_metadata={"model": "m", "logprobs": None}),
    "ai with usage": AIMessage("Yes", id="a2", usage_metadata=USAGE),
    "ai that calls": AIMessage("", id="a3", tool_calls=[CALL]),
    "ai that calls badly": AIMessage("I try", id="a4", invalid_tool_calls=[BROKEN]),
    "ai that calls a function": AIMessage("", id="a5", additional_kwargs={"function_call": {"name": "f"}}),
    "ai with reasoning": AIMessage([{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "7"}], id="a6"),
    "system": SystemMessage("Be brief", id="s1"),
    "tool": ToolMessage("rain", id="t1", tool_call_id="call-1", name="weather"),
    "tool that failed": ToolMessage("down", id="t2", tool_call_id="call-1", status="error"),
    "tool with artifact": ToolMessage("2 rows", id="t3", tool_call_id="call-1", artifact={"rows": [[1, 2.5], []]}),
    "tool without call": ToolMessage("", id="t4", tool_call_id=""),
    "function": FunctionMessage(content="42", id="f1", name="f"),
    "chat": ChatMessage(content="Order!", id="c1", role="Speaker of the House"),
    "remove": RemoveMessage("h1"),
    "image": HumanMessage(
        ["Look: ", {"type": "text", "text": "a dot"}, {"type": "image", "base64": PIXEL, "mime_type": "image/png"}],
        id="i1",
    ),
    "image by url": HumanMessage(
        [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PIXEL}"}}], id="i"
    ),
    "own fields": HumanMessage("Hi", id="x1", mood="sunny", nothing=None, text="not the text"),
    "hostile text": HumanMessage("nul \x00, half a pair \ud83d, \u2028, </memory> %s {x}", id="x2", name="\x00\udfff"),
    "hostile fields": AIMessage("", id="x3", additional_kwargs={"k\x00\ud800": ["\x00\udfff", 1e300, -0.0, 2**70]}),
}


@pytest.fixture(params=list(SHAPES.values()), ids=list(SHAPES))
def message(request: pytest.FixtureRequest) -> BaseMessage:
    named: BaseMessage = request.param
    return named


# ------------------------------------------------------------------------------------------ round trips


def test_a_message_comes_back_as_it_was(message: BaseMessage, caplog: pytest.LogCaptureFixture) -> None:
    before = message.model_dump()
    back = from_core(to_core(message))
    assert back == message
    assert type(back) is type(message)
    assert message.model_dump() == before, "the caller's message is not changed"
    assert caplog.records == []


def test_a_message_comes_back_from_the_disk(message: BaseMessage, memory: MemoryOS, path: str) -> None:
    memory.user("ann").add_messages([to_core(message)])
    with MemoryOS(path, embedder=None) as again:
        assert [from_core(m) for m in again.user("ann").transcript()] == [message]


@pytest.mark.parametrize(
    "chunk",
    [
        AIMessageChunk(content="Good ", id="1", usage_metadata=USAGE, response_metadata={"model": "m"})
        + AIMessageChunk(content="morning", chunk_position="last"),
        AIMessageChunk(
            content="", id="2", tool_call_chunks=[{"name": "f", "args": '{"a": 1}', "id": "c", "index": 0}], name="Bot"
        ),
        HumanMessageChunk(content="Hello", id="3"),
        SystemMessageChunk(content="Be brief", id="4"),
        ToolMessageChunk(content="rain", id="5", tool_call_id="c", artifact=[1]),
        ChatMessageChunk(content="Order!", id="6", role="speaker"),
    ],
)
def test_a_chunk_becomes_its_message(chunk: BaseMessage) -> None:
    back = from_core(to_core(chunk))
    assert back == message_chunk_to_message(chunk)
    assert back != chunk


class ProvidersChunk(AIMessageChunk):
    """A chunk class of a provider's own; its extra fields are declared nowhere."""


def test_a_chunk_of_ones_own_class_keeps_its_own_fields() -> None:
    said: dict[str, Any] = {"content": "Yes", "id": "1", "citations": ["page 3"], "text": "not the text"}
    assert from_core(to_core(ProvidersChunk(**said))) == AIMessage(**said)


class Reviewed(HumanMessage):
    """A message class of an application's own."""

    reviewer: str = "nobody"


def test_a_class_of_ones_own_comes_back_as_the_class_it_extends() -> None:
    assert from_core(to_core(Reviewed(content="Hi", id="1", reviewer="Bob"))) == HumanMessage(
        "Hi", id="1", reviewer="Bob"
    )


class Whispered(BaseMessage):
    type: Literal["whispered"] = "whispered"


def test_a_type_of_ones_own_keeps_its_text(caplog: pytest.LogCaptureFixture) -> None:
    kept = to_core(Whispered(content="psst", id="1", name="Ann"))
    assert from_core(kept) == HumanMessage("psst", id="1", name="Ann")
    assert "psst" not in caplog.text


@pytest.mark.parametrize("own", [None, ""])
def test_a_message_without_an_id_is_stored_under_one_and_comes_back_without(own: str | None, memory: MemoryOS) -> None:
    said = HumanMessage("Hi", id=own)
    kept = to_core(said)
    assert UUID(str(kept.id)).version == 4
    assert to_core(said).id != kept.id
    memory.user("ann").add_messages([kept])
    (stored,) = memory.user("ann").transcript()
    assert stored.id == kept.id
    assert from_core(stored) == said


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=8), JSON, max_size=3)
CONTENT = st.text() | st.lists(
    st.text() | st.builds(lambda block, text: {**block, "type": "text", "text": text}, OBJECTS, st.text()), max_size=3
)
IDS = st.none() | st.text(max_size=40)
NAMES = st.none() | st.text(max_size=20)
CALLS = st.builds(
    lambda name, args, call: {"name": name, "args": args, "id": call, "type": "tool_call"},
    *(st.text(max_size=9), OBJECTS, NAMES),
)


def built(kind: type[BaseMessage], **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[BaseMessage]:
    return st.fixed_dictionaries({"id": IDS, **fields}).map(lambda found: kind(**found))


MESSAGES = st.one_of(
    built(HumanMessage, content=CONTENT, name=NAMES, additional_kwargs=OBJECTS, response_metadata=OBJECTS),
    built(AIMessage, content=CONTENT, name=NAMES, tool_calls=st.lists(CALLS, max_size=2)),
    built(SystemMessage, content=CONTENT, name=NAMES),
    built(ToolMessage, content=CONTENT, name=NAMES, tool_call_id=st.text(max_size=9), artifact=JSON),
    built(FunctionMessage, content=CONTENT, name=st.text(max_size=20)),
    built(ChatMessage, content=CONTENT, role=st.text(max_size=20)),
    st.text(max_size=40).map(RemoveMessage),
)


@given(message=MESSAGES)
def test_there_and_back_is_the_identity(message: BaseMessage) -> None:
    assert from_core(to_core(message)) == message


# ------------------------------------------------------------------------------------------ what the core sees


@pytest.mark.parametrize(
    ("message", "role"),
    [
        (HumanMessage("x"), "user"),
        (AIMessage("x"), "assistant"),
        (SystemMessage("x"), "system"),
        (ToolMessage("x", tool_call_id="c"), "tool"),
        (FunctionMessage(content="x", name="f"), "tool"),
        (ChatMessage(content="x", role="Assistant"), "assistant"),
        (ChatMessage(content="x", role="user"), "user"),
        (ChatMessage(content="x", role="developer"), "system"),
        (ChatMessage(content="x", role="Speaker of the House"), "user"),
        (RemoveMessage("x"), "system"),
        (Whispered(content="x"), "user"),
    ],
)
def test_the_role(message: BaseMessage, role: str) -> None:
    assert to_core(message).role == role


def test_calls_and_results_are_named_alike() -> None:
    assert to_core(SHAPES["ai that calls"]).calls == ("call-1",)
    assert to_core(SHAPES["tool"]).answers == "call-1"
    assert to_core(SHAPES["ai that calls a function"]).calls == ("f",)
    assert to_core(SHAPES["function"]).answers == "f"


def test_a_call_that_cannot_be_read_waits_for_its_result_too() -> None:
    # Providers are sent it as a call, and refuse one that is not answered.
    assert to_core(SHAPES["ai that calls badly"]).calls == ("call-2",)


def test_calls_without_an_id_wait_for_nothing(memory: MemoryOS) -> None:
    nameless = AIMessage("I look", id="a", tool_calls=[{**CALL, "id": None}], invalid_tool_calls=[{**BROKEN, "id": ""}])
    nameless.tool_calls[0].pop("id")  # type: ignore[misc]  # as some providers' classes do
    said = [HumanMessage("Rain?", id="h"), nameless, HumanMessage("And now?", id="h2"), AIMessage("No", id="a2")]
    assert to_core(nameless).calls == ()
    memory.user("ann").add_messages([to_core(m) for m in said])
    assert [m.id for m in memory.user("ann").messages()] == ["h", "a", "h2", "a2"]
    assert memory.user("ann").stats().pages_short_term == 2


def test_the_text_is_what_is_said_with_a_marker_for_a_medium() -> None:
    kept = to_core(SHAPES["image"])
    assert kept.text == "Look: a dot\n[image]"
    assert type(kept.text) is str
    assert to_core(SHAPES["ai with reasoning"]).text == "7"
    assert to_core(SHAPES["image by url"]).text == "[image]"


def test_a_plain_text_is_stored_once() -> None:
    kept = to_core(SHAPES["human"])
    assert json.loads(str(kept.payload)) == {"langchain": {"type": "human"}}


def test_an_image_is_kept_and_not_learnt_from(memory: MemoryOS) -> None:
    user = memory.user("ann")
    user.add_messages([to_core(SHAPES["image"]), to_core(AIMessage("A fine dot"))])
    memory.flush()
    assert PIXEL in str(user.transcript()[0].payload)
    assert PIXEL not in user.recall("What is on the picture, a dot?").text


# ------------------------------------------------------------------------------------------ what JSON has no form for


class Opaque:
    def __repr__(self) -> str:
        return "secret"


def circle() -> list[Any]:
    ring: list[Any] = [1]
    ring += [ring, ring]
    return ring


def deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(5000):
        nested = [nested]
    return nested


@pytest.mark.parametrize(
    ("value", "kept", "named"),
    [
        (b"secret", "[not kept: bytes]", "1 bytes"),
        ({"secret"}, "[not kept: set]", "1 set"),
        (Opaque(), "[not kept: Opaque]", "1 Opaque"),
        (datetime(2024, 4, 1, tzinfo=timezone.utc), "[not kept: datetime]", "1 datetime"),
        ([10**5000], ["[not kept: int]"], "1 int"),
        (
            [b"a", {"x": b"b"}, UUID(int=0)],
            ["[not kept: bytes]", {"x": "[not kept: bytes]"}, "[not kept: UUID]"],
            "2 by",
        ),
        ({1: "a", ("b",): 2}, {"1": "a", "[not kept: tuple]": 2}, "1 int as a key, 1 tuple"),
        (circle(), [1, "[not kept: list]", "[not kept: list]"], "2 list"),
    ],
)
def test_a_marker_stands_for_what_cannot_be_kept(
    value: object, kept: object, named: str, caplog: pytest.LogCaptureFixture
) -> None:
    back = from_core(to_core(ToolMessage("done", tool_call_id="c", artifact=value, id="t")))
    assert back == ToolMessage("done", tool_call_id="c", artifact=kept, id="t")
    (line,) = caplog.records
    assert (line.levelno, line.name) == (logging.WARNING, "memoryos_core.hosts.messages")
    assert named in line.getMessage()
    assert "secret" not in line.getMessage()


def test_what_is_nested_too_deeply_ends(caplog: pytest.LogCaptureFixture) -> None:
    back = from_core(to_core(ToolMessage("done", tool_call_id="c", artifact=deep(), id="t")))
    assert back.text == "done"
    assert "1 list" in caplog.text


def test_the_same_object_twice_is_no_circle(caplog: pytest.LogCaptureFixture) -> None:
    shared = {"a": [1]}
    message = ToolMessage("done", tool_call_id="c", artifact=[shared, shared], id="t")
    assert from_core(to_core(message)) == message
    assert caplog.records == []


def test_bytes_among_the_content_leave_the_other_blocks() -> None:
    message = HumanMessage([{"type": "text", "text": "Look"}, {"type": "image", "data": b"\x89PNG"}], id="h")
    back = from_core(to_core(message))
    assert back.content == [{"type": "text", "text": "Look"}, {"type": "image", "data": "[not kept: bytes]"}]


def test_documents_and_tuples_come_back_as_dicts_and_lists(caplog: pytest.LogCaptureFixture) -> None:
    found = (Document("Lisbon is hilly", id="d", metadata={"page": 3}),)
    back = from_core(to_core(ToolMessage("found", tool_call_id="c", artifact=found, id="t")))
    assert isinstance(back, ToolMessage)
    expected = {"id": "d", "metadata": {"page": 3}, "page_content": "Lisbon is hilly", "type": "Document"}
    assert back.artifact == [expected]
    assert caplog.records == []


def test_numbers_that_are_none_come_back() -> None:
    message = AIMessage("x", response_metadata={"logprobs": [math.nan, -math.inf]}, id="a")
    first, second = from_core(to_core(message)).response_metadata["logprobs"]
    assert math.isnan(first)
    assert second == -math.inf


# ------------------------------------------------------------------------------------------ what others recorded


@pytest.mark.parametrize("payload", [None, '{"llama_index": {"role": "user"}}', "[]", "7", '{"langchain": 7}'])
@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (Message("user", "Hi", "Ann", id="1"), HumanMessage("Hi", name="Ann", id="1")),
        (Message("assistant", "Hi", id="1"), AIMessage("Hi", id="1")),
        (Message("system", "Be brief", id="1"), SystemMessage("Be brief", id="1")),
        (Message("tool", "rain", id="1", answers="c"), ToolMessage("rain", id="1", tool_call_id="c")),
        (Message("tool", "rain", id="1"), ToolMessage("rain", id="1", tool_call_id="")),
    ],
)
def test_what_another_host_recorded_is_read_by_its_role(
    payload: str | None, message: Message, expected: BaseMessage, caplog: pytest.LogCaptureFixture
) -> None:
    foreign = Message(message.role, message.text, message.name, None, message.id, (), message.answers, payload)
    assert from_core(foreign) == expected
    assert caplog.records == []


def test_the_calls_of_another_host_stay_with_their_results() -> None:
    back = from_core(Message("assistant", "I look", id="1", calls=("a", "b")))
    assert isinstance(back, AIMessage)
    assert [call["id"] for call in back.tool_calls] == ["a", "b"]


@pytest.mark.parametrize(
    "payload",
    [
        '{"langchain": {"type": "hum',
        '{"langchain": {}}',
        '{"langchain": {"type": "sphinx"}}',
        '{"langchain": {"type": ["human"]}}',
        '{"langchain": {"type": "human", "data": "secret"}}',
        '{"langchain": {"type": "human", "data": {"content": 7}}}',
        '{"langchain": {"type": "human", "data": {"additional_kwargs": "secret"}}}',
        "[" * 100_000,
    ],
)
def test_a_damaged_payload_leaves_the_text(payload: str, caplog: pytest.LogCaptureFixture) -> None:
    assert from_core(Message("user", "Hi", id="1", payload=payload)) == HumanMessage("Hi", id="1")
    (line,) = caplog.records
    assert line.levelno == logging.WARNING
    assert "secret" not in line.getMessage()
    assert "Hi" not in line.getMessage()
