"""The text that a block gives to a `Memory`, which may shorten it, and the known limits of that `Memory`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from llama_index.core.memory.memory import Memory

from memoryos_core import Recall
from memoryos_core.hosts.windows import shorten_recall
from memoryos_llamaindex.counting import MessageCounter
from memoryos_llamaindex.prompts import notice_for_prompt
from memoryos_llamaindex.session import llamaindex_tokenizer

Counter: TypeAlias = Callable[[str], int]


class Host(NamedTuple):
    """The limits of a `Memory` for its blocks: its token limit, None while unknown, and its way to count tokens."""

    token_limit: int | None
    tokenizer: Callable[[str], Sequence[Any]]

    @classmethod
    def of(cls, memory: Memory | None) -> Host:
        """Return the limits of a `Memory`; without one, LlamaIndex's tokenizer and no limit."""
        if memory is None:
            return cls(None, llamaindex_tokenizer())
        return cls(memory.token_limit, memory.tokenizer_fn)  # pyright: ignore[reportUnknownMemberType]

    def budget(self, budget_tokens: int) -> int:
        """Return the budget of one recall, which is never larger than the limit."""
        return budget_tokens if self.token_limit is None else min(budget_tokens, self.token_limit)

    def count(self, recalled: str) -> int:
        """Return the tokens of a recall's text with its notice."""
        return MessageCounter(self.tokenizer).text(notice_for_prompt(recalled))

    def fit(self, budget_tokens: int, recall: Recall) -> Recall:
        """Return the recall within its budget and its notice, counted as the `Memory` counts."""
        most = self.budget(self.budget(budget_tokens) + self.count(" "))
        return shorten_recall(recall, most, self.count, cut_best=True)


class RecalledText(str):
    """A recall as text for a prompt. It keeps the recall, so that whole hits can be left out of it later."""

    __slots__ = ("recall", "size")

    recall: Recall
    size: Counter

    @classmethod
    def of(cls, recall: Recall, size: Counter) -> RecalledText:
        """Return the text of a recall, "" for an empty one; `size` tells the tokens of a recall with its notice."""
        text = cls(notice_for_prompt(str(recall)))
        text.recall, text.size = recall, size
        return text

    def shortened(self, tokens: int) -> RecalledText:
        """Return the text with at least so many `tokens` fewer, without its worst hits; "" when none can stay."""
        short = shorten_recall(self.recall, self.recall.tokens - tokens, self.size)
        return self.of(short, self.size)
