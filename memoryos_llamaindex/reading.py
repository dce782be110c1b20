"""The messages for a model, from a conversation and a question: the newest turns that fit, and the recall text."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from llama_index.core.base.llms.types import ChatMessage

from memoryos_core import InvalidInputError, Message, Recall
from memoryos_core.hosts.validation import text
from memoryos_core.hosts.windows import shorten_recall, without_shown
from memoryos_llamaindex.conversation import Conversation
from memoryos_llamaindex.counting import PER_MESSAGE, MessageCounter
from memoryos_llamaindex.fitting import fit_turns
from memoryos_llamaindex.messages import from_core
from memoryos_llamaindex.prompts import notice_for_prompt
from memoryos_llamaindex.recalling import Asked

logger = logging.getLogger(__name__)

_SIZES_KEPT = 8192
_PART_FOR_RECALL = 3


@dataclass(frozen=True, slots=True)
class _Room:
    """The tokens of a prompt, the most of them for a recall and its message, and the question that it answers."""

    limit: int
    most: int
    asked: Asked


class Reader:
    """Reads within a limit of tokens; keeps the sizes of messages, for they are asked again with every read."""

    def __init__(self, counter: MessageCounter) -> None:
        self._counter = counter
        self._sizes: dict[tuple[str | None, int], int] = {}
        self._notice = counter.text(notice_for_prompt(" ")) + PER_MESSAGE
        self._starved: Asked | None = None

    def read(
        self, talk: Conversation, question: str | ChatMessage | None, limit: int, budget_tokens: int
    ) -> tuple[list[Message], str]:
        """Return the newest whole turns, oldest first, and what is remembered, ready for a prompt, "" for nothing.

        Together they have at most `limit` tokens, unless the newest turn alone has more: then it comes alone.

        Args:
            talk: the conversation.
            question: None is what the user said last.
            limit: tokens, counted like the messages by the host's tokenizer.
            budget_tokens: the most of them for what is remembered. It costs the window no more than a third of them,
                its notice included, and no more than it has.
        """
        found = talk.newest(max(limit, 1))
        third = limit // _PART_FOR_RECALL
        asked = _question_of(found, question, max(1, min(budget_tokens, third)))
        cost = 0
        recalled = ""
        if asked is not None:
            most = asked.budget_tokens + self._notice
            sure, tokens = fit_turns(found, self._size, limit - min(most, third))
            room = _Room(limit, min(most, limit - tokens), asked)
            recall = talk.recalls.recall(asked, _ids(sure), partial(self._fit, talk, found, room), talk.standing)
            recalled, cost = notice_for_prompt(str(recall)), recall.tokens + PER_MESSAGE if recall else 0
        window, tokens = fit_turns(found, self._size, limit - cost)
        if tokens > limit:
            logger.warning("the newest turn has %d tokens, more than the limit of %d: it is sent whole", tokens, limit)
        return window, recalled

    def _fit(self, talk: Conversation, found: Sequence[Message], room: _Room, recall: Recall) -> Recall:
        """Shorten a recall to its room, and leave out what the window shows that is fitted to its cost."""
        rest = recall
        while True:
            short = shorten_recall(rest, room.most - PER_MESSAGE, self._count, cut_best=True)
            window, _ = fit_turns(found, self._size, room.limit - short.tokens - PER_MESSAGE if short else room.limit)
            shown = {talk.user.session_id: _ids(window)}
            if without_shown(short, shown, self._count) is short:
                break
            rest = without_shown(rest, shown, self._count)
        if rest and not short and room.asked != self._starved:
            self._starved = room.asked
            message = (
                "what was recalled is left out: there are %d tokens for it beside the newest turn; raise token_limit"
            )
            logger.warning(message, max(room.most, 0))
        return short

    def _count(self, recalled: str) -> int:
        return self._counter.text(notice_for_prompt(recalled))

    def _size(self, message: Message) -> int:
        key = message.id, hash(message.payload)  # the payload of a picture is long
        size = self._sizes.get(key)
        if size is None:
            size = self._counter.count(from_core(message))
            if len(self._sizes) >= _SIZES_KEPT:
                self._sizes.clear()
            self._sizes[key] = size
        return size


def _ids(messages: Sequence[Message]) -> frozenset[str]:
    return frozenset(m.id for m in messages if m.id is not None)


def elsewhere(count: object) -> int:
    """Return the tokens of the prompt's other parts, as engines report them; None is 0. Raises InvalidInputError."""
    if count is None:
        return 0
    if not isinstance(count, int) or isinstance(count, bool):
        raise InvalidInputError(f"initial_token_count must be a whole number, not {type(count).__name__}")
    return max(count, 0)


def _question_of(messages: Sequence[Message], question: str | ChatMessage | None, budget_tokens: int) -> Asked | None:
    last = next((m for m in reversed(messages) if m.role == "user"), None)
    said = question.content if isinstance(question, ChatMessage) else question
    words = text("input", "" if said is None else said).strip()
    if not words and last is not None:
        words = (from_core(last).content or "").strip()  # without the markers of media
    return Asked((last.id if last else None) or "", words, budget_tokens) if words else None
