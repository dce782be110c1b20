"""LangChain's messages as the core's, and back: nothing of a message is lost but what JSON has no form for."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, cast

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    BaseMessageChunk,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    RemoveMessage,
    SystemMessage,
    ToolMessage,
    message_chunk_to_message,
    messages_from_dict,
)
from langchain_core.messages.tool import tool_call
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from memoryos_core import Message
from memoryos_core.hosts.concurrency import Contained
from memoryos_core.hosts.messages import Lost, leave_out_quotations, pack_json, tell
from memoryos_core.hosts.values import Role
from memoryos_langchain.media import text_with_markers

logger = logging.getLogger(__name__)

MessageT = TypeVar("MessageT", bound=BaseMessage)

# The only key of a payload; it names the host. Payloads of other hosts are left alone.
_OURS = "langchain"
# Fields that `Message` itself carries, so that the payload need not.
_CARRIED = ("id", "name", "type")
_ROLES: dict[str, Role] = {
    "human": "user",
    "user": "user",
    "ai": "assistant",
    "assistant": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
    "remove": "system",  # it says nothing, and must not open a turn
}
# The id with which LangGraph's RemoveMessage removes all messages; LangGraph need not be installed here.
_ALL_MESSAGES = "__remove_all__"
# The name of a call that another host recorded without a name.
_NAMELESS = "unnamed_tool"


def to_core(message: BaseMessage) -> Message:
    """A LangChain message as the core keeps it; a chunk becomes the message it is a chunk of.

    One without an id is stored under a new one, and comes back without. What cannot be written as JSON is replaced by
    "[not kept: bytes]" or the like and logged as a warning, by type; the message is kept. Objects of pydantic inside it
    come back as dicts, tuples as lists, and a message class of one's own as LangChain's class of the same type, with
    its fields. Pictures, sounds, videos and documents leave a marker in the text, such as "[image: cat.png]", by which
    they are found and recalled; their data are in the payload alone. What the memory's own tools quoted is left out.
    """
    plain = _without_chunks(message)
    text = _text(plain)
    lost = Lost()
    data = {k: pack_json(v, lost, _fields_of) for k, v in _fields(plain).items()}
    tell(lost)
    if data.get("content") == text:
        del data["content"]
    form: dict[str, object] = {"type": plain.type, "data": data} if data else {"type": plain.type}
    if not plain.id:
        form["id"] = plain.id
    return Message(
        role=_role(plain),
        text=text,
        name=plain.name,
        id=plain.id or uuid.uuid4().hex,
        calls=_calls(plain),
        answers=_answers(plain),
        payload=json.dumps({_OURS: form}),
    )


def without_payload(message: BaseMessage) -> Message:
    """Return a message with what tells it from others, as the core keeps it: its role, its text and its id."""
    plain = _without_chunks(message)
    return Message(role=_role(plain), text=_text(plain), id=plain.id)


def from_core(message: Message) -> BaseMessage:
    """The LangChain message that `to_core` was given.

    One that another host recorded, or whose payload is damaged, comes back by its role, with its text, name and id.
    """
    if message.payload is None:
        return _by_role(message)
    with Contained() as reading:
        found = _restore_message(message, json.loads(message.payload))
        return _by_role(message) if found is None else found
    logger.warning(
        "the payload of a message cannot be read (%s): the message's text is used", type(reading.error).__name__
    )
    return _by_role(message)


def without_removed(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Apply the removals among messages: neither a RemoveMessage nor what it removes is left.

    No model takes a RemoveMessage. One of all messages removes whatever stands before it.
    """
    left: list[BaseMessage] = []
    for message in messages:
        if not isinstance(message, RemoveMessage):
            left.append(message)
        else:
            left = [] if message.id == _ALL_MESSAGES else [m for m in left if m.id != message.id]
    return left


