"""Import what LlamaIndex's own memories and chat stores hold, with its dates, each turn once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any, TypeAlias, cast

from llama_index.core.async_utils import asyncio_run  # pyright: ignore[reportUnknownVariableType]
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.memory import Memory
from llama_index.core.memory.types import BaseMemory
from llama_index.core.storage.chat_store.base import BaseChatStore
from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore

from memoryos_core import InvalidInputError, MemoryOS, Message
from memoryos_core.hosts.arguments import Id, anonymous, id_text, require_memory, require_messages
from memoryos_core.hosts.concurrency import Contained, off_loop
from memoryos_core.hosts.values import parse_moment
from memoryos_llamaindex.block_turns import count_turns, news, turns
from memoryos_llamaindex.messages import to_core

Source: TypeAlias = BaseMemory | BaseChatStore | AsyncDBChatStore
_Dated: TypeAlias = tuple[ChatMessage, datetime | None]
_Sessions: TypeAlias = Mapping[str, Sequence[_Dated]]

# Where applications note when a message was said.
_DATE_KEYS = ("timestamp", "created_at", "date", "time")
# Seconds since 1970 stay below this for 3,000 years; what is larger is in milli-, micro- or nanoseconds.
_MOST_SECONDS = 1e11


def import_history(
    memory: MemoryOS,
    source: Source,
    *,
    user_id: Id | None = None,
    assistant_id: Id = "assistant",
    session_id: Id | None = None,
) -> int:
    """Import the conversations that a memory or a chat store of LlamaIndex's holds.

    A message keeps its date: the one in its `additional_kwargs` ("timestamp", "created_at", "date" or "time", as a
    datetime, text in ISO 8601 or a number since 1970), else the time at which LlamaIndex's SQL store wrote it. Without
    either it is dated now. Instructions are left out. Imported again, a turn that is there adds nothing; two turns of
    a session that say the same, word for word, count as one. The source does not change.

    Args:
        memory: an open memory; it stays yours to close.
        source: a `ChatMemoryBuffer`, a `Memory` (what it archived included) or another memory, or a chat store.
        user_id: the user; None makes each session a user of its own, `session:<session_id>`.
        assistant_id: the assistant that remembers.
        session_id: for a chat store, the one key to import, where None is all of them; for a memory, the session to
            import into, where None is that of the memory.

    Returns:
        The number of messages that are new.

    Raises:
        InvalidInputError: an id cannot be used, `source` is nothing of that kind, or a memory names no session.
        StoreError: the store does not take them; what was imported before stays, and a further import goes on.
    """
    to = require_memory(memory)
    if isinstance(source, Memory | AsyncDBChatStore):
        sessions = cast("_Sessions", asyncio_run(_read_database(source, session_id)))
    else:
        sessions = _read_sessions(source, session_id)
    return _write(to, sessions, user_id, assistant_id)


async def aimport_history(
    memory: MemoryOS,
    source: Source,
    *,
    user_id: Id | None = None,
    assistant_id: Id = "assistant",
    session_id: Id | None = None,
) -> int:
    """See `import_history`."""
    to = require_memory(memory)
    if isinstance(source, Memory | AsyncDBChatStore):
        sessions = await _read_database(source, session_id)
    else:
        sessions = await off_loop(to, _read_sessions, source, session_id)
    return await off_loop(to, _write, to, sessions, user_id, assistant_id)


def _read_sessions(source: object, session_id: Id | None) -> _Sessions:
    if isinstance(source, BaseChatStore):
        keys = source.get_keys() if session_id is None else [id_text("session_id", session_id)]
        return {key: _date_messages(source.get_messages(key), {}) for key in keys}
    if isinstance(source, BaseMemory):
        named = getattr(source, "session_id", None) or getattr(source, "chat_store_key", None)
        session = id_text("session_id", named if session_id is None else session_id)
        return {session: _date_messages(source.get_all(), {})}
    raise InvalidInputError(f"source must be a memory or a chat store of LlamaIndex, not {type(source).__name__}")


async def _read_database(source: Memory | AsyncDBChatStore, session_id: Id | None) -> _Sessions:
    """Read a store that has only coroutines: one key of it for a `Memory`, else all or the one that is named."""
    store: AsyncDBChatStore = source.sql_store if isinstance(source, Memory) else source
    given = None if session_id is None else id_text("session_id", session_id)
    if isinstance(source, Memory):
        sessions = {source.session_id: given or id_text("session_id", source.session_id)}
    else:
        keys = [given] if given is not None else await store.get_keys()
        sessions = {key: key for key in keys}
    moments = await _moments(store)
    return {
        session: _date_messages(await store.get_messages(key, status=None), moments.get(key, {}))
        for key, session in sessions.items()
    }


async def _moments(store: AsyncDBChatStore) -> dict[str, dict[int, datetime | None]]:
    """When each message of each key was written, by its place; {} where the store does not tell."""
    dump = getattr(store, "_dump_db_data", None)  # LlamaIndex has no public way to the dates
    if dump is None:
        return {}
    found: dict[str, list[float]] = {}
    for row in cast("list[dict[str, Any]]", await dump()):
        found.setdefault(row["key"], []).append(row["timestamp"])
    return {key: {place: _moment(at) for place, at in enumerate(sorted(times))} for key, times in found.items()}


def _date_messages(messages: Sequence[ChatMessage], moments: Mapping[int, datetime | None]) -> list[_Dated]:
    given = require_messages(messages, ChatMessage, "LlamaIndex")
    return [(message, _own_date(message) or moments.get(place)) for place, message in enumerate(given)]


def _own_date(message: ChatMessage) -> datetime | None:
    return next((at for key in _DATE_KEYS if (at := _moment(message.additional_kwargs.get(key))) is not None), None)


def _moment(value: object) -> datetime | None:
    with Contained():
        if isinstance(value, datetime):
            return value if value.tzinfo else value.replace(tzinfo=timezone.utc)
        if isinstance(value, str):
            return parse_moment(value)
        if isinstance(value, int | float) and not isinstance(value, bool):
            seconds = float(value)
            while abs(seconds) > _MOST_SECONDS:
                seconds /= 1000
            return datetime.fromtimestamp(seconds, timezone.utc)
    return None


def _write(memory: MemoryOS, sessions: _Sessions, user_id: Id | None, assistant_id: Id) -> int:
    new = 0
    for session, messages in sessions.items():
        owner = id_text("user_id", anonymous(session) if user_id is None else user_id)
        user = memory.user(owner, assistant_id=id_text("assistant_id", assistant_id), session_id=session)
        core = [_core(message, at) for message, at in messages]
        fresh = news(count_turns(turns(core)), user.pages(session=True))
        user.add_messages(fresh, once=True)
        new += len(fresh)
    return new


def _core(message: ChatMessage, at: datetime | None) -> Message:
    return replace(to_core(message), timestamp=at)
