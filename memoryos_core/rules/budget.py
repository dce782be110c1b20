"""How much of what was ranked fits: never more than the budget, and a larger budget never drops what a smaller one held."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from memoryos_core.rules.words import sentences, terms

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Shares:
    """How a budget is divided: the recent turns, the persona, and what is left for hits (tokens)."""

    recent: int
    persona: int
    hits: int


def divide(budget: int, recent_full: int, persona_full: int, recent_share: float, persona_share: float) -> Shares:
    """Reserve each part its share, or less when its whole content needs less; hits get the rest.

    Reserving the share and not what is used of it keeps every part monotone in the budget.
    """
    recent = min(int(budget * recent_share), recent_full)
    persona = min(int(budget * persona_share), persona_full)
    return Shares(recent, persona, max(budget - recent - persona, 0))


def fit(items: Iterable[T], budget: int, cost: Callable[[T], int]) -> tuple[list[T], int]:
    """The longest prefix whose costs sum to no more than the budget, and that sum.

    A prefix, not a knapsack: skipping an item that does not fit would let a larger budget trade it for smaller ones.
    """
    used = 0
    kept: list[T] = []
    for item in items:
        price = cost(item)
        if used + price > budget:
            break
        kept.append(item)
        used += price
    return kept, used


def shorten(text: str, question_terms: frozenset[str], limit: int, count: Callable[[str], int]) -> str:
    """The sentences that share most with the question, in their order, within `limit` tokens; `…` marks each cut.

    A text within the limit comes back verbatim. When not even one sentence fits, the best one is cut at a word.
    """
    if count(text) <= limit:
        return text
    parts = sentences(text)
    worth = [len(question_terms.intersection(terms(p))) for p in parts]
    chosen: set[int] = set()
    used = 0
    for i in sorted(range(len(parts)), key=lambda i: (-worth[i], i)):
        price = count(parts[i]) + 2
        if used + price <= limit:
            chosen.add(i)
            used += price
    if not chosen:
        best = max(range(len(parts)), key=lambda i: (worth[i], -i), default=None)
        return _cut(parts[best] if best is not None else text, limit, count)
    return _joined(parts, chosen)


def _joined(parts: Sequence[str], chosen: set[int]) -> str:
    out: list[str] = []
    for i in range(len(parts)):
        if i in chosen:
            out.append(parts[i])
        elif not out or out[-1] != "…":
            out.append("…")
    return " ".join(out)


def _cut(text: str, limit: int, count: Callable[[str], int]) -> str:
    low, high = 0, min(len(text), max(limit, 1) * 8)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if count(text[:middle] + "…") <= limit else (low, middle - 1)
    head = text[:low]
    return (head.rsplit(" ", 1)[0] if " " in head else head) + "…"
