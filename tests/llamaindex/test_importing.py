"""What LlamaIndex's own memories hold comes over: every session, in order, with its dates, each turn once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import ChatMemoryBuffer, Memory
from llama_index.core.storage.chat_store import SimpleChatStore
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore

from memoryos_core import InvalidInputError, MemoryOS
from memoryos_llamaindex import MemoryOSMemory, aimport_history, import_history

MARCH = datetime(2024, 3, 1, 12, tzinfo=timezone.utc)
DATES: list[Any] = [
    MARCH,
    MARCH.isoformat(),
    "2024-03-01T12:00:00Z",
    "2024-03-01 12:00:00",
    MARCH.timestamp(),
    int(MARCH.timestamp() * 1e3),
    int(MARCH.timestamp()) * 10**9,
]


def said(*texts: str, **kwargs: Any) -> list[ChatMessage]:
    return [
        ChatMessage(text, role="assistant" if place % 2 else "user", additional_kwargs=dict(kwargs))
        for place, text in enumerate(texts)
    ]


def kept(memory: MemoryOS, user: str, session: str) -> list[str]:
    return [m.text for m in memory.user(user, session_id=session).transcript()]


@pytest.mark.parametrize("date", DATES)
@pytest.mark.parametrize("key", ["timestamp", "created_at", "date", "time"])
def test_a_message_keeps_the_date_it_carries(memory: MemoryOS, key: str, date: Any) -> None:
    buffer = ChatMemoryBuffer.from_defaults(chat_history=said("I moved to Lisbon", "Nice", **{key: date}))
    assert import_history(memory, buffer, user_id="ann", session_id="old") == 2
    user = memory.user("ann", session_id="old")
    assert [page.timestamp for page in user.pages()] == [MARCH]
    assert user.transcript()[0].timestamp == MARCH
    assert "1 March 2024" in user.recall("Where did I move?", include_recent=False).text


@pytest.mark.parametrize("date", [None, "soon", True, [], float("nan"), 10**400])
def test_a_date_that_cannot_be_read_is_none(memory: MemoryOS, date: Any) -> None:
    buffer = ChatMemoryBuffer.from_defaults(chat_history=said("Hi", "Hello", timestamp=date))
    before = datetime.now(timezone.utc)
    assert import_history(memory, buffer, user_id="ann") == 2
    (page,) = memory.user("ann").pages()
    assert page.session_id == buffer.chat_store_key
    assert before - timedelta(seconds=1) <= page.timestamp <= datetime.now(timezone.utc)


def test_every_key_of_a_chat_store_is_a_session(memory: MemoryOS) -> None:
    store = SimpleChatStore()
    store.set_messages("one", said("a", "b", "c", "d"))
    store.set_messages("two", [ChatMessage("Be brief", role="system"), *said("e", "f")])
    assert import_history(memory, store, user_id="ann") == 6
    assert kept(memory, "ann", "one") == ["a", "b", "c", "d"]
    assert kept(memory, "ann", "two") == ["e", "f"]
    assert import_history(memory, store, user_id="ann") == 0
    store.add_message("one", ChatMessage("g"))
    assert import_history(memory, store, user_id="ann", session_id="one") == 1
    assert kept(memory, "ann", "one") == ["a", "b", "c", "d", "g"]
    assert import_history(memory, store) == 7
    assert set(memory.users()) == {"ann", "session:one", "session:two"}


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SQLAlchemyChatStore]:
    made = SQLAlchemyChatStore("talk", async_database_uri=f"sqlite+aiosqlite:///{tmp_path}/talk.db")
    yield made
    engine = made._async_engine
    if engine is not None:
        await engine.dispose()


@pytest.mark.parametrize("of", ["memory", "store"])
async def test_the_dates_of_a_sql_store_come_over(
    memory: MemoryOS, store: SQLAlchemyChatStore, monkeypatch: pytest.MonkeyPatch, of: str
) -> None:
    host = Memory.from_defaults(session_id="s", token_limit=60, token_flush_size=10)
    host.sql_store = store
    texts = [f"{who} number {day} about the garden" for day in range(8) for who in ("Question", "Answer")]
    for place, message in enumerate(said(*texts)):
        at = (MARCH + timedelta(days=place // 2)).timestamp()
        monkeypatch.setattr("time.time_ns", lambda at=at: int(at) * 10**9)
        await host.aput(message)
    monkeypatch.undo()
    assert len(await host.aget_all()) > len(await host.aget()), "some of it is archived"
    source = host if of == "memory" else store
    assert await aimport_history(memory, source, user_id="ann") == len(texts)
    pages = memory.user("ann", session_id="s").pages()
    assert kept(memory, "ann", "s") == texts
    assert [page.timestamp for page in pages] == [MARCH + timedelta(days=day) for day in range(8)]
    assert await aimport_history(memory, source, user_id="ann") == 0
    assert len(await host.aget_all()) == len(texts), "the source stays as it was"


async def test_a_memory_may_be_imported_into_a_session_of_another_name(memory: MemoryOS) -> None:
    buffer = ChatMemoryBuffer.from_defaults(chat_history=said("Hi", "Hello"), chat_store_key="theirs")
    assert await aimport_history(memory, buffer, user_id="ann", session_id="ours") == 2
    ours = MemoryOSMemory(memory, user_id="ann", session_id="ours")
    assert [m.content for m in ours.get_all()] == ["Hi", "Hello"]


@pytest.mark.parametrize("source", [None, "talk.db", [], said("Hi")])
async def test_anything_else_is_refused(memory: MemoryOS, source: Any) -> None:
    with pytest.raises(InvalidInputError, match="source must be a memory or a chat store") as refused:
        import_history(memory, source, user_id="ann")
    assert "Hi" not in str(refused.value)
    with pytest.raises(InvalidInputError, match="source must be a memory or a chat store"):
        await aimport_history(memory, source, user_id="ann")
