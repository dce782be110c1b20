"""From a conversation and a question to what a model is sent: the newest turns that fit, and what is remembered."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from llama_index.core.base.llms.types import ChatMessage

from memoryos_core import InvalidInputError, Message
from memoryos_core.rules.accepting import text
from memoryos_llamaindex.conversation import Conversation
from memoryos_llamaindex.counting import MessageCounter
from memoryos_llamaindex.fitting import fitted
from memoryos_llamaindex.messages import from_core
from memoryos_llamaindex.recalling import Asked

logger = logging.getLogger(__name__)

_SIZES_KEPT = 8192
_PART_FOR_RECALL = 3


class Reader:
    """Reads within a limit of tokens; keeps the sizes of messages, for they are asked again with every read."""

    def __init__(self, counter: MessageCounter) -> None:
        self._counter = counter
        self._sizes: dict[tuple[str | None, int], int] = {}

    def read(
        self, talk: Conversation, question: str | ChatMessage | None, limit: int, budget_tokens: int
    ) -> tuple[list[Message], str]:
        """The newest whole turns, oldest first, and what is remembered, ready for a prompt; "" where that is nothing.

        Together at most `limit` tokens, unless the newest turn alone has more: then that turn and nothing else.

        Args:
            talk: the conversation.
            question: None is what the user said last.
            limit: tokens.
            budget_tokens: the most of them for what is remembered; it never takes more than a third.
        """
        found = talk.newest(max(limit, 1))
        asked = _asked(found, question, max(1, min(budget_tokens, limit // _PART_FOR_RECALL)))
        if asked is not None:
            window, tokens = fitted(found, self._size, limit - asked.budget_tokens)
            recalled = talk.recalls.text(asked, {m.id for m in window if m.id is not None})
            if recalled and tokens + self._counter.count(ChatMessage(content=recalled)) <= limit:
                return window, recalled
        window, tokens = fitted(found, self._size, limit)
        if tokens > limit:
            logger.warning("the newest turn has %d tokens, more than the %d there are: it is sent whole", tokens, limit)
        return window, ""

    def _size(self, message: Message) -> int:
        key = message.id, hash(message.payload)  # the payload of a picture is long
        size = self._sizes.get(key)
        if size is None:
            size = self._counter.count(from_core(message))
            if len(self._sizes) >= _SIZES_KEPT:
                self._sizes.clear()
            self._sizes[key] = size
        return size


def elsewhere(count: object) -> int:
    """The tokens that a prompt has elsewhere, as engines tell them; None is none. Raises InvalidInputError."""
    if count is None:
        return 0
    if not isinstance(count, int) or isinstance(count, bool):
        raise InvalidInputError(f"initial_token_count must be a whole number, not {type(count).__name__}")
    return max(count, 0)


def _asked(messages: Sequence[Message], question: str | ChatMessage | None, budget_tokens: int) -> Asked | None:
    last = next((m for m in reversed(messages) if m.role == "user"), None)
    said = question.content if isinstance(question, ChatMessage) else question
    words = text("input", "" if said is None else said).strip() or (last.text.strip() if last else "")
    return Asked((last.id if last else None) or "", words, budget_tokens) if words else None
