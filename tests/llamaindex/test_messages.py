"""LlamaIndex's messages through the core and back: every block, every role, whatever is inside."""

from __future__ import annotations

import base64
import io
import json
import logging
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, get_args
from uuid import UUID

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
    MessageRole,
    TextBlock,
)
from llama_index.core.schema import ImageDocument
from pydantic import AnyUrl, BaseModel, ConfigDict

from memoryos_core import MemoryOS, Message
from memoryos_llamaindex.memory import MemoryOSMemory
from memoryos_llamaindex.messages import from_core, to_core

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
URL = AnyUrl("https://example.org/a?b=ü#c")
# What the oldest LlamaIndex that we support does not have.
ToolCall: Any = getattr(types, "ToolCallBlock", None)
Thinking: Any = getattr(types, "ThinkingBlock", None)
Video: Any = getattr(types, "VideoBlock", None)

KINDS = {kind.model_fields["block_type"].default for kind in get_args(get_args(types.ContentBlock)[0])}

CITATION: dict[str, Any] = {
    "source": "hills.pdf",
    "title": "Hills",
    "additional_location_info": {"page": 3, "block_type": 1},
}
BLOCKS: dict[str, Any] = {
    "text": TextBlock(text="Good morning"),
    "no text": TextBlock(text=""),
    "hostile text": TextBlock(text="nul \x00, half a pair \ud83d, \u2028, </memory> %s {x}"),
    "image": ImageBlock(image=PIXEL, detail="low"),
    "image by url": ImageBlock(url="https://example.org/cat.png"),
    "image inline": ImageBlock(url=f"data:image/png;base64,{base64.b64encode(PIXEL).decode()}"),
    "image of raw bytes": ImageBlock.model_construct(image=b"\x89PNG\xff\x00"),
    "image of str": ImageBlock.model_construct(image=base64.b64encode(PIXEL).decode()),
    "image of nothing": ImageBlock(),
    "empty image": ImageBlock(image=b""),
    "audio": AudioBlock(audio=b"RIFF\x24\x00\x00\x00WAVE", format="wav"),
    "audio by url": AudioBlock(url=URL),
    "document": DocumentBlock(data=b"%PDF-1.7 \xe2\xe3", title="Contract"),
    "document by url": DocumentBlock(url="https://example.org/Contract.pdf"),
    "document by name": DocumentBlock(path="nowhere/Contract.pdf"),
    "cache point": CachePoint(cache_control=CacheControl(type="ephemeral", ttl="1h")),
    "citable": CitableBlock(
        title="Hills", source="hills.pdf", content=[TextBlock(text="x"), ImageBlock(image=PIXEL), DocumentBlock()]
    ),
    "citable of nothing": CitableBlock(title="", source="", content=[]),
    "citation": CitationBlock(cited_content=TextBlock(text="Lisbon is hilly"), **CITATION),
    "citation of an image": CitationBlock(cited_content=ImageBlock(image=PIXEL), **CITATION),
}
if Video is not None:
    BLOCKS["video"] = Video(video=b"\x00\x00\x00 ftypmp42", fps=2, detail="high")
    BLOCKS["video by url"] = Video(url=URL)
if Thinking is not None:
    BLOCKS["thinking"] = Thinking(content="hm \x00\ud83d", num_tokens=9, additional_information={"signature": "s"})
    BLOCKS["thinking of nothing"] = Thinking()
    looks_like = {"bytes": "x", "block_type": "text"}
    BLOCKS["thinking like a form"] = Thinking(additional_information=looks_like)
if ToolCall is not None:
    BLOCKS["tool call"] = ToolCall(tool_call_id="call-1", tool_name="f", tool_kwargs={"path": "x", "n": [1, 2.5, None]})
    BLOCKS["tool call in words"] = ToolCall(tool_call_id=None, tool_name="", tool_kwargs='{"place":')
    BLOCKS["tool call like a form"] = ToolCall(tool_name="f", tool_kwargs={"bytes": "x"})

