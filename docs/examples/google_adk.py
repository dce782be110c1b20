"""A memory service of Google's ADK over MemoryOS, written against public names alone. See docs/google-adk.md."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone

from google.adk.events import Event
from google.adk.memory import BaseMemoryService
from google.adk.memory.base_memory_service import SearchMemoryResponse
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import Session
from google.genai.types import Content, Part

from memoryos_core import Hit, InvalidInputError, MemoryOS, Message, NoteWrite, UserMemory
from memoryos_core.hosts.arguments import Id, id_text, metadata, require_memory
from memoryos_core.hosts.concurrency import off_loop
from memoryos_core.hosts.messages import media_marker

_DELETED = ("google_adk", "deleted")  # the notes that name deleted events: a session brings its events again and again
_NO_SESSION = "events without a session"
_TAG = re.compile(r"<(?=\s*/?\s*PAST_CONVERSATIONS)", re.IGNORECASE)  # `preload_memory` writes this tag


class MemoryOSMemoryService(BaseMemoryService):
    """The memory of an application's users, as the `memory_service` of a Runner.

    An event is remembered once, however often its session is added. An object may be used from any number of threads
    and event loops.

    Args:
        memory: an open memory; it stays yours to close.
        assistant_id: the assistant that remembers; None gives each application a memory of its own, under its name.
        budget_tokens: the most tokens of what a search brings; None is the configured number.

    Raises:
        InvalidInputError: `assistant_id` is empty, too long or of a wrong type, or `memory` is no MemoryOS.
    """

    def __init__(self, memory: MemoryOS, *, assistant_id: Id | None = None, budget_tokens: int | None = None) -> None:
        self._memory = require_memory(memory)
        self._assistant = None if assistant_id is None else id_text("assistant_id", assistant_id)
        self._budget = budget_tokens

    def user(self, app_name: str, user_id: str, session_id: str = "default") -> UserMemory:
        """Return the memory of a user with all its verbs."""
        return self._memory.user(user_id, assistant_id=self._assistant or app_name, session_id=session_id)

    async def add_session_to_memory(self, session: Session) -> None:
        """Remember what is new in a session; durable when this returns. Raises StoreError."""
        user = self.user(session.app_name, session.user_id, session.id)
        await off_loop(self._memory, _add, user, session.events)

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Remember some events, such as the last turn. `custom_metadata` is not kept. Raises StoreError."""
        user = self.user(app_name, user_id, session_id or _NO_SESSION)
        await off_loop(self._memory, _add, user, events)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Remember statements about the user as facts. Raises InvalidInputError for one without text, StoreError."""
        texts = [_text(entry.content) for entry in memories]
        if not all(text.strip() for text in texts):
            raise InvalidInputError("each of memories= needs a part with text; nothing was remembered")
        user = self.user(app_name, user_id)
        for text in texts:
            await off_loop(self._memory, user.remember, text)

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Return what is known on a question, then what was said, best first, within the budget. Raises StoreError."""
        user = self.user(app_name, user_id)
        found = await off_loop(self._memory, user.recall, query, budget_tokens=self._budget, include_recent=False)
        known = [MemoryEntry(content=_content("\n".join(found.profile_text)), author="memory")]
        said = [_entry(hit) for hit in found.hits]
        return SearchMemoryResponse(memories=[*(known if found.profile_text else ()), *said])

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Erase a memory of `search_memory`; a turn goes whole, with the facts that rest on it alone.

        Its events stay forgotten when their session is added again. Raises StoreError.
        """
        if memory_id is not None:
            await off_loop(self._memory, _delete, self.user(app_name, user_id), memory_id)


def _add(user: UserMemory, events: Sequence[Event]) -> None:
    messages = [message for event in events if (message := _message(event)) is not None]
    if messages:
        deleted = {note.key for note in user.notes.list(_DELETED)}
        user.add_messages([message for message in messages if message.id not in deleted], once=True)


def _delete(user: UserMemory, memory_id: str) -> None:
    events = [message.id for page in user.pages([memory_id]) for message in page.messages if message.id]
    user.notes.write([NoteWrite(_DELETED, event, "true") for event in events])
    user.forget(pages=[memory_id], facts=[memory_id])


def _message(event: Event) -> Message | None:
    """Return an event as a message; None for one that says nothing, such as a tool call."""
    text = _text(event.content)
    if not text.strip() or event.partial:
        return None
    said, of_user = datetime.fromtimestamp(event.timestamp, timezone.utc), event.author == "user"
    name = None if of_user else event.author or None
    return Message("user" if of_user else "assistant", text, name, said, event.id)


def _text(content: Content | None) -> str:
    """Return the words of a content without thoughts; a marker such as "[image]" stands for each medium."""
    parts = (content.parts if content else None) or ()
    return "\n".join(filter(None, (_part_text(part) for part in parts if not part.thought)))


def _part_text(part: Part) -> str:
    if (data := part.inline_data or part.file_data) is None:
        return part.text or ""
    kind = (data.mime_type or "").partition("/")[0]
    url = part.file_data.file_uri if part.file_data else None
    return media_marker(kind if kind in {"image", "audio", "video"} else "document", data.display_name, url=url)


def _entry(hit: Hit) -> MemoryEntry:
    text, when = hit.text, hit.timestamp.isoformat()
    for sentence, now in hit.marks:  # what no longer holds says so
        text = text.replace(sentence, f"{sentence} {now}")
    author = next((message.name or message.role for message in hit.messages), "memory")
    text = text.removeprefix(f"{author}: ")  # a quotation begins with its speaker
    return MemoryEntry(id=hit.id, content=_content(text), author=author, timestamp=when, custom_metadata=metadata(hit))


def _content(text: str) -> Content:
    # No line of it can pass for a time or a speaker, and nothing in it for the end of the memories.
    return Content(role="user", parts=[Part(text=_TAG.sub("&lt;", text).replace("\n", "\n  "))])
