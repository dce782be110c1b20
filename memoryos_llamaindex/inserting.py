"""The place of the recall text in a prompt: in the user's last message, or before everything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from llama_index.core.base.llms.types import ChatMessage, MessageRole, TextBlock

InsertMethod: TypeAlias = Literal["auto", "system", "user"]
# The last message while a model works on a turn; a tool's, when one agent has handed over to another.
_OF_A_TURN = (MessageRole.USER, MessageRole.TOOL, MessageRole.FUNCTION)


def insert_recall(messages: Sequence[ChatMessage], recalled: str, method: InsertMethod) -> list[ChatMessage]:
    """The messages with `recalled` among them; as they are where it is empty. Those given are not changed.

    - "auto": into the last message of the user's while a model works on it, where every engine and agent shows it to
      the model; "system" for engines that read the memory before they add the question
    - "system": one leading system message, or the end of the one that is there
    - "user": into the last message of the user's; "system" where there is none
    """
    if not recalled:
        return list(messages)
    at = _place(messages, method)
    if at is not None:
        return [*messages[:at], _with_first(messages[at], recalled), *messages[at + 1 :]]
    if messages and messages[0].role == MessageRole.SYSTEM:
        first = messages[0].model_copy(update={"blocks": [*messages[0].blocks, TextBlock(text=recalled)]})
        return [first, *messages[1:]]
    return [ChatMessage(role=MessageRole.SYSTEM, content=recalled), *messages]


def _place(messages: Sequence[ChatMessage], method: InsertMethod) -> int | None:
    asked = bool(messages) and messages[-1].role in _OF_A_TURN
    if method == "user" or (method == "auto" and asked):
        last_first = range(len(messages) - 1, -1, -1)
        return next((i for i in last_first if messages[i].role == MessageRole.USER), None)
    return None


def _with_first(message: ChatMessage, text: str) -> ChatMessage:
    # One block stays one block: agents and engines set `content`, which refuses several.
    first, *rest = message.blocks or [TextBlock(text="")]
    if isinstance(first, TextBlock):
        blocks = [TextBlock(text=f"{text}\n\n{first.text}"), *rest]
    else:
        blocks = [TextBlock(text=text), first, *rest]
    return message.model_copy(update={"blocks": blocks})