TRACE = "Thought: I need the weather.\nAction: weather\nAction Input: {'place': 'Lisbon'}\nObservation: rain"
CALLS = [{"id": "call-1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
MESSAGES = {
    **{name: ChatMessage(role="user", blocks=[block]) for name, block in BLOCKS.items()},
    "all blocks": ChatMessage(role="assistant", blocks=list(BLOCKS.values())),
    "no blocks": ChatMessage(role="assistant", blocks=[]),
    "two texts": ChatMessage(role="user", blocks=[TextBlock(text="a"), TextBlock(text="b")]),
    "two texts of nothing": ChatMessage(role="user", blocks=[TextBlock(text=""), TextBlock(text="")]),
    "named": ChatMessage(role="user", content="Hi", additional_kwargs={"name": "Ann", "mood": ["sunny", None]}),
    "hostile fields": ChatMessage(role="user", content="", additional_kwargs={"k\x00\ud800": ["\udfff", 1e300, 2**70]}),
    "calls": ChatMessage(role="assistant", content="", additional_kwargs={"tool_calls": CALLS}),
    "tool": ChatMessage(role="tool", content="rain", additional_kwargs={"tool_call_id": "call-1"}),
    "trace": ChatMessage(role="assistant", content=f"{TRACE}\nThought: I know.\nAnswer: It rains."),
    "trace without answer": ChatMessage(role="assistant", content=TRACE),
    **{f"as {role.value}": ChatMessage(role=role, content="Hello") for role in MessageRole},
}


@pytest.fixture(params=list(MESSAGES.values()), ids=list(MESSAGES))
def message(request: pytest.FixtureRequest) -> ChatMessage:
    named: ChatMessage = request.param
    return named


def same(back: ChatMessage, message: ChatMessage) -> bool:
    kinds = [type(b) for b in back.blocks] == [type(b) for b in message.blocks]
    return kinds and back == message and type(back) is ChatMessage and type(back.role) is MessageRole


# ------------------------------------------------------------------------------------------ round trips


def test_every_block_there_is_is_among_these() -> None:
    assert {b.block_type for b in BLOCKS.values()} == KINDS


def test_a_message_comes_back_as_it_was(message: ChatMessage, caplog: pytest.LogCaptureFixture) -> None:
    before = message.model_copy(deep=True)
    back = from_core(to_core(message))
    assert same(back, message)
    assert message == before, "the caller's message is not changed"
    assert [r for r in caplog.records if r.name.startswith("memoryos")] == []


def test_a_message_comes_back_from_the_disk(message: ChatMessage, memory: MemoryOS, path: str) -> None:
    memory.user("ann").add_messages([to_core(message)])
    with MemoryOS(path, embedder=None) as again:
        (back,) = map(from_core, again.user("ann").transcript())
    assert same(back, message)


def test_what_came_back_can_be_used_like_any_other(message: ChatMessage) -> None:
    back = from_core(to_core(message))
    assert back.content == message.content
    assert back.model_dump(warnings=False) == message.model_dump(warnings=False)
    assert back.model_copy(deep=True) == message


def test_each_reading_is_a_new_message() -> None:
    kept = to_core(MESSAGES["all blocks"])
    first, second = from_core(kept), from_core(kept)
    first.blocks[0].text = "changed"  # type: ignore[union-attr]
    first.additional_kwargs["x"] = 1
    first.blocks.pop()
    assert same(second, MESSAGES["all blocks"])
    plain = to_core(MESSAGES["text"])
    from_core(plain).blocks[0].text = "changed"  # type: ignore[union-attr]
    assert from_core(plain).content == "Good morning"


JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=8).filter(lambda k: k != "images"), JSON, max_size=3)
# Surrogates too, which `st.text()` leaves out.
ANY_TEXT = st.text(st.characters(exclude_categories=())) | st.text()
URLS = st.sampled_from(["https://example.org/a.png", "data:image/png;base64,AAAA", "s3://b/ü", "file:///x"])
PATHS = st.none() | st.sampled_from([Path("/gone/cat.png"), Path("a b/\udcff.mp3")])


