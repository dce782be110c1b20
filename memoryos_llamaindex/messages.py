"""LlamaIndex's messages as the core's, and back: nothing of a message is lost but what JSON has no form for."""

from __future__ import annotations

import json
import logging
import uuid
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, cast

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock
from pydantic import BaseModel

from memoryos_core import Message
from memoryos_core.hosts.concurrency import Contained
from memoryos_core.hosts.messages import Lost, leave_out_quotations, pack_json, tell
from memoryos_core.hosts.values import Role
from memoryos_llamaindex.blocks import BLOCKS, block_of, fields_of, form_of, marker

logger = logging.getLogger(__name__)

# The only key of a payload; it names the host. Payloads of other hosts are left alone.
_OURS = "llamaindex"
_ROLES: dict[str, Role] = {
    "user": "user",
    "assistant": "assistant",
    "chatbot": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
    "tool": "tool",
    "function": "tool",
}
# The name of a call that another host recorded without a name.
_NAMELESS = "unnamed_tool"


class Call(NamedTuple):
    """A call of a tool, wherever a message keeps it; `id` is what its result names."""

    id: str | None
    name: object
    arguments: object


def to_core(message: ChatMessage) -> Message:
    """A LlamaIndex message as the core keeps it, under a new id: LlamaIndex's messages have none.

    The text of an agent's reasoning ("Thought: ... Answer: ...") is its answer alone; all of it is kept in the payload.
    Pictures, sounds, videos and documents leave a marker in the text, such as "[image: cat.png]", by which they are
    found and recalled. A stream of a medium is read whole and left where it stood. What cannot be written as JSON is
    replaced by "[not kept: bytes]" or the like and logged as a warning, by type; the message is kept. Objects of
    pydantic inside it come back as dicts, tuples as lists, and a message or block class of one's own as LlamaIndex's.
    What the memory's own tools quoted is left out.
    """
    role = _role(message)
    said = _text_of_blocks(message)
    text = _final_answer(said) if role == "assistant" else said
    if text == said:
        text = _with_media(message)
    text = leave_out_quotations(text)
    kwargs = message.additional_kwargs
    name = kwargs.get("name")
    return Message(
        role=role,
        text=text,
        name=name if isinstance(name, str) else None,
        id=uuid.uuid4().hex,
        calls=_calls(message) if role == "assistant" else (),
        answers=_answers(message) if role == "tool" else None,
        payload=json.dumps({_OURS: _host_form(message, text)}),
    )


