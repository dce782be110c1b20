"""A conversation of LlamaIndex on a store without any capability: it needs no notes."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

pytest.importorskip("llama_index.core")

from llama_index.core.llms import ChatMessage

from docs.examples.in_memory_store import InMemoryStore
from memoryos_core import MemoryOS
from memoryos_llamaindex import MemoryOSMemory


@pytest.fixture
def memory(caplog: pytest.LogCaptureFixture) -> Iterator[MemoryOS]:
    with MemoryOS(InMemoryStore(), embedder=None) as memory:
        yield memory
    assert [r for r in caplog.records if r.levelno >= logging.ERROR] == []


def talk(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role=role, content=text) for role, text in zip(("user", "assistant") * 9, texts, strict=False)]


def texts(messages: list[ChatMessage]) -> list[str | None]:
    return [message.content for message in messages]


def test_a_conversation_is_put_read_and_reset(memory: MemoryOS) -> None:
    ada = MemoryOSMemory(memory, user_id="ada", session_id="s")
    ada.put_messages(talk("I grow tea.", "In which garden?"))
    assert texts(ada.get()) == texts(ada.get_all()) == ["I grow tea.", "In which garden?"]
    ada.reset()
    assert ada.get_all() == []
    assert memory.user("ada").search("tea", k=1)


def test_a_conversation_that_is_set_anew_is_remembered_anew(memory: MemoryOS) -> None:
    ada = MemoryOSMemory(memory, user_id="ada", session_id="s")
    ada.put_messages(talk("I grow tea.", "In which garden?", "In Porto.", "Lovely."))
    ada.set(talk("In Porto.", "Lovely.", "Is it warm?"))
    assert texts(ada.get_all()) == ["In Porto.", "Lovely.", "Is it warm?"]
    assert len(memory.user("ada").pages()) == 4
    ada.set(talk("In Porto.", "Lovely.", "Is it warm?", "It is."))
    assert texts(ada.get_all()) == ["In Porto.", "Lovely.", "Is it warm?", "It is."]
