"""A session of the OpenAI Agents SDK over MemoryOS, written against public names alone. See docs/openai-agents.md."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, cast

from agents import SessionSettings, TResponseInputItem
from agents.run import CallModelData, ModelInputData

from memoryos_core import InvalidInputError, MemoryOS, Message
from memoryos_core.hosts.arguments import Id, id_text, require_memory
from memoryos_core.hosts.concurrency import Lock, off_loop
from memoryos_core.hosts.messages import Lost, media_marker, pack_json
from memoryos_core.hosts.validation import whole_number
from memoryos_core.hosts.values import Role
from memoryos_core.hosts.windows import add_notice

_OURS = "openai_agents"  # the only key of a payload; it names the host
_MEDIA = {"input_image": "image", "input_audio": "audio", "input_file": "document"}
_ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}


class MemoryOSSession:
    """One conversation of one user, as the `Session` of the OpenAI Agents SDK.

    Every item comes back as it was added. What was said is recalled in the user's other sessions and by other hosts.
    An object may be used from any number of threads and event loops.

    Args:
        memory: an open memory; it stays yours to close.
        session_id: the conversation.
        user_id: the user.
        assistant_id: the assistant that remembers.
        session_settings: `limit` is the number of items that `get_items` returns when its caller names none.

    Raises:
        InvalidInputError: an id is empty, too long or of a wrong type, or `memory` is no MemoryOS.
    """

    def __init__(
        self,
        memory: MemoryOS,
        session_id: Id,
        *,
        user_id: Id,
        assistant_id: Id = "assistant",
        session_settings: SessionSettings | None = None,
    ) -> None:
        self.session_id = id_text("session_id", session_id)
        self.session_settings = session_settings
        user, assistant = id_text("user_id", user_id), id_text("assistant_id", assistant_id)
        self._memory = require_memory(memory)
        self.user = self._memory.user(user, assistant_id=assistant, session_id=self.session_id)
        self._lock = Lock()

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the newest `limit` items, or all, oldest first. Raises StoreError."""
        settings = self.session_settings
        most = settings.limit if limit is None and settings is not None else limit
        if most is not None:
            whole_number("limit", most)
        said = await off_loop(self._memory, self.user.transcript)
        return [to_item(m) for m in (said if most is None else said[-most:] if most > 0 else ())]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Add items after the others, all or none; durable when this returns. Raises InvalidInputError, StoreError."""
        messages = [to_message(item, f"items[{at}]") for at, item in enumerate(items)]
        await off_loop(self._memory, self.user.add_messages, messages)

    async def pop_item(self) -> TResponseInputItem | None:
        """Take the newest item out of the conversation and return it; None if there is none.

        What it says stays remembered, as everything that a host takes back. Raises StoreError.
        """
        return await off_loop(self._memory, self._pop)

    async def clear_session(self) -> None:
        """Begin the conversation anew; `session.user.forget(session=True)` erases it. Raises StoreError."""
        await off_loop(self._memory, self.user.end_session)

    async def recall_into(self, data: CallModelData[Any]) -> ModelInputData:
        """Add what is remembered on the user's last question to the instructions: a `call_model_input_filter`."""
        given = data.model_data
        question = next(
            (_text(item.get("content")) for item in reversed(given.input) if item.get("role") == "user"), ""
        )
        stored = await off_loop(self._memory, self.user.transcript)
        # A session limit leaves older items out of the prompt: those may be recalled.
        shown = [m.id for m in stored if m.id is not None and to_item(m) in given.input]
        recall = await off_loop(self._memory, self.user.recall, question, include_recent=False, shown=shown)
        parts = (given.instructions, add_notice(recall.text))
        return ModelInputData(given.input, "\n\n".join(part for part in parts if part) or None)

    def _pop(self) -> TResponseInputItem | None:
        with self._lock:
            said = self.user.transcript()
            if not said:
                return None
            # The store gives an id to each message that has none.
            self.user.add_messages((), replaces=[m.id for m in said[-1:] if m.id])
            return to_item(said[-1])


def to_message(item: object, name: str = "item") -> Message:
    """Return an item as a message that keeps the whole item. Raises InvalidInputError."""
    if not isinstance(item, Mapping):
        raise InvalidInputError(f"{name} must be a dict of the Agents SDK, got {type(item).__name__}")
    try:
        json.dumps(item)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{name} must hold JSON values only ({type(error).__name__})") from None
    # Without what the memory's own tools quoted: forgetting would not reach it.
    item = cast("dict[str, Any]", pack_json(item, Lost(), lambda _: None))
    payload = json.dumps({_OURS: item})
    kind, call = str(item.get("type") or "message"), item.get("call_id")
    known = call if isinstance(call, str) else None
    if kind.endswith("_output"):
        text = _text(item.get("output"))
        return Message("tool", text, answers=known, payload=payload)
    calls = (known,) if known and kind.endswith("_call") else ()
    role = _ROLES.get(str(item.get("role")), "assistant")
    return Message(role, _text(item.get("content")), calls=calls, payload=payload)


def to_item(message: Message) -> TResponseInputItem:
    """Return the item that was added; a message of another host comes back by its role, with its text."""
    kept = json.loads(message.payload) if message.payload else None
    if isinstance(kept, dict) and _OURS in kept:
        item: TResponseInputItem = kept[_OURS]
        return item
    # A result without its call is refused by the model, so another host's comes back as the assistant's words.
    return {"role": "assistant" if message.role == "tool" else message.role, "content": message.text}


def _text(content: object) -> str:
    """Return the words of a content or output; a marker such as "[image]" stands for each medium."""
    if isinstance(content, str):
        return content
    parts = [part for part in content if isinstance(part, Mapping)] if isinstance(content, Sequence) else []
    return "\n".join(filter(None, (_part_text(part) for part in parts)))


def _part_text(part: Mapping[str, Any]) -> str:
    if (medium := _MEDIA.get(str(part.get("type")))) is not None:
        return media_marker(medium, part.get("filename"), url=part.get("image_url") or part.get("file_url"))
    return str(part.get("text") or part.get("refusal") or "")
