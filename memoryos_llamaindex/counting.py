"""The token counts of LlamaIndex's messages."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, cast

from llama_index.core.base.llms.types import ChatMessage

from memoryos_core.hosts.concurrency import Contained
from memoryos_core.hosts.messages import Lost, pack_json
from memoryos_llamaindex.blocks import fields_of
from memoryos_llamaindex.messages import Call, block_call, keyword_calls

Tokenizer: TypeAlias = Callable[[str], Sequence[Any]]

# What stands round each message when it is sent: its role, and the marks of where it begins and ends. OpenAI's format
# takes three and the first word of the answer one; others take as many or fewer.
PER_MESSAGE = 4
# What a medium takes differs from model to model: the estimates of LlamaIndex's own `Memory`.
_MEDIUM = 256
_DOCUMENT = 2048
_FIXED = {"image": _MEDIUM, "audio": _MEDIUM, "video": _MEDIUM, "document": _DOCUMENT, "cache": 0}
# Where no tokenizer can tell.
_BYTES_PER_TOKEN = 4


class MessageCounter:
    """Counts the tokens of messages, all that they hold included; a block more never makes it fewer."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        """`tokenizer`: a text's tokens; where it raises, a token for every four bytes is assumed."""
        self._tokenizer = tokenizer

    def count(self, message: ChatMessage) -> int:
        """The tokens of one message, its role and delimiters included. Never raises."""
        total = PER_MESSAGE
        for block in _as_list(getattr(message, "blocks", None)):
            total += self._block(block)
        return total + self._calls(message)

    def text(self, text: object) -> int:
        """Return the tokens of a text, 0 for anything else. Never raises."""
        if not isinstance(text, str) or not text:
            return 0
        with Contained():
            return len(self._tokenizer(text))
        return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_PER_TOKEN)

    def _block(self, block: object) -> int:
        # An unknown kind, or one whose fields cannot be read, is taken for a medium.
        with Contained():
            return self._content(block)
        return _MEDIUM

    def _content(self, block: object) -> int:
        kind = getattr(block, "block_type", None)
        if kind == "text":
            return self.text(getattr(block, "text", None))
        if kind == "thinking":
            return self.text(getattr(block, "content", None))
        if kind == "tool_call":
            return 0  # counted with those of `additional_kwargs`
        if kind in ("citable", "citation"):
            inner = getattr(block, "content" if kind == "citable" else "cited_content", None)
            named = self.text(getattr(block, "title", None)) + self.text(getattr(block, "source", None))
            return named + sum(map(self._content, _as_list(inner)))
        return _FIXED.get(kind, _MEDIUM) if isinstance(kind, str) else _MEDIUM

    def _calls(self, message: ChatMessage) -> int:
        """The tokens of calls. A call that stands among the blocks and in additional_kwargs is sent once."""
        among_blocks, among_keywords = Counter[str](), Counter[str]()
        for block in _as_list(getattr(message, "blocks", None)):
            with Contained():
                if (call := block_call(block)) is not None:
                    among_blocks[call.id or ""] += self._call(call)
        with Contained():
            for call in keyword_calls(message):
                among_keywords[call.id or ""] += self._call(call)
        return sum((among_blocks | among_keywords).values())

    def _call(self, call: Call) -> int:
        return self.text(call.name) + self.text(_arguments_text(call.arguments))


def _as_list(value: object) -> Iterable[object]:
    if value is None:
        return ()
    return cast("list[object]", value) if isinstance(value, (list, tuple)) else (value,)


def _arguments_text(arguments: object) -> object:
    if arguments is None or isinstance(arguments, str):
        return arguments
    return json.dumps(pack_json(arguments, Lost(), fields_of), ensure_ascii=False)