def add_text(message: MessageT, text: str, *, first: bool = False) -> MessageT:
    """Return a copy of the message with one more text in it, at its end or `first`."""
    content: str | list[str | dict[str, Any]] = message.content
    if isinstance(content, str):
        parts = [text, content] if first else [content, text]
        return message.model_copy(update={"content": "\n\n".join(filter(None, parts))})
    block: list[str | dict[str, Any]] = [{"type": "text", "text": text}]
    return message.model_copy(update={"content": block + content if first else content + block})


# ------------------------------------------------------------------------------------------ to the core


def _text(message: BaseMessage) -> str:
    return leave_out_quotations(text_with_markers(message))


def _without_chunks(message: BaseMessage) -> BaseMessage:
    # In a loop: a provider's own chunk class has LangChain's chunk class as its parent.
    while isinstance(message, BaseMessageChunk):
        extra = message.model_extra or {}
        message = message_chunk_to_message(message)
        if message.model_extra is not None:
            # LangChain's conversion leaves fields behind that no class declares.
            message.model_extra.update(extra)
    return message


def _fields(message: BaseMessage) -> dict[str, object]:
    """The fields that say something: neither carried by `Message` itself nor at their defaults."""
    fields: dict[str, object] = dict(message.model_extra or {})
    for name, field in type(message).model_fields.items():
        value: object = getattr(message, name)
        if name not in _CARRIED and not _is_default(value, field):
            fields[name] = value
    return fields


def _is_default(value: object, field: FieldInfo) -> bool:
    # Pydantic's own `get_default` reads the factory's signature each time, which takes longer than all the rest here.
    if field.default_factory in (list, dict):
        return type(value) is field.default_factory and not value
    # Values of one type are compared only: arrays, for one, answer a comparison in their own way.
    return type(value) is type(field.default) and value == field.default


def _fields_of(value: object) -> dict[str, object] | None:
    return dict(value) if isinstance(value, BaseModel) else None


def _role(message: BaseMessage) -> Role:
    said_as = message.role if isinstance(message, ChatMessage) else message.type
    return _ROLES.get(said_as.lower(), "user")


def _calls(message: BaseMessage) -> tuple[str, ...]:
    """The ids of the calls that wait for a result, also of those whose arguments could not be read.

    A call of the older kind has no id: the name of its function stands for it, in the result as well.
    """
    if not isinstance(message, AIMessage):
        return ()
    ids: list[object] = [call.get("id") for call in (*message.tool_calls, *message.invalid_tool_calls)]
    if not ids:
        function = message.additional_kwargs.get("function_call")
        ids = [cast("Mapping[str, object]", function).get("name")] if isinstance(function, Mapping) else []
    return tuple(dict.fromkeys(i for i in ids if isinstance(i, str) and i))


def _answers(message: BaseMessage) -> str | None:
    if isinstance(message, ToolMessage):
        return message.tool_call_id or None
    if isinstance(message, FunctionMessage):
        return message.name or None
    return None


# ------------------------------------------------------------------------------------------ from the core


def _restore_message(message: Message, payload: object) -> BaseMessage | None:
    """Return the message of our own payload; None for another host's. A damaged payload may raise any error."""
    ours = cast("dict[str, object]", payload).get(_OURS) if isinstance(payload, dict) else None
    if not isinstance(ours, dict):
        return None
    form = cast("dict[str, object]", ours)
    data = {"content": message.text, **cast("dict[str, object]", form.get("data", {}))}
    carried: dict[str, object] = {"id": form.get("id", message.id)}
    if message.name is not None:
        carried["name"] = message.name
    return messages_from_dict([{"type": form["type"], "data": {**data, **carried}}])[0]


def _by_role(message: Message) -> BaseMessage:
    if message.role == "assistant":
        calls = [tool_call(name=_NAMELESS, args={}, id=call) for call in message.calls]
        return AIMessage(content=message.text, name=message.name, id=message.id, tool_calls=calls)
    if message.role == "tool":
        answers = message.answers or ""
        return ToolMessage(content=message.text, name=message.name, id=message.id, tool_call_id=answers)
    kind = SystemMessage if message.role == "system" else HumanMessage
    return kind(content=message.text, name=message.name, id=message.id)
