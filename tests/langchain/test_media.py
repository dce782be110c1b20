"""Pictures and other media in LangChain's messages: a marker is remembered, and the message comes back as it was."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from llama_index.core.base.llms.types import AudioBlock, ChatMessage, DocumentBlock, ImageBlock, TextBlock

import memoryos_llamaindex.messages
from memoryos_core import MemoryOS
from memoryos_langchain import MemoryOSChatMessageHistory, MemoryOSMiddleware
from memoryos_langchain.messages import from_core, to_core
from tests.langchain.scripted_models import ScriptedModel

SECRET = base64.b64encode(b"not for any prompt, and long enough to be seen").decode()
DATA_URL = f"data:image/png;base64,{SECRET}"

MARKERS: dict[str, tuple[dict[str, Any], str]] = {
    # LangChain's own blocks
    "image": ({"type": "image", "base64": SECRET, "mime_type": "image/png"}, "[image]"),
    "image by url": ({"type": "image", "url": "https://example.com/a/my%20cat.png?key=s#s"}, "[image: my cat.png]"),
    "image by id": ({"type": "image", "file_id": "file-123"}, "[image]"),
    "image with a title": ({"type": "image", "base64": SECRET, "extras": {"title": "My\ncat"}}, "[image: My cat]"),
    "audio": ({"type": "audio", "base64": SECRET, "mime_type": "audio/wav"}, "[audio]"),
    "video": ({"type": "video", "url": "https://example.com/party.mp4"}, "[video: party.mp4]"),
    "file": ({"type": "file", "base64": SECRET, "mime_type": "application/pdf"}, "[document]"),
    "file with a name": ({"type": "file", "base64": SECRET, "filename": "rent.pdf"}, "[document: rent.pdf]"),
    "file of a picture": ({"type": "file", "base64": SECRET, "mime_type": "image/png"}, "[image]"),
    "plain text": ({"type": "text-plain", "text": SECRET, "title": "Rent contract"}, "[document: Rent contract]"),
    "plain text alone": ({"type": "text-plain", "text": SECRET, "mime_type": "text/plain"}, "[document]"),
    "older form": (
        {"type": "image", "source_type": "base64", "data": SECRET, "metadata": {"filename": "cat.png"}},
        "[image: cat.png]",
    ),
    # OpenAI's
    "image_url": ({"type": "image_url", "image_url": {"url": DATA_URL}}, "[image]"),
    "image_url as text": ({"type": "image_url", "image_url": "https://example.com/cat.png"}, "[image: cat.png]"),
    "image_url without scheme": ({"type": "image_url", "image_url": SECRET}, "[image]"),
    "input_image": ({"type": "input_image", "image_url": DATA_URL}, "[image]"),
    "image_generation_call": ({"type": "image_generation_call", "result": SECRET}, "[image]"),
    "input_audio": ({"type": "input_audio", "input_audio": {"data": SECRET, "format": "wav"}}, "[audio]"),
    "file of OpenAI's": (
        {"type": "file", "file": {"filename": "rent.pdf", "file_data": f"data:application/pdf;base64,{SECRET}"}},
        "[document: rent.pdf]",
    ),
    "input_file": ({"type": "input_file", "filename": "rent.pdf", "file_data": SECRET}, "[document: rent.pdf]"),
    # Anthropic's
    "source": ({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": SECRET}}, "[image]"),
    "document": (
        {"type": "document", "title": "Rent", "source": {"type": "text", "media_type": "text/plain", "data": SECRET}},
        "[document: Rent]",
    ),
    # Google's
    "media": ({"type": "media", "mime_type": "video/mp4", "data": SECRET}, "[video]"),
    "media by uri": (
        {"type": "media", "mime_type": "application/pdf", "file_uri": "gs://b/rent.pdf"},
        "[document: rent.pdf]",
    ),
    # Bedrock's have no type
    "bedrock image": ({"image": {"format": "png", "source": {"bytes": SECRET}}}, "[image]"),
    "bedrock document": (
        {"document": {"format": "pdf", "name": "Rent", "source": {"bytes": SECRET}}},
        "[document: Rent]",
    ),
    "wrapped": (
        {"type": "non_standard", "value": {"type": "input_file", "filename": "rent.pdf", "file_data": SECRET}},
        "[document: rent.pdf]",
    ),
    "long title": ({"type": "file", "base64": SECRET, "filename": "x" * 500}, f"[document: {'x' * 80}]"),
    "title that is data": ({"type": "image", "base64": SECRET, "title": DATA_URL}, "[image]"),
    "title of another type": ({"type": "image", "base64": SECRET, "title": 7, "extras": None}, "[image]"),
}


@pytest.mark.parametrize(("block", "marker"), MARKERS.values(), ids=list(MARKERS))
def test_media_leave_a_marker_where_they_stood(memory: MemoryOS, block: dict[str, Any], marker: str) -> None:
    said = HumanMessage(["Here is ", {"type": "text", "text": "the thing"}, block, "as promised"], id="h")
    kept = to_core(said)
    assert kept.text == f"Here is the thing\n{marker}\nas promised"
    assert from_core(kept) == said
    user = memory.user("ann", session_id="long ago")
    user.add_messages([kept, to_core(AIMessage("Thank you"))])
    recalled = user.recall("Which thing was promised?", include_recent=False).text
    assert marker in recalled
    assert SECRET not in recalled
    assert from_core(user.transcript()[0]) == said


@pytest.mark.parametrize(
    "block",
    [
        {"type": "reasoning", "reasoning": "hm"},
        {"type": "tool_call", "id": "c", "name": "image", "args": {"image": "cat.png"}},
        {"type": "tool_use", "id": "c", "name": "draw", "input": {"image": "cat.png"}},
        {"type": "tool_use", "id": "c", "name": "draw", "input": {"type": "image", "url": "https://e.com/cat.png"}},
        {"cachePoint": {"type": "default"}},
        {"type": "non_standard", "value": {"signature": "x"}},
        {"type": "non_standard", "value": "x"},
        {"type": ["image"]},
    ],
)
def test_other_blocks_leave_none(block: dict[str, Any]) -> None:
    said = AIMessage(["seven ", block, "dwarfs"], id="a")
    assert to_core(said).text == "seven dwarfs"
    assert from_core(to_core(said)) == said


@pytest.mark.parametrize(
    ("langchain", "llamaindex"),
    [
        ({"type": "image", "base64": SECRET}, ImageBlock(image=b"pixels")),
        ({"type": "image", "url": "https://e.com/cat.png?key=s"}, ImageBlock(url="https://e.com/cat.png?key=s")),
        ({"type": "audio", "base64": SECRET}, AudioBlock(audio=b"sound")),
        ({"type": "file", "base64": SECRET, "filename": "Rent\n2026"}, DocumentBlock(data=b"x", title="Rent\n2026")),
        ({"type": "text-plain", "text": "x"}, DocumentBlock(data=b"x")),
    ],
)
def test_both_hosts_leave_the_same_marker(langchain: dict[str, Any], llamaindex: Any) -> None:
    ours = to_core(HumanMessage(["Look", langchain]))
    theirs = memoryos_llamaindex.messages.to_core(ChatMessage(role="user", blocks=[TextBlock(text="Look"), llamaindex]))
    assert ours.text == theirs.text


def test_the_result_of_a_tool_leaves_its_markers(memory: MemoryOS) -> None:
    said: list[BaseMessage] = [
        HumanMessage("Draw a cat", id="h"),
        AIMessage("", id="a", tool_calls=[{"name": "draw", "args": {}, "id": "c"}]),
        ToolMessage([{"type": "image", "base64": SECRET, "mime_type": "image/png"}], tool_call_id="c", id="t"),
    ]
    history = MemoryOSChatMessageHistory(memory, "s", user_id="ann")
    history.add_messages(said)
    assert memory.user("ann", session_id="s").transcript()[-1].text == "[image]"
    assert history.messages == said


def test_an_agent_recalls_a_picture_by_its_name_in_another_thread(memory: MemoryOS) -> None:
    model = ScriptedModel(answer=lambda _: "Noted.")
    agent: Any = create_agent(model, [], middleware=[MemoryOSMiddleware(memory, user_id="ann")])
    picture = {"type": "image", "base64": SECRET, "mime_type": "image/png", "extras": {"filename": "tortoise.png"}}
    agent.invoke({"messages": [HumanMessage([picture])]}, {"configurable": {"thread_id": "one"}})
    asked = HumanMessage("Did I send a picture, a tortoise.png image?")
    agent.invoke({"messages": [asked]}, {"configurable": {"thread_id": "two"}})
    sent = "\n".join(str(m.text) for m in model.asked[-1])
    assert "[image: tortoise.png]" in sent
    assert SECRET not in sent


def test_the_recall_of_a_history_asks_without_markers(memory: MemoryOS) -> None:
    memory.user("ann", session_id="long ago").add("The image of a saint hangs in my kitchen", "How nice")
    history = MemoryOSChatMessageHistory(memory, "s", user_id="ann", include_recall=True)
    history.add_messages([HumanMessage([{"type": "image", "base64": SECRET}])])
    assert [m.type for m in history.messages] == ["human"]
