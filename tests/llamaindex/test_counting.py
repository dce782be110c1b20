"""How many tokens a message takes: all that it holds, whatever the tokenizer does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.base.llms import types
from llama_index.core.base.llms.types import (
    AudioBlock,
    CacheControl,
    CachePoint,
    ChatMessage,
    CitableBlock,
    CitationBlock,
    DocumentBlock,
    ImageBlock,
    TextBlock,
)
from llama_index.core.utils import get_tokenizer
from pydantic import BaseModel

from memoryos_llamaindex.counting import MessageCounter

ToolCall: Any = getattr(types, "ToolCallBlock", None)
Thinking: Any = getattr(types, "ThinkingBlock", None)
Video: Any = getattr(types, "VideoBlock", None)


def letters(text: str) -> Sequence[str]:
    """A tokenizer to which every character is a token."""
    return list(text)


def count(*blocks: Any, **kwargs: Any) -> int:
    return MessageCounter(letters).count(ChatMessage.model_construct(blocks=list(blocks), additional_kwargs=kwargs))


def openai(name: str, arguments: str, call: str | None = "call-1") -> dict[str, Any]:
    return {"id": call, "type": "function", "function": {"name": name, "arguments": arguments}}


# ------------------------------------------------------------------------------------------ what is counted

CITATION = CitationBlock(cited_content=TextBlock(text="abc"), source="ab", title="t", additional_location_info={})
COUNTED: dict[str, tuple[Any, int]] = {
    "text": (TextBlock(text="hello"), 5),
    "no text": (TextBlock(text=""), 0),
    "image": (ImageBlock(url="https://example.org/a.png"), 256),
    "image that cannot be read": (ImageBlock(), 256),
    "audio": (AudioBlock(audio=b"x" * 100_000), 256),
    "document": (DocumentBlock(data=b"x"), 2048),
    "cache point": (CachePoint(cache_control=CacheControl(type="ephemeral")), 0),
    "citable": (
        CitableBlock(title="t", source="ab", content=[TextBlock(text="abc"), ImageBlock(), DocumentBlock()]),
        2310,
    ),
    "citable of nothing": (CitableBlock(title="", source="", content=[]), 0),
    "citation": (CITATION, 6),
}
if Video is not None:
    COUNTED["video"] = (Video(url="https://example.org/a.mp4"), 256)
if Thinking is not None:
    COUNTED["thinking"] = (Thinking(content="hm"), 2)
    COUNTED["thinking of nothing"] = (Thinking(), 0)
if ToolCall is not None:
    COUNTED["tool call"] = (ToolCall(tool_name="f", tool_kwargs={"a": "é"}), 1 + len('{"a": "é"}'))
    COUNTED["tool call in words"] = (ToolCall(tool_name="f", tool_kwargs='{"a":'), 6)


@pytest.mark.parametrize(("block", "tokens"), list(COUNTED.values()), ids=list(COUNTED))
def test_a_block(block: Any, tokens: int) -> None:
    assert count(block) == 4 + tokens
    assert count(block, block) == 4 + 2 * tokens


def test_a_message_of_nothing_has_its_role_and_delimiters() -> None:
    assert count() == 4


class Function(BaseModel):
    name: str
    arguments: str


class Called(BaseModel):
    """Like the call of the openai package."""

    id: str
    function: Function


@pytest.mark.parametrize(
    ("kwargs", "tokens"),
    [
        ({"tool_calls": [openai("f", '{"a": 1}')]}, 9),
        ({"tool_calls": [openai("f", "{}", "1"), openai("g", "{}", "2")]}, 6),
        ({"tool_calls": [openai("f", "{}", None), openai("g", "{}", None)]}, 6),
        ({"tool_calls": [Called(id="1", function=Function(name="f", arguments="{}"))]}, 3),
        ({"tool_calls": [{"id": "1", "name": "f", "input": {"a": 1}}]}, 9),
        ({"tool_calls": [{"id": "1", "name": "f", "args": {"a": 1}}]}, 9),
        ({"function_call": {"name": "f", "arguments": "{}"}}, 3),
        ({"tool_calls": []}, 0),
        ({"tool_calls": None, "function_call": None}, 0),
        ({"session_id": "a long name that no model is sent"}, 0),
    ],
)
def test_the_calls_of_other_integrations(kwargs: dict[str, Any], tokens: int) -> None:
    assert count(**kwargs) == 4 + tokens


def test_a_call_that_stands_in_two_places_is_sent_once() -> None:
    if ToolCall is None:
        assert count(tool_calls=[openai("f", "{}")]) == 7
        return
    block = ToolCall(tool_call_id="call-1", tool_name="f", tool_kwargs={})
    assert count(block, tool_calls=[openai("f", "{}")]) == 7
    assert count(block, tool_calls=[openai("f", "{  }")]) == 9
    assert count(block, tool_calls=[openai("f", "{}", "call-2")]) == 10
    assert count(block, block) == 10


# ------------------------------------------------------------------------------------------ laws

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
ANY_TEXT = st.text(st.characters(exclude_categories=())) | st.sampled_from(["<|endoftext|>", "<|im_start|>", "\x00"])
PARTS = [
    st.builds(TextBlock, text=ANY_TEXT),
    st.sampled_from([block for block, _ in COUNTED.values()]),
    st.text(),
    st.none(),
]
if ToolCall is not None:
    PARTS.append(
        st.builds(
            ToolCall.model_construct,
            tool_call_id=st.sampled_from(["a", "b", "", None]),
            tool_name=ANY_TEXT,
            tool_kwargs=JSON,
        )
    )
CALLS = st.builds(openai, ANY_TEXT, ANY_TEXT, st.sampled_from(["a", "b", None]))
KWARGS = st.fixed_dictionaries(
    {}, optional={"tool_calls": st.lists(CALLS | JSON, max_size=2) | JSON, "function_call": JSON}
)


def refusing(text: str) -> NoReturn:
    raise ValueError(text)


@given(blocks=st.lists(st.one_of(PARTS), max_size=3), more=st.one_of(PARTS), kwargs=KWARGS, at=st.integers(0, 3))
@pytest.mark.parametrize("tokenizer", [letters, refusing, get_tokenizer()], ids=["letters", "refusing", "tiktoken"])
def test_a_block_more_is_never_fewer(tokenizer: Any, blocks: list[Any], more: Any, kwargs: Any, at: int) -> None:
    counter = MessageCounter(tokenizer)
    longer = [*blocks[:at], more, *blocks[at:]]
    before = counter.count(ChatMessage.model_construct(blocks=blocks, additional_kwargs=kwargs))
    assert 4 <= before <= counter.count(ChatMessage.model_construct(blocks=longer, additional_kwargs=kwargs))


@given(message=st.builds(ChatMessage, content=ANY_TEXT))
def test_counting_changes_nothing(message: ChatMessage) -> None:
    before = message.model_copy(deep=True)
    counter = MessageCounter(letters)
    assert counter.count(message) == counter.count(message)
    assert message == before


# ------------------------------------------------------------------------------------------ whatever it holds


@pytest.mark.parametrize("text", ["<|endoftext|>", "<|fim_prefix|> <|im_start|>", "\ud83d", "\x00", " " * 5000])
def test_llamaindexs_tokenizer_counts_any_text(text: str) -> None:
    tokens = len(get_tokenizer()(text))
    assert MessageCounter(get_tokenizer()).count(ChatMessage(content=text)) == 4 + tokens


@pytest.mark.parametrize(
    ("text", "tokens"), [("a", 1), ("abcd", 1), ("abcde", 2), ("ü字", 2), ("\ud83d\udfff\x00", 2), ("", 0)]
)
@pytest.mark.parametrize("tokenizer", [refusing, lambda text: None, lambda text: iter(text)])
def test_a_tokenizer_that_fails_is_replaced_by_an_estimate(tokenizer: Any, text: str, tokens: int) -> None:
    assert MessageCounter(tokenizer).count(ChatMessage(content=text)) == 4 + tokens


def test_what_stops_a_program_is_let_through() -> None:
    def stop(text: str) -> NoReturn:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        MessageCounter(stop).count(ChatMessage(content="a"))


class Broken:
    """A block that cannot be read."""

    block_type = "text"

    @property
    def text(self) -> str:
        raise ValueError("secret")


class BrokenCall(Broken):
    block_type = "tool_call"

    @property
    def tool_name(self) -> str:
        raise ValueError("secret")


class New:
    """A block of a newer LlamaIndex."""

    block_type = "hologram"


def round_and_round() -> CitableBlock:
    block = CitableBlock(title="", source="", content=[])
    block.content = [block, block]  # type: ignore[list-item]
    return block


@pytest.mark.parametrize(
    ("block", "tokens"),
    [
        (Broken(), 256),
        (New(), 256),
        (None, 256),
        ("text", 256),
        ({"block_type": "text"}, 256),
        (round_and_round(), 256),
        (TextBlock.model_construct(text=None), 0),
        (TextBlock.model_construct(text=7), 0),
        (CitationBlock.model_construct(), 0),
        (BrokenCall(), 0),
    ],
    ids=["broken", "new", "none", "str", "dict", "round", "none text", "int text", "bare", "broken call"],
)
def test_a_block_of_any_kind(block: Any, tokens: int) -> None:
    call = openai("f", "{}")
    assert count(block, TextBlock(text="ab")) == 4 + tokens + 2
    assert count(block, tool_calls=[call]) == 4 + tokens + 3
    if ToolCall is not None:
        assert count(block, ToolCall(tool_name="f", tool_kwargs={})) == 4 + tokens + 3


@pytest.mark.parametrize("blocks", [None, (), 7, "text"])
@pytest.mark.parametrize("kwargs", [None, (), 7, {"tool_calls": 7}, {"tool_calls": [7, None]}, {"function_call": 7}])
def test_a_message_of_any_kind(blocks: Any, kwargs: Any) -> None:
    message = ChatMessage.model_construct(blocks=blocks, additional_kwargs=kwargs)
    assert MessageCounter(letters).count(message) >= 4


def test_arguments_of_any_kind() -> None:
    ring: list[Any] = [{"set": {1}, 2: b"\xff", "long": 10**5000, "nan": float("nan"), "half": "\ud83d"}]
    ring.append(ring)
    found = count(tool_calls=[{"id": "1", "name": "f", "input": ring}])
    kept = [
        {
            "set": "[not kept: set]",
            "2": "[not kept: bytes]",
            "long": "[not kept: int]",
            "nan": float("nan"),
            "half": "?",
        },
        "[not kept: list]",
    ]
    assert found == 4 + 1 + len(json.dumps(kept))