def media(kind: Any, data: str, **more: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    # The oldest LlamaIndex refuses None for an audio's URL, but not none at all.
    given_or_not = [st.builds(kind, **{data: st.none() | st.binary()}, **more, **url) for url in ({}, {"url": URLS})]
    unchecked = st.builds(kind.model_construct, **{data: st.none() | st.binary()}, path=PATHS, **more)
    return st.one_of(*given_or_not, unchecked)


TEXTS = st.builds(TextBlock, text=ANY_TEXT)
IMAGES = media(ImageBlock, "image", detail=st.none() | st.text(max_size=9))
DOCUMENTS = media(DocumentBlock, "data", title=st.none() | ANY_TEXT)
LOCATIONS = st.dictionaries(
    st.text(max_size=5) | st.sampled_from(["block_type", "bytes"]), st.integers(-(2**63), 2**63 - 1), max_size=2
)
MARKERS = ("[image", "[audio", "[video", "[document")
ALL_BLOCKS = [
    TEXTS,
    IMAGES,
    DOCUMENTS,
    media(AudioBlock, "audio", format=st.none() | st.text(max_size=5)),
    st.builds(lambda kind, ttl: CachePoint(cache_control=CacheControl(type=kind, ttl=ttl)), st.text(), st.text()),
    st.builds(CitableBlock, title=ANY_TEXT, source=ANY_TEXT, content=st.lists(TEXTS | IMAGES | DOCUMENTS, max_size=3)),
    st.builds(
        CitationBlock, cited_content=TEXTS | IMAGES, source=ANY_TEXT, title=ANY_TEXT, additional_location_info=LOCATIONS
    ),
]
if Video is not None:
    ALL_BLOCKS.append(media(Video, "video", fps=st.none() | st.integers(0, 99)))
if Thinking is not None:
    tokens = st.none() | st.integers(0, 9999)
    ALL_BLOCKS.append(
        st.builds(Thinking, content=st.none() | ANY_TEXT, num_tokens=tokens, additional_information=OBJECTS)
    )
if ToolCall is not None:
    ids = st.none() | st.text(max_size=9)
    ALL_BLOCKS.append(st.builds(ToolCall, tool_call_id=ids, tool_name=ANY_TEXT, tool_kwargs=OBJECTS | ANY_TEXT))


@given(
    role=st.sampled_from(list(MessageRole)),
    blocks=st.lists(st.one_of(ALL_BLOCKS), max_size=4),
    kwargs=OBJECTS,
)
def test_there_and_back_is_the_identity(role: MessageRole, blocks: list[Any], kwargs: dict[str, Any]) -> None:
    message = ChatMessage(role=role, blocks=blocks, additional_kwargs=kwargs)
    kept = to_core(message)
    assert same(from_core(kept), message)
    if role is not MessageRole.ASSISTANT:
        unmarked = [line for line in kept.text.split("\n") if not line.startswith(MARKERS)]
        said = [line for line in (message.content or "").split("\n") if not line.startswith(MARKERS)]
        assert [line for line in unmarked if line] == [line for line in said if line]


# ------------------------------------------------------------------------------------------ media


def test_the_path_of_a_file_that_has_gone_comes_back(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    cat, voice, contract = (tmp_path / name for name in ("cat.png", "voice.mp3", "contract.pdf"))
    for file in (cat, voice, contract):
        file.write_bytes(b"bytes of the file")
    blocks = [ImageBlock(path=cat), AudioBlock(path=voice), DocumentBlock(path=contract)]
    message = ChatMessage(role="user", blocks=blocks)
    kept = to_core(message)
    for file in (cat, voice, contract):
        file.unlink()
    back = from_core(kept)
    assert same(back, message)
    assert [type(b.path) for b in back.blocks] == [type(cat)] * 3  # type: ignore[union-attr]
    assert "bytes of the file" not in str(kept.payload)
    assert [r for r in caplog.records if r.name.startswith("memoryos")] == []


def streamed(stream: object) -> ChatMessage:
    return ChatMessage.model_construct(blocks=[TextBlock(text="Look"), ImageBlock.model_construct(image=stream)])


def test_a_stream_is_read_whole_and_left_where_it_stood(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "cat.png").write_bytes(PIXEL)
    with (tmp_path / "cat.png").open("rb") as file:
        for stream in (io.BytesIO(PIXEL), file):
            stream.seek(5)
            (_, image) = from_core(to_core(streamed(stream))).blocks
            assert isinstance(image, ImageBlock)
            assert image.resolve_image().read() == PIXEL
            assert image.image == ImageBlock(image=PIXEL).image
            assert stream.tell() == 5
    assert [r for r in caplog.records if r.name.startswith("memoryos")] == []


def test_a_stream_of_text_is_kept_as_bytes() -> None:
    (_, image) = from_core(to_core(streamed(io.StringIO("<svg/>\ud83d")))).blocks
    assert isinstance(image, ImageBlock)
    assert image.resolve_image().read() == "<svg/>\ud83d".encode("utf-8", "surrogatepass")


class Pipe(io.BytesIO):
    """What comes over a line: to be read once."""

    def seekable(self) -> bool:
        return False


def closed() -> io.BytesIO:
    stream = io.BytesIO(b"secret")
    stream.close()
    return stream


@pytest.mark.parametrize(("stream", "kind"), [(Pipe(b"secret"), "Pipe"), (closed(), "BytesIO")])
def test_a_stream_that_can_be_read_once_is_left_alone(
    stream: io.BytesIO, kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    back = from_core(to_core(streamed(stream)))
    assert back.blocks == [TextBlock(text="Look"), TextBlock(text=f"[not kept: {kind}]")]
    assert stream.closed or stream.read() == b"secret"
    assert f"1 {kind}" in caplog.text
    assert "secret" not in caplog.text


def test_images_that_llamaindex_made_blocks_of_are_kept_once() -> None:
    document = ImageDocument(image=base64.b64encode(PIXEL).decode())
    message = ChatMessage(role="user", content="Look", additional_kwargs={"images": [document], "mood": "sunny"})
    assert [type(b) for b in message.blocks] == [TextBlock, ImageBlock]
    back = from_core(to_core(message))
    assert back.blocks == message.blocks
    assert back.additional_kwargs == {"mood": "sunny"}


@pytest.mark.parametrize(
    ("block", "marker"),
    [
        (ImageBlock(image=PIXEL), "[image]"),
        (ImageBlock(url="https://example.com/a/my%20cat.png?key=secret#secret"), "[image: my cat.png]"),
        (ImageBlock(url="data:image/png;base64,c2VjcmV0"), "[image]"),
        (ImageBlock.model_construct(path=Path("/home/secret/cat.png")), "[image: cat.png]"),
        (AudioBlock.model_construct(path=Path("voice.mp3")), "[audio: voice.mp3]"),
        (DocumentBlock(data=b"secret", title="Rent\ncontract"), "[document: Rent contract]"),
        (DocumentBlock(data=b"secret"), "[document]"),
        (DocumentBlock.model_construct(path="rent.pdf", title="input_document"), "[document: rent.pdf]"),
        (
            CitableBlock(title="Rent contract", source="s", content=[TextBlock(text="secret")]),
            "[document: Rent contract]",
        ),
        (DocumentBlock(data=b"secret", title="x" * 500), f"[document: {'x' * 80}]"),
    ],
)
def test_media_leave_a_marker_where_they_stood(memory: MemoryOS, block: Any, marker: str) -> None:
    said = ChatMessage(role="user", blocks=[TextBlock(text="Here is the thing"), block, TextBlock(text="as promised")])
    kept = to_core(said)
    assert kept.text == f"Here is the thing\n{marker}\nas promised"
    assert same(from_core(kept), said)
    user = memory.user("ann", session_id="long ago")
    user.add_messages([kept, to_core(ChatMessage(role="assistant", content="Thank you"))])
    recalled = user.recall("Which thing was promised?", include_recent=False).text
    assert marker in recalled
    assert "secret" not in recalled


def test_a_picture_alone_is_recalled_by_its_name(memory: MemoryOS) -> None:
    picture = ChatMessage(role="user", blocks=[ImageBlock.model_construct(path=Path("/tmp/tortoise.png"))])
    MemoryOSMemory(memory, user_id="ann", session_id="long ago").put_messages(
        [picture, ChatMessage("Nice", role="assistant")]
    )
    ours = MemoryOSMemory(memory, user_id="ann", session_id="now")
    ours.put(ChatMessage("Did I send a picture of my tortoise?"))
    assert "[image: tortoise.png]" in str(ours.get()[-1].content)


def test_an_image_is_kept_and_not_learnt_from(memory: MemoryOS) -> None:
    user = memory.user("ann")
    said = [ChatMessage(role="user", blocks=[TextBlock(text="a dot"), ImageBlock(image=PIXEL)])]
    user.add_messages([to_core(m) for m in (*said, ChatMessage(role="assistant", content="A fine dot"))])
    memory.flush()
    encoded = base64.b64encode(PIXEL).decode()
    assert encoded in str(user.transcript()[0].payload)
    assert encoded not in user.recall("What is on the picture, a dot?").text


# ------------------------------------------------------------------------------------------ what the core sees


@pytest.mark.parametrize(
    ("role", "expected"),
    [
        ("user", "user"),
        ("assistant", "assistant"),
        ("chatbot", "assistant"),
        ("model", "assistant"),
        ("system", "system"),
        ("developer", "system"),
        ("tool", "tool"),
        ("function", "tool"),
    ],
)
def test_the_role(role: str, expected: str) -> None:
    message = ChatMessage(role=role, content="x")
    assert to_core(message).role == expected
    message.role = role  # type: ignore[assignment]  # as code does that knows no enum
    assert to_core(message).role == expected
    assert from_core(to_core(message)).role is MessageRole(role)


def test_each_message_has_an_id_of_its_own() -> None:
    message = ChatMessage(role="user", content="Hi")
    first, second = to_core(message), to_core(message)
    assert UUID(str(first.id)).version == 4
    assert first.id != second.id
    assert message.additional_kwargs == {}


def test_the_text_is_what_is_said_and_no_more() -> None:
    assert to_core(MESSAGES["two texts"]).text == "a\nb"
    assert to_core(MESSAGES["image"]).text == "[image]"
    assert to_core(MESSAGES["no blocks"]).text == ""
    assert to_core(MESSAGES["citation"]).text == ""


@pytest.mark.parametrize("role", list(MessageRole))
def test_a_plain_text_is_stored_once(role: MessageRole) -> None:
    kept = to_core(ChatMessage(role=role, content="Hello"))
    assert kept.text == "Hello"
    assert json.loads(str(kept.payload)) == {"llamaindex": {"role": role.value}}


@pytest.mark.parametrize(("name", "kept"), [("Ann", "Ann"), (7, None), (None, None), ("", "")])
def test_the_name(name: object, kept: str | None) -> None:
    assert to_core(ChatMessage(role="user", content="Hi", additional_kwargs={"name": name})).name == kept


class OpenAICall(BaseModel):
    """Like the call of the openai package, which lets unknown fields through."""

    model_config = ConfigDict(extra="allow")
    id: str
    function: Any


def called(**kwargs: Any) -> Message:
    return to_core(ChatMessage(role="assistant", content="", additional_kwargs=kwargs))


def test_calls_and_results_are_named_alike(caplog: pytest.LogCaptureFixture) -> None:
    assert called(tool_calls=CALLS).calls == ("call-1",)
    objects = [OpenAICall.model_validate({"id": "call-2", "function": CALLS[0]["function"], "index": 1}), *CALLS]
    kept = called(tool_calls=objects)
    assert kept.calls == ("call-2", "call-1")
    first = {"id": "call-2", "function": {"name": "f", "arguments": "{}"}, "index": 1}
    assert from_core(kept).additional_kwargs == {"tool_calls": [first, *CALLS]}
    assert called(function_call={"name": "f", "arguments": "{}"}).calls == ("f",)
    assert called(function_call={"name": "f"}, tool_calls=CALLS).calls == ("call-1",)
    assert to_core(MESSAGES["tool"]).answers == "call-1"
    function = ChatMessage(role="function", content="42", additional_kwargs={"name": "f"})
    assert to_core(function).answers == "f"
    assert [r for r in caplog.records if r.name.startswith("memoryos")] == []


def test_the_calls_among_the_blocks() -> None:
    if ToolCall is None:
        assert "tool_call" not in KINDS
        return
    blocks = [ToolCall(tool_call_id=i, tool_name="f", tool_kwargs={}) for i in ("a", None, "", "b", "a")]
    message = ChatMessage(role="assistant", blocks=blocks, additional_kwargs={"tool_calls": [*CALLS, {"id": "b"}]})
    assert to_core(message).calls == ("a", "b", "call-1")
    assert to_core(ChatMessage(role="user", blocks=blocks)).calls == ()


@pytest.mark.parametrize(
    "calls", [None, 7, "call", {}, [7, None, "x"], [{}], [{"id": None}], [{"id": 7}], [{"id": ""}]]
)
def test_calls_that_are_none_wait_for_nothing(calls: object) -> None:
    assert called(tool_calls=calls).calls == ()


def test_only_a_tool_answers() -> None:
    kwargs = {"tool_call_id": "call-1", "name": "f"}
    assert to_core(ChatMessage(role="user", content="x", additional_kwargs=kwargs)).answers is None
    assert to_core(ChatMessage(role="tool", content="x", additional_kwargs={"name": "f"})).answers is None
    assert to_core(ChatMessage(role="tool", content="x", additional_kwargs={"tool_call_id": 7})).answers is None


# ------------------------------------------------------------------------------------------ reasoning


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Thought: (Implicit) I can answer without any more tools!\nAnswer: Lisbon.", "Lisbon."),
        (f"{TRACE}\nThought: I know.\nAnswer: It rains.\n\nTake a coat.", "It rains.\n\nTake a coat."),
        (f"{TRACE}\nAnswer: of the tool\nThought: I know.\nAnswer: It rains.", "It rains."),
        ("Thought: a\nAnswer: first\nThought: b\nAnswer: second", "second"),
        ("\n  Thought: a\n  Answer: b ", "b"),
        ("Thought: on one line. Answer: 4", "4"),
        ("Well.\nThought: a\nAction: f\nAction Input: {}\nThought: b\nAnswer: c", "c"),
        ("Thought: q\nAnswer: Two parts.\nAnswer: is a word here.", "Two parts.\nAnswer: is a word here."),
        ("Thought: a\r\nAnswer: b\r\n", "b"),
        ("Thought: a\nAnswer:", ""),
        (TRACE, ""),
        (f"{TRACE}\nAnswer: of the tool", ""),
        # Ordinary answers
        ("Answer: 42", "Answer: 42"),
        ("The form has two fields.\nQuestion: a\nAnswer: b", "The form has two fields.\nQuestion: a\nAnswer: b"),
        ("Thought: I wonder", "Thought: I wonder"),
        ("A page.\nThought: it was late.\nAnswer: none", "A page.\nThought: it was late.\nAnswer: none"),
        ("An agent writes\nThought: x\nAction: y", "An agent writes\nThought: x\nAction: y"),
        ("I had a Thought: Answer: no", "I had a Thought: Answer: no"),
        ("", ""),
    ],
)
def test_the_text_of_reasoning_is_its_answer(said: str, text: str) -> None:
    for role in ("assistant", "chatbot", "model"):
        message = ChatMessage(role=role, content=said)
        kept = to_core(message)
        assert kept.text == text
        assert same(from_core(kept), message)


@pytest.mark.parametrize("role", ["user", "system", "tool"])
def test_only_an_assistant_reasons(role: str) -> None:
    assert to_core(ChatMessage(role=role, content="Thought: a\nAnswer: b")).text == "Thought: a\nAnswer: b"


def test_reasoning_without_an_answer_is_not_lost(memory: MemoryOS) -> None:
    user = memory.user("ann")
    said = [ChatMessage(role="user", content="Rain?"), MESSAGES["trace without answer"]]
    user.add_messages([to_core(m) for m in said])
    assert [from_core(m) for m in user.transcript()] == said


def test_only_the_answer_is_learnt(memory: MemoryOS) -> None:
    user = memory.user("ann")
    user.add_messages([to_core(m) for m in (ChatMessage(role="user", content="Rain?"), MESSAGES["trace"])])
    memory.flush()
    found = user.search("Does it rain?")
    assert any("It rains." in hit.text for hit in found)
    assert not any("Action" in hit.text for hit in found)


# ------------------------------------------------------------------------------------------ what JSON has no form for


class Opaque:
    def __repr__(self) -> str:
        return "secret"


@pytest.mark.parametrize(
    ("value", "kept", "named"),
    [
        (b"secret", "[not kept: bytes]", "1 bytes"),
        (Opaque(), "[not kept: Opaque]", "1 Opaque"),
        (datetime(2024, 4, 1, tzinfo=timezone.utc), "[not kept: datetime]", "1 datetime"),
        (
            [Path("secret"), {"x": {"secret"}}],
            ["[not kept: PosixPath]", {"x": "[not kept: set]"}],
            "1 PosixPath, 1 set",
        ),
    ],
)
def test_a_marker_stands_for_what_cannot_be_kept(
    value: object, kept: object, named: str, caplog: pytest.LogCaptureFixture
) -> None:
    back = from_core(to_core(ChatMessage(role="user", content="Hi", additional_kwargs={"x": value})))
    assert back == ChatMessage(role="user", content="Hi", additional_kwargs={"x": kept})
    (line,) = caplog.records
    assert (line.levelno, line.name) == (logging.WARNING, "memoryos_core.hosts.messages")
    assert named in line.getMessage()
    assert "secret" not in line.getMessage()


def test_bytes_in_the_arguments_of_a_call_get_a_marker(caplog: pytest.LogCaptureFixture) -> None:
    if ToolCall is None:
        assert "tool_call" not in KINDS
        return
    message = ChatMessage(role="assistant", blocks=[ToolCall(tool_name="f", tool_kwargs={"x": b"secret"})])
    (block,) = from_core(to_core(message)).blocks
    assert block == ToolCall(tool_name="f", tool_kwargs={"x": "[not kept: bytes]"})
    assert "1 bytes" in caplog.text


def test_objects_and_tuples_come_back_as_dicts_and_lists(caplog: pytest.LogCaptureFixture) -> None:
    back = from_core(to_core(ChatMessage(content="", additional_kwargs={"x": (OpenAICall(id="1", function=None),)})))
    assert back.additional_kwargs == {"x": [{"id": "1", "function": None}]}
    assert [r for r in caplog.records if r.name.startswith("memoryos")] == []


class Reviewed(ChatMessage):
    """A message class of an application's own."""

    reviewer: str = "nobody"


class Underlined(TextBlock):
    """A block class of an application's own."""

    colour: str = "red"


def test_classes_of_ones_own_come_back_as_llamaindex_has_them() -> None:
    back = from_core(to_core(Reviewed(role=MessageRole.USER, blocks=[Underlined(text="Hi")], reviewer="Bob")))
    assert same(back, ChatMessage(role="user", content="Hi"))


# ------------------------------------------------------------------------------------------ what others recorded


@pytest.mark.parametrize("payload", [None, '{"langchain": {"type": "human"}}', "[]", "7", '{"llamaindex": 7}'])
@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (Message("user", "Hi", "Ann"), ChatMessage(role="user", content="Hi", additional_kwargs={"name": "Ann"})),
        (Message("user", ""), ChatMessage(role="user", content="")),
        (Message("assistant", "Hi"), ChatMessage(role="assistant", content="Hi")),
        (Message("system", "Be brief"), ChatMessage(role="system", content="Be brief")),
        (
            Message("tool", "rain", "f", answers="c"),
            ChatMessage(role="tool", content="rain", additional_kwargs={"name": "f", "tool_call_id": "c"}),
        ),
        (Message("tool", "rain"), ChatMessage(role="tool", content="rain")),
    ],
)
def test_what_another_host_recorded_is_read_by_its_role(
    payload: str | None, message: Message, expected: ChatMessage, caplog: pytest.LogCaptureFixture
) -> None:
    foreign = Message(message.role, message.text, message.name, answers=message.answers, payload=payload)
    assert same(from_core(foreign), expected)
    assert [r for r in caplog.records if r.name.startswith("memoryos")] == []


