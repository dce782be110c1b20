"""What we recall, shown to a model in other forms: does the form of the context cost answers?

    python -m benchmarks.answers --data PATH --dataset locomo --system ours best-first lines bare half

The hits are those of `ours` under the same budget; only how they stand in the text differs. A form that takes more room
has fewer of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from benchmarks.system import DEFAULT, Conversation, Hit, System, in_ram, local_embedder
from memoryos_core import MemoryConfig, Recall
from memoryos_core.providers.tokens import open_token_counter
from memoryos_core.rules.dates import day_in_words
from memoryos_core.rules.ranking.rendering import PAGES, add_marks, hit_lines
from memoryos_core.values.dialogue import Hit as Recalled

_UNLINED = replace(DEFAULT, recall=replace(DEFAULT.recall, knowledge_share=0))  # no lines of what is known

_UNRESOLVED = replace(DEFAULT, recall=replace(DEFAULT.recall, resolve_times=False))  # "yesterday" stays a word

Form: TypeAlias = Callable[[Recall], str]


def _pages(recall: Recall) -> list[Recalled]:
    return [hit for hit in recall.hits if hit.kind == "page"]


def _put(recall: Recall, lines: Sequence[str]) -> str:
    """The recall with other lines for what was said earlier. Raises ValueError when it has no such lines."""
    before, _, after = recall.text.partition("\n".join([PAGES, *hit_lines(_pages(recall))]))
    if not after:
        raise ValueError("the recall does not hold the lines of its hits")
    return "\n".join([before + PAGES, *lines]) + after


def _dated(hit: Recalled) -> str:
    return f"[{day_in_words(hit.timestamp)}] {add_marks(hit, hit.text)}"


def best_first(recall: Recall) -> str:
    """Hits by rank, the best at the top, each with its day."""
    return _put(recall, [_dated(hit) for hit in _pages(recall)])


def best_last(recall: Recall) -> str:
    """Hits by rank, the best next to the question."""
    return _put(recall, [_dated(hit) for hit in reversed(_pages(recall))])


def lines(recall: Recall) -> str:
    """Oldest first as ours, with the day before each hit instead of above several."""
    return _put(
        recall, [_dated(hit) for hit in sorted(_pages(recall), key=lambda hit: (hit.timestamp, hit.seq, hit.at))]
    )


def bare(recall: Recall) -> str:
    """Dates and what was said, without tags, headings and what is known."""
    return "\n".join(hit_lines(_pages(recall)))


class Formed(System):
    """Our memory, whose recall is shown in another form."""

    def __init__(
        self, conversation: Conversation, form: Form, share: float = 1.0, config: MemoryConfig = DEFAULT
    ) -> None:
        super().__init__(conversation, in_ram(local_embedder(), config))
        self._form = form
        self._share = share
        self._count = open_token_counter()

    def context(self, query: str, budget: int) -> list[Hit]:
        """The whole recall in this form as one piece, with as many hits as fit."""
        least, room = 1, max(1, int(budget * self._share))
        while True:
            recall = self.recall(query, room)
            text = self._form(recall) if _pages(recall) else recall.text
            over = self._count(text) - int(budget * self._share)
            if over <= 0 or room <= least:
                return [Hit(text, [message.id or "" for hit in recall.hits for message in hit.messages])]
            room -= over


FORMS: dict[str, Callable[[Conversation], System]] = {
    **{
        name: partial(Formed, form=form)
        for name, form in (
            ("best-first", best_first),
            ("best-last", best_last),
            ("lines", lines),
            ("bare", bare),
        )
    },
    "unlined": partial(Formed, form=lambda recall: recall.text, config=_UNLINED),
    "unresolved": partial(Formed, form=lambda recall: recall.text, config=_UNRESOLVED),
    "half": partial(Formed, form=lambda recall: recall.text, share=0.5),
}