def from_core(message: Message) -> ChatMessage:
    """The LlamaIndex message that `to_core` was given, a new one each time.

    One that another host recorded, or whose payload is damaged, comes back by its role, with its text, name and calls.
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


def block_call(block: object) -> Call | None:
    """The call that a block is, if it is one."""
    if getattr(block, "block_type", None) != "tool_call":
        return None
    return Call(_text(_get(block, "tool_call_id")), _get(block, "tool_name"), _get(block, "tool_kwargs"))


def keyword_calls(message: ChatMessage) -> Iterator[Call]:
    """The calls among a message's additional_kwargs, as objects or dicts of OpenAI's or in the flat form of others.

    A call of the older kind has no id: the name of its function stands for it, in the result as well.
    """
    several = message.additional_kwargs.get("tool_calls")
    for call in cast("list[object]", several) if isinstance(several, (list, tuple)) else ():
        function = _get(call, "function") or call
        given = (_get(function, "arguments"), _get(function, "args"), _get(function, "input"))
        yield Call(_text(_get(call, "id")), _get(function, "name"), next((g for g in given if g is not None), None))
    if not several and (one := message.additional_kwargs.get("function_call")):
        yield Call(_text(_get(one, "name")), _get(one, "name"), _get(one, "arguments"))


# ------------------------------------------------------------------------------------------ to the core


def _role(message: ChatMessage) -> Role:
    return _ROLES.get(_host_role(message), "user")


def _host_role(message: ChatMessage) -> str:
    # Nothing checks a role that is assigned later: it may be a plain str.
    role = cast("object", message.role)
    return role.value if isinstance(role, MessageRole) else str(role)


def _text_of_blocks(message: ChatMessage) -> str:
    return "\n".join(block.text for block in message.blocks if isinstance(block, TextBlock))


def _with_media(message: ChatMessage) -> str:
    """Return the text, with a marker where a picture or another medium stands."""
    parts = (block.text if isinstance(block, TextBlock) else marker(block) for block in message.blocks)
    return "\n".join(part for part in parts if part is not None)


def _final_answer(said: str) -> str:
    """Return the final answer of a ReAct agent's reasoning; "" while it has only acted; other text unchanged.

    Only an "Answer:" that ends a thought counts: one in a tool's result, or in ordinary prose, is left alone.
    """
    if "Thought:" not in said:
        return said
    thinking = acted = False
    answer, at = None, 0
    for line in said.splitlines(keepends=True):
        begun = line.lstrip()
        if begun.startswith("Thought:"):
            thinking = True
        elif thinking and begun.startswith("Action:"):
            thinking, acted = False, True
        elif thinking and begun.startswith("Answer:"):
            thinking, answer = False, at + line.index("Answer:")
        at += len(line)
    opens = said.lstrip().startswith("Thought:")
    if answer is None and not acted:
        # A model's own words, not rendered by LlamaIndex, may have all on one line.
        answer = found if (found := said.rfind("Answer:")) >= 0 else None
    if answer is not None and (opens or acted):
        return said[answer + len("Answer:") :].strip()
    return "" if opens and acted else said


def _calls(message: ChatMessage) -> tuple[str, ...]:
    found = (*map(block_call, message.blocks), *keyword_calls(message))
    return tuple(dict.fromkeys(call.id for call in found if call is not None and call.id))


def _answers(message: ChatMessage) -> str | None:
    kwargs = message.additional_kwargs
    named = kwargs.get("name") if _host_role(message) == "function" else None
    return _text(kwargs.get("tool_call_id")) or _text(named)


def _host_form(message: ChatMessage, text: str) -> dict[str, object]:
    lost = Lost()
    kept: dict[str, object] = {"role": _host_role(message)}
    blocks = message.blocks
    if not (len(blocks) == 1 and type(blocks[0]) is TextBlock and blocks[0].text == text):
        kept["blocks"] = [form_of(block, lost) for block in blocks]
    # LlamaIndex has made blocks of these already, and would do so again with whatever it found here.
    kwargs = {k: v for k, v in message.additional_kwargs.items() if not (k == "images" and _are_documents(v))}
    if kwargs:
        kept["kwargs"] = pack_json(kwargs, lost, fields_of)
    tell(lost)
    return kept


def _are_documents(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(v, BaseModel) for v in cast("list[object]", value))


def _get(thing: object, name: str) -> object:
    return cast("Mapping[str, object]", thing).get(name) if isinstance(thing, Mapping) else getattr(thing, name, None)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


# ------------------------------------------------------------------------------------------ from the core


def _restore_message(message: Message, payload: object) -> ChatMessage | None:
    """Return the message of our own payload; None for another host's. A damaged payload may raise any error."""
    ours = cast("dict[str, object]", payload).get(_OURS) if isinstance(payload, dict) else None
    if not isinstance(ours, dict):
        return None
    form = cast("dict[str, Any]", ours)
    blocks = [block_of(b) for b in form["blocks"]] if "blocks" in form else [TextBlock(text=message.text)]
    # Not by its constructor, which would make blocks of `additional_kwargs["images"]`.
    return _built(MessageRole(form["role"]), blocks, dict[str, object](form.get("kwargs", {})))


def _built(role: MessageRole, blocks: list[Any], kwargs: dict[str, object]) -> ChatMessage:
    return ChatMessage.model_construct(role=role, blocks=blocks, additional_kwargs=kwargs)


def _by_role(message: Message) -> ChatMessage:
    kwargs: dict[str, object] = {} if message.name is None else {"name": message.name}
    blocks: list[Any] = [TextBlock(text=message.text)] if message.text or not message.calls else []
    if message.role == "tool" and message.answers is not None:
        kwargs["tool_call_id"] = message.answers
    if message.role == "assistant" and message.calls:
        if (kind := BLOCKS.get("tool_call")) is not None:
            blocks += [kind(tool_call_id=call, tool_name=_NAMELESS, tool_kwargs={}) for call in message.calls]
        else:
            kwargs["tool_calls"] = [_openai_call(call) for call in message.calls]
    return _built(MessageRole(message.role), blocks, kwargs)


def _openai_call(call: str) -> dict[str, object]:
    return {"id": call, "type": "function", "function": {"name": _NAMELESS, "arguments": "{}"}}