@pytest.mark.parametrize("text", ["I look", ""])
def test_the_calls_of_another_host_stay_with_their_results(text: str) -> None:
    back = from_core(Message("assistant", text, calls=("a", "b"), payload='{"langchain": {"type": "ai"}}'))
    assert back.content == (text or None)
    assert to_core(back).calls == ("a", "b")
    if ToolCall is not None:
        assert [type(b) for b in back.blocks[-2:]] == [ToolCall, ToolCall]
        assert back.additional_kwargs == {}
    else:
        names = [call["function"]["name"] for call in back.additional_kwargs["tool_calls"]]
        assert names == ["unnamed_tool", "unnamed_tool"]


@pytest.mark.parametrize(
    "payload",
    [
        '{"llamaindex": {"role": "us',
        '{"llamaindex": {}}',
        '{"llamaindex": {"role": "sphinx"}}',
        '{"llamaindex": {"role": ["user"]}}',
        '{"llamaindex": {"role": "user", "blocks": "secret"}}',
        '{"llamaindex": {"role": "user", "blocks": null}}',
        '{"llamaindex": {"role": "user", "blocks": [7]}}',
        '{"llamaindex": {"role": "user", "blocks": [{"text": "secret"}]}}',
        '{"llamaindex": {"role": "user", "blocks": [{"block_type": "hologram"}]}}',
        '{"llamaindex": {"role": "user", "blocks": [{"block_type": "text", "text": 7}]}}',
        '{"llamaindex": {"role": "user", "blocks": [{"block_type": "image", "image": ["secret"]}]}}',
        '{"llamaindex": {"role": "user", "blocks": [{"block_type": "image", "image": {"hex": "secret"}}]}}',
        '{"llamaindex": {"role": "user", "blocks": [{"block_type": "citable", "content": "secret"}]}}',
        '{"llamaindex": {"role": "user", "kwargs": "secret"}}',
        "[" * 100_000,
    ],
)
def test_a_damaged_payload_leaves_the_text(payload: str, caplog: pytest.LogCaptureFixture) -> None:
    assert same(from_core(Message("user", "Hi", payload=payload)), ChatMessage(role="user", content="Hi"))
    (line,) = caplog.records
    assert line.levelno == logging.WARNING
    assert "secret" not in line.getMessage()
    assert "Hi" not in line.getMessage()
